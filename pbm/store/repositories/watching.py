"""Queries about who watches which boards, and about up to where watchers were told."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    union,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.schema.games import boards, seats
from pbm.store.schema.happened import AT_ONCE, board_events, watched, watchings
from pbm.store.sql.transaction import Repository
from pbm.store.values.boards import BoardStatus
from pbm.store.values.happened import How, Watching

_AT_ONCE = and_(text(f"watchings.{AT_ONCE}"), ~watchings.c.over)  # as in the index
_LAST = (
    select(func.coalesce(func.max(board_events.c.number), 0))
    .where(board_events.c.board_id == boards.c.id)
    .scalar_subquery()
)
_KEY = ["board_id", "watcher_id"]


def _sits(player: ColumnElement[int] | int) -> ColumnElement[bool]:
    named = seats.c.name.is_(None)  # a record's names are no players
    return exists().where(seats.c.board_id == boards.c.id, seats.c.player_id == player, named)


def is_watched() -> ColumnElement[bool]:
    """Return the condition that somebody who watches a board is told of it at once."""
    their = seats.alias()
    follows = (their.c.player_id == watchings.c.followed_id, their.c.board_id == boards.c.id)
    looks_on = ~_sits(watchings.c.watcher_id)
    return or_(
        exists().where(watchings.c.board_id == boards.c.id, _AT_ONCE),
        exists().where(*follows, their.c.name.is_(None), _AT_ONCE, looks_on),
    )


def _reasons(*where: ColumnElement[bool]) -> tuple[Select[Any], ...]:
    """Return two queries for the watchers of boards: by board, and by who plays there."""
    seen = func.coalesce(watched.c.seen, 0).label("seen")
    columns = (watchings.c.watcher_id, boards.c.id.label("board_id"), seen)
    its = and_(watched.c.board_id == boards.c.id, watched.c.watcher_id == watchings.c.watcher_id)
    may = (~watchings.c.over, ~boards.c.private, ~_sits(watchings.c.watcher_id), *where)
    their = seats.alias()
    follows = and_(their.c.player_id == watchings.c.followed_id, their.c.name.is_(None))
    # What was over before somebody is followed is no news.
    is_new = or_(
        watched.c.seen.is_not(None),
        boards.c.status == BoardStatus.PLAYING,
        boards.c.started_at >= watchings.c.since,
    )
    board, followed = select(*columns), select(*columns).join(their, follows).where(is_new)
    reasons = (
        board.join(boards, boards.c.id == watchings.c.board_id),
        followed.join(boards, boards.c.id == their.c.board_id),
    )
    return tuple(reason.outerjoin(watched, its).where(*may) for reason in reasons)


def _boards_of(watcher_id: int) -> Select[Any]:
    return select(union(*_reasons(watchings.c.watcher_id == watcher_id)).subquery().c.board_id)


class Behind(NamedTuple):
    """A watcher who is to be told of the events on a board after the one with number `seen`."""

    watcher_id: int
    board_id: int
    seen: int


class Watchings(Repository):
    """Who watches what. Callers must have locked a board to note who is told of it.

    Nobody watches a private board, or one on which the watcher plays.
    """

    def of_watcher(self, watcher_id: int) -> tuple[Watching, ...]:
        query = select(watchings).where(watchings.c.watcher_id == watcher_id)
        return self._all(Watching, query.order_by(watchings.c.id))

    def add(self, watcher_id: int, how: How, now: datetime, **what: int) -> None:
        """Let a player watch from now on, or change how.

        `what` is the `board_id` of a board, or for all boards of a player the `followed_id`.
        """
        whose = {"watcher_id": watcher_id, **what}
        its = [watchings.c[name] == number for name, number in whose.items()]
        self._delete(watchings, *its, watchings.c.over)
        if self._exists(select(watchings.c.id).where(*its)):
            self._update(watchings, *its, how=how)
            return
        followed = what.get("followed_id")
        added = _sits(followed) if followed else boards.c.id == what["board_id"]
        is_new = boards.c.id.not_in(_boards_of(watcher_id))
        is_open = and_(boards.c.status == BoardStatus.PLAYING, ~_sits(watcher_id))
        self._note_told(watcher_id, added, is_open, is_new)
        self._insert(watchings, **whose, how=how, since=now)

    def end(self, watcher_id: int, numbers: Collection[int]) -> None:
        """End watchings, which are named by their numbers."""
        own = watchings.c.watcher_id == watcher_id
        if numbers:
            self._delete(watchings, own, watchings.c.id.in_(numbers))
        gone = watched.c.board_id.not_in(_boards_of(watcher_id))
        self._delete(watched, watched.c.watcher_id == watcher_id, gone)

    def end_following(self, followed_id: int, *watcher_ids: int) -> None:
        """End that these players, or all, follow a player. The next daily mail tells them."""
        these = [watchings.c.watcher_id.in_(watcher_ids)] if watcher_ids else []
        self._update(watchings, watchings.c.followed_id == followed_id, *these, over=True)

    def on_board(self, board_id: int) -> tuple[int, ...]:
        """Return the numbers of the players who watch a board."""
        found = union(*_reasons(boards.c.id == board_id)).subquery()
        return tuple(sorted(self._scalars(select(found.c.watcher_id))))

    def behind(
        self, *, most: int, watcher_id: int = 0, board_id: int = 0, after: int = 0
    ) -> tuple[Behind, ...]:
        """Return boards with news for a watcher.

        Without a watcher, return those watchers of a board who are told at once, and whose numbers
        are above `after`.
        """
        of = [boards.c.id == board_id, watchings.c.watcher_id > after, _AT_ONCE]
        if watcher_id:
            of = [watchings.c.watcher_id == watcher_id]
        waits = or_(watchings.c.how != How.END, boards.c.status != BoardStatus.PLAYING)
        is_behind, order = func.coalesce(watched.c.seen, 0) < _LAST, ("watcher_id", "board_id")
        first = (  # of each, so that the work is bounded
            select(reason.order_by(*order).limit(most).subquery())
            for reason in _reasons(waits, is_behind, *of)
        )
        query = select(union(*first).subquery()).order_by(*order).limit(most)
        return tuple(Behind(*row) for row in self._transaction.execute(query))

    def tell(self, watcher_id: int, board_id: int, *, is_over: bool) -> None:
        """Note that a watcher is told of all that happened on a board so far."""
        if is_over:
            own = watchings.c.watcher_id == watcher_id
            self._delete(watchings, own, watchings.c.board_id == board_id)
        self._note_told(watcher_id, boards.c.id == board_id)

    def _note_told(self, watcher_id: int, *of: ColumnElement[bool]) -> None:
        # The first event of a board that begins in this transaction is not stored yet.
        last = case((and_(boards.c.ply == 0, _LAST == 0), 1), else_=_LAST)
        rows: Select[Any] = select(boards.c.id, literal(watcher_id), last).where(*of)
        told = upsert(watched).from_select([*_KEY, "seen"], rows)
        seen = {"seen": told.excluded.seen}
        self._transaction.execute(told.on_conflict_do_update(index_elements=_KEY, set_=seen))
