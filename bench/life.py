"""A long life: turns beside millions of rows that are done, for an hour, and beside a snapshot
that is held open as a backup holds one. On PostgreSQL, whose old rows stay until no one sees them.

In an hour a machine becomes faster and slower by itself. So each part stands beside a server that
has just begun, on an empty database, with which it takes rounds in turns.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sqlalchemy import Column, Connection, create_engine, text

from bench import season
from bench.costs import Cost, costs
from bench.measure import Line, Row
from bench.place import DURABLE, Game, Round, Setting, place
from bench.place import Size as WholeSize
from bench.smtp_load import SHAPES
from pbm.store.schema.columns import Moment
from pbm.store.schema.mails import inbox, outbox

ROWS = 5_000_000
MINUTES = 60.0
HELD = 10.0  # minutes, the last of all
# Some memory, as anybody has who keeps millions of rows.
_SERVER = {**DURABLE, "shared_buffers": "256MB", "max_wal_size": "2GB"}
_SETTING = Setting(
    "PostgreSQL, one process", postgresql=True, variables={"PBM_MAILS_PER_HOUR": "0"}
)
_SHAPE = SHAPES[1]
_PAIRS = 7  # of which the median counts
_EARLIER = 12  # plies; then a board's mail is as long as it ever gets, and tells of a draw
_YOUNG = "a server that has just begun"
_FINISHED = {inbox: "done", outbox: "sent"}
_UNIQUE = ("digest", "message_id")


@dataclass(frozen=True)
class Size:
    """How many finished mails of each kind there are, in and out, and how long it all takes."""

    rows: int = ROWS
    minutes: float = MINUTES
    held: float = HELD
    boards: int = 2000  # on which an hour is a game, and no more than some moves are made meanwhile


def measure(size: Size | None = None) -> list[Line]:
    """The rate of whole turns, and then their costs: at first, after an hour, beside the
    snapshot."""
    size = size or Size()
    with (
        place(WholeSize(size.boards), _SERVER) as here,
        tempfile.TemporaryDirectory() as name,
        here.database(_SETTING, Path(name)) as url,
    ):
        boards = season.begin(url, Path(name), size.boards, picture=False)
        with here.server(_SETTING, Path(name), url, boards) as game:
            _play_on(game)
            return _lines(game, url, size)


def _lines(game: Game, url: str, size: Size) -> list[Line]:
    many = f"{size.rows:,} mails in and as many out are done".replace(",", " ")
    after, held = f"after {size.minutes:g} minutes", f"{size.held:g} minutes"
    fill(url, size.rows)
    first = _measured(f"{many}, at first", game)
    _load(game, size.minutes)
    later = _measured(f"{many}, {after}", game)
    with _snapshot(url):
        _load(game, size.held)
        beside = _measured(f"{many}, {after}, a snapshot is held open for {held}", game)
    return [
        first.young(),
        first.row(),
        later.row(),
        beside.row(),
        later.compared(first, "at first"),
        beside.compared(later, "before the snapshot"),
        *(it for part in (first, later, beside) for it in part.costs()),
    ]


@dataclass(frozen=True)
class _Part:
    """Rounds of a part of the time, each with one of a server that has just begun."""

    name: str
    pairs: Sequence[tuple[Round, Round]]

    @property
    def rate(self) -> float:
        return median(ours.rate for ours, _ in self.pairs)

    @property
    def ratio(self) -> float:
        """How fast it is beside the other: whether the machine is slow just now does not matter."""
        return median(ours.rate / young.rate for ours, young in self.pairs)

    def young(self) -> Row:
        rate = median(young.rate for _, young in self.pairs)
        return Row(f"{_YOUNG}, beside it", "turns", rate, "itself", 1.0)

    def row(self) -> Row:
        return Row(self.name, "turns", self.rate, _YOUNG, self.ratio)

    def compared(self, other: "_Part", name: str) -> Row:
        ratio = self.ratio / other.ratio
        return Row(f"{self.name}: its ratio", "turns", self.rate, f"that {name}", ratio)

    def costs(self) -> list[Cost]:
        both = zip(*self.pairs, strict=True)
        return [
            line
            for name, rounds in zip((self.name, f"{_YOUNG}, beside {self.name}"), both, strict=True)
            for line in costs(
                name, [it.used for it in rounds], sum(len(it.waited) for it in rounds)
            )
        ]


def _measured(name: str, game: Game) -> _Part:
    """Rounds, in turns with those of a server that has done nothing yet; told at once, as all of it
    takes long."""
    with game.place.game(_SETTING) as young:
        _play_on(young)
        part = _Part(name, [(game.round(_SHAPE), young.round(_SHAPE)) for _ in range(_PAIRS)])
    print(*part.row().cells(), sep=" | ", file=sys.stderr, flush=True)
    return part


def _play_on(game: Game) -> None:
    """Bring all boards to where their mails are like those after an hour: what is compared are
    servers, and no first moves with later ones."""
    for _ in range(_EARLIER):
        game.round(_SHAPE)


def _load(game: Game, minutes: float) -> None:
    """All rounds for so long, one in any case."""
    end = time.monotonic() + 60 * minutes
    game.round(_SHAPE)
    while time.monotonic() < end:
        game.round(_SHAPE)


@contextmanager
def _snapshot(url: str) -> Iterator[None]:
    """A transaction that sees the database as it is now, like that of `pg_dump`."""
    engine = create_engine(url, isolation_level="REPEATABLE READ")
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT count(*) FROM boards")).one()
            yield
    finally:
        engine.dispose()


def fill(url: str, rows: int) -> None:
    """Copy the mails that are done, in and out, until there are so many of each, and tidy up."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for table, word in _FINISHED.items():
            _copy(connection, table.name, list(table.columns), word, rows)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    engine.dispose()


def _copy(
    connection: Connection, table: str, columns: Sequence[Column[object]], word: str, rows: int
) -> None:
    names = [column.name for column in columns if column.name != "id"]
    values = ", ".join(_value(column) for column in columns if column.name != "id")
    done = connection.scalar(text(f"SELECT count(*) FROM {table} WHERE status = '{word}'"))
    query = text(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values}"
        f" FROM {table} AS it, generate_series(1, :times) AS copy"
        f" WHERE it.status = '{word}' ORDER BY copy DESC, it.id"
    )
    connection.execute(query, {"times": -(-rows // int(done or 1))})


def _value(column: Column[object]) -> str:
    """What stands there in a copy: the later it is, the longer ago it was."""
    if column.name in _UNIQUE:
        whole = f"md5(it.{column.name} || copy) || md5(copy || it.{column.name})"
        return f"left({whole}, length(it.{column.name}))"
    if isinstance(column.type, Moment):
        return f"it.{column.name} - copy * interval '1 hour'"
    return f"it.{column.name}"
