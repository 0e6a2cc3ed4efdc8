"""The outbox: mails to be sent, each added in the transaction that causes the mail."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from pbm.store.channels import Channel
from pbm.store.queues.queue import BEGINNING, NOT_HELD, MailQueue
from pbm.store.schema.columns import DUE, FAILED
from pbm.store.schema.games import boards
from pbm.store.schema.mails import IN_HAND, outbox, outbox_contents, reminded_boards
from pbm.store.schema.people import players
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import Statement, among
from pbm.store.sql.transaction import read_as
from pbm.store.values.boards import BoardStatus
from pbm.store.values.mails import (
    ERASING_ADDRESS,
    SUPERSEDED,
    Allowance,
    Kind,
    NewMail,
    OutboxMail,
    OutboxStatus,
    using_up,
)
from pbm.store.values.players import Player

_CONTENTS = (
    select(column)
    .where(outbox_contents.c.message_id == outbox.c.message_id)
    .scalar_subquery()
    .label(column.name)
    for column in (outbox_contents.c.params, outbox_contents.c.headers)
)
_HANDLE = select(players.c.handle).where(players.c.id == outbox.c.player_id).scalar_subquery()
_SELECTED = select(outbox, *_CONTENTS, _HANDLE.label("handle"))

LONGEST_PAUSE = timedelta(hours=1)  # between two tries of a mail
_LETS_BY = timedelta(minutes=5)  # after each try at the longest pause; later mails may pass then
_NO_BOARD = 0  # the thread of mails about no board

_HELD = ("message_id", "params", "headers")
_OWN = tuple(field.name for field in fields(NewMail) if field.name not in ("params", "headers"))
_WRITTEN = (*_OWN, "recipient_key", "thread", "status", "attempts", "due_at")
_ADD = Statement(insert(outbox).inline().values({name: bindparam(name) for name in _WRITTEN}))
_ADD_CONTENTS = Statement(
    insert(outbox_contents).inline().values({name: bindparam(name) for name in _HELD})
)


_EARLIER = outbox.alias("earlier")
# A mail blocks later ones of its thread while it is due or retried. A deliberately delayed mail
# blocks none, except one delayed for a robot. A mail retried at the longest pause blocks none while
# it is due after `soon`. With `NOT EXISTS`, PostgreSQL might read all threads, since it estimates
# that no mail waits.
_OVERTAKEN = select(_EARLIER.c.id).where(
    _EARLIER.c.status == DUE,
    _EARLIER.c.recipient_key == outbox.c.recipient_key,
    _EARLIER.c.thread == outbox.c.thread,
    _EARLIER.c.id < outbox.c.id,
    or_(
        _EARLIER.c.due_at <= bindparam("now"),
        and_(_EARLIER.c.attempts > 0, _EARLIER.c.due_at <= bindparam("soon")),
        and_(_EARLIER.c.attempts == 0, _EARLIER.c.kind == Kind.AWAITING),
    ),
)
_AMONG = among(outbox.c.id, "mails")
_CLAIM = Statement(
    _SELECTED.where(
        NOT_HELD,
        outbox.c.status == DUE,
        outbox.c.due_at >= bindparam("since"),
        outbox.c.due_at <= bindparam("now"),
        _OVERTAKEN.limit(1).scalar_subquery().is_(None),
        ~_AMONG,
    )
    .order_by(outbox.c.due_at, outbox.c.id)
    .limit(bindparam("most", type_=Integer))
)


_ERASES_ADDRESS = or_(*(outbox.c.kind == kind for kind in ERASING_ADDRESS))
_FINISH = Statement(
    update(outbox)
    .where(_AMONG)
    .values(
        status=bindparam("status"),
        finished_at=bindparam("now"),
        last_error=bindparam("error"),
        reply=bindparam("reply"),
        attempts=outbox.c.attempts + 1,
        recipient=case((_ERASES_ADDRESS, ""), else_=outbox.c.recipient),
        recipient_key=case((_ERASES_ADDRESS, ""), else_=outbox.c.recipient_key),
    )
)
_ERASE = Statement(
    delete(outbox_contents).where(
        outbox_contents.c.message_id.in_(select(outbox.c.message_id).where(_AMONG))
    )
)

# With a condition on the time, PostgreSQL would scan the index of all waiting mails.
_STILL_DUE = Statement(select(outbox.c.id, outbox.c.due_at).where(_AMONG, outbox.c.status == DUE))
_AT_ANY_MOMENT = outbox.c.due_at >= BEGINNING  # always true, for the index of waiting mails
_IS_DUE = and_(outbox.c.status == DUE, _AT_ANY_MOMENT)
_NEXT_DUE_AT = Statement(
    select(func.min(outbox.c.due_at, type_=outbox.c.due_at.type)).where(
        outbox.c.status == DUE, outbox.c.due_at >= bindparam("since")
    )
)


_MARGIN = timedelta(seconds=0.25)  # mails due sooner are left to the sender, which may claim them
_AWAITS = and_(
    outbox.c.status == DUE,
    outbox.c.recipient_key.in_(bindparam("keys", expanding=True)),
    outbox.c.thread == bindparam("board_id"),
    outbox.c.kind == Kind.AWAITING,
    outbox.c.attempts == 0,
    outbox.c.due_at > bindparam("after"),
)
# This transaction may have waited since `now` for the board's lock. So mails that the sender has
# claimed meanwhile are skipped, and so are rows that others have locked without locking the board.
_AWAITING = select(outbox.c.id).where(_AWAITS).cte("waiting").prefix_with("MATERIALIZED")
_LOCKED = (
    select(_AWAITING.c.id)
    .where(func.pg_try_advisory_xact_lock(IN_HAND, _AWAITING.c.id))
    .cte("held")
    .prefix_with("MATERIALIZED")
)
_FREE = (
    select(outbox.c.id)
    .where(outbox.c.id.in_(select(_LOCKED.c.id)))
    .with_for_update(skip_locked=True)
)
_TAKE = delete(outbox).where(_AWAITS).returning(outbox)
_TAKE_FREE = _TAKE.where(outbox.c.id.in_(_FREE))
# SQLAlchemy names no tables in SQLite's RETURNING, so a subquery there would match any row.
_TAKE_CONTENTS = (
    delete(outbox_contents)
    .where(outbox_contents.c.message_id.in_(bindparam("names", expanding=True)))
    .returning(outbox_contents)
)


class Outbox(MailQueue[OutboxMail]):
    _table, _selected, _kind, _since = outbox, _SELECTED, OutboxMail, "written_at"
    _open, _address = (_IS_DUE, outbox.c.status == FAILED), outbox.c.recipient_key
    _at_any_place = _AT_ANY_MOMENT

    def _read(self, row: Row) -> OutboxMail:
        return read_as(OutboxMail, row, params=row["params"] or {}, headers=row["headers"] or {})

    def _is_done(self, before: datetime) -> Sequence[ColumnElement[bool]]:
        """A clock that runs asks for its reminders, a board for the first mail of a thread."""
        is_over = outbox.c.status.in_((OutboxStatus.SENT, OutboxStatus.DROPPED))
        named = select(reminded_boards.c.board_id).where(reminded_boards.c.outbox_id == outbox.c.id)
        waits = select(boards.c.id).where(
            boards.c.to_move_id == outbox.c.player_id,
            boards.c.waits_since <= outbox.c.written_at,
            or_(boards.c.id == outbox.c.board_id, boards.c.id.in_(named)),
        )
        is_reminder = and_(outbox.c.kind.in_((Kind.REMINDER, Kind.REMINDERS)), waits.exists())
        goes_on = boards.c.id == outbox.c.board_id, boards.c.status == BoardStatus.PLAYING
        is_first = and_(
            outbox.c.message_id.like("<g%.p0.u%"), select(boards.c.id).where(*goes_on).exists()
        )
        return is_over, outbox.c.finished_at < before, ~or_(is_reminder, is_first)

    def _forget(self, *where: ColumnElement[bool]) -> None:
        gone = reminded_boards.c.outbox_id.in_(select(outbox.c.id).where(*where))
        self._delete(reminded_boards, gone)
        super()._forget(*where)

    def add(self, *mails: NewMail) -> None:
        rows = [
            {
                **{name: getattr(mail, name) for name in _OWN},
                "recipient_key": mail.recipient.lower(),
                "thread": mail.board_id or _NO_BOARD,
                "status": OutboxStatus.DUE,
                "attempts": 0,
                "due_at": mail.due_at or mail.written_at,
            }
            for mail in mails
        ]
        if rows:
            self._transaction.notified.add(Channel.MAIL_WRITTEN)
            _ADD.run(self._transaction, *rows)
            contents = ({name: getattr(mail, name) for name in _HELD} for mail in mails)
            _ADD_CONTENTS.run(self._transaction, *contents)

    def claim_due(
        self, now: datetime, *, most: int, passing_over: Sequence[int], since: datetime = BEGINNING
    ) -> list[OutboxMail]:
        """Return up to `most` mails that are due, oldest first, except those in `passing_over`.

        A mail that is being retried holds up later mails to the same reader about the same board.
        After about an hour of retries it holds them up no longer.
        """
        values = {"since": since, "now": now, "soon": now + LONGEST_PAUSE - _LETS_BY, "most": most}
        rows = _CLAIM.rows(self._transaction, **values, mails=list(passing_over))
        return [self._read(row) for row in rows]

    def still_due(self, outbox_ids: Sequence[int], now: datetime) -> frozenset[int]:
        rows = _STILL_DUE.rows(self._transaction, mails=list(outbox_ids))
        return frozenset(int(row["id"]) for row in rows if row["due_at"] <= now)

    def next_due_at(self, *, since: datetime = BEGINNING) -> datetime | None:
        due_at: datetime | None = _NEXT_DUE_AT.value(self._transaction, since=since)
        return due_at

    def finish(
        self,
        outbox_ids: Sequence[int],
        status: OutboxStatus,
        now: datetime,
        error: str | None = None,
        replies: Mapping[int, str] | None = None,
    ) -> None:
        """Give mails a final status and a last error, and erase the contents of the mails.

        `replies` has what the next server answered, by the mails' numbers.
        """
        if outbox_ids:
            replied: dict[str | None, list[int]] = {}
            for number in sorted(outbox_ids):  # others lock rows in this order, too
                replied.setdefault((replies or {}).get(number), []).append(number)
            outcome = {"status": status, "now": now, "error": error}
            sets = ({"mails": them, "reply": reply} | outcome for reply, them in replied.items())
            _FINISH.run(self._transaction, *sets)
            _ERASE.run(self._transaction, {"mails": list(outbox_ids)})

    def fail(self, outbox_id: int, error: str, now: datetime) -> None:
        """Record that a mail is given up. Its contents are kept, so that it can be sent again."""
        self.change(
            outbox_id,
            status=OutboxStatus.FAILED,
            finished_at=now,
            last_error=error,
            attempts=outbox.c.attempts + 1,
        )

    def defer(self, outbox_id: int, error: str, due_at: datetime) -> None:
        self.change(outbox_id, last_error=error, due_at=due_at, attempts=outbox.c.attempts + 1)

    def bring_forward(self, now: datetime) -> None:
        """Mails that were written or deferred while the clock was ahead become due at `now`."""
        self._update(
            outbox,
            outbox.c.status == DUE,
            outbox.c.due_at > now,
            or_(
                outbox.c.written_at > now,
                and_(outbox.c.attempts > 0, outbox.c.due_at > now + LONGEST_PAUSE),
            ),
            due_at=now,
        )

    def retry(self, outbox_id: int, now: datetime) -> None:
        self.change(outbox_id, status=OutboxStatus.DUE, due_at=now, finished_at=None)

    def ahead_of(self, mail: OutboxMail) -> tuple[int, ...]:
        """Return the numbers of earlier waiting mails to the same reader about the same board."""
        thread, key = mail.board_id or _NO_BOARD, mail.recipient.lower()
        before = _to(key, outbox.c.status == DUE, outbox.c.thread == thread, outbox.c.id < mail.id)
        return self._scalars(before.order_by(outbox.c.id))

    def held_by(self, outbox_id: int, now: datetime) -> int | None:
        """Return the number of the first mail that must go out before this one, if any."""
        first = _OVERTAKEN.order_by(_EARLIER.c.id).limit(1).scalar_subquery()
        values = {"now": now, "soon": now + LONGEST_PAUSE - _LETS_BY}
        held = self._transaction.execute(select(first).where(outbox.c.id == outbox_id), values)
        number: int | None = held.scalar()
        return number

    def written(self, message_id: str) -> bool:
        """Return whether the outbox has a mail with this Message-ID, whether sent or not."""
        return self._exists(select(outbox.c.id).where(outbox.c.message_id == message_id))

    def written_since(self, kind: Kind, address_key: str, since: datetime) -> bool:
        its = (outbox.c.kind == kind, outbox.c.written_at > since)
        return self._exists(_to(address_key, *its))

    def count_answers(self, allowance: Allowance, address_key: str, since: datetime) -> int:
        its = (outbox.c.kind.in_(using_up(allowance)), outbox.c.written_at > since)
        return self._count(_to(address_key, *its).with_only_columns(func.count()))

    def waits_for(self, address_key: str, board_id: int | None = None) -> bool:
        """Return whether a mail to an address waits to be sent.

        If `board_id` is given, only mails about that board count.
        """
        about = () if board_id is None else (outbox.c.thread == board_id,)
        return self._exists(_to(address_key, outbox.c.status == DUE, *about))

    def find_sent(self, sender: str, address_key: str, since: datetime) -> OutboxMail | None:
        """Return the mail with this envelope sender that was written after `since`, or None."""
        query = _SELECTED.where(
            outbox.c.recipient_key == address_key,
            outbox.c.written_at > since,
            outbox.c.sender == sender,
        )
        row = self._row(query)
        return self._read(row) if row else None

    def release(self, player_id: int, address_key: str, now: datetime) -> None:
        """Make the delayed and the failed mails to a player's address due now."""
        self._transaction.notified.add(Channel.MAIL_WRITTEN)
        self._update(
            outbox,
            or_(and_(outbox.c.status == DUE, outbox.c.due_at > now), outbox.c.status == FAILED),
            outbox.c.recipient_key == address_key,
            outbox.c.player_id == player_id,
            status=OutboxStatus.DUE,
            due_at=now,
            finished_at=None,
        )

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """Return number and time of writing of the oldest mail that waits to be sent."""
        oldest = select(outbox.c.id, outbox.c.written_at).where(_IS_DUE).order_by(outbox.c.id)
        row = self._row(oldest.limit(1))
        return (row["id"], row["written_at"]) if row else None

    def waiting_after(self, outbox_id: int, most: int) -> list[OutboxMail]:
        """Return the next mails, by number, that wait."""
        query = _SELECTED.where(_IS_DUE, outbox.c.id > outbox_id).order_by(outbox.c.id).limit(most)
        return [self._read(row) for row in self._rows(query)]

    def last_number(self) -> int:
        return self._count(select(func.max(outbox.c.id)))

    def added_after(self, outbox_id: int, written_at: datetime) -> list[OutboxMail]:
        """Return the mails after a number that were written at just this moment."""
        its = (outbox.c.id > outbox_id, outbox.c.written_at == written_at)
        return [self._read(row) for row in self._rows(_SELECTED.where(*its).order_by(outbox.c.id))]

    def put_off(self, *, since: datetime = BEGINNING) -> list[OutboxMail]:
        """Return the waiting mails that were tried in vain, the oldest first; at most 100.

        They were written after `since`.
        """
        its = (_IS_DUE, outbox.c.attempts > 0, outbox.c.written_at > since)
        query = _SELECTED.where(*its).order_by(outbox.c.written_at)
        return [self._read(row) for row in self._rows(query.limit(100))]

    def last_sent(self) -> datetime | None:
        """Return when a mail was sent last, of those that were written lately."""
        newest = select(outbox.c.finished_at).where(outbox.c.status == OutboxStatus.SENT)
        latest = newest.order_by(outbox.c.id.desc()).limit(200).subquery()
        moment: datetime | None = self._transaction.scalar(select(func.max(latest.c.finished_at)))
        return moment

    def last_failed(self) -> OutboxMail | None:
        row = self._row(_SELECTED.where(outbox.c.status == FAILED).order_by(outbox.c.id.desc()))
        return self._read(row) if row else None

    def failed_of_unreachable(self) -> int:
        """Return how many failed mails are to players who cannot be reached."""
        its = (outbox.c.status == FAILED, players.c.unreachable_since.is_not(None))
        query = select(func.count()).where(players.c.id == outbox.c.player_id, *its)
        return self._count(query)

    def give_up_all(self, player_id: int, why: str, now: datetime) -> None:
        """Drop all mails to a player that wait or have failed."""
        its = (outbox.c.player_id == player_id, or_(_IS_DUE, outbox.c.status == FAILED))
        self.finish(self._scalars(select(outbox.c.id).where(*its)), OutboxStatus.DROPPED, now, why)

    def supersede(
        self, player_id: int, why: str, now: datetime, *, board_id: int | None = None
    ) -> tuple[int, ...]:
        """Drop waiting mails to a player that a newer mail makes pointless; return their boards.

        Only mails of the kinds in `SUPERSEDED` are dropped. `why` is stored as their last error.
        """
        its = (outbox.c.player_id == player_id, outbox.c.kind.in_(SUPERSEDED))
        about = () if board_id is None else (outbox.c.board_id == board_id,)
        dropped = {"status": OutboxStatus.DROPPED, "finished_at": now, "last_error": why}
        given_up = update(outbox).where(_IS_DUE, *its, *about).values(**dropped)
        found = self._rows(given_up.returning(outbox.c.id, outbox.c.board_id))
        if found:
            _ERASE.run(self._transaction, {"mails": [row["id"] for row in found]})
        return tuple(row["board_id"] for row in found)

    def take_awaiting(
        self, board_id: int, readers: Iterable[Player], now: datetime
    ) -> Mapping[int, OutboxMail]:
        """Delete mails that wait for a robot's move and are not due soon; return them by player.

        Callers must have locked the board.
        """
        keys = [player.address.lower() for player in readers]
        if not keys:
            return {}
        chosen = {"keys": keys, "board_id": board_id, "after": now + _MARGIN}
        take = _TAKE_FREE if self._transaction.is_shared else _TAKE
        mails = self._transaction.execute(take, chosen).mappings().all()
        names = {"names": [mail["message_id"] for mail in mails]}
        rows = self._transaction.execute(_TAKE_CONTENTS, names).mappings() if mails else ()
        contents = {row["message_id"]: row for row in rows}
        return {
            mail["player_id"]: read_as(
                OutboxMail, {**mail, **contents[mail["message_id"]]}, handle=None
            )
            for mail in mails
        }


def _to(address_key: str, *where: ColumnElement[bool]) -> Select[Any]:
    """Return a query for the numbers of those mails to an address that meet the conditions."""
    return select(outbox.c.id).where(outbox.c.recipient_key == address_key, *where)
