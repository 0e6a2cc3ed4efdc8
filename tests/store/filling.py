"""A database as years of play leave it, made quickly: a game really played, copied many times.

Two people sign up, play one game to its end and begin another, by mail, on a server of their own.
What that leaves in every table is copied, with numbers, names and digests of its own for each
copy. So the copies are what the server writes, whatever the schema becomes. Finished mails keep
a row without their contents, as in any database of ours; nothing is due or new.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import md5
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, text
from sqlalchemy.schema import Table as SchemaTable

from pbm.store.db import Database
from pbm.store.schema import metadata
from pbm.store.schema.columns import Moment
from tests.table import START, Table

_HANDLES = ("leftmodel", "rightmodel")
_NAMES = ("left", "right", "board", "one", "two")
_UNIQUE = frozenset({"digest", "token_digest"})
_NUMBERS = {
    "begun_by_id": "players",
    "thread": "boards",
    "board_lane": "boards",
    "match_id": "boards",
}
_OF_A_PAIR = ("players", "addresses", "questions", "inbox", "outbox", "buckets")
_OF_A_BOARD = (
    *("boards", "seats", "moves", "departures", "inbox", "outbox"),
    *("rated_boards", "results"),
)
_OF_A_FINISHED_GAME = ("ratings",)  # once for each pair
_AT_ONCE = 20_000  # rows that are sent to the database together
_A_WEEK = 7 * 24 * 60  # minutes; older buckets are forgotten
_SHORT = 10  # plies of a game under way

Row = Sequence[Any]
Make = Callable[["_Copy"], Any]


@dataclass(frozen=True)
class Size:
    """How much there is; `plies` are those of each finished game."""

    finished: int
    running: int
    pairs: int  # of players, who share the boards among them
    plies: int = 20


@dataclass
class _Copy:
    """What differs from one copy of the model to the next."""

    first: dict[str, int]  # number of each table's first row in this copy, less the model's
    players: int  # less the model's
    names: dict[str, Any]
    moment: str
    lately: str
    salt: str
    row: int = 0

    def unique(self) -> str:
        return md5(f"{self.salt}.{self.row}".encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class _Pattern:
    """A row of the model: what is the same in each copy, and how to write what differs."""

    same: list[Any]
    differing: Sequence[tuple[int, Make]]

    def copied(self, copy: _Copy) -> Row:
        row = self.same.copy()
        for place, make in self.differing:
            row[place] = make(copy)
        return row


@dataclass(frozen=True)
class _Part:
    """Rows of the model that are copied together: of two players, or of a board."""

    rows: Mapping[str, Sequence[_Pattern]]

    def copied(self, table: str, copy: _Copy) -> Iterator[Row]:
        for pattern in self.rows[table]:
            copy.row += 1
            yield pattern.copied(copy)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each table there are, where there are any."""
        return {name: len(rows) for name, rows in self.rows.items() if rows}


def fill(database: Database, size: Size) -> None:
    """Fill a migrated, empty database; on PostgreSQL its statistics are made, too."""
    with tempfile.TemporaryDirectory() as folder:
        pair, over, going = _model(Path(folder) / "model.sqlite3", size.plies)
    parts = [(pair, size.pairs), (over, size.finished), (going, size.running)]
    rows: dict[str, Iterator[Row]] = {
        table.name: _rows(table.name, parts, size.pairs) for table in metadata.sorted_tables
    }
    indexes = [index for table in metadata.sorted_tables for index in table.indexes]
    with database.engine.begin() as connection:
        for index in indexes:
            index.drop(connection)
    with database.engine.connect() as connection:
        for table in metadata.sorted_tables:
            names = [column.name for column in table.columns]
            _insert(connection, table.name, names, rows[table.name])
    with database.engine.begin() as connection:  # afterwards, which is faster
        for index in indexes:
            index.create(connection)
    if not database.embedded:
        with database.engine.connect() as connection:
            _set_numbers(connection)
            connection.commit()
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


def _rows(table: str, parts: Sequence[tuple[_Part, int]], pairs: int) -> Iterator[Row]:
    """All rows of a table, in the order of their numbers."""
    first = dict.fromkeys(metadata.tables, 0)
    total = sum(count for _, count in parts)
    done = 0
    for part, count in parts:
        counts = part.counts
        if table not in counts:
            for name, rows in counts.items():
                first[name] += count * rows
            done += count
            continue
        for number in range(count):
            whose = number % pairs
            copy = _Copy(
                first=first,
                players=2 * whose,
                names={
                    "left": f"left{whose}",
                    "right": f"right{whose}",
                    "board": first["boards"] + 1,
                    "one": 2 * whose + 1,
                    "two": 2 * whose + 2,
                },
                moment=f"{START - timedelta(days=30, minutes=total - done):%Y-%m-%d %H:%M:%S.%f}",
                lately=f"{START - timedelta(minutes=whose % _A_WEEK):%Y-%m-%d %H:%M:%S.%f}",
                salt=str(done),
            )
            yield from part.copied(table, copy)
            for name, rows in counts.items():
                first[name] += rows
            done += 1


# -- the model -----------------------------------------------------------------------------------


def _model(file: Path, plies: int) -> tuple[_Part, _Part, _Part]:
    """What two newcomers leave, what a finished game leaves, and what one under way leaves."""
    table = Table(f"sqlite:///{file}")
    left, right = (table.joins(handle) for handle in _HANDLES)
    marks = [_marks(table)]
    for number, count in ((1, plies), (2, _SHORT)):
        left.says(f"challenge {_HANDLES[1]}", answering=left.mail("pbm: welcome"))
        for ply in range(count):
            mover = (left, right)[ply % 2]
            moves = table.board(number).position.legal_moves()
            move = str(moves[(ply * 7 + 3) % len(moves)])
            mover.says(move)
            table.clock.passes(hours=1)
        if number == 1:
            left.says("resign")
        marks.append(_marks(table))
    pair = _part(table, _OF_A_PAIR, {}, marks[0])
    known = _part(table, _OF_A_FINISHED_GAME, marks[0], marks[1])
    parts = (
        _Part({**pair.rows, **known.rows}),
        _part(table, _OF_A_BOARD, marks[0], marks[1]),
        _part(table, _OF_A_BOARD, marks[1], marks[2]),
    )
    table.database.close()
    return parts


def _marks(table: Table) -> dict[str, int]:
    """The last number of each table."""
    with table.database.engine.connect() as connection:
        return {
            name: connection.execute(text(f"SELECT max({_number(item)}) FROM {name}")).scalar() or 0
            for name, item in metadata.tables.items()
        }


def _number(table: SchemaTable) -> str:
    return next((name for name in ("id", "board_id") if name in table.columns), "rowid")


def _part(
    table: Table, names: Sequence[str], after: Mapping[str, int], until: Mapping[str, int]
) -> _Part:
    found = {}
    with table.database.engine.connect() as connection:
        for name in names:
            item = metadata.tables[name]
            columns = ", ".join(column.name for column in item.columns)
            key = _number(item)
            query = text(
                f"SELECT {columns} FROM {name} WHERE {key} > :after AND {key} <= :until"
                " ORDER BY 1, 2"
            )
            bounds = {"after": after.get(name, 0), "until": until[name]}
            rows = connection.execute(query, bounds).all()
            patterns = [_pattern(list(item.columns), row, after) for row in rows]
            # A bucket that belongs to nobody there is once only.
            found[name] = [it for it in patterns if name != "buckets" or _is_somebodys(it)]
    return _Part(found)


def _pattern(columns: Sequence[Column[Any]], row: Row, after: Mapping[str, int]) -> _Pattern:
    made = [_make(column, value, after) for column, value in zip(columns, row, strict=True)]
    differing = [(place, make) for place, make in enumerate(made) if make is not None]
    return _Pattern(list(row), differing)


def _is_somebodys(bucket: _Pattern) -> bool:
    """Whether a bucket's key differs from copy to copy."""
    return any(place == 0 for place, _ in bucket.differing)


def _make(column: Column[Any], value: Any, after: Mapping[str, int]) -> Make | None:
    """How to write a value of the model in a copy of it, None if it is the same in each."""
    if value is None:
        return None
    if isinstance(column.type, Moment):
        lately = column.table.name == "buckets"
        return lambda copy: copy.lately if lately else copy.moment
    target = _target(column)
    if target == "players":
        return lambda copy: copy.players + value
    if target is not None:
        if not value:
            return None  # the thread of what is about no board
        local = value - after.get(target, 0)
        return lambda copy: copy.first[target] + local
    if not isinstance(value, str):
        return None
    if column.name in _UNIQUE:
        return lambda copy: (copy.unique() * 3)[: len(value)]
    if column.name == "message_id":
        head, _, tail = _form(value).partition("@")
        head = head.rpartition(".")[0]
        return lambda copy: f"{head.format(**copy.names)}.{copy.unique()[:16]}@{tail}"
    form = _form(value)
    if form.format(**dict.fromkeys(_NAMES, "")) == value:
        return None
    return lambda copy: form.format(**copy.names)


def _target(column: Column[Any]) -> str | None:
    """The table whose rows a column numbers."""
    for key in column.foreign_keys:
        return key.column.table.name
    if column.name == "id":
        return str(column.table.name)
    return _NUMBERS.get(column.name)


def _form(value: str) -> str:
    """A text of the model with places for what differs."""
    form = value.replace("{", "{{").replace("}", "}}")
    for handle, name in zip(_HANDLES, ("left", "right"), strict=True):
        form = form.replace(handle, f"{{{name}}}")
    form = re.sub(r"\bg[12]\b", "g{board}", form)
    form = re.sub(r"\bBoard [12]\b", "Board {board}", form)
    return re.sub(r"\bu([12])\b", lambda it: "u{one}" if it[1] == "1" else "u{two}", form)


# -- into the database ---------------------------------------------------------------------------


def _insert(
    connection: Connection, table: str, columns: Sequence[str], rows: Iterator[Row]
) -> None:
    driver: Any = connection.connection.driver_connection
    named = ", ".join(columns)
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(columns))
        driver.execute("PRAGMA cache_size=-500000")  # half a gigabyte, or large indexes take hours
        driver.execute("BEGIN")
        driver.executemany(f"INSERT INTO {table} ({named}) VALUES ({places})", rows)
        driver.execute("COMMIT")
        return
    driver.execute("SET timezone TO 'UTC'")
    with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({named}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    driver.commit()


def _set_numbers(connection: Connection) -> None:
    """Let PostgreSQL go on counting after the rows that are there."""
    for name, table in metadata.tables.items():
        if "id" in table.columns:
            connection.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'),"
                    f" (SELECT coalesce(max(id), 1) FROM {name}))"
                )
            )
