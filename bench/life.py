"""A long life: turns beside millions of rows that are done, for an hour, and beside a snapshot
that is held open as a backup holds one. On PostgreSQL, whose old rows stay until no one sees them.
"""

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
_FEWEST = 5  # rounds of which the median counts
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
    """The rate of whole turns, and then their costs: at first, beside the rows, after an hour,
    beside the snapshot."""
    size = size or Size()
    with (
        place(WholeSize(size.boards), _SERVER) as here,
        tempfile.TemporaryDirectory() as name,
        here.database(_SETTING, Path(name)) as url,
    ):
        boards = season.begin(url, Path(name), size.boards, picture=False)
        with here.server(_SETTING, Path(name), url, boards) as game:
            return [*_lines(game, url, size)]


def _lines(game: Game, url: str, size: Size) -> list[Line]:
    empty = _rounds(game, 0, _FEWEST)
    fill(url, size.rows)
    lived = _rounds(game, size.minutes)
    with _snapshot(url):
        beside = _rounds(game, size.held)
    many = f"{size.rows:,} mails in and as many out are done".replace(",", " ")
    parts = [
        _Part("nothing is done yet", empty, "itself", empty),
        _Part(f"{many}, at first", begun := lived[: _sixth(lived)], "nothing done", empty),
        _Part(f"{many}, after {size.minutes:g} minutes", ended := _last(lived), "at first", begun),
        _Part(
            f"and then a snapshot is held open for {size.held:g} minutes",
            _last(beside),
            "before it",
            ended,
        ),
    ]
    return [*(part.row() for part in parts), *(it for part in parts for it in part.costs())]


@dataclass(frozen=True)
class _Part:
    """Rounds of a part of the time, and those that they stand beside."""

    name: str
    rounds: Sequence[Round]
    beside: str
    others: Sequence[Round]

    def row(self) -> Row:
        rate, other = (median(it.rate for it in some) for some in (self.rounds, self.others))
        return Row(self.name, "turns", rate, self.beside, rate / other)

    def costs(self) -> list[Cost]:
        turns = sum(len(it.waited) for it in self.rounds)
        return costs(self.name, [it.used for it in self.rounds], turns)


def _rounds(game: Game, minutes: float, fewest: int = 1) -> list[Round]:
    """All rounds for so long, some in any case."""
    end, rounds = time.monotonic() + 60 * minutes, list[Round]()
    while len(rounds) < fewest or time.monotonic() < end:
        rounds.append(game.round(_SHAPE))
    return rounds


def _last(rounds: Sequence[Round]) -> Sequence[Round]:
    return rounds[-_sixth(rounds) :]


def _sixth(rounds: Sequence[Round]) -> int:
    """How many of the rounds are the beginning, or the end."""
    return max(1, len(rounds) // 6)


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
