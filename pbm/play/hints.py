"""Hints: what a robot would play in one's place, where that is unfair to nobody."""

from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events import HintAsked
from pbm.play.boards import check_rules
from pbm.play.limits import Rate
from pbm.play.marks import mark, marks_alike
from pbm.play.robots import robots_play
from pbm.rules.sides import partners
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.thoughts import ThoughtKind

HINTS = Rate("hints", 30, timedelta(days=1))  # of one player
_MOST_COMPARED = 100  # boards of a player


def ask_hint(work: UnitOfWork, board: Board, player: Player, now: datetime) -> HintAsked:
    """Let a robot think about a player's move. Raises Refusal."""
    _check(board, player)
    _check_tells_nothing(work, board, player)
    if not HINTS.take(work, now, player.id):
        raise Refusal("too-many-hints", most=HINTS.most)
    asked = work.thoughts.ask(
        ThoughtKind.HINT,
        f"{board.id}.{board.ply}.{board.taken_back}",
        now,
        board_id=board.id,
        ply=board.ply,
        player_id=player.id,
        params={"taken_back": board.taken_back},
    )
    if not asked:
        raise Refusal("hint-asked-already", number=board.id)
    return HintAsked(board.id)


def _check(board: Board, player: Player) -> None:
    """Raise Refusal where there is no hint to be had."""
    if not robots_play(board.rules):
        raise Refusal("no-hints", title=board.rules.info.title, number=board.id)
    people = people_against(board, player.id)
    if people:
        raise Refusal("hint-against-people", handles=people, number=board.id)
    if board.rated:
        raise Refusal("hint-in-rated-game", number=board.id)
    mover = board.to_move
    if mover is None or mover.player_id != player.id:
        turn = mover.handle if mover else None
        raise Refusal("hint-not-your-turn", turn=turn, number=board.id)
    check_rules(board)


def _check_tells_nothing(work: UnitOfWork, board: Board, player: Player) -> None:
    """Raise Refusal where a hint would tell what to play on another board, without hints."""
    alike = marks_alike(board)
    for other in boards_without_hints(work, board, player):
        if mark(other.rules, other.position) in alike:
            raise Refusal("hint-when-gone-on", number=board.id, other=other.id)


def boards_without_hints(work: UnitOfWork, board: Board, player: Player) -> list[Board]:
    """The boards in progress of the same game on which a player can have no hint, the newest; but
    those where nobody has moved yet."""
    playing = work.boards.of_player(player.id, playing=True, most=_MOST_COMPARED)
    same = (other for other in playing if other.game == board.game and other.ply)
    return [other for other in same if not has_hints(other, player)]


def has_hints(board: Board, player: Player) -> bool:
    """Whether a player may have hints on a board, on their own moves."""
    return not board.rated and not people_against(board, player.id)


def people_against(board: Board, player_id: int | None) -> list[str]:
    """The opponents of a player who are no robots, by their handles."""
    own = {seat.seat for seat in board.seats if seat.player_id == player_id}
    own |= {partner for seat in own for partner in partners(board.position, seat)}
    return [seat.handle for seat in board.seats if seat.seat not in own and seat.robot is None]
