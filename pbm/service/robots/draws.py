"""A robot's answer to a draw offer: with its move if it is to move, else in its own job."""

from functools import partial

from pbm.events import Event
from pbm.play.offers import agree, asked_draw, offered_to, refuse
from pbm.play.turn import Turn
from pbm.robots.thinking import RobotStanding, quiet_moves, standing
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of, seed_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.announce import announce_boards
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer
from pbm.store.values.queues import SearchJob


def answer_with_move(turn: Turn, board: Board, robot_id: int, score: int | None) -> list[Event]:
    """Answer the draw offered to the robot that is to move, by the score of its best move."""
    offer = offered_to(board, robot_id)
    if offer is None:
        return []
    takes = RobotStanding(score or 0, quiet_moves(board.rules, board.position)).takes_draw
    return _say(turn, board, offer, robot_id, takes=takes)


def prepare(work: UnitOfWork, job: SearchJob, board: Board) -> Computation | None:
    """Prepare the evaluation of the robot's position."""
    if _offer(board, job) is None:
        return None
    seat = board.seats_of(job.params["robot"])[0]
    assert seat.robot
    return partial(standing, seat.robot, course_of(work, board), seat.seat, seed_of(board))


def finish(turn: RobotTurn, found: RobotStanding) -> str:
    """Accept or refuse."""
    return _answer(turn, takes=found.takes_draw)


def give_up(turn: RobotTurn) -> str:
    """Refuse, since there is no evaluation."""
    return _answer(turn, takes=False)


def _answer(turn: RobotTurn, *, takes: bool) -> str:
    board = turn.board
    offer, robot_id = _offer(board, turn.job), turn.job.params["robot"]
    if offer is None:
        return "nothing: no draw waits for it any more"
    announce_boards(turn, _say(turn, board, offer, robot_id, takes=takes))
    return f"{board.handle_of(robot_id)} said {'yes' if takes else 'no'} on board {board.id}"


def _say(turn: Turn, board: Board, offer: Offer, robot_id: int, *, takes: bool) -> list[Event]:
    if takes:
        return agree(turn.work, board, offer, robot_id, turn.now)
    return refuse(turn.work, board, offer, robot_id)


def _offer(board: Board, job: SearchJob) -> Offer | None:
    """The job's draw offer, if it is still open."""
    robot_id = job.params["robot"]
    offer = offered_to(board, robot_id)
    return offer if offer and asked_draw(board, offer, robot_id) == job.about else None


DRAWS = JobHandler(prepare, finish, give_up)
