"""Mails delayed some seconds to include a robot's move."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, delete, func, select

from pbm.store.schema.columns import DUE
from pbm.store.schema.mails import IN_HAND, outbox, outbox_contents
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.mails import Kind, OutboxMail
from pbm.store.values.players import Player

MARGIN = timedelta(seconds=0.25)  # mails due sooner are left to the sender, which may claim them
_WAITS = and_(
    outbox.c.status == DUE,
    outbox.c.recipient_key.in_(bindparam("keys", expanding=True)),
    outbox.c.thread == bindparam("board_id"),
    outbox.c.kind == Kind.AWAITING,
    outbox.c.attempts == 0,
    outbox.c.due_at > bindparam("after"),
)
# This transaction may have waited since `now` for the board's lock. So mails that the sender has
# claimed meanwhile are skipped, and so are rows that others have locked without locking the board.
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
_TAKE = delete(outbox).where(_WAITS).returning(outbox)
_TAKE_FREE = _TAKE.where(outbox.c.id.in_(_FREE))
# SQLAlchemy names no tables in SQLite's RETURNING, so a subquery there would match any row.
_TAKE_CONTENTS = (
    delete(outbox_contents)
    .where(outbox_contents.c.message_id.in_(bindparam("names", expanding=True)))
    .returning(outbox_contents)
)


class AwaitingMails(Repository):
    """Mails delayed some seconds to show a robot's move. Callers must have locked the board."""

    def take(
        self, board_id: int, readers: Iterable[Player], now: datetime
    ) -> Mapping[int, OutboxMail]:
        """Delete delayed mails to `readers` that are not due soon; return them by player number."""
        keys = [player.address.lower() for player in readers]
        if not keys:
            return {}
        chosen = {"keys": keys, "board_id": board_id, "after": now + MARGIN}
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
