"""Watching: players are told of boards on which they do not play."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pbm.errors import Refusal
from pbm.play.digests import DAILY, next_digest
from pbm.play.limits import MOST_FOLLOWED, MOST_WATCHED
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.happened import How, Watching
from pbm.store.values.players import Player, PlayerSettings
from pbm.store.values.queues import TimerKind

NAMED = 20  # watchers whom players see by name
WATCHING = "w"  # of an `Unsubscribe`; the number of a board may follow


def next_daily(settings: PlayerSettings, now: datetime) -> datetime:
    """Return when a watcher gets the next mail with all news, at the hour of a player's digests."""
    return next_digest(replace(settings, digest=DAILY), now)


def watch_board(work: UnitOfWork, player: Player, board: Board, how: How, now: datetime) -> None:
    """Let a player watch a board that others play. Raises Refusal."""
    if board.seats_of(player.id):
        raise Refusal("watch-own-board", number=board.id)
    if not board.playing:
        raise Refusal("watch-over", number=board.id)
    known = _begin(work, player, now)
    boards = [item.board_id for item in known if item.board_id]
    if board.id not in boards and len(boards) >= MOST_WATCHED:
        raise Refusal("too-many-watched", most=MOST_WATCHED)
    work.watchings.add(player.id, how, now, board_id=board.id)


def follow(work: UnitOfWork, player: Player, other: Player, how: How, now: datetime) -> None:
    """Let a player watch all boards of another one, now and later. Raises Refusal."""
    if other.id == player.id:
        raise Refusal("follow-yourself")
    if other.robot or not other.is_active or not other.settings.public:
        raise Refusal("not-followed", handle=other.handle, robot=other.robot is not None)
    if (other.id, player.id) in work.blocks.among((player.id, other.id)):
        raise Refusal("not-followed", handle=other.handle, robot=False)
    known = _begin(work, player, now)
    people = [item.followed_id for item in known if item.followed_id and not item.over]
    if other.id not in people and len(people) >= MOST_FOLLOWED:
        raise Refusal("too-many-followed", most=MOST_FOLLOWED)
    work.watchings.add(player.id, how, now, followed_id=other.id)


def _begin(work: UnitOfWork, player: Player, now: datetime) -> Sequence[Watching]:
    """Set the timer of a watcher's daily mail; return what the player watches so far."""
    work.players.lock(player.id)  # the timer ends under the same lock
    due_at = next_daily(player.settings, now)
    work.timers.set(TimerKind.WATCHER, str(player.id), now, due_at, player_id=player.id)
    return work.watchings.of_watcher(player.id)


def covering(work: UnitOfWork, player_id: int, *boards: Board) -> tuple[Watching, ...]:
    """Return for what reasons a player is told of boards."""
    numbers = {board.id for board in boards}
    seated = {seat.player_id for board in boards for seat in board.seats}
    found = work.watchings.of_watcher(player_id)
    return tuple(it for it in found if it.board_id in numbers or it.followed_id in seated)


def end(work: UnitOfWork, ended: Sequence[Watching]) -> dict[str, Any]:
    """End some of a player's watchings; return as data what is left, and what has ended."""
    gone, watcher_id = told(work, ended), ended[0].watcher_id
    work.watchings.end(watcher_id, [item.id for item in ended])
    return {**told(work, work.watchings.of_watcher(watcher_id)), "ended": gone}


def told(work: UnitOfWork, watchings: Sequence[Watching]) -> dict[str, Any]:
    """Return watchings as data for a template: boards and handles, each with `how`."""
    boards = [item for item in watchings if item.board_id]
    people = [item for item in watchings if item.followed_id and not item.over]
    handles = work.players.handles_of([item.followed_id or 0 for item in people])
    return {
        "boards": [{"number": item.board_id, "how": item.how} for item in boards],
        "people": [{"handle": handles[item.followed_id or 0], "how": item.how} for item in people],
    }


def watchers_of(work: UnitOfWork, board: Board, reader: Player | None) -> dict[str, Any]:
    """Return how many watch a board, and some of their handles; for others than players nothing."""
    if reader is None or not board.seats_of(reader.id):
        return {}
    found = work.watchings.on_board(board.id)
    named = work.players.handles_of(found[:NAMED])
    return {"watchers": {"count": len(found), "handles": [*named.values()]}}
