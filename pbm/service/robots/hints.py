"""A hint: a strong robot's search for a player's move, and the mail with it."""

from functools import partial

from pbm.events import Answered
from pbm.mail.site import Site
from pbm.robots.analysis import Advice, advise
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of, seed_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.announce import shown_to
from pbm.service.telling.answer import announce_answer, may_answer
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchJob

_GONE_ON = "nothing: the board has gone on"


def prepare(work: UnitOfWork, job: SearchJob, board: Board, _site: Site) -> Computation | None:
    """Prepare the search for the player's move."""
    if not _is_wanted(board, job):
        return None
    return partial(advise, course_of(work, board), seed_of(board), job.tries)


def finish(turn: RobotTurn, advice: Advice) -> str:
    """Mail the move, in the board's thread."""
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
    # The mail's example of a move is the hint itself.
    view = {**view, "example": advice.move, "sections": [told]}
    MailWriter(turn).answer_on_board(player, board, view)
    return f"{player.handle} was told {advice.move} on board {board.id}"


def give_up(turn: RobotTurn) -> str:
    """Tell the player that there is no hint."""
    board = turn.board
    if not _is_wanted(board, turn.job):
        return _GONE_ON
    player = turn.work.players.get(turn.job.player_id)
    told = {"title": "your hint", "number": board.id}
    announce_answer(turn, player, [Answered("hint-failed", told, board.id)])
    return f"no hint for {player.handle} on board {board.id}"


def _is_wanted(board: Board, job: SearchJob) -> bool:
    """Whether the player still has to make the move that the hint is for."""
    stands = (board.ply, board.taken_back) == (job.ply, job.params["taken_back"])
    mover = board.to_move if board.playing and stands else None
    return mover is not None and mover.player_id == job.player_id


HINTS = JobHandler(prepare, finish, give_up)
