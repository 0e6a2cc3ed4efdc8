"""The mails that the server has taken responsibility for."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    bindparam,
    exists,
    func,
    literal,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.schema import NEW, STUCK, inbox
from pbm.store.statement import Row, Statement
from pbm.store.values import InboxMail

_COLUMNS = (
    inbox.c.id,
    inbox.c.recipient,
    inbox.c.sender,
    inbox.c.peer,
    inbox.c.raw,
    inbox.c.received_at,
    inbox.c.status,
    inbox.c.tries,
    inbox.c.outcome,
    inbox.c.answer_counted,
)

_COPIES = Statement(
    select(inbox.c.recipient, inbox.c.id).where(
        inbox.c.digest == bindparam("digest"), inbox.c.received_at > bindparam("since")
    )
)
_KNOWN = Statement(
    select(inbox.c.id, inbox.c.received_at).where(
        inbox.c.digest == bindparam("digest"), inbox.c.recipient == bindparam("recipient")
    )
)
_KEPT = (
    *("digest", "recipient", "sender", "peer", "raw", "received_at", "status", "tries"),
    *("lane", "board_lane", "answer_counted"),
)
_KEEP = {
    name: Statement(
        insert(inbox)
        .values({column: bindparam(column) for column in _KEPT})
        .on_conflict_do_nothing(index_elements=["digest", "recipient"])
        .returning(inbox.c.id)
    )
    for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
_EARLIER = inbox.alias("earlier")
_OLDEST = (
    select(*_COLUMNS)
    .where(inbox.c.status == NEW)
    .order_by(inbox.c.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True)
)


def _is_first(lane: str) -> ColumnElement[bool]:
    """Whether no earlier mail of the same lane waits, or is being obeyed."""
    return ~exists().where(
        _EARLIER.c.status == NEW,
        _EARLIER.c[lane] == inbox.c[lane],
        _EARLIER.c.id < inbox.c.id,
    )


_CLAIM = {
    "sqlite": Statement(_OLDEST),
    "postgresql": Statement(_OLDEST.where(_is_first("lane"), _is_first("board_lane"))),
}
_FINISH = Statement(
    update(inbox)
    .where(inbox.c.id == bindparam("mail"))
    .values(status="done", outcome=bindparam("told"), done_at=bindparam("now"), raw=None)
)


class Inbox:
    """Queries about incoming mail, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def keep(
        self,
        *,
        digest: str,
        recipient: str,
        sender: str,
        peer: str,
        raw: bytes,
        now: datetime,
        same_for: timedelta,
        lane: str | None = None,
        board_lane: int | None = None,
        answer_counted: bool = False,
    ) -> int:
        """Keep a mail and return its number; one that came before within `same_for` keeps its.

        Mails of one lane, whose or about which board they are, are claimed in order.
        `answer_counted`: one may be answered though nobody plays from its author's address.
        """
        same = {"digest": digest, "recipient": recipient}
        values = {
            **same,
            "sender": sender,
            "peer": peer,
            "raw": raw,
            "received_at": now,
            "status": "new",
            "tries": 0,
            "lane": lane,
            "board_lane": board_lane,
            "answer_counted": answer_counted,
        }
        keep = _KEEP[self._connection.dialect.name]
        added = keep.value(self._connection, **values)
        while added is None:
            known = _KNOWN.row(self._connection, **same) or {}
            if known["received_at"] > now - same_for:
                return int(known["id"])
            self._set(inbox.c.id == known["id"], digest=f"{digest}.{known['id']}")
            added = keep.value(self._connection, **values)
        return int(added)

    def copies(self, digest: str, since: datetime) -> dict[str, int]:
        """The recipients of the mails with a digest that came since a moment, and their numbers."""
        rows = _COPIES.rows(self._connection, digest=digest, since=since)
        return {str(row["recipient"]): int(row["id"]) for row in rows}

    def claim(self, most: int = 1) -> tuple[InboxMail, ...]:
        """Take the oldest new mails; other processes pass them over until the commit.

        They pass over, too, what comes after them in one of their lanes.
        """
        claim = _CLAIM[self._connection.dialect.name]
        return tuple(_mail(row) for row in claim.rows(self._connection, most=most))

    def get(self, inbox_id: int, *, lock: bool = False) -> InboxMail:
        """Return a mail by number; with `lock` no turn takes it. Raises LookupError."""
        query = select(*_COLUMNS).where(inbox.c.id == inbox_id)
        mail = self._one(query.with_for_update() if lock else query)
        if mail is None:
            raise LookupError(f"no mail {inbox_id} in the inbox")
        return mail

    def waiting(self, *, most: int | None = None) -> tuple[InboxMail, ...]:
        """The mails that are new or stuck, oldest first."""
        new, stuck = (
            select(*_COLUMNS).where(inbox.c.status == status) for status in (NEW, STUCK)
        )  # apart, since each has an index of its own
        query = union_all(new, stuck).order_by("id").limit(most)
        rows = self._connection.execute(query).mappings()
        return tuple(_mail(row) for row in rows)

    def count(self, status: str) -> int:
        """How many mails are new, done or stuck."""
        word = literal(status, literal_execute=True)
        query = select(func.count()).where(inbox.c.status == word)
        return int(self._connection.scalar(query) or 0)

    def find_new(self, inbox_id: int) -> InboxMail | None:
        """Find a mail that is still to be obeyed, and lock it."""
        query = select(*_COLUMNS).where(inbox.c.id == inbox_id, inbox.c.status == NEW)
        return self._one(query.with_for_update())

    def finish(self, outcomes: Sequence[tuple[int, str]], now: datetime) -> None:
        """Record what became of mails, by number, and erase their texts."""
        if outcomes:
            rows = [{"mail": number, "told": told, "now": now} for number, told in outcomes]
            _FINISH.run(self._connection, *rows)

    def count_try(self, inbox_id: int, error: str) -> int:
        """Count a try that failed; return how many there have been, 0 if it is not new any more."""
        still_new = (inbox.c.id == inbox_id) & (inbox.c.status == NEW)
        self._set(still_new, tries=inbox.c.tries + 1, outcome=error)
        return self._connection.scalar(select(inbox.c.tries).where(still_new)) or 0

    def set_stuck(self, inbox_id: int) -> None:
        """Put a mail aside until the operator retries or drops it."""
        self._set((inbox.c.id == inbox_id) & (inbox.c.status == NEW), status="stuck")

    def retry(self, inbox_id: int) -> None:
        """Make a stuck mail new again."""
        self._set(inbox.c.id == inbox_id, status="new", tries=0)

    def _set(self, condition: ColumnElement[bool], **values: object) -> None:
        self._connection.execute(update(inbox).where(condition).values(**values))

    def _one(self, query: Select[Any]) -> InboxMail | None:
        row = self._connection.execute(query).mappings().one_or_none()
        return _mail(row) if row else None


def _mail(row: Row) -> InboxMail:
    return InboxMail(**{**row, "raw": row["raw"] or b""})
