"""Handlers of three kinds of search jobs: a robot's move, its answer to a draw offer, and a hint.

If the robot is to move, it answers the offer with its move; otherwise in a job of its own.
"""

from functools import partial

from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.mail.site import Site
from pbm.play.actions import play_move
from pbm.play.boards import move_key
from pbm.play.offers import agree, asked_draw, claim_draw, offered_to, refuse
from pbm.play.turn import Turn
from pbm.robots.analysis import Advice, advise
from pbm.robots.thinking import RobotMove, RobotStanding, quiet_moves, standing, think_about
from pbm.rules.contract import Suggests, has
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of, seed_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.announce import announce_boards, shown_to
from pbm.service.telling.answer import announce_answer, may_answer
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer
from pbm.store.values.queues import SearchJob

_AS_STRONG = 2  # tries with the robot's full strength
_GONE_ON = "nothing: the board has gone on"


def prepare(work: UnitOfWork, job: SearchJob, board: Board, site: Site) -> Computation | None:
    """Prepare the search for the robot's move."""
    mover = board.to_move if _still_waits(board, job) else None
    if not (mover and mover.robot and work.players.get(mover.player_id).is_active):
        return None  # a new job is added when the robot may play again
    easier = max(0, job.tries - _AS_STRONG + 1)
    course, most = course_of(work, board), site.thought_seconds
    return partial(think_about, mover.robot, course, seed_of(board), easier, most)


def finish(turn: RobotTurn, found: RobotMove) -> str:
    """Play the move."""
    return _play(turn, found.move, found.score)


def give_up(turn: RobotTurn) -> str:
    """Play any legal move."""
    game, position = turn.board.rules, turn.board.position
    return _play(turn, (has(game, Suggests) and game.example_move(position)) or "")


def _play(turn: RobotTurn, move: str, score: int | None = None) -> str:
    """Answer an offered draw by the move's score, then play and announce the move."""
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
    """Claim a draw if only robots are left on the board."""
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


def answer_with_move(turn: Turn, board: Board, robot_id: int, score: int | None) -> list[Event]:
    """Answer a draw offered to the robot that is to move, by the score of its best move."""
    offer = offered_to(board, robot_id)
    if offer is None:
        return []
    found = RobotStanding(score or 0, quiet_moves(board.rules, board.position))
    return _answer(turn, board, offer, robot_id, found)


def prepare_answer(
    work: UnitOfWork, job: SearchJob, board: Board, _site: Site
) -> Computation | None:
    """Prepare the evaluation of the robot's position."""
    if _offer(board, job) is None:
        return None
    seat = board.seats_of(job.params["robot"])[0]
    assert seat.robot
    return partial(standing, seat.robot, course_of(work, board), seat.seat, seed_of(board))


def finish_answer(turn: RobotTurn, found: RobotStanding) -> str:
    """Accept or refuse the draw."""
    board, robot_id = turn.board, turn.job.params["robot"]
    offer = _offer(board, turn.job)
    if offer is None:
        return "nothing: no draw waits for it any more"
    announce_boards(turn, _answer(turn, board, offer, robot_id, found))
    said = "yes" if found.takes_draw else "no"
    return f"{board.handle_of(robot_id)} said {said} on board {board.id}"


def refuse_draw(turn: RobotTurn) -> str:
    """Refuse the draw, since there is no evaluation."""
    return finish_answer(turn, RobotStanding(0, 0))


def _answer(
    turn: Turn, board: Board, offer: Offer, robot_id: int, found: RobotStanding
) -> list[Event]:
    if found.takes_draw:
        return agree(turn.work, board, offer, robot_id, turn.now)
    return refuse(turn.work, board, offer, robot_id)


def _offer(board: Board, job: SearchJob) -> Offer | None:
    robot_id = job.params["robot"]
    offer = offered_to(board, robot_id)
    return offer if offer and asked_draw(board, offer, robot_id) == job.about else None


DRAWS = JobHandler(prepare_answer, finish_answer, refuse_draw)


def prepare_hint(work: UnitOfWork, job: SearchJob, board: Board, _site: Site) -> Computation | None:
    """Prepare a strong robot's search for the player's move."""
    if not _is_wanted(board, job):
        return None
    return partial(advise, course_of(work, board), seed_of(board), job.tries)


def finish_hint(turn: RobotTurn, advice: Advice) -> str:
    """Mail the hint in the board's thread."""
    board = turn.board
    if not _is_wanted(board, turn.job):
        return _GONE_ON
    player = turn.work.players.get(turn.job.player_id)
    if not player.addresses or not may_answer(turn, player):
        return f"{player.handle} had enough answers, so was told no hint"
    view = shown_to(turn, player, board)
    told = {
        "section": "hint",
        "move": advice.move,
        "line": list(advice.line),
        "reasons": list(advice.reasons),
        "ply": board.ply + 1,
        "game": board.game,
        "players": view["players"],
        "you": view["you"],
    }
    # The example move in the mail's text is the hint itself.
    view = {**view, "example": advice.move, "sections": [told]}
    MailWriter(turn).answer_on_board(player, board, view)
    return f"{player.handle} was told {advice.move} on board {board.id}"


def give_up_hint(turn: RobotTurn) -> str:
    """Tell the player that there is no hint."""
    board = turn.board
    if not _is_wanted(board, turn.job):
        return _GONE_ON
    player = turn.work.players.get(turn.job.player_id)
    told = {"title": "your hint", "number": board.id}
    announce_answer(turn, player, [Answered("hint-failed", told, board.id)])
    return f"no hint for {player.handle} on board {board.id}"


def _is_wanted(board: Board, job: SearchJob) -> bool:
    """Whether the move that the hint is for is still to be made."""
    stands = (board.ply, board.taken_back) == (job.ply, job.params["taken_back"])
    mover = board.to_move if board.playing and stands else None
    return mover is not None and mover.player_id == job.player_id


HINTS = JobHandler(prepare_hint, finish_hint, give_up_hint)
