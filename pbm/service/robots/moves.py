"""The search for a robot's move, and the turn that plays it."""

from functools import partial

from pbm.errors import Refusal
from pbm.events import Event
from pbm.play.actions import play_move
from pbm.play.boards import move_key
from pbm.play.offers import claim_draw
from pbm.robots.thinking import RobotMove, think_about
from pbm.rules.contract import Suggests, has
from pbm.service.robots.draws import answer_with_move
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of, seed_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.announce import announce_boards
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchJob

_AS_STRONG = 2  # tries with the robot's full strength
_GONE_ON = "nothing: the board has gone on"


def prepare(work: UnitOfWork, job: SearchJob, board: Board) -> Computation | None:
    """Prepare the search for the robot's move."""
    mover = board.to_move if _still_waits(board, job) else None
    if not (mover and mover.robot and work.players.get(mover.player_id).is_active):
        return None  # asked for again when the robot may play
    easier = max(0, job.tries - _AS_STRONG + 1)
    return partial(think_about, mover.robot, course_of(work, board), seed_of(board), easier)


def finish(turn: RobotTurn, found: RobotMove) -> str:
    """Play the move."""
    return _play(turn, found.move, found.score)


def give_up(turn: RobotTurn) -> str:
    """Play any legal move."""
    game, position = turn.board.rules, turn.board.position
    return _play(turn, (has(game, Suggests) and game.example_move(position)) or "")


def _play(turn: RobotTurn, move: str, score: int | None = None) -> str:
    """Play a move as for a person, and announce it; its score first answers an offered draw."""
    board = turn.board
    if not _still_waits(board, turn.job):
        return _GONE_ON
    mover = board.to_move
    assert mover is not None
    events = answer_with_move(turn, board, mover.player_id, score) or _claimed(turn, board)
    board = turn.work.boards.get(board.id) if events else board
    if not board.playing:
        announce_boards(turn, events)
        return f"{mover.handle} has taken a draw on board {board.id}"
    try:
        events += play_move(turn.work, board, move, turn.now)
    except Refusal as refusal:
        raise ValueError(f"{mover.handle} found the move {move} on board {board.id}") from refusal
    announce_boards(turn, events)
    return f"{mover.handle} has played {move} on board {board.id}"


def _claimed(turn: RobotTurn, board: Board) -> list[Event]:
    """Claim a draw on a board left to robots, as no person would."""
    mover = board.to_move
    if mover is None or not board.is_left_to_robots:
        return []
    try:
        return claim_draw(turn.work, board, turn.work.players.get(mover.player_id), turn.now)
    except Refusal:
        return []


def _still_waits(board: Board, job: SearchJob) -> bool:
    mover = board.to_move
    if mover is None or mover.robot is None:
        return False
    return move_key(board, mover.player_id) == job.about


MOVES = JobHandler(prepare, finish, give_up)
