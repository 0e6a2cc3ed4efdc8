"""Two ways to torture a server: kills at random, and a season with a smarthost that fails."""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from pbm.mail.keys import load_keyring
from pbm.store.db import Database
from tests.e2e.ports import free_port
from tests.torture import games
from tests.torture.count import Operator, findings
from tests.torture.fleet import Fleet, fleet_on
from tests.torture.killer import Killer
from tests.torture.sink import Sink
from tests.torture.trouble import Trouble
from tests.torture.waiting import NothingHappensError, until
from tests.torture.world import World

FAST_SERVER = Path(__file__).with_name("fast_server.py")
SHARE_OF_TROUBLE = 0.05  # of the steps of a conversation
STEP = 100  # turns; a bound for a hung server is on each
Tell = Callable[[str], None]
Work = Callable[[World, Fleet], Awaitable[None]]


@dataclass(frozen=True)
class Size:
    """How many boards are played at once, by how many players, and how much between two kills."""

    boards: int = 40
    players: int = 15
    most_events: int = 100


SIZE = Size()


@dataclass(frozen=True)
class Report:
    """What a run came to: a fault a line, and the figures."""

    findings: list[str]
    figures: dict[str, int]
    seconds: float

    def __str__(self) -> str:
        told = ", ".join(f"{number} {what}" for what, number in self.figures.items())
        return f"{told}; {self.seconds:.0f} s; {len(self.findings)} findings"


def run_kills(store: str, kills: int, seed: str, tell: Tell, size: Size = SIZE) -> Report:
    """Kill servers on a store, `sqlite` or `postgresql`, while they are played on."""

    async def work(world: World, fleet: Fleet) -> None:
        dice = random.Random(f"{seed} kills")
        killer = Killer(fleet, world.ledger, dice, tell, size.most_events)
        await killer.kill(kills)

    with _folder() as folder, fleet_on(store, Path(folder), _settings()) as fleet:
        return _run(fleet, work, Trouble(random.Random(seed)), size)


def run_season(turns: int, seed: str, tell: Tell, size: Size = SIZE) -> Report:
    """Play so many turns on SQLite while the smarthost fails in every way, at random."""

    async def work(world: World, _: Fleet) -> None:
        acknowledged = world.ledger.acknowledged
        while (done := len(acknowledged)) < turns:
            wanted = min(turns, done + STEP)
            await until(lambda wanted=wanted: len(acknowledged) >= wanted, f"turn {wanted}")
            if done // 1000 != len(acknowledged) // 1000:
                tell(f"{len(acknowledged)} turns, {world.ledger.copies()} copies")

    trouble = Trouble(random.Random(f"{seed} trouble"), SHARE_OF_TROUBLE)
    with _folder() as folder, fleet_on("sqlite", Path(folder), _settings()) as fleet:
        fleet.one.command = (sys.executable, str(FAST_SERVER), str(time.time()))
        report = _run(fleet, work, trouble, size, turns)
    tell(trouble.tell())
    return report


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pbm-torture-")


def _settings() -> dict[str, str]:
    return {
        "PBM_ADDRESS": games.SERVER,
        "PBM_OPERATOR": games.OPERATOR,
        "PBM_SECRET_KEY": games.SECRET,
        "PBM_SMARTHOST": f"smtp://127.0.0.1:{free_port()}",
        "PBM_MAILS_PER_HOUR": "0",
        "PBM_PEER_MAILS_PER_HOUR": "0",
    }


def _run(
    fleet: Fleet, work: Work, trouble: Trouble, size: Size, turns: int | None = None
) -> Report:
    """Play until `work` is done, or so many turns; then wait for the end of everything, and count.

    The servers' log is copied beside the working folder where there are findings.
    """
    began = time.monotonic()
    database = Database(fleet.one.settings["PBM_DATABASE_URL"])
    try:
        begun = games.begin_games(database, size.boards, size.players)
        keyring = load_keyring(fleet.one.folder / "none", games.SECRET)
        world = World(begun, keyring, fleet.doors, most=turns)
        operator = Operator(fleet, database)
        stalled = asyncio.run(_play(fleet, world, operator, work, trouble))
        found = stalled + findings(world, fleet, database, operator)
    finally:
        fleet.kill_all()
        database.close()
    if found:
        found.append(f"The log is {_kept_log(fleet)}.")
    figures = _figures(world, fleet, operator, trouble)
    return Report(found, figures, time.monotonic() - began)


async def _play(
    fleet: Fleet, world: World, operator: Operator, work: Work, trouble: Trouble
) -> list[str]:
    """Play and torture; tell what the server did not come to the end of."""
    port = int(fleet.one.settings["PBM_SMARTHOST"].rpartition(":")[2])
    keeping = asyncio.create_task(fleet.keep_up())
    try:
        async with Sink(world.keep, trouble, port).running(), world.playing():
            stalled = await _told(work(world, fleet))
            world.close()
            stalled += await _told(operator.drains(world))
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
    fleet.stop()
    return stalled


async def _told(work: Awaitable[None]) -> list[str]:
    """Do something; tell what it waited for in vain."""
    try:
        await work
    except NothingHappensError as error:
        return [str(error)]
    return []


def _figures(world: World, fleet: Fleet, operator: Operator, trouble: Trouble) -> dict[str, int]:
    return {
        "kills": fleet.kills.total(),
        **{f"of {name}": times for name, times in sorted(fleet.kills.items())},
        "ended by themselves": fleet.ended.total(),
        "turns": len(world.ledger.acknowledged),
        "tries to hand them over": world.tries,
        "mails arrived": len(world.ledger.arrivals),
        "of them copies": world.ledger.copies(),
        "put aside": len(operator.put_aside),
        "steps of the smarthost that went wrong": trouble.counted.total(),
    }


def _kept_log(fleet: Fleet) -> str:
    handle, name = tempfile.mkstemp(prefix="pbm-torture-", suffix=".log")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(fleet.one.log)
    return name
