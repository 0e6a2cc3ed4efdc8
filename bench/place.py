"""Where whole turns are measured: pbm running in some setting, its boards, and who sends and takes
their mails."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench import running
from bench.costs import OnPostgres, OnSqlite, Used, counted_postgres, meter
from bench.counting import CountingProcesses, counting_processes
from bench.running import NextServer
from bench.smtp_load import SHAPES, Letter, Load, Shape, load
from tests.polling import until
from tests.postgres_server import PostgresServer

_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
_AFTERWARDS = 0.2  # seconds in which what comes after the last board is written down


@dataclass(frozen=True)
class Size:
    """How much is sent: boards that each make a ply in a round, and rounds, of which the median
    counts."""

    boards: int
    rounds: int = 1


@dataclass(frozen=True)
class Setting:
    """A way in which pbm runs."""

    name: str
    postgresql: bool = False
    picture: bool = False
    processes: Sequence[str] = (running.ALL_ROLES,)


class Boards(Protocol):
    """Boards that go on for ever, a ply of each a round."""

    def round(self) -> list[Letter]:
        """The mails of the next ply of every board."""


@dataclass
class Place:
    """Where a measurement happens: the load, the next server, a PostgreSQL, and what counts."""

    load: Load
    next_server: NextServer
    postgres: PostgresServer
    counting: CountingProcesses
    size: Size

    @contextmanager
    def server(
        self,
        setting: Setting,
        folder: Path,
        url: str,
        boards: Boards,
        program: Path,
    ) -> Iterator["Game"]:
        """The `program` of some checkout, running on boards that are begun."""
        with running.pbm(
            folder,
            url,
            self.next_server.port,
            program=program,
            processes=setting.processes,
            variables={} if setting.postgresql else self.counting.variables,
            own_users=setting.postgresql,
        ) as (port, processes):
            named = list(zip(map(running.user, setting.processes), processes, strict=True))
            counts = meter(url, named, self.counting, self.postgres)
            game = Game(self, boards, port, counts)
            game.round(SHAPES[0])  # what happens once is not measured
            yield game

    @contextmanager
    def database(self, setting: Setting, folder: Path) -> Iterator[str]:
        """An empty database, gone at the end."""
        if setting.postgresql:
            with self.postgres.new_database() as url:
                yield url
        else:
            yield f"sqlite:///{folder / 'pbm.sqlite3'}"


@contextmanager
def place(size: Size) -> Iterator[Place]:
    """A place with all that belongs there."""
    with (
        load() as sending,
        running.next_server() as sink,
        counting_processes() as counting,
        counted_postgres(_DURABLE, counting) as postgres,
    ):
        yield Place(sending, sink, postgres, counting, size)


@dataclass
class Game:
    """Boards that go on, on a server that runs."""

    place: Place
    boards: Boards
    port: int
    counts: OnSqlite | OnPostgres

    def round(self, shape: Shape, *, a_second: float = 0.0) -> "Round":
        """A ply on every board, and both of its mails at the next server."""
        letters = self.boards.round()
        sink = self.place.next_server
        sink.take()
        used: Used = defaultdict(float)
        with self.counts.watched(used):
            sent = self.place.load.send(self.port, letters, shape, a_second=a_second)
            until(lambda: sink.count() >= 2 * len(letters), "the boards")
            time.sleep(_AFTERWARDS)
        arrived: dict[str, float] = {}
        for moment, recipient in sink.take():
            arrived.setdefault(recipient, moment)
        assert len(arrived) == 2 * len(letters), "a board went to somebody else"
        begun = min(item.dot for item in sent)
        took = max(arrived.values()) - begun
        waited = [_both(arrived, item.sender.decode()) - item.dot for item in sent]
        return Round(len(letters) / took, waited, used)


@dataclass(frozen=True)
class Round:
    """Turns a second, the seconds from each mail's final dot to the second board's arrival, and
    what all of its turns cost."""

    rate: float
    waited: list[float]
    used: Used


def _both(arrived: Mapping[str, float], player: str) -> float:
    """When the boards had arrived at both players of a board."""
    number = player.partition("@")[0].removeprefix("left").removeprefix("right")
    return max(arrived[f"{side}{number}@players.example"] for side in ("left", "right"))
