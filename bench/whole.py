"""Whole turns, end to end: a player's mail in over SMTP, both boards delivered to a sink.

Real players, reply addresses, rules, templates and durable commits; nothing is switched off.
"""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Protocol

from bench import running, season
from bench.measure import Row
from bench.running import NextServer
from bench.smtp_load import SHAPES, Letter, Load, Shape, load
from tests.e2e.postfix import running_postfix
from tests.polling import until
from tests.postgres_server import PostgresServer, running_postgres

NOTHING = "aiosmtpd, doing nothing"
_MILLISECONDS = 5
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
_ALONE = Shape("one after the other", 2, True)


@dataclass(frozen=True)
class Size:
    """How much is sent: boards that each make a ply in a round, and rounds, of which the median
    counts."""

    boards: int = 200
    rounds: int = 7


@dataclass(frozen=True)
class Setting:
    """A way in which pbm runs."""

    name: str
    postgresql: bool = False
    picture: bool = False
    processes: Sequence[str] = (running.ALL_ROLES,)
    variables: Mapping[str, str] = field(default_factory=dict)


SETTINGS = (
    Setting("SQLite, one process"),
    Setting("SQLite, one process, pictures", picture=True),
    Setting("PostgreSQL, one process", postgresql=True),
    Setting(
        "PostgreSQL, three processes",
        postgresql=True,
        processes=("listen", "turn", "post"),
    ),
)


class Boards(Protocol):
    """Boards that go on for ever, a ply of each a round."""

    def round(self) -> list[Letter]:
        """The mails of the next ply of every board."""


@dataclass
class Place:
    """Where a measurement happens: the load, the next server, a PostgreSQL."""

    load: Load
    next_server: NextServer
    postgres: PostgresServer
    size: Size

    @contextmanager
    def game(self, setting: Setting) -> Iterator["Game"]:
        """pbm, running in this setting, and its boards."""
        with tempfile.TemporaryDirectory() as name, self.database(setting, Path(name)) as url:
            folder = Path(name)
            boards = season.begin(url, folder, self.size.boards, picture=setting.picture)
            with self.server(setting, folder, url, boards) as game:
                yield game

    @contextmanager
    def server(
        self,
        setting: Setting,
        folder: Path,
        url: str,
        boards: Boards,
        *,
        program: Path = running.PBM,
    ) -> Iterator["Game"]:
        """pbm, running on boards that are begun; `program` may be that of another checkout."""
        with running.pbm(
            folder,
            url,
            self.next_server.port,
            program=program,
            processes=setting.processes,
            variables=setting.variables,
        ) as (port, processes):
            game = Game(self, boards, port, processes, running.megabytes(processes))
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


@dataclass
class Game:
    """Boards that go on, on a server that runs."""

    place: Place
    boards: Boards
    port: int
    processes: Sequence[subprocess.Popen[bytes]]
    at_rest: float

    def memory(self) -> float:
        """Of the processes and their children, in MB."""
        return running.megabytes(self.processes)

    def processor_seconds(self) -> float:
        """What the processes and their children have used of the processor so far."""
        return running.processor_seconds(self.processes)

    def round(self, shape: Shape, *, a_second: float = 0.0) -> "Round":
        """A ply on every board, and both of its mails at the next server."""
        letters = self.boards.round()
        sink = self.place.next_server
        sink.take()
        sent = self.place.load.send(self.port, letters, shape, a_second=a_second)
        until(lambda: sink.count() >= 2 * len(letters), "the boards")
        arrived: dict[str, float] = {}
        for moment, recipient in sink.take():
            arrived.setdefault(recipient, moment)
        assert len(arrived) == 2 * len(letters), "a board went to somebody else"
        begun = min(item.dot for item in sent)
        took = max(arrived.values()) - begun
        waited = [_both(arrived, item.sender.decode()) - item.dot for item in sent]
        return Round(len(letters) / took, waited)

    def rate(self, shape: Shape) -> float:
        """Turns a second, in the median of some rounds."""
        return median(self.round(shape).rate for _ in range(self.place.size.rounds))


@dataclass(frozen=True)
class Round:
    """Turns a second, and the seconds from each mail's final dot to the second board's arrival."""

    rate: float
    waited: list[float]


def _both(arrived: Mapping[str, float], player: str) -> float:
    """When the boards had arrived at both players of a board."""
    number = player.partition("@")[0].removeprefix("left").removeprefix("right")
    return max(arrived[f"{side}{number}@players.example"] for side in ("left", "right"))


def measure(size: Size | None = None, settings: Sequence[Setting] = SETTINGS) -> list[Row]:
    """All rows, each beside the server that does nothing with the same mails in the same shape."""
    size = size or Size()
    rows: list[Row] = []
    with load() as sending, running.next_server() as sink, running_postgres(DURABLE) as postgres:
        place = Place(sending, sink, postgres, size)
        for shape in SHAPES:
            rows += _in_shape(place, shape, settings)
        rows += _on_a_slow_disk(place)
        rows += _waiting(place)
        rows += _memory(place)
    return rows


def _in_shape(place: Place, shape: Shape, settings: Sequence[Setting]) -> list[Row]:
    with running.nothing() as port:
        beside = _Beside(place, port, shape)
        with running_postfix(place.next_server.port, main="defer_transports = smtp\n") as postfix:
            beside.note("Postfix, to its queue", "mails", lambda: beside.taking(postfix.port))
        for setting in settings:
            with place.game(setting) as game:
                beside.note(setting.name, "turns", lambda game=game: game.round(shape).rate)
    return beside.rows()


@dataclass
class _Beside:
    """Rounds that each stand beside one of the server that does nothing, right before: a machine
    that slows down does so to both."""

    place: Place
    port: int
    shape: Shape
    nothing: list[float] = field(default_factory=list)
    others: list[Row] = field(default_factory=list)

    def taking(self, port: int) -> float:
        """Mails a second that a server takes."""
        return _taking(self.place, port, self.shape)

    def note(self, name: str, unit: str, rate: Callable[[], float]) -> None:
        """Measure something; of its rounds the median counts."""
        rates, ratios = [], []
        for _ in range(self.place.size.rounds):
            self.nothing.append(self.taking(self.port))
            rates.append(rate())
            ratios.append(rates[-1] / self.nothing[-1])
        told = f"{name}; {self.shape.name}"
        self.others.append(Row(told, unit, median(rates), "doing nothing", median(ratios)))

    def rows(self) -> list[Row]:
        """The server that does nothing, and all that was measured beside it."""
        name = f"{NOTHING}; {self.shape.name}"
        return [Row(name, "mails", median(self.nothing), "itself", 1.0), *self.others]


def _taking(place: Place, port: int, shape: Shape) -> float:
    """Mails a second that a server takes; they are those of a round of turns."""
    letters = 3 * _letters(place.size.boards)
    sent = place.load.send(port, letters, shape)
    return len(letters) / (max(item.reply for item in sent) - min(item.dot for item in sent))


def _letters(boards: int) -> list[Letter]:
    with tempfile.TemporaryDirectory() as name:
        url = f"sqlite:///{Path(name) / 'pbm.sqlite3'}"
        return season.begin(url, Path(name), boards, picture=False).round()


def _on_a_slow_disk(place: Place) -> list[Row]:
    """The same server with each fsync slower, beside itself, a round each in turn."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        slower = running.slow_disk(Path(name), _MILLISECONDS)
        slow_one = Setting("slow", variables=slower)
        for shape in SHAPES:
            with place.game(SETTINGS[0]) as usual, place.game(slow_one) as slow:
                pairs = [
                    (slow.round(shape).rate, usual.round(shape).rate)
                    for _ in range(place.size.rounds)
                ]
            told = f"{SETTINGS[0].name}, each fsync {_MILLISECONDS} ms longer; {shape.name}"
            ratio = median(rate / beside for rate, beside in pairs)
            rows.append(
                Row(told, "turns", median(rate for rate, _ in pairs), "its own rate", ratio)
            )
    return rows


def _waiting(place: Place) -> list[Row]:
    """From the final dot to the second board's arrival, at half of the load that can be done."""
    shape = SHAPES[1]
    with place.game(SETTINGS[0]) as game:
        alone = median(game.round(_ALONE, a_second=20).waited)
        half = game.rate(shape) / 2
        rounds = [game.round(shape, a_second=half) for _ in range(place.size.rounds)]
    waited = [seconds for item in rounds for seconds in item.waited]
    ninety_ninth = quantiles(waited, n=100)[98]
    return [
        Row("final dot to both boards, alone, p50", "ms", alone * 1000, "itself", 1.0),
        Row(
            "the same at half load, p50",
            "ms",
            median(waited) * 1000,
            "alone",
            median(waited) / alone,
        ),
        Row("the same at half load, p99", "ms", ninety_ninth * 1000, "alone", ninety_ninth / alone),
    ]


def _memory(place: Place) -> list[Row]:
    with place.game(SETTINGS[0]) as game:
        game.rate(SHAPES[1])
        under_load = game.memory()
        return [
            Row("memory, just started", "MB", game.at_rest, "itself", 1.0),
            Row("memory, after that load", "MB", under_load, "started", under_load / game.at_rest),
        ]
