"""What mails leave, found out in a transaction that is undone at the end."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, func, select, text

from pbm.commands.turn import Turn
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.passwords import PasswordHash
from pbm.play.turn import Cause
from pbm.service.turns.handle_mail import handle
from pbm.service.turns.inbox_worker import _parsed
from pbm.slow_work import SlowWork
from pbm.store.db import UnitOfWork
from pbm.store.schema import metadata
from pbm.store.schema.mails import inbox, outbox, outbox_contents
from pbm.store.sql.driver import Call, execute
from pbm.store.sql.transaction import Transaction
from tests.table import PEER, SERVER, Mail, Person, Table

_APART = (
    *(
        "inbox",
        "inbox_raw",
        "outbox",
        "outbox_contents",
        "board_events",
        "readers",
        "kept_notices",
        "errands",
        "consents",
    ),
    *("heartbeats", "facts", "reminded_boards"),
)
"""Tables of mails, and of what is asked until it is answered: two mails leave more of it."""
# Those of vacations have the vacation's number, which is used again where one is undone.
_ASKED = ("confirm", "alias", "question-lapse", "question-reminder", "vacation")
_COUNTED = ("replies:", "mails:", "new-passwords:", "all-new-passwords", "told:", "claimed:")
"""Buckets that count mails, the ways they came, or the different passwords in each."""
_UNLIKE = {
    "questions": ("id", "token_digest"),
    "due": ("id", "question_id"),
    "vacations": ("id",),  # numbered anew where one is undone, in one mail earlier than in two
}
_ERRAND = re.compile(r"('invitation'|\"invitation\"): \d+")
_OF_THE_MAIL = ("alone", "first_unsaid")  # what is told of how a line came, not of what it did
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
_CONFIRM, _NEW_ADDRESS = "confirm", "new-address"  # templates of what is said yes to
_EVERYTHING = {
    name: Call('SELECT "{}" FROM {}'.format('", "'.join(table.columns.keys()), name))
    for name, table in metadata.tables.items()
    if name not in _APART
}
_NUMBERED = [
    name for name, table in metadata.tables.items() if [*table.primary_key.columns.keys()] == ["id"]
]
_NEXT_NUMBERS = ", ".join(
    f"setval(pg_get_serial_sequence('{name}', 'id'),"
    f" (SELECT coalesce(max(id), 0) + 1 FROM {name}), false)"
    for name in _NUMBERED
)
_SET_NUMBER = Call("SELECT setval(%s, %s, %s)")


@dataclass(frozen=True)
class Left:
    """What mails have left: rows as texts, and what their readers were told."""

    rows: frozenset[str]
    told: frozenset[str]
    refusals: int


@dataclass(frozen=True)
class _Question:
    template: str
    recipient: str
    reply_to: str


class DoneAtOnce(SlowWork):
    """Slow work is done inside the transaction. Hashes cost nothing, and are always the same."""

    def outcomes(self, works: Mapping[K, Callable[[], T]]) -> dict[K, T]:
        found: dict[K, Any] = {}
        for of, work in works.items():
            match of:
                case ("hash", password):
                    salt = sha256(str(password).encode()).hexdigest()[:21]
                    hashed = f"$argon2id$v=19$m=19456,t=2,p=1${salt}A${'A' * 43}"
                    found[of] = PasswordHash(hashed)
                case _:
                    found[of] = work()
        return found


@contextmanager
def trying(table: Table, person: Person, answered: Mail | None) -> Iterator["Trial"]:
    """Let somebody write mails in a transaction that is undone at the end.

    `answered` is what they answer, None for new mails.
    """
    with table.database.engine.connect() as connection:
        transaction = connection.begin()
        try:
            yield Trial(table, connection, person, answered)
        finally:
            transaction.rollback()


def left_by(table: Table, person: Person, answered: Mail | None, body: str) -> Left:
    """What one mail leaves."""
    with trying(table, person, answered) as trial:
        return trial.left_after(body)


class Trial:
    """What somebody writes, and what is written then, in one transaction."""

    def __init__(
        self, table: Table, connection: Connection, person: Person, answered: Mail | None
    ) -> None:
        self._table = table
        self._connection = connection
        self._person = person
        self._answered = answered
        self._read_until = connection.scalar(select(func.max(outbox.c.id))) or 0
        self._told: set[str] = set()
        self._asked_anew: list[_Question] = []  # of new addresses
        self.refusals = 0
        start_numbers(connection)

    def left_after(self, body: str) -> Left:
        """What all mails have left once this one has come, too.

        New addresses say yes then, as they do after the one mail.
        """
        self.says(body)
        for question in self._asked_anew:
            self._says_yes(question)
        assert not list(self._read())
        return Left(frozenset(self._rows()), frozenset(self._told), self.refusals)

    def left_next(self, body: str) -> Left:
        """As `left_after`, and this mail is undone: another may come in its place."""
        before = self._read_until, {*self._told}, [*self._asked_anew], self.refusals
        numbers = _numbers(self._connection)
        step = self._connection.begin_nested()
        try:
            return self.left_after(body)
        finally:
            step.rollback()
            execute(self._connection, *(_SET_NUMBER._replace(sets=[it]) for it in numbers))
            self._read_until, self._told, self._asked_anew, self.refusals = before

    def says(self, body: str) -> None:
        """Write a mail and confirm it."""
        to, subject, thread = SERVER, "", {}
        if answered := self._answered:
            to, subject = answered.reply_to, f"Re: {answered['Subject']}"
            references = " ".join([*answered.references, answered["Message-ID"]])
            thread = {"In-Reply-To": answered["Message-ID"], "References": references}
        raw = self._person.mail_bytes(subject, body, to=to, headers=thread)
        self._arrives(self._person, to, raw)
        while asked := list(self._read()):
            for question in asked:
                if question.template == _CONFIRM:
                    self._says_yes(question)
                else:
                    self._asked_anew.append(question)

    def _says_yes(self, question: _Question) -> None:
        other, to = self._table.person(question.recipient), question.reply_to
        self._arrives(other, to, other.mail_bytes("Yes", "yes", to=to))

    def _arrives(self, person: Person, to: str, raw: bytes) -> None:
        """Keep a mail, and obey it in a unit of work of its own, which remembers nothing."""
        table, work = self._table, UnitOfWork(self._connection)
        arriving = table.intake.look_at(person.address, (to,), raw, Caller(PEER, ""))
        table.intake.keep_arrived(work, arriving)
        work.flush()
        mail = work.inbox.get(self._connection.scalar(select(func.max(inbox.c.id))) or 0)
        cause = Cause(mail.id, came_at=mail.received_at)
        turn = Turn(
            work=work,
            site=table.site,
            now=table.clock(),
            cause=cause,
            slow=DoneAtOnce(),
        )
        outcome = handle(turn, mail, partial(_parsed, table.site, mail))
        work.inbox.finish([(mail.id, outcome)], table.clock())
        work.flush()

    def _read(self) -> Iterator[_Question]:
        """Read what was written since the last time, and return what a yes is wanted to."""
        newer = (
            select(outbox, outbox_contents.c.params, outbox_contents.c.headers)
            .join(outbox_contents, outbox_contents.c.message_id == outbox.c.message_id)
            .where(outbox.c.id > self._read_until)
            .order_by(outbox.c.id)
        )
        for row in self._connection.execute(newer).mappings().all():
            self._read_until = row["id"]
            self._note(row["recipient"], row["params"])
            if row["template"] in (_CONFIRM, _NEW_ADDRESS):
                yield _Question(row["template"], row["recipient"], row["headers"]["reply_to"])

    def _note(self, recipient: str, params: Mapping[str, Any]) -> None:
        """Note the sections of an answer, and the facts and words of a board's mail."""
        for name in ("sections", "lead", "comments"):
            for item in params.get(name, ()):
                told = {key: value for key, value in item.items() if key not in _OF_THE_MAIL}
                self._told.add(f"{recipient}: {sorted(told.items())}")
                self.refusals += item.get("section") == "refusal"

    def _rows(self) -> Iterator[str]:
        found = execute(self._connection, *_EVERYTHING.values())
        for name, rows in zip(_EVERYTHING, found, strict=True):
            for row in rows:
                told = _told_once(name, row) if self._table.database.embedded else _told(name, row)
                if told:
                    yield told


def _told(name: str, row: Sequence[Any]) -> str:
    """A row as a text; empty if two mails leave more of its kind than one."""
    values = dict(zip(metadata.tables[name].columns.keys(), row, strict=True))
    if values.get("kind") in _ASKED or str(values.get("key")).startswith(_COUNTED):
        return ""
    for key in _UNLIKE.get(name, ()):
        del values[key]
    return _ERRAND.sub(r"\1: its own", f"{name} {values}")


_told_once = lru_cache(maxsize=4096)(_told)  # most rows are those of the scene


def _numbers(connection: Connection) -> list[tuple[Any, ...]]:
    """The sequences by which PostgreSQL numbers rows, which no rollback sets back."""
    if connection.dialect.name == "sqlite":
        return []
    names = [f"{name}_id_seq" for name in _NUMBERED]
    found = execute(connection, *(Call(f"SELECT last_value, is_called FROM {it}") for it in names))
    return [(name, *row) for name, (row,) in zip(names, found, strict=True)]


def start_numbers(connection: Connection) -> None:
    """Let the next rows have the next numbers, as SQLite has it: what is undone uses up none."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT {_NEXT_NUMBERS}"))


def number_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let numbers start anew wherever a savepoint is undone, too."""
    savepoint = Transaction.savepoint

    @contextmanager
    def numbered_anew(transaction: Transaction) -> Iterator[None]:
        try:
            with savepoint(transaction):
                yield
        except BaseException:
            if transaction.is_shared:
                transaction.flush()
                start_numbers(transaction._connection)
            raise

    monkeypatch.setattr(Transaction, "savepoint", numbered_anew)
