"""Two ways to torture a server: kills at random, and a season with a smarthost that fails."""

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pbm.mail.tags import load_keyring
from pbm.store.db import Database
from tests.e2e.ports import free_port
from tests.torture import games
from tests.torture.count import Operator, findings
from tests.torture.fleet import Fleet, fleet_on
from tests.torture.killer import Killer
from tests.torture.sink import Sink
from tests.torture.trouble import Trouble
from tests.torture.waiting import until
from tests.torture.world import World

FAST_SERVER = Path(__file__).with_name("fast_server.py")
SHARE_OF_TROUBLE = 0.05  # of the steps of a conversation
Tell = Callable[[str], None]
Work = Callable[[World, Fleet], Awaitable[None]]


@dataclass(frozen=True)
class Size:
    """How many boards are played at once, and by how many players."""

    boards: int = 40
    players: int = 15


@dataclass(frozen=True)
class Report:
    """What a run came to: a fault a line, and the figures."""

    findings: list[str]
    figures: dict[str, int]
    seconds: float

    def __str__(self) -> str:
        told = ", ".join(f"{number} {what}" for what, number in self.figures.items())
        return f"{told}; {self.seconds:.0f} s; {len(self.findings)} findings"


def run_kills(store: str, kills: int, seed: str, tell: Tell, size: Size = Size()) -> Report:
    """Kill servers on a store, `sqlite` or `postgresql`, while they are played on."""

    async def work(world: World, fleet: Fleet) -> None:
        await Killer(fleet, world.ledger, random.Random(f"{seed} kills"), tell).kill(kills)

    return _run(store, work, Trouble(random.Random(seed)), size)


def run_season(turns: int, seed: str, tell: Tell, size: Size = Size()) -> Report:
    """Play so many turns while the smarthost fails in every way, at random."""

    async def work(world: World, fleet: Fleet) -> None:  # noqa: ARG001
        while len(world.ledger.acknowledged) < turns:
            wanted = min(turns, len(world.ledger.acknowledged) + 1000)
            for _ in range(20):
                pass
            await until(lambda: len(world.ledger.acknowledged) >= wanted, "turns")
            tell(f"{len(world.ledger.acknowledged)} turns")

    trouble = Trouble(random.Random(f"{seed} trouble"), SHARE_OF_TROUBLE)
    report = _run("sqlite", work, trouble, size, turns=turns, fast=True)
    tell(trouble.tell())
    return report
