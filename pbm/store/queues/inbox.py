"""The inbox: mails that the server has accepted."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.channels import MAIL_KEPT
from pbm.store.queues.scan_floor import BEGINNING
from pbm.store.schema.columns import NEW, STUCK
from pbm.store.schema.mails import inbox, inbox_raw
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Transaction
from pbm.store.values.mails import ArrivedMail, InboxMail, InboxStatus

_RAW = select(inbox_raw.c.raw).where(inbox_raw.c.inbox_id == inbox.c.id).scalar_subquery()
_COLUMNS = (
    inbox.c.id,
    inbox.c.recipient,
    inbox.c.sender,
    inbox.c.peer,
    inbox.c.network,
    _RAW.label("raw"),
    inbox.c.received_at,
    inbox.c.status,
    inbox.c.tries,
    inbox.c.outcome,
    inbox.c.known,
    inbox.c.answer_counted,
)

_COPY = select(inbox.c.digest, inbox.c.recipient, inbox.c.id, inbox.c.received_at)
_COPIES = Statement(_COPY.where(inbox.c.digest == bindparam("digest")))
_KNOWN = Statement(
    select(inbox.c.id, inbox.c.received_at).where(
        inbox.c.digest == bindparam("digest"), inbox.c.recipient == bindparam("recipient")
    )
)
_KEPT = (
    *("digest", "recipient", "sender", "peer", "network", "size", "received_at", "status"),
    *("tries", "lane", "board_lane", "known", "answer_counted"),
)
_AT_ANY_PLACE = inbox.c.place >= literal(0.0, Float)  # selects the index of waiting mails
_IS_NEW = and_(inbox.c.status == NEW, _AT_ANY_PLACE)
_EARLIER = inbox.alias("earlier")
_FIRST_PLACE, _APART, _LAST_PLACE = (
    bindparam(name, type_=Float) for name in ("first_place", "apart", "last_place")
)
_BEHIND_OWN = (
    select(func.max(_EARLIER.c.place) + _APART)
    .where(
        _EARLIER.c.status == NEW,
        _EARLIER.c.lane == bindparam("lane", type_=inbox.c.lane.type),
        _EARLIER.c.place > _FIRST_PLACE - _APART,  # others do not matter, and may be many
    )
    .scalar_subquery()
)
_PLACE = case((_BEHIND_OWN > _FIRST_PLACE, _BEHIND_OWN), else_=_FIRST_PLACE)
_KEPT_AT_A_PLACE = select(
    *(bindparam(column, type_=inbox.c[column].type) for column in _KEPT), _PLACE
).where(_PLACE <= _LAST_PLACE)
_KEEP = {
    name: Statement(
        insert_into(inbox)
        .from_select([*_KEPT, "place"], _KEPT_AT_A_PLACE)
        .on_conflict_do_nothing(index_elements=["digest", "recipient"])
        .returning(inbox.c.id)
    )
    for name, insert_into in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}


def _is_first(lane: str) -> ColumnElement[bool]:
    """Whether no earlier mail of the same lane waits or is being obeyed.

    Both lanes are ordered by number: if one were ordered by place, two mails could wait for each
    other. No `NOT EXISTS`: PostgreSQL estimates that no mail waits, and might read all lanes.
    """
    earlier = select(_EARLIER.c.id).where(
        _EARLIER.c.status == NEW,
        _EARLIER.c[lane] == inbox.c[lane],
        _EARLIER.c.id < inbox.c.id,
    )
    return earlier.limit(1).scalar_subquery().is_(None)


_CLAIM = Statement(
    select(*_COLUMNS)
    .where(
        inbox.c.status == NEW,
        inbox.c.place >= bindparam("lowest", type_=Float),
        or_(
            inbox.c.aside_until.is_(None),
            inbox.c.aside_until < bindparam("now", type_=inbox.c.aside_until.type),
        ),
        _is_first("lane"),
        _is_first("board_lane"),
        inbox.c.size <= bindparam("most_bytes", type_=Integer),
    )
    .order_by(inbox.c.place, inbox.c.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True)
)
_ANY_LENGTH = 2**31 - 1  # bytes
_PUT_ASIDE = Statement(
    update(inbox)
    .where(inbox.c.id == bindparam("mail"))
    .values(aside_until=bindparam("until", type_=inbox.c.aside_until.type))
)
_FINISH = Statement(
    update(inbox)
    .where(inbox.c.id == bindparam("mail"))
    .values(status=InboxStatus.DONE, outcome=bindparam("told"), done_at=bindparam("now"), lane=None)
)
_KEEP_RAW = Statement(
    insert(inbox_raw).inline().values(inbox_id=bindparam("mail"), raw=bindparam("raw"))
)
_ERASE = Statement(delete(inbox_raw).where(inbox_raw.c.inbox_id == bindparam("mail")))


class Inbox:
    """Queries about incoming mail, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def copies(self, digest: str, since: datetime) -> dict[str, int]:
        """The recipients of mails with this digest received since then, with the mails' numbers."""
        rows = _COPIES.rows(self._transaction, digest=digest)
        return {str(row["recipient"]): int(row["id"]) for row in rows if row["received_at"] > since}

    def keep(self, mail: ArrivedMail) -> int | None:
        """Store a mail, and return its number; a duplicate keeps its number.

        None if too many mails of its lane wait; the mail is not stored then.
        """
        self._transaction.notify(MAIL_KEPT)
        added = _KEEP[self._transaction.dialect.name].value(self._transaction, **_kept(mail))
        return self._keep_beside(mail) if added is None else self._kept_as(int(added), mail)

    def _kept_as(self, number: int, mail: ArrivedMail) -> int:
        _KEEP_RAW.run(self._transaction, {"mail": number, "raw": mail.raw})
        return number

    def _keep_beside(self, mail: ArrivedMail) -> int | None:
        """Store a mail for which there was no room, unless it is a duplicate."""
        same = {"digest": mail.digest, "recipient": mail.recipient}
        while (copy := _KNOWN.row(self._transaction, **same)) is not None:
            if copy["received_at"] > mail.now - mail.same_for:
                return int(copy["id"])
            self._set(inbox.c.id == copy["id"], digest=f"{mail.digest}.{copy['id']}")
            added = _KEEP[self._transaction.dialect.name].value(self._transaction, **_kept(mail))
            if added is not None:
                return self._kept_as(int(added), mail)
        return None

    def claim(
        self,
        now: datetime,
        most: int = 1,
        *,
        since: datetime = BEGINNING,
        most_bytes: int = _ANY_LENGTH,
    ) -> tuple[InboxMail, ...]:
        """Claim the new mails that are next in order; other processes skip them.

        Only the first mail of each lane is claimed, no deferred one, and none longer than
        `most_bytes`. Mails received before `since` are not scanned.
        """
        bounds = {"lowest": since.timestamp(), "most": most, "most_bytes": most_bytes}
        rows = _CLAIM.rows(self._transaction, now=now, **bounds)
        return tuple(_mail(row) for row in rows)

    def put_aside(self, numbers: Iterable[int], until: datetime) -> None:
        """Defer these mails until a moment; later mails of their lanes wait."""
        rows = [{"mail": number, "until": until} for number in numbers]
        if rows:
            _PUT_ASIDE.run(self._transaction, *rows)

    def take_back(self) -> None:
        """End all deferrals, which dead processes have left."""
        self._set(_IS_NEW & inbox.c.aside_until.is_not(None), aside_until=None)

    def get(self, inbox_id: int, *, lock: bool = False) -> InboxMail:
        """Return a mail by number; `lock` keeps turns from taking it. Raises LookupError."""
        query = select(*_COLUMNS).where(inbox.c.id == inbox_id)
        mail = self._one(query.with_for_update() if lock else query)
        if mail is None:
            raise LookupError(f"no mail {inbox_id} in the inbox")
        return mail

    def waiting(self, *, most: int | None = None) -> tuple[InboxMail, ...]:
        """The mails that are new or stuck, oldest first."""
        new, stuck = (
            select(*_COLUMNS).where(condition) for condition in (_IS_NEW, inbox.c.status == STUCK)
        )  # separate queries, since each has its own index
        query = union_all(new, stuck).order_by("received_at", "id").limit(most)
        rows = self._transaction.execute(query).mappings()
        return tuple(_mail(row) for row in rows)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """The oldest mail that waits for its turn: its number, and since when it waits."""
        query = select(inbox.c.id, inbox.c.received_at).where(_IS_NEW)
        oldest = query.order_by(inbox.c.received_at, inbox.c.id).limit(1)
        row = self._transaction.execute(oldest).one_or_none()
        return (row.id, row.received_at) if row else None

    def count(self, status: InboxStatus) -> int:
        """The number of mails with a status."""
        word = literal(str(status), literal_execute=True)
        query = select(func.count()).where(inbox.c.status == word, _AT_ANY_PLACE)
        return int(self._transaction.scalar(query) or 0)

    def find_new(self, inbox_id: int, *, wait: bool = True) -> InboxMail | None:
        """Find and lock a mail that is still new; without `wait` skip a locked one."""
        query = select(*_COLUMNS).where(inbox.c.id == inbox_id, inbox.c.status == NEW)
        return self._one(query.with_for_update(skip_locked=not wait))

    def finish(self, outcomes: Sequence[tuple[int, str]], now: datetime) -> None:
        """Record the outcomes of mails, by number, and erase their texts."""
        if outcomes:
            rows = [{"mail": number, "told": told, "now": now} for number, told in outcomes]
            _FINISH.run(self._transaction, *rows)
            _ERASE.run(self._transaction, *({"mail": number} for number, _ in outcomes))

    def count_try(self, inbox_id: int, error: str) -> int:
        """Count a failed try; return the number of tries, 0 if the mail is not new any more."""
        still_new = (inbox.c.id == inbox_id) & (inbox.c.status == NEW)
        self._set(still_new, tries=inbox.c.tries + 1, outcome=error, aside_until=None)
        return self._transaction.scalar(select(inbox.c.tries).where(still_new)) or 0

    def set_stuck(self, inbox_id: int) -> None:
        """Mark a mail as stuck until the operator retries or drops it."""
        self._set((inbox.c.id == inbox_id) & (inbox.c.status == NEW), status=InboxStatus.STUCK)

    def retry(self, inbox_id: int) -> None:
        """Make a stuck mail new again."""
        self._set(inbox.c.id == inbox_id, status=InboxStatus.NEW, tries=0)

    def _set(self, condition: ColumnElement[bool], **values: object) -> None:
        self._transaction.execute(update(inbox).where(condition).values(**values))

    def _one(self, query: Select[Any]) -> InboxMail | None:
        row = self._transaction.execute(query).mappings().one_or_none()
        return _mail(row) if row else None


def _kept(mail: ArrivedMail) -> dict[str, Any]:
    """The column values of a new mail."""
    queued, now = mail.queued, mail.now.timestamp()
    return {
        "digest": mail.digest,
        "recipient": mail.recipient,
        "sender": mail.sender,
        "peer": mail.peer,
        "network": mail.network,
        "size": len(mail.raw),
        "received_at": mail.now,
        "status": InboxStatus.NEW,
        "tries": 0,
        "lane": queued.lane,
        "board_lane": queued.board_lane,
        "known": queued.known,
        "answer_counted": mail.answer_counted,
        "first_place": now + queued.handicap,
        "apart": queued.apart,
        "last_place": now + queued.furthest,
    }


def _mail(row: Row) -> InboxMail:
    return InboxMail(**{**row, "raw": row["raw"] or b"", "status": InboxStatus(row["status"])})
