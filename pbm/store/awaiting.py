"""Mails about a board that wait some seconds in the outbox, and may be taken back until then."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, select

from pbm.store.kinds import Kind
from pbm.store.schema.columns import DUE
from pbm.store.schema.mails import IN_HAND, outbox, outbox_contents
from pbm.store.sql.transaction import Transaction
from pbm.store.values.players import Player

MARGIN = timedelta(seconds=0.25)  # before it is due: the post may take it while a transaction ends
_COLUMNS = (
    outbox.c.player_id,
    outbox.c.inbox_id,
    outbox.c.written_at,
    outbox.c.due_at,
    outbox.c.message_id,
)
_WAITS = and_(
    outbox.c.status == DUE,
    outbox.c.recipient_key.in_(bindparam("keys", expanding=True)),
    outbox.c.thread == bindparam("board_id"),
    outbox.c.kind == Kind.AWAITING,
    outbox.c.attempts == 0,
    outbox.c.due_at > bindparam("after"),
)
# A transaction may have waited for its board since its moment: what the post has in hand by now
# stays, and what is taken the post cannot have before the commit. So does what somebody has locked
# who has not the board, as whoever lets all mails to a player go out that were to wait.
_WAITING = select(outbox.c.id).where(_WAITS).cte("waiting").prefix_with("MATERIALIZED")
_HELD = (
    select(_WAITING.c.id)
    .where(func.pg_try_advisory_xact_lock(IN_HAND, _WAITING.c.id))
    .cte("held")
    .prefix_with("MATERIALIZED")
)
_FREE = (
    select(outbox.c.id).where(outbox.c.id.in_(select(_HELD.c.id))).with_for_update(skip_locked=True)
)
_TAKE = delete(outbox).where(_WAITS).returning(*_COLUMNS)
_TAKE_FREE = _TAKE.where(outbox.c.id.in_(_FREE))
# Apart from that: SQLAlchemy names no tables in what SQLite returns, so that a subquery there would
# find the contents of any mail.
_TAKE_CONTENTS = (
    delete(outbox_contents)
    .where(outbox_contents.c.message_id.in_(bindparam("names", expanding=True)))
    .returning(outbox_contents)
)


@dataclass(frozen=True)
class AwaitingMail:
    """A mail about a board as it was to go out, had nothing more happened until `due_at`."""

    player_id: int
    inbox_id: int | None
    params: dict[str, Any]
    headers: dict[str, Any]
    written_at: datetime
    due_at: datetime


class AwaitingMails:
    """Queries about such mails, within one transaction, which has their board locked."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def take(
        self, board_id: int, readers: Iterable[Player], now: datetime
    ) -> Mapping[int, AwaitingMail]:
        """Take back what waits for some players about a board, by their numbers; nobody has tried
        to send it, and nobody will. Waits for nobody."""
        keys = [player.address.lower() for player in readers]
        if not keys:
            return {}
        chosen = {"keys": keys, "board_id": board_id, "after": now + MARGIN}
        take = _TAKE_FREE if self._transaction.is_shared else _TAKE
        found = {
            row["message_id"]: dict(row)
            for row in self._transaction.execute(take, chosen).mappings()
        }
        if not found:
            return {}
        contents = self._transaction.execute(_TAKE_CONTENTS, {"names": list(found)}).mappings()
        for row in contents:
            found[row["message_id"]].update(row)
        for mail in found.values():
            del mail["message_id"]
        mails = [AwaitingMail(**mail) for mail in found.values()]
        return {mail.player_id: mail for mail in mails}
