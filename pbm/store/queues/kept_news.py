"""Mails delayed some seconds to include a robot's move, and news stored for digests.

A digest is one mail with all news of some hours.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import String, and_, bindparam, cast, delete, func, insert, select

from pbm.store.schema.columns import DUE
from pbm.store.schema.mails import IN_HAND, kept_news, kept_notices, outbox, outbox_contents
from pbm.store.schema.people import players
from pbm.store.schema.running import due
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.mails import Kind, News, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

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
            mail["player_id"]: read_as(OutboxMail, {**mail, **contents[mail["message_id"]]})
            for mail in mails
        }


MOST_NOTICES = 40  # for one player, apart from news of boards


class KeptNews(Repository):
    """News stored until it is mailed. Callers lock a board before they store or delete its news."""

    def keep(self, player_ids: Sequence[int], board_id: int, news: News) -> None:
        row = {"board_id": board_id, **vars(news)}
        rows = [{"player_id": player_id, **row} for player_id in player_ids]
        if rows:
            self._transaction.execute(insert(kept_news), rows)

    def sizes(self, player_ids: Collection[int], board_id: int) -> dict[int, int]:
        """Return the total size of the stored news of a board, for each player who has some."""
        query = (
            select(kept_news.c.player_id, func.sum(kept_news.c.size))
            .where(kept_news.c.player_id.in_(player_ids), kept_news.c.board_id == board_id)
            .group_by(kept_news.c.player_id)
        )
        return {player_id: int(size) for player_id, size in self._transaction.execute(query)}

    def boards(self, player_id: int, until: datetime) -> dict[int, int]:
        """Return the boards with news from before `until`, each with the total size of its news."""
        query = (
            select(kept_news.c.board_id, func.sum(kept_news.c.size))
            .where(kept_news.c.player_id == player_id)
            .group_by(kept_news.c.board_id)
            .having(func.min(kept_news.c.kept_at) <= until)
            .order_by(kept_news.c.board_id)
        )
        return {board_id: int(size) for board_id, size in self._transaction.execute(query)}

    def notified_soon(self, player_ids: Collection[int], until: datetime) -> frozenset[int]:
        """Return those of the players who will be mailed their stored news by the time `until`."""
        about = cast(kept_news.c.player_id, String) + "." + cast(kept_news.c.board_id, String)
        theirs = (
            select(kept_news.c.id)
            .join(due, (due.c.kind == TimerKind.KEPT_NEWS.value) & (due.c.about == about))
            .where(kept_news.c.player_id == players.c.id, ~due.c.stuck, due.c.due_at <= until)
        )
        query = select(players.c.id).where(players.c.id.in_(player_ids), theirs.exists())
        return frozenset(self._scalars(query)) if player_ids else frozenset()

    def keep_notice(self, player_id: int, told: dict[str, Any], now: datetime) -> None:
        """Store a notice for a player. If `MOST_NOTICES` are stored already, this does nothing."""
        theirs = kept_notices.c.player_id == player_id
        count = select(func.count()).select_from(kept_notices).where(theirs)
        if self._count(count) < MOST_NOTICES:
            self._insert(kept_notices, player_id=player_id, told=told, kept_at=now)

    def take_notices(self, player_id: int) -> list[dict[str, Any]]:
        """Delete and return all notices kept for a player, oldest first."""
        taken = delete(kept_notices).where(kept_notices.c.player_id == player_id)
        rows = self._rows(taken.returning(kept_notices.c.id, kept_notices.c.told))
        return [row["told"] for row in sorted(rows, key=lambda row: row["id"])]

    def has_notices(self, player_id: int) -> bool:
        return self._exists(select(kept_notices.c.id).where(kept_notices.c.player_id == player_id))

    def take(self, player_ids: Collection[int], board_id: int) -> Mapping[int, tuple[News, ...]]:
        """Delete the news of a board for some players; return it by player number, oldest first."""
        found: dict[int, tuple[News, ...]] = defaultdict(tuple)
        if not player_ids:
            return found
        theirs = (kept_news.c.player_id.in_(player_ids), kept_news.c.board_id == board_id)
        taken = delete(kept_news).where(*theirs)
        rows = self._rows(taken.returning(kept_news))
        for row in sorted(rows, key=lambda row: row["id"]):
            found[row["player_id"]] += (read_as(News, row),)
        return found

    def forget(self, player_id: int) -> None:
        for table in (kept_news, kept_notices):
            self._delete(table, table.c.player_id == player_id)
