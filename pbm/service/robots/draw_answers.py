"""What a robot says to a draw that it is offered."""

from pbm.events import Event
from pbm.play.offers import agree, refuse
from pbm.play.robot_answers import offered_to
from pbm.play.turn import Turn
from pbm.robots.draws import Standing, quiet_moves
from pbm.store.values.boards import Board, Offer


def answer_with_move(turn: Turn, board: Board, robot_id: int, score: int | None) -> list[Event]:
    """Answer the draw that waits for the robot that is to move, by the score of its move."""
    offer = offered_to(board, robot_id)
    if offer is None:
        return []
    takes = Standing(score or 0, quiet_moves(board.rules, board.position)).takes_draw
    return say(turn, board, offer, robot_id, takes=takes)


def say(turn: Turn, board: Board, offer: Offer, robot_id: int, *, takes: bool) -> list[Event]:
    """Say yes or no."""
    if takes:
        return agree(turn.work, board, offer, robot_id, turn.now)
    return refuse(turn.work, board, offer, robot_id)
