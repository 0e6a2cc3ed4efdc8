"""The processes that are killed, and what starts them again, as systemd would."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from pbm.store.db import Database
from pbm.store.migrate import migrate
from tests.e2e.running import PROGRAMS, RunningServer
from tests.torture.postgres import MortalPostgres, mortal_postgres

SERVE = (str(PROGRAMS / "pbm"), "serve")
STORES = ("sqlite", "postgresql")
ROLES = ("listen", "turn", "post", "ticks", "robots")
OF_EACH = 3  # processes
WITHOUT_DOOR = ROLES[1:]
DATABASE, ONE_OF_IT = "postgres", "a process of postgres"
_BETWEEN_LOOKS = 0.02
_SHARE_OF_DATABASE = 0.2


@dataclass
class Fleet:
    """One server on SQLite, or several processes of each role and their PostgreSQL."""

    servers: dict[str, RunningServer]
    postgres: MortalPostgres | None = None
    kills: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)  # nobody had killed them
    _killed: set[str] = field(default_factory=set)

    @property
    def one(self) -> RunningServer:
        """Any of the servers; all have one folder and one log."""
        return next(iter(self.servers.values()))

    @property
    def doors(self) -> tuple[int, ...]:
        """The ports at which mails can be handed in."""
        doors = (it.port for name, it in self.servers.items() if not name.startswith(WITHOUT_DOOR))
        return tuple(doors)

    async def keep_up(self) -> None:
        """Start whoever has died again, for ever."""
        while True:
            for name, kept in self._kept():
                process = kept.process
                if process is None or process.poll() is not None:
                    if process is not None and name not in self._killed:
                        self.ended[name] += 1
                    self._killed.discard(name)
                    kept.start_process()
            await asyncio.sleep(_BETWEEN_LOOKS)

    def choose(self, dice: random.Random) -> str:
        """Choose whom to kill."""
        if self.postgres and dice.random() < _SHARE_OF_DATABASE:
            return dice.choice((DATABASE, ONE_OF_IT))
        return dice.choice(sorted(self.servers))

    def is_up(self, name: str) -> bool:
        """Whether there is anything to be killed."""
        process = dict(self._kept())[DATABASE if name == ONE_OF_IT else name].process
        return process is not None and process.poll() is None and name not in self._killed

    def kill(self, name: str, dice: random.Random) -> bool:
        """Kill with SIGKILL what is up; False if there was nothing."""
        if name == ONE_OF_IT:
            if not (self.postgres and self.postgres.kill_one(dice)):
                return False
        elif name == DATABASE:
            assert self.postgres is not None
            self._killed.add(name)
            self.postgres.kill()
        else:
            self._killed.add(name)
            process = self.servers[name].process
            assert process is not None
            process.kill()
            process.wait()
        self.kills[name] += 1
        return True

    def left_over(self) -> list[int]:
        """The processes of this fleet that are there, by the database that they were told of."""
        mark = f"PBM_DATABASE_URL={self.one.settings['PBM_DATABASE_URL']}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def stop(self) -> None:
        """End the servers as an operator does; what goes wrong then is for `log`."""
        for server in self.servers.values():
            if server.process is not None:
                server.stop()

    def kill_all(self) -> None:
        """Leave nothing behind."""
        for server in self.servers.values():
            if server.process is not None:
                server.process.kill()
                server.process.wait()

    def _kept(self) -> Iterator[tuple[str, RunningServer | MortalPostgres]]:
        if self.postgres:
            yield DATABASE, self.postgres
        yield from self.servers.items()


@contextmanager
def fleet_on(store: str, folder: Path, settings: Mapping[str, str]) -> Iterator[Fleet]:
    """A fleet on an empty database of one kind, its tables made; nothing of it runs yet."""
    if store == "sqlite":
        url = f"sqlite:///{folder / 'pbm.sqlite3'}"
        yield _ready({"serve": SERVE}, folder, {**settings, "PBM_DATABASE_URL": url})
        return
    commands = {
        f"{role} {number}": (*SERVE, f"--roles={role}")
        for role in ROLES
        for number in range(1, OF_EACH + 1)
    }
    with mortal_postgres() as postgres:
        fleet = _ready(commands, folder, {**settings, "PBM_DATABASE_URL": postgres.url})
        fleet.postgres = postgres
        yield fleet


def _ready(
    commands: Mapping[str, tuple[str, ...]], folder: Path, settings: Mapping[str, str]
) -> Fleet:
    database = Database(settings["PBM_DATABASE_URL"])
    migrate(database)
    database.close()
    return Fleet(
        {name: RunningServer(folder, settings, command) for name, command in commands.items()}
    )
