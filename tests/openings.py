"""How tables open, played once in each process: another table goes on from a copy.

That the same people sign up and sit down took most of the time of most conversations.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Connection, event
from sqlalchemy.pool import QueuePool

from pbm.store.db import Database
from tests.postgres_copies import Rows, filled, next_transaction, put, rows_of
from tests.sqlite_tables import empty_tables


class Numbers(Iterator[int]):
    """1, 2, 3 and so on, from any number."""

    def __init__(self) -> None:
        self.last = 0

    def __next__(self) -> int:
        self.last += 1
        return self.last


@dataclass(frozen=True)
class Opened:
    """What a table has come to."""

    stored: bytes | Rows  # SQLite's file, compressed
    mailboxes: Mapping[str, tuple[Any, ...]]
    numbers: tuple[int, ...]


class Opening:
    """What has happened at a table since it was made, as long as it was steps of an opening."""

    in_use = False
    """Whether this test may use them: one that has changed the program plays everything itself."""

    _known: ClassVar[dict[tuple[str, ...], Opened]] = {}  # by the kind of database, and the steps

    def __init__(
        self, database: Database, mailboxes: dict[str, list[Any]], numbers: tuple[Numbers, ...]
    ) -> None:
        self._database = database
        self._mailboxes = mailboxes
        self._numbers = numbers
        self._kind = database.engine.dialect.name
        self._steps: tuple[str, ...] = ()
        self._commits = 0
        self._several = False
        self._unwritten: bytes | Rows | None = None  # what is to be stored once somebody reads it
        self._then = self._state()
        event.listen(database.engine, "commit", self._note_commit)

    def step(self, words: str, play: Callable[[], object], *, usual: bool) -> None:
        """Do what `play` does; `usual`: the table is as it was made."""
        if not (usual and self._is_untouched()):
            self._write()
            self._then = None
            play()
            return
        self._steps += (words,)
        known = self._known.get((self._kind, *self._steps))
        if known is None:
            self._write()
            play()
            self._known[(self._kind, *self._steps)] = self._kept()
        else:
            self._go_on_from(known)
        self._then = self._state()

    @contextmanager
    def in_one(self) -> Iterator[None]:
        """Write the file only after the last of the steps inside."""
        self._several = True
        try:
            yield
        finally:
            self._several = False
            self._write()

    def _is_untouched(self) -> bool:
        """Whether nothing but steps has happened, and nobody reads at the moment."""
        pool = self._database.engine.pool
        idle = isinstance(pool, QueuePool) and not pool.checkedout()
        if not (self.in_use and idle and self._then == self._state()):
            return False
        return bool(self._steps) or self._is_empty()

    def _is_empty(self) -> bool:
        """Whether nothing is stored: a table may be laid on what another one has left."""
        if not self._database.embedded:
            return not filled(self._database)
        file = self._file()
        log = file.with_name(f"{file.name}-wal")
        return not log.exists() and file.read_bytes() == empty_tables()

    def _state(self) -> tuple[int, ...]:
        mails = sum(map(len, self._mailboxes.values()))
        written = 0 if self._database.embedded else next_transaction(self._database)
        return (written, self._commits, mails, *(numbers.last for numbers in self._numbers))

    def _note_commit(self, connection: Connection) -> None:
        self._commits += not connection.get_execution_options().get("pbm_reading")

    def _kept(self) -> Opened:
        return Opened(
            self._stored(),
            {address: tuple(mails) for address, mails in self._mailboxes.items()},
            tuple(numbers.last for numbers in self._numbers),
        )

    def _stored(self) -> bytes | Rows:
        if not self._database.embedded:
            return rows_of(self._database)
        self._database.close()  # what was written last is in the file then
        return zlib.compress(self._file().read_bytes(), 1)

    def _go_on_from(self, known: Opened) -> None:
        if self._database.embedded:
            self._database.close()
        self._unwritten = known.stored
        if not self._several:
            self._write()
        for address, mails in known.mailboxes.items():
            self._mailboxes[address] = list(mails)
        for numbers, last in zip(self._numbers, known.numbers, strict=True):
            numbers.last = last

    def _write(self) -> None:
        stored, self._unwritten = self._unwritten, None
        if isinstance(stored, bytes):
            self._file().write_bytes(zlib.decompress(stored))
        elif stored:
            put(stored, self._database)

    def _file(self) -> Path:
        return Path(str(self._database.engine.url.database))
