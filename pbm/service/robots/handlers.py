"""Handlers of the four kinds of search jobs: a robot's move, its answer to a draw, hints, analyses.

A robot that is to move answers an offered draw along with its move; any other robot answers in an
extra job. The analysis of a finished game has a job for each part; the last job mails the whole.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from zlib import crc32

from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import from_plain, to_plain
from pbm.play.actions import play_move
from pbm.play.advance import play_on
from pbm.play.advice import analysis_params, ask_piece, kept_analysis
from pbm.play.boards import move_key, steps_of
from pbm.play.offers import agree, asked_draw, claim_draw, offered_to, refuse
from pbm.robots import analysis
from pbm.robots.thinking import Course, RobotMove, RobotStanding, quiet_moves, standing, think_about
from pbm.rules.contract import Suggests, has
from pbm.service.robots.worker_processes import Computation
from pbm.service.telling.announce import announce_answer, announce_boards, may_answer, shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer, Seat
from pbm.store.values.queues import KeptAnalysis, SearchJob, SearchKind

_AS_STRONG = 2  # tries with the robot's full strength


@dataclass(frozen=True, kw_only=True)
class RobotTurn(Turn):
    """The unit of work, one transaction, that prepares a search job or finishes it."""

    job: SearchJob
    board: Board  # locked if the job is finished
    wanted: Any  # what the job is for, such as an offer

    @property
    def course(self) -> Course:
        board = self.board
        return Course(board.game, board.start_state, steps_of(self.work, board))

    @property
    def seed(self) -> int:
        """The seed for a robot's choice among equally good moves."""
        return crc32(f"{self.board.id}.{self.board.ply}".encode())


@dataclass(frozen=True)
class JobHandler:
    """The functions that handle the jobs of one kind. Returned texts are for the log."""

    # Returns what a job is for, or None for an obsolete one, for example after a take-back.
    wanted: Callable[[UnitOfWork, SearchJob, Board], Any | None]
    prepare: Callable[[RobotTurn], Computation]
    finish: Callable[[RobotTurn, Any], str]
    give_up: Callable[[RobotTurn], str]  # is called after too many failed tries


def mover_of(work: UnitOfWork, job: SearchJob, board: Board) -> Seat | None:
    mover = board.to_move
    if mover is None or mover.robot is None or move_key(board, mover.player_id) != job.about:
        return None
    # A new job is added when the robot may play again.
    return mover if work.players.get(mover.player_id).is_active else None


def prepare_move(turn: RobotTurn) -> Computation:
    easier = max(0, turn.job.tries - _AS_STRONG + 1)
    robot, most = turn.wanted.robot, turn.site.thought_seconds
    return partial(think_about, robot, turn.course, turn.seed, easier, most)


def finish_move(turn: RobotTurn, found: RobotMove) -> str:
    """Play the move found, unless the game ends in a draw now."""
    board, mover = turn.board, turn.wanted
    events = _settle_draw(turn, board, mover.player_id, found.score)
    board = turn.work.boards.get(board.id) if events else board
    if not board.playing:
        announce_boards(turn, events)
        return f"{mover.handle} has taken a draw on board {board.id}"
    try:
        events += play_move(turn.work, board, found.move, turn.now)
    except Refusal as refusal:
        told = f"{mover.handle} found the move {found.move} on board {board.id}"
        raise ValueError(told) from refusal
    announce_boards(turn, events)
    return f"{mover.handle} has played {found.move} on board {board.id}"


def give_up_move(turn: RobotTurn) -> str:
    game, position = turn.board.rules, turn.board.position
    moves = game.example_moves(position) if has(game, Suggests) else ()
    return finish_move(turn, RobotMove(next(iter(moves), "")))


def _settle_draw(turn: Turn, board: Board, robot_id: int, score: int | None) -> list[Event]:
    """Answer any draw offer, by `score`, or claim a draw if only robots still play on the board."""
    offer = offered_to(board, robot_id)
    if offer is not None:
        found = RobotStanding(score or 0, quiet_moves(board.rules, board.position))
        return _answer(turn, board, offer, robot_id, found)
    if board.is_left_to_robots:
        with suppress(Refusal):
            return claim_draw(turn.work, board, turn.work.players.get(robot_id), turn.now)
    return []


def offer_of(_work: UnitOfWork, job: SearchJob, board: Board) -> Offer | None:
    robot_id = job.params["robot"]
    offer = offered_to(board, robot_id)
    return offer if offer and asked_draw(board, offer, robot_id) == job.about else None


def prepare_answer(turn: RobotTurn) -> Computation:
    seat = turn.board.seats_of(turn.job.params["robot"])[0]
    assert seat.robot
    return partial(standing, seat.robot, turn.course, seat.seat, turn.seed)


def finish_answer(turn: RobotTurn, found: RobotStanding) -> str:
    board, robot_id = turn.board, turn.job.params["robot"]
    announce_boards(turn, _answer(turn, board, turn.wanted, robot_id, found))
    said = "yes" if found.takes_draw else "no"
    return f"{board.handle_of(robot_id)} said {said} on board {board.id}"


def refuse_draw(turn: RobotTurn) -> str:
    return finish_answer(turn, RobotStanding(0, 0))


def _answer(
    turn: Turn, board: Board, offer: Offer, robot_id: int, found: RobotStanding
) -> list[Event]:
    if found.takes_draw:
        return agree(turn.work, board, offer, robot_id, turn.now)
    refused = refuse(turn.work, board, offer, robot_id)
    return [*refused, *play_on(turn.work, turn.work.boards.get(board.id), turn.now)]


def hinted_mover(_work: UnitOfWork, job: SearchJob, board: Board) -> Seat | None:
    stands = (board.ply, board.taken_back) == (job.ply, job.params["taken_back"])
    mover = board.to_move if stands else None
    return mover if mover and mover.player_id == job.player_id else None


def prepare_hint(turn: RobotTurn) -> Computation:
    return partial(analysis.advise, turn.course, turn.seed, turn.job.tries)


def finish_hint(turn: RobotTurn, advice: analysis.Advice) -> str:
    board = turn.board
    player = turn.work.players.get(turn.job.player_id)
    if not player.addresses or not may_answer(turn, player):
        return f"{player.handle} had enough answers, so was told no hint"
    view = shown_to(turn, player, board)
    # The only example of a move in the mail's text is the hint itself.
    told = {"section": "hint", **to_plain(advice)}
    view = {**view, "example": advice.move, "examples": (), "sections": [told]}
    MailWriter(turn).answer_on_board(player, board, view)
    return f"{player.handle} was told {advice.move} on board {board.id}"


def give_up_hint(turn: RobotTurn) -> str:
    board, player = turn.board, turn.work.players.get(turn.job.player_id)
    announce_answer(turn, player, [Answered("hint-failed", {"number": board.id}, board.id)])
    return f"no hint for {player.handle} on board {board.id}"


def piece_of(
    work: UnitOfWork, _job: SearchJob, board: Board
) -> tuple[KeptAnalysis, analysis.Piece] | None:
    kept = kept_analysis(work, board) if not board.playing else None
    piece = _next_piece(board, kept.found) if kept and not kept.finished_at else None
    return (kept, piece) if kept and piece else None


def prepare_piece(turn: RobotTurn) -> Computation:
    _, piece = turn.wanted
    easier = replace(piece, nodes=max(1, piece.nodes >> 2 * turn.job.tries))
    return partial(analysis.look_at, turn.course, easier)


def finish_piece(turn: RobotTurn, judged: Sequence[analysis.Judged]) -> str:
    """Store the result; add the job for the next part, or send the complete analysis."""
    work, board = turn.work, turn.board
    kept, piece = turn.wanted
    if piece.plies != tuple(item.ply for item in judged):
        return "nothing: it was looked at meanwhile"
    found = _with_results(kept.found, judged, board)
    if _next_piece(board, found) is not None:
        work.analyses.keep(board.id, found)
        ask_piece(work, board, turn.job.player_id, turn.now)
        return f"plies {piece.plies[0]} to {piece.plies[-1]} of board {board.id} looked at"
    work.analyses.keep(board.id, _final_results(work, found, board), turn.now)
    return f"board {board.id} is analysed, told to {_tell(turn, board)}"


def give_up_analysis(turn: RobotTurn) -> str:
    turn.work.analyses.drop(turn.board.id)
    return f"board {turn.board.id} could not be analysed, told to {_tell(turn, turn.board)}"


def _next_piece(board: Board, found: Any) -> analysis.Piece | None:
    looks = _short_looks(found)
    is_whole = len(looks) > board.ply  # the costs count once all plies have a short search
    short = analysis.costs(looks, board.position.sides) if is_whole else [0.0] * len(looks)
    return analysis.next_piece(board.ply, short, _long_looks(found))


def _short_looks(found: Any) -> list[analysis.Look]:
    return list(found.get("looks", ()))


def _long_looks(found: Any) -> list[analysis.Judged]:
    return [from_plain(analysis.Judged, item) for item in found.get("deep", ())]


def _with_results(found: Any, judged: Sequence[analysis.Judged], board: Board) -> dict[str, Any]:
    """Return the results so far (`found`) with those of one more job."""
    looks, deep = _short_looks(found), list(found.get("deep", ()))
    if len(looks) <= board.ply:
        looks += [(item.seat, item.best, item.made) for item in judged]
    else:
        deep += map(to_plain, judged)
    return {"looks": looks, "deep": deep}


def _final_results(work: UnitOfWork, found: Any, board: Board) -> dict[str, Any]:
    long = _long_looks(found)
    last = next((item for item in long if item.ply > board.ply and item.line), None)
    lead = analysis.leads(_short_looks(found), long, board.position.sides)
    moves = [item for item in long if item.ply <= board.ply]
    dear, sides = analysis.mistakes(moves), board.position.sides
    behind = [
        item
        for item in moves
        if lead
        and item.lost > 0
        and (not lead[-1] or (sides[item.seat - 1] == sides[0]) == (lead[-1] < 0))
    ]
    dearest = max(behind, key=lambda item: item.chances_lost) if behind and not dear else None
    turn, lost = (analysis.turned(lead), analysis.decided(lead)) if lead else (None, None)
    first = sorted(dear, key=lambda item: item.ply != turn)  # always show the turning point
    shown = sorted(first[: analysis.MOST_MISTAKES], key=lambda item: item.ply)
    made = work.plies.of(board.id, since=turn - 1)[0] if turn else None
    return {
        "mistakes": [{**to_plain(item), "lost": item.lost} for item in shown],
        "themes": _themes(dear),
        "leads": lead,
        "dearest": dearest
        and {"ply": dearest.ply, "seat": dearest.seat, "move": dearest.move, "even": not lead[-1]},
        "turned": {"ply": turn, "seat": made.seat, "move": made.text} if made else None,
        "decided": lost,
        "last": to_plain(last),
        "most": analysis.DECIDED,
    }


def _themes(dear: Sequence[analysis.Judged]) -> list[dict[str, Any]]:
    """Return the reasons why the moves `dear` were bad, by seat, the most frequent first."""
    found: dict[tuple[int, str], list[int]] = {}
    for item in sorted(dear, key=lambda item: item.ply):
        for fact in (*item.reasons[:1], *item.faults[:1]):
            found.setdefault((item.seat, fact["what"]), []).append(item.ply)
    themes = [{"seat": seat, "what": what, "plies": plies} for (seat, what), plies in found.items()]
    return sorted(themes, key=lambda theme: (theme["seat"], -len(theme["plies"])))


def _tell(turn: RobotTurn, board: Board) -> str:
    """Mail the analysis, or its failure, to all readers; return their handles."""
    work, kept = turn.work, turn.work.analyses.find(board.id)
    failed = {"number": board.id}
    told = []
    for number in work.analyses.readers(board.id):
        player = work.players.get(number)
        params = analysis_params(board, kept, player) if kept else failed
        section = "analysis" if kept else "analysis-failed"
        announce_answer(turn, player, [Answered(section, params, board.id)])
        told.append(player.handle)
    work.analyses.forget_readers(board.id)
    return ", ".join(told) or "nobody"


HANDLERS: Mapping[str, JobHandler] = {
    SearchKind.MOVE: JobHandler(mover_of, prepare_move, finish_move, give_up_move),
    SearchKind.HINT: JobHandler(hinted_mover, prepare_hint, finish_hint, give_up_hint),
    SearchKind.ANALYSIS: JobHandler(piece_of, prepare_piece, finish_piece, give_up_analysis),
    SearchKind.DRAW: JobHandler(offer_of, prepare_answer, finish_answer, refuse_draw),
}
