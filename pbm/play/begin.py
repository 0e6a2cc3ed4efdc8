"""Beginning a game with others, who get a board in their mail without having asked for it.

A board counts as unanswered by a player who has neither moved nor written on it since it was
begun, as long as it is in progress.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events.board import BoardStarted
from pbm.play.boards import Setup, start_board
from pbm.play.limits import STARTS, Rate, count_challenge
from pbm.play.meeting import check_challenge, check_meeting
from pbm.play.robots import check_robots
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player

MOST_UNANSWERED = 3  # boards that one player began and another has not answered
TAKEN_UP = 5  # boards on which others must have moved, before a player may begin as many as STARTS
FIRST_STARTS = Rate("first-starts", 10, timedelta(days=1))


def begin_board(
    work: UnitOfWork,
    setup: Setup,
    players: Sequence[Player],
    begun_by: Player,
    now: datetime,
    *,
    rematch_of: int | None = None,
    agreed: Collection[int] | None = None,
    first_unsaid: bool = False,
) -> list[Event]:
    """Start a board at a player's wish, seats in the order given. Raises Refusal.

    `agreed` are those who have said yes to it, by their numbers, and are challenged no more; where
    somebody had to, it is none of the first few in a day.
    `first_unsaid`: the player has the first seat without having asked for it, and is told.
    """
    check_others(work, setup.game, players, begun_by, agreed=agreed or ())
    board = start_board(work, setup, players, now, rematch_of=rematch_of, begun_by=begun_by.id)
    others = [player for player in players if player.id != begun_by.id]
    is_agreed = agreed is not None or all(player.robot for player in others)
    _count_start(work, begun_by, now, is_agreed=is_agreed)
    surprised = [player for player in others if player.id not in (agreed or ())]
    count_challenge(work, begun_by, surprised, now)
    return [BoardStarted(board.id, begun_by.handle, first_unsaid)]


def check_others(
    work: UnitOfWork,
    game: str,
    players: Sequence[Player],
    begun_by: Player,
    *,
    agreed: Collection[int] = (),
) -> None:
    """Raise Refusal where a player may not bring the others of these to a board now; those who have
    `agreed`, by their numbers, take it whatever they say of challenges."""
    check_meeting(work, begun_by, players)
    check_robots(work, game, players, begun_by)
    for other in players:
        if other.id != begun_by.id:
            if other.id not in agreed:
                check_challenge(work, other)
            _check_answered(work, begun_by, other)


def is_left_unanswered(work: UnitOfWork, begun_by: Player, other: Player) -> bool:
    """Whether so many boards that one player began wait for another that no more may; on a robot's
    answer nobody need wait."""
    most = MOST_UNANSWERED
    return not other.robot and work.beginnings.unanswered(begun_by.id, other.id, most=most) >= most


def _check_answered(work: UnitOfWork, begun_by: Player, other: Player) -> None:
    if is_left_unanswered(work, begun_by, other):
        raise Refusal("unanswered", handle=other.handle, most=MOST_UNANSWERED)


def _count_start(work: UnitOfWork, begun_by: Player, now: datetime, *, is_agreed: bool) -> None:
    taken_up = TAKEN_UP if is_agreed else work.beginnings.taken_up(begun_by.id)
    if taken_up < TAKEN_UP and not FIRST_STARTS.take(work, now, begun_by.id):
        raise Refusal("too-many-first", most=FIRST_STARTS.most, taken_up=TAKEN_UP)
    if not STARTS.take(work, now, begun_by.id):
        raise Refusal("too-many-begun", most=STARTS.most)
