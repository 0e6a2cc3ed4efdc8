"""What mails leave, found out in a transaction that is undone at the end."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.passwords import PasswordHash, PasswordWork
from pbm.play.turn import Cause, Turn
from pbm.service.turns.handle_mail import handle
from pbm.service.turns.inbox_worker import Preparation
from pbm.store.db import UnitOfWork
from pbm.store.schema import metadata
from pbm.store.schema.mails import inbox, outbox, outbox_contents
from pbm.store.sql.transaction import Transaction
from tests.table import PEER, SERVER, Mail, Person, Table

_APART = (
    *(
        "inbox",
        "inbox_raw",
        "outbox",
        "outbox_contents",
        "kept_news",
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
_CONFIRM, _NEW_ADDRESS = "confirm", "new-address"  # templates of what is said yes to
_NUMBERED = [
    name for name, table in metadata.tables.items() if [*table.primary_key.columns.keys()] == ["id"]
]
_NEXT_NUMBERS = ", ".join(
    f"setval(pg_get_serial_sequence('{name}', 'id'),"
    f" (SELECT coalesce(max(id), 0) + 1 FROM {name}), false)"
    for name in _NUMBERED
)


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


class HashedAtOnce(PasswordWork):
    """Hashes that cost nothing, and are the same each time."""

    def hash_of(self, password: str) -> PasswordHash:
        """One of the usual form."""
        salt = sha256(password.encode()).hexdigest()[:21]
        return PasswordHash(f"$argon2id$v=19$m=19456,t=2,p=1${salt}A${'A' * 43}")


def left_by(
    table: Table, person: Person, answered: Mail | None, bodies: Sequence[str]
) -> tuple[Left, int]:
    """What some mails leave, one after the other, each with a yes to what is asked about it.

    `answered` is what they answer, None for new mails. Besides, how many were refused by then in
    all but the last of them.
    """
    with table.database.engine.connect() as connection:
        transaction = connection.begin()
        try:
            return _Trial(table, connection).obeyed(person, answered, bodies)
        finally:
            transaction.rollback()


class _Trial:
    """What somebody writes, and what is written then, in one transaction."""

    def __init__(self, table: Table, connection: Connection) -> None:
        self._table = table
        self._connection = connection
        self._read_until = connection.scalar(select(func.max(outbox.c.id))) or 0
        self._told: set[str] = set()
        self._refusals = 0
        start_numbers(connection)

    def obeyed(
        self, person: Person, answered: Mail | None, bodies: Sequence[str]
    ) -> tuple[Left, int]:
        """What is left at the end. New addresses say yes then, as they do after the one mail."""
        new: list[_Question] = []
        before = 0
        for body in bodies:
            before = self._refusals
            new += self._says(person, answered, body)
        for question in new:
            self._says_yes(question)
        assert not list(self._read())
        return Left(frozenset(self._rows()), frozenset(self._told), self._refusals), before

    def _says(self, person: Person, answered: Mail | None, body: str) -> list[_Question]:
        """Write a mail and confirm it; returns what new addresses are asked."""
        to, subject, thread = SERVER, "", {}
        if answered:
            to, subject = answered.reply_to, f"Re: {answered['Subject']}"
            references = " ".join([*answered.references, answered["Message-ID"]])
            thread = {"In-Reply-To": answered["Message-ID"], "References": references}
        self._arrives(person, to, person.mail_bytes(subject, body, to=to, headers=thread))
        new: list[_Question] = []
        while asked := list(self._read()):
            for question in asked:
                if question.template == _CONFIRM:
                    self._says_yes(question)
                else:
                    new.append(question)
        return new

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
        passwords = HashedAtOnce()
        turn = Turn(work=work, site=table.site, now=table.clock(), cause=cause, passwords=passwords)
        outcome = handle(turn, mail, partial(Preparation(mail).read, table.site))
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
                self._refusals += item.get("section") == "refusal"

    def _rows(self) -> Iterator[str]:
        for name in metadata.tables:
            if name in _APART:
                continue
            found = self._connection.exec_driver_sql(f"SELECT * FROM {name}")
            for row in found.mappings():
                is_asked = row.get("kind") in _ASKED
                if not is_asked and not str(row.get("key")).startswith(_COUNTED):
                    values = {key: row[key] for key in row if key not in _UNLIKE.get(name, ())}
                    yield _ERRAND.sub(r"\1: its own", f"{name} {values}")


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
