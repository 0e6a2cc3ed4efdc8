"""Handler of analyses of finished games: one job for each part of a game, then a mail with all."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pbm.events import Answered
from pbm.mail.site import Site
from pbm.plain import from_plain, to_plain
from pbm.play.advice import analysis_params, ask_piece, kept_analysis
from pbm.robots.analysis import (
    DECIDED,
    MOST_MISTAKES,
    Judged,
    Look,
    Piece,
    costs,
    decided,
    leads,
    look_at,
    mistakes,
    next_piece,
    turned,
)
from pbm.service.robots.handler import JobHandler, RobotTurn, course_of
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.answer import announce_answer
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import KeptAnalysis, SearchJob

_NOT_WANTED = "nothing: nobody wants it any more"


def prepare(work: UnitOfWork, job: SearchJob, board: Board, _site: Site) -> Computation | None:
    """Prepare the search of the next part of the game, with fewer nodes after failed tries."""
    kept = _under_way(work, board)
    piece = _next_piece(board, kept.found) if kept else None
    if piece is None:
        return None
    easier = replace(piece, nodes=max(1, piece.nodes >> 2 * job.tries))
    return partial(look_at, course_of(work, board), easier)


def finish(turn: RobotTurn, judged: Sequence[Judged]) -> str:
    """Store the result; add the job for the next part, or send the complete analysis."""
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
    work.analyses.keep(board.id, _in_the_end(work, found, board), turn.now)
    return f"board {board.id} is analysed, told to {_tell(turn, board)}"


def give_up(turn: RobotTurn) -> str:
    """Drop the analysis, and tell its readers."""
    work, board = turn.work, turn.board
    if _under_way(work, board) is None:
        return _NOT_WANTED
    work.analyses.drop(board.id)
    return f"board {board.id} could not be analysed, told to {_tell(turn, board)}"


def _under_way(work: UnitOfWork, board: Board) -> KeptAnalysis | None:
    kept = kept_analysis(work, board) if not board.playing else None
    return None if kept and kept.finished_at else kept


def _next_piece(board: Board, found: Any) -> Piece | None:
    looks = _short_looks(found)
    is_whole = len(looks) > board.ply  # the costs count once all plies have a short search
    short = costs(looks, board.position.sides) if is_whole else [0.0] * len(looks)
    return next_piece(board.ply, short, _long_looks(found))


def _short_looks(found: Any) -> list[Look]:
    return list(found.get("looks", ()))


def _long_looks(found: Any) -> list[Judged]:
    return [from_plain(Judged, item) for item in found.get("deep", ())]


def _with(found: Any, judged: Sequence[Judged], board: Board) -> dict[str, Any]:
    """The results so far with those of one more part: of short searches first, then long ones."""
    looks, deep = _short_looks(found), list(found.get("deep", ()))
    if len(looks) <= board.ply:
        looks += [(item.seat, item.best, item.made) for item in judged]
    else:
        deep += map(to_plain, judged)
    return {"looks": looks, "deep": deep}


def _in_the_end(work: UnitOfWork, found: Any, board: Board) -> dict[str, Any]:
    """The results to store: the costliest moves, the leads by ply, and the last better line."""
    long = _long_looks(found)
    last = next((item for item in long if item.ply > board.ply and item.line), None)
    lead = leads(_short_looks(found), long, board.position.sides)
    moves = [item for item in long if item.ply <= board.ply]
    dear, small = mistakes(moves), [item for item in moves if item.lost > 0]
    dearest = max(small, key=lambda item: item.chances_lost) if small and not dear else None
    turn, lost = (turned(lead), decided(lead)) if lead else (None, None)
    first = sorted(dear, key=lambda item: item.ply != turn)  # always show the turning point
    shown = sorted(first[:MOST_MISTAKES], key=lambda item: item.ply)
    made = work.plies.of(board.id, since=turn - 1)[0] if turn else None
    return {
        "mistakes": [{**to_plain(item), "lost": item.lost} for item in shown],
        "themes": _themes(dear),
        "leads": lead,
        "dearest": dearest and {"ply": dearest.ply, "seat": dearest.seat, "move": dearest.move},
        "turned": {"ply": turn, "seat": made.seat, "move": made.text} if made else None,
        "decided": lost,
        "last": to_plain(last),
        "most": DECIDED,
    }


def _themes(dear: Sequence[Judged]) -> list[dict[str, Any]]:
    """The main topics of each seat's mistakes: the first reason and fault of each mistake."""
    found: dict[tuple[int, str], list[int]] = {}
    for item in sorted(dear, key=lambda item: item.ply):
        for fact in (*item.reasons[:1], *item.faults[:1]):
            found.setdefault((item.seat, fact["what"]), []).append(item.ply)
    themes = [{"seat": seat, "what": what, "plies": plies} for (seat, what), plies in found.items()]
    return sorted(themes, key=lambda theme: (theme["seat"], -len(theme["plies"])))


def _tell(turn: RobotTurn, board: Board) -> str:
    """Mail the analysis, or its failure, to all readers; return their handles."""
    work, kept = turn.work, turn.work.analyses.find(board.id)
    told = []
    for number in work.analyses.readers(board.id):
        player = work.players.get(number)
        if kept:
            params = analysis_params(board, kept, player)
            answer = Answered("analysis", params, board.id)
        else:
            failed = {"title": "your analysis", "number": board.id}
            answer = Answered("analysis-failed", failed, board.id)
        announce_answer(turn, player, [answer])
        told.append(player.handle)
    work.analyses.forget_readers(board.id)
    return ", ".join(told) or "nobody"


ANALYSES = JobHandler(prepare, finish, give_up)
