"""Analysis of a game: a job for each piece, and mails when it is complete."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pbm.events import Answered
from pbm.mail.site import Site
from pbm.plain import from_plain, to_plain
from pbm.play.advice import analysis_params, ask_piece, kept_analysis
from pbm.robots.analysis import MOST_LOST, Judged, Piece, look_at, mistakes, next_piece
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.answer import announce_answer
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import KeptAnalysis, SearchJob

_NOT_WANTED = "nothing: nobody wants it any more"


def prepare(work: UnitOfWork, job: SearchJob, board: Board, _site: Site) -> Computation | None:
    """Prepare the search of the next piece, with fewer nodes after failed tries."""
    kept = _under_way(work, board)
    piece = _next_piece(board, kept.found) if kept else None
    if piece is None:
        return None
    easier = Piece(piece.plies, max(1, piece.nodes >> 2 * job.tries))
    return partial(look_at, course_of(work, board), easier)


def finish(turn: RobotTurn, judged: Sequence[Judged]) -> str:
    """Keep the result; ask for the next piece, or send the complete analysis."""
    work, board = turn.work, turn.board
    kept = _under_way(work, board)
    piece = _next_piece(board, kept.found) if kept else None
    if kept is None or piece is None or piece.plies != tuple(item.ply for item in judged):
        return _NOT_WANTED
    found = _with(kept.found, judged, board)
    if _next_piece(board, found) is not None:
        work.analyses.keep(board.id, found)
        ask_piece(work, board, turn.job.player_id, turn.now)
        return f"plies {piece.plies[0]} to {piece.plies[-1]} of board {board.id} looked at"
    work.analyses.keep(board.id, _in_the_end(found, board), turn.now)
    return f"board {board.id} is analysed, told to {_tell(turn, board)}"


def give_up(turn: RobotTurn) -> str:
    """Drop the analysis and tell its readers; they can ask again."""
    work, board = turn.work, turn.board
    if _under_way(work, board) is None:
        return _NOT_WANTED
    work.analyses.drop(board.id)
    return f"board {board.id} could not be analysed, told to {_tell(turn, board)}"


def _under_way(work: UnitOfWork, board: Board) -> KeptAnalysis | None:
    kept = kept_analysis(work, board) if not board.playing else None
    return None if kept and kept.finished_at else kept


def _next_piece(board: Board, found: Any) -> Piece | None:
    return next_piece(board.ply, found.get("short", ()), _long_looks(found))


def _long_looks(found: Any) -> list[Judged]:
    return [from_plain(Judged, item) for item in found.get("long", ())]


def _with(found: Any, judged: Sequence[Judged], board: Board) -> dict[str, Any]:
    """The results with those of one more piece, of short or of long searches."""
    short, long = list(found.get("short", ())), list(found.get("long", ()))
    if len(short) < board.ply:
        short += [item.lost for item in judged]
    else:
        long += map(to_plain, judged)
    return {"short": short, "long": long}


def _in_the_end(found: Any, board: Board) -> dict[str, Any]:
    """The results to keep: the costliest moves, and the line after the last move."""
    long = _long_looks(found)
    last = next((item for item in long if item.ply > board.ply and item.line), None)
    dear = mistakes([item for item in long if item.ply <= board.ply])
    return {"mistakes": to_plain(dear), "last": to_plain(last), "most": MOST_LOST // 2}


def _tell(turn: RobotTurn, board: Board) -> str:
    """Mail the outcome to all readers; return their handles."""
    work, kept = turn.work, turn.work.analyses.find(board.id)
    told = []
    for number in work.analyses.readers(board.id):
        player = work.players.get(number)
        if kept:
            answer = Answered("analysis", analysis_params(board, kept, number), board.id)
        else:
            failed = {"title": "your analysis", "number": board.id}
            answer = Answered("analysis-failed", failed, board.id)
        announce_answer(turn, player, [answer])
        told.append(player.handle)
    work.analyses.forget_readers(board.id)
    return ", ".join(told) or "nobody"


ANALYSES = JobHandler(prepare, finish, give_up)
