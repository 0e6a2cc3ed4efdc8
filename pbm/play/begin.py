"""Beginning a game with others, who get a board in their mail without having asked for it.

A board counts as unanswered by a player who has neither moved nor written on it since it was
begun, as long as it is in progress.
"""

from collections.abc import Sequence
from datetime import timedelta

from pbm.commands.context import Context
from pbm.errors import Refusal
from pbm.play.boards import Setup, start_board
from pbm.play.limits import STARTS, Rate
from pbm.store.values import Board, Player

MOST_UNANSWERED = 3  # boards that one player began and another has not answered
TAKEN_UP = 5  # boards on which others must have moved, before a player may begin as many as STARTS
FIRST_STARTS = Rate("first-starts", 10, timedelta(days=1))


def begin_board(
    context: Context, setup: Setup, players: Sequence[Player], *, rematch_of: int | None = None
) -> Board:
    """Start a board at the speaker's wish, seats in the order given. Raises Refusal."""
    begun_by = context.player
    for other in players:
        if other.id != begun_by.id:
            _check_answered(context, begun_by, other)
    board = start_board(
        *(context.work, setup, players, context.now),
        rematch_of=rematch_of,
        begun_by=begun_by.id,
    )
    _count_start(context, begun_by)
    return board


def _check_answered(context: Context, begun_by: Player, other: Player) -> None:
    most = MOST_UNANSWERED
    if context.work.boards.unanswered(begun_by.id, other.id, most=most) >= most:
        raise Refusal("unanswered", handle=other.handle, most=most)


def _count_start(context: Context, begun_by: Player) -> None:
    taken_up = TAKEN_UP if context.is_agreed else context.work.boards.taken_up(begun_by.id)
    if taken_up < TAKEN_UP and not FIRST_STARTS.take(context.work, context.now, begun_by.id):
        raise Refusal("too-many-first", most=FIRST_STARTS.most, taken_up=TAKEN_UP)
    if not STARTS.take(context.work, context.now, begun_by.id):
        raise Refusal("too-many-begun", most=STARTS.most)
