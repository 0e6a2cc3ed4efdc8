"""The inbox: mails that the server has accepted."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.channels import Channel
from pbm.store.queues.queue import BEGINNING, NOT_HELD, MailQueue
from pbm.store.schema.columns import NEW, STUCK
from pbm.store.schema.mails import inbox, inbox_raw
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import ColumnSetter, Statement
from pbm.store.sql.transaction import read_as
from pbm.store.values.mails import ArrivedMail, InboxMail, InboxStatus

_RAW = select(inbox_raw.c.raw).where(inbox_raw.c.inbox_id == inbox.c.id).scalar_subquery()
_SELECTED = select(inbox, _RAW.label("raw"))
_COPY = select(inbox.c.recipient, inbox.c.id, inbox.c.received_at)
_COPIES = Statement(_COPY.where(inbox.c.digest == bindparam("digest")))
_OF_MAIL = ("digest", "recipient", "sender", "peer", "network", "message_id", "answer_counted")
_OF_QUEUED = ("lane", "board_lane", "known")
_KEPT = (*_OF_MAIL, *_OF_QUEUED, "size", "received_at", "status", "tries")
_AT_ANY_PLACE = inbox.c.place >= literal(0.0, Float)  # always true, for the index of waiting mails
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
_KEEP = Statement(
    upsert(inbox)
    .from_select([*_KEPT, "place"], _KEPT_AT_A_PLACE)
    .on_conflict_do_nothing(index_elements=["digest", "recipient"])
    .returning(inbox.c.id)
)


def _is_first(lane: str) -> ColumnElement[bool]:
    """Return the SQL condition that no earlier new mail is in the same lane (sender or board)."""
    # Both conditions compare numbers, so no two mails wait for each other.
    # With NOT EXISTS, PostgreSQL might read all mails, since it estimates that none waits.
    earlier = select(_EARLIER.c.id).where(
        _EARLIER.c.status == NEW, _EARLIER.c[lane] == inbox.c[lane], _EARLIER.c.id < inbox.c.id
    )
    return earlier.limit(1).scalar_subquery().is_(None)


_CLAIM = Statement(
    _SELECTED.where(
        NOT_HELD,
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
_FURTHEST = 120.0  # seconds from now; a mail with a later place is refused
_SET = ColumnSetter(inbox)
_KEEP_RAW = Statement(
    insert(inbox_raw).inline().values(inbox_id=bindparam("mail"), raw=bindparam("raw"))
)
_ERASE = Statement(delete(inbox_raw).where(inbox_raw.c.inbox_id == bindparam("mail")))


class Inbox(MailQueue[InboxMail]):
    _table, _selected, _kind, _since = inbox, _SELECTED, InboxMail, "received_at"
    _open, _address = (_IS_NEW, inbox.c.status == STUCK), func.lower(inbox.c.sender)
    _at_any_place = _AT_ANY_PLACE

    def _read(self, row: Row) -> InboxMail:
        return read_as(InboxMail, row, raw=row["raw"] or b"")

    def _is_done(self, before: datetime) -> Sequence[ColumnElement[bool]]:
        return inbox.c.status == InboxStatus.DONE, inbox.c.done_at < before

    def copies(self, digest: str, since: datetime) -> dict[str, int]:
        """Return the IDs of the mails with this digest that arrived after `since`, by recipient."""
        rows = _COPIES.rows(self._transaction, digest=digest)
        return {str(row["recipient"]): int(row["id"]) for row in rows if row["received_at"] > since}

    def networks_of(self, replies: Sequence[str], most: int) -> frozenset[str]:
        """Return the networks of the last `most` mails whose recipients begin with one of these."""
        since = select(func.max(inbox.c.id) - most).scalar_subquery()
        to_them = or_(*(inbox.c.recipient.startswith(begin, autoescape=True) for begin in replies))
        its = (inbox.c.id > since, to_them, inbox.c.network != "")
        return frozenset(self._scalars(select(inbox.c.network).where(*its).distinct()))

    def senders_since(self, since: datetime) -> Iterator[tuple[str, str, str, int]]:
        """Yield senders, each with a peer and a network, and how many mails of theirs came."""
        its = (inbox.c.sender, inbox.c.peer, inbox.c.network)
        query = select(*its, func.count()).where(inbox.c.received_at >= since).group_by(*its)
        yield from self._transaction.execute(query)

    def keep(self, mail: ArrivedMail) -> int | None:
        """Store a mail, and return its number. For a duplicate, return the stored mail's number.

        Returns None and stores nothing if too many mails of the same sender are waiting.
        """
        self._transaction.notified.add(Channel.MAIL_KEPT)
        queued, now = mail.queued, mail.now.timestamp()
        values = {
            **{name: getattr(mail, name) for name in _OF_MAIL},
            **{name: getattr(queued, name) for name in _OF_QUEUED},
            "size": len(mail.raw),
            "received_at": mail.now,
            "status": InboxStatus.NEW,
            "tries": 0,
            "first_place": now + queued.handicap,
            "last_place": now + _FURTHEST,
            "apart": queued.apart,
        }
        while (added := _KEEP.value(self._transaction, **values)) is None:
            copies = _COPIES.rows(self._transaction, digest=mail.digest)
            copy = next((row for row in copies if row["recipient"] == mail.recipient), None)
            if copy is None:
                return None
            if copy["received_at"] > mail.now - mail.same_for:
                return int(copy["id"])
            self.change(copy["id"], digest=f"{mail.digest}.{copy['id']}")
        _KEEP_RAW.run(self._transaction, {"mail": added, "raw": mail.raw})
        return int(added)

    def claim(
        self,
        now: datetime,
        most: int = 1,
        *,
        since: datetime = BEGINNING,
        most_bytes: int = _ANY_LENGTH,
    ) -> tuple[InboxMail, ...]:
        """Lock and return up to `most` new mails, in the order of the queue.

        Leaves out mails whose place in the queue (a time) is before `since`. Also leaves out mails
        if an earlier mail of the same sender or about the same board is still new.
        """
        bounds = {"lowest": since.timestamp(), "most": most, "most_bytes": most_bytes}
        rows = _CLAIM.rows(self._transaction, now=now, **bounds)
        return tuple(map(self._read, rows))

    def put_aside(self, numbers: Iterable[int], until: datetime) -> None:
        """Delay these mails. Later mails of the same senders or boards wait as well."""
        for number in numbers:
            _SET.run(self._transaction, number, {"aside_until": until})

    def take_back(self) -> None:
        """End the delays of `put_aside`. Call this only if the process that set them has died."""
        self._update(inbox, _IS_NEW, inbox.c.aside_until.is_not(None), aside_until=None)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """Return the number and the time of arrival of the new mail that arrived first."""
        query = select(inbox.c.id, inbox.c.received_at).where(_IS_NEW)
        row = self._row(query.order_by(inbox.c.received_at, inbox.c.id).limit(1))
        return (row["id"], row["received_at"]) if row else None

    def find_new(self, inbox_id: int, *, wait: bool = True) -> InboxMail | None:
        """Lock and return a mail if it is new.

        If `wait` is False, return None for a locked one, and for any while the server is held.
        """
        only = () if wait else (NOT_HELD,)
        return self.find(inbox_id, inbox.c.status == NEW, *only, wait=wait)

    def finish(
        self, outcomes: Sequence[tuple[int, str]], now: datetime, taken: str | None = None
    ) -> None:
        """Mark mails as done, and erase their texts. `outcomes` has their numbers and results.

        `taken` says whose mails they were taken for, and why.
        """
        done = {"status": InboxStatus.DONE, "done_at": now, "lane": None, "taken": taken}
        for number, outcome in outcomes:
            _SET.run(self._transaction, number, {**done, "outcome": outcome})
            _ERASE.run(self._transaction, {"mail": number})

    def count_try(self, inbox_id: int, error: str) -> int:
        """Count a failed try of a mail, and return how many it had; 0 if it is no longer new."""
        is_new = inbox.c.status == NEW
        return self._count_try(inbox_id, is_new, outcome=error, aside_until=None)

    def set_stuck(self, inbox_id: int) -> None:
        self.change(inbox_id, inbox.c.status == NEW, status=InboxStatus.STUCK)

    def retry(self, inbox_id: int) -> None:
        self.change(inbox_id, status=InboxStatus.NEW, tries=0)
