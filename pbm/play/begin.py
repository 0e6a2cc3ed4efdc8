"""Starting a game with others: who may play together, and how many boards a player may start."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from string import ascii_lowercase, digits

from pbm.addresses import mailbox_key
from pbm.errors import Refusal
from pbm.events.board import BoardStarted, RobotBeaten
from pbm.nearest import nearest, one_slip_away
from pbm.play import limits
from pbm.play.boards import Setup, start_board
from pbm.play.ratings import RatingShown, shown_of
from pbm.rules.contract import Game, Searches, has
from pbm.rules.registry import game_named
from pbm.rules.robots import NEXT, ROBOTS, WEAKEST
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, Pool

_MANY_WON = 3  # of four games
_LESSONS = 5  # finished games, before which those with the weakest robot are not rated
_LONGEST = 16  # characters of a handle
_LETTERS = f"{ascii_lowercase}{digits}-_"


def may_meet(work: UnitOfWork, player: Player, others: Iterable[Player]) -> frozenset[int]:
    """Return the ids of those `others` who may play with a player.

    Two players may not if they use the same mailbox, or if one has blocked the other.
    """
    own = _mailboxes(player)
    apart = {other.id for other in others if not own & _mailboxes(other)} - {player.id}
    return frozenset(apart - work.blocks.around(player.id, apart))


def _mailboxes(player: Player) -> set[str]:
    return {mailbox_key(address) for address in player.addresses}


def check_meeting(work: UnitOfWork, begun_by: Player, players: Sequence[Player]) -> None:
    """Raise Refusal if a player of a new game has blocked another."""
    blocks = work.blocks.among([player.id for player in players])
    handles = {player.id: player.handle for player in players}
    for by, blocked in sorted(blocks):
        if by == begun_by.id:
            raise Refusal("you-blocked", handle=handles[blocked])
        if blocked == begun_by.id:
            raise Refusal("takes-none-from-you", handle=handles[by])
    if blocks:
        raise Refusal("not-together")  # names nobody: a third must not learn who has blocked whom


def check_challenge(work: UnitOfWork, other: Player) -> None:
    """Raise Refusal if a player's settings allow no challenge now."""
    settings = other.settings
    if settings.challenges == "off":
        raise Refusal("takes-no-challenges", handle=other.handle)
    most = settings.limit
    if most and work.beginnings.by_others(other.id, most=most) >= most:
        raise Refusal("has-enough-games", handle=other.handle, most=most)


def begin_board(
    work: UnitOfWork,
    setup: Setup,
    players: Sequence[Player],
    begun_by: Player,
    now: datetime,
    *,
    rematch_of: int | None = None,
    agreed: Collection[int] | None = None,
) -> BoardStarted:
    """Start a board that `begun_by` asks for, with `players` in seat order. Raises Refusal.

    `agreed` has the ids of the players who have said yes. It is None if nobody was asked.

    Boards to which not all have said yes are limited per hour. Boards about which nobody was asked
    are also limited per day.
    """
    check_others(work, setup.game, players, begun_by, now, agreed=agreed or ())
    board = start_board(work, setup, players, now, rematch_of=rematch_of, begun_by=begun_by.id)
    others = [player for player in players if player.id != begun_by.id]
    is_agreed = agreed is not None or all(player.robot for player in others)
    taken_up = limits.TAKEN_UP if is_agreed else work.beginnings.taken_up(begun_by.id)
    if taken_up < limits.TAKEN_UP and not limits.FIRST_STARTS.take(work, now, begun_by.id):
        raise Refusal("too-many-first", most=limits.FIRST_STARTS.most, taken_up=limits.TAKEN_UP)
    surprised = [player for player in others if player.id not in (agreed or ())]
    if surprised and not limits.STARTS.take(work, now, begun_by.id):
        raise Refusal("too-many-begun", most=limits.STARTS.most)
    limits.count_challenge(work, begun_by, surprised, now)
    return BoardStarted(board.id, begun_by.id)


def check_others(
    work: UnitOfWork,
    game: str,
    players: Sequence[Player],
    begun_by: Player,
    now: datetime,
    *,
    agreed: Collection[int] = (),
) -> None:
    """Raise Refusal if `begun_by` may not challenge `players`. Those in `agreed` have said yes."""
    check_meeting(work, begun_by, players)
    check_robots(work, game, players, begun_by)
    for other in players:
        if other.id != begun_by.id:
            if other.id not in agreed:
                check_challenge(work, other)
            if is_left_unanswered(work, begun_by, other, now):
                raise Refusal("unanswered", handle=other.handle, most=limits.MOST_UNANSWERED)


def is_left_unanswered(work: UnitOfWork, begun_by: Player, other: Player, now: datetime) -> bool:
    """Return whether `other`, a person, has left too many boards of `begun_by` unanswered.

    A board is unanswered by a player who has neither moved nor written on it. One that is over
    counts for a day, so that nobody sends mails by challenging and declining in turn.
    """
    most, since = limits.MOST_UNANSWERED, now - limits.OVER_COUNTS
    if other.robot:
        return False
    return work.beginnings.unanswered(begun_by.id, other.id, since, most=most) >= most


def is_lesson(work: UnitOfWork, players: Sequence[Player], begun_by: Player) -> bool:
    """Return whether somebody with few finished games begins a game with the weakest robot."""
    if {player.robot for player in players if player.id != begun_by.id} != {WEAKEST}:
        return False
    return len(work.history.finished(begun_by.id, below=None, most=_LESSONS).board_ids) < _LESSONS


def robots_play(game: Game) -> bool:
    return has(game, Searches)


def check_robots(work: UnitOfWork, game: str, players: Sequence[Player], begun_by: Player) -> None:
    """Raise Refusal if a robot is among `players` and robots do not play `game`.

    Raise it also if one of the people already plays on too many boards with robots.
    """
    robots = [player.handle for player in players if player.robot]
    if not robots:
        return
    if not robots_play(game_named(game)):
        handles = list(dict.fromkeys(robots))
        raise Refusal("robots-do-not-play", handles=handles, title=game_named(game).info.title)
    for player in {player.id: player for player in (begun_by, *players)}.values():
        if player.robot is None:
            check_with_robots(work, player, own=player.id == begun_by.id)


def check_with_robots(work: UnitOfWork, player: Player, *, own: bool) -> None:
    most = limits.MOST_WITH_ROBOTS
    if boards_with_robots(work, player) >= most:
        raise Refusal("enough-with-robots", most=most, handle=player.handle, own=own)


def boards_with_robots(work: UnitOfWork, player: Player) -> int:
    """Count the boards in progress on which a player plays with robots. Stop at the limit."""
    return work.beginnings.with_robots(player.id, most=limits.MOST_WITH_ROBOTS)


def robot_to_begin_with(work: UnitOfWork, game: str, player: Player | None = None) -> str | None:
    """Return the handle of a robot that is rated no higher than a player.

    It is the strongest of these robots that can play now, or None. If every robot is rated higher,
    only the weakest robot is considered.
    """
    known = work.ratings.of_player(player.id).get((game, Pool.TWO)) if player else None
    rating = shown_of(known) if known else RatingShown(0, 0, True)
    least = rating.number - (rating.off if rating.provisional else 0)
    fitting = [robot.name for robot in ROBOTS.values() if robot.rating <= least] or [WEAKEST]
    playing = (_playing(work, game, name) for name in reversed(fitting))
    return next((robot.handle for robot in playing if robot), None)


def _playing(work: UnitOfWork, game: str, name: str) -> Player | None:
    """Return the robot `name`, None if it cannot play `game` now."""
    robot = work.players.by_handle(name) if robots_play(game_named(game)) else None
    return robot if robot and robot.robot and robot.is_active else None


def robot_beaten(work: UnitOfWork, board: Board) -> Iterator[RobotBeaten]:
    """Yield an event if a player has just won three of the last four games against a robot.

    Yield none if no stronger robot can play the game now.
    """
    counted = work.ratings.counted(board.id)
    if counted is None or counted.pool != Pool.TWO or any(it.taken_over for it in board.seats):
        return
    winner, loser = sorted(board.seats, key=lambda seat: seat.seat not in (board.winners or ()))
    stronger = NEXT.get(loser.robot or "")
    if stronger and not winner.robot and (robot := _playing(work, board.game, stronger)):
        won = work.ratings.last_games(counted, winner.player_id, loser.player_id)
        if sum(won[:4]) >= _MANY_WON > sum(won[1:]):
            yield RobotBeaten(board.id, winner.player_id, loser.player_id, robot.id)


def handles_like(work: UnitOfWork, handle: str, asker: Player | None = None) -> list[str]:
    """Return up to two handles of active players that are one typo away from `handle`.

    The handle of `asker` is left out.
    """
    if len(handle) > _LONGEST:
        return []
    found = work.players.active_among(one_slip_away(handle, _LETTERS))
    return nearest(handle, sorted(found - {asker.handle if asker else ""}), alike=0)
