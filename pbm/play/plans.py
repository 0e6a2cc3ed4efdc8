"""Plans: moves that are played for a player as soon as others have moved as the plan expects.

A plan belongs to a position: to a ply, and to how often moves were taken back. It ends with its
last move, or if something happens that none of its lines has. It waits while an offer to its player
is open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pbm.errors import Refusal
from pbm.events import Event, MovePlayed
from pbm.events.board import PlanEnded
from pbm.events.kept import from_fields, kind_of
from pbm.play.boards import add_move, positions_since
from pbm.play.clocks.waits import look_in_time, terms_of
from pbm.play.limits import PLAN_LINES
from pbm.play.plan_lines import (
    Checked,
    Written,
    after_move,
    check_lines,
    due,
    moves_others,
    refuse_conflicts,
    tree,
    written,
)
from pbm.play.turn import GameTurn
from pbm.rules.contract import Position, RulesError
from pbm.rules.sides import mover
from pbm.rules.sides import turn as seat_to_move
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Ply
from pbm.store.values.plans import Plan, Step

_QUICK = 40  # steps, up to which lines are checked within the transaction


@dataclass(frozen=True)
class Made:
    """A new plan, and what it replaces."""

    plan: Plan
    checked: Sequence[Checked]
    replaced: Plan | None


def make_plan(
    turn: GameTurn,
    board: Board,
    player_id: int,
    lines: Sequence[Written],
    *,
    since: int | None = None,
    adds: bool = False,
) -> Made:
    """Store a plan from the position after ply `since` on, by default the present one.

    The moves played since are followed. If `adds`, the lines of the present plan stay, too. Raises
    Refusal, and WorkNeeded for a long plan.
    """
    work = turn.work
    first = board.ply if since is None else since
    mine = {seat.seat for seat in board.seats_of(player_id)}
    # A plan begins behind own moves, such as one above it in the mail.
    is_past = any(ply.seat not in mine for ply in work.plies.of(board.id, since=first))
    positions = positions_since(work, board, first) if is_past else [board.position]
    while positions and _is_to_move(board, positions[0], player_id):
        positions.pop(0)
    if not positions:
        raise Refusal("plan-own-turn-now", number=board.id)
    checked = _checked(turn, board, positions[0], player_id, lines)
    left = tuple(each.line for each in checked)
    played = work.plies.of(board.id, since=board.ply - len(positions) + 1)
    for before, ply in zip(positions, played, strict=False):
        own = _is_to_move(board, before, player_id)
        left = after_move(left, before, ply.text, own=own)
        if not any(line.steps for line in left):
            raise Refusal("plan-not-met", ply=ply.ply, move=ply.text, number=board.id)
    replaced = work.plans.find(board, player_id)
    if adds and replaced:
        left = tuple(dict.fromkeys((*replaced.lines, *left)))
        refuse_conflicts([(line, written(line, board)) for line in left], board)
        if len(left) > PLAN_LINES:
            raise Refusal("plan-lines", most=PLAN_LINES, number=board.id)
    plan = work.plans.set(board, player_id, left, turn.now)
    return Made(plan, checked, replaced)


def _checked(
    turn: GameTurn, board: Board, base: Position, player_id: int, lines: Sequence[Written]
) -> Sequence[Checked]:
    """Play lines through, many of them in a thread. Raises Refusal and WorkNeeded."""
    if sum(line.steps for line in lines) <= _QUICK:
        return check_lines(board, base, player_id, lines)
    of = ("plan", board.id, base.state(), player_id, *(line.text for line in lines))
    return turn.slow.outcome(of, lambda: check_lines(board, base, player_id, lines))


def move_due(board: Board, plan: Plan | None) -> str | None:
    """Return the plan's move if it is the player's turn, else None."""
    if plan is None or board.to_move is None or board.to_move.player_id != plan.player_id:
        return None
    return next((line.steps[0].move for line in due(plan.lines)), None)


def _is_to_move(board: Board, position: Position, player_id: int) -> bool:
    seat = mover(position)
    return seat is not None and board.seats[seat - 1].player_id == player_id


def follow(work: UnitOfWork, before: Board, after: Board, caused: Iterable[Event]) -> list[Event]:
    """After a change of a board, go on with its plans; return the ends of those that end."""
    moves = {event.ply: event.move for event in caused if isinstance(event, MovePlayed)}
    events = list[Event]()
    for plan in work.plans.on_board(after):
        why, move = _why_over(plan, before, after), ""
        if not why and after.ply == plan.ply + 1 and after.ply in moves:
            own = _is_to_move(before, before.position, plan.player_id)
            left = after_move(plan.lines, before.position, moves[after.ply], own=own)
            if any(line.steps for line in left):
                work.plans.follow(plan, after.ply, left)
            else:
                why, move = ("played-out", "") if left else ("not-met", moves[after.ply])
        if why:
            stays = plan.player_id in after.still_in
            events.append(_end(work, before, plan, why, move, stays=stays))
    return events


def _why_over(plan: Plan, before: Board, after: Board) -> str | None:
    """Return why another change than a move ends a plan, or None."""
    if not after.playing:
        return "over"
    if after.taken_back != plan.taken_back or after.ply < plan.ply:
        return "taken-back"
    return "left" if after.position.out != before.position.out else None


def _end(
    work: UnitOfWork, board: Board, plan: Plan, why: str, move: str = "", *, stays: bool = True
) -> PlanEnded:
    """Delete a plan; return its end with the lines that were not played.

    Who no longer `stays` on the board cannot plan them again.
    """
    work.plans.drop(plan.board_id, plan.player_id)
    left = [line for line in plan.lines if line.steps and why not in ("played-out", "over")]
    lines = tuple(written(line, board) for line in left)
    again = stays and bool(left) and not any(line.steps[0].own for line in left)
    return PlanEnded(board.id, plan.player_id, why, move, lines, again)


def ended_lines(work: UnitOfWork, board: Board, player_id: int) -> tuple[str, ...]:
    """Return the lines of a player's latest plan that ended, if they can be sent again."""
    rows = [row for row in work.happened.since(board.id, 0) if row.kind == kind_of(PlanEnded)]
    ends = [from_fields(row.kind, row.fields, board.id) for row in rows]
    own = [end for end in ends if isinstance(end, PlanEnded) and end.player == player_id]
    return own[-1].lines if own and own[-1].again else ()


def end_plans(work: UnitOfWork, board: Board, why: str, leaver: int) -> list[Event]:
    """End all plans on a board that a player leaves, for a reason that `PlanEnded` names."""
    plans = work.plans.on_board(board)
    return [_end(work, board, it, why, stays=it.player_id != leaver) for it in plans]


def planned_move(work: UnitOfWork, board: Board) -> tuple[Step | None, list[Event]]:
    """Return the move that the plan of the player to move has now, if it can be played.

    If the position does not allow it as its player expected, the plan ends.
    """
    seat = board.to_move
    plan = work.plans.find(board, seat.player_id) if seat else None
    if seat is None or plan is None or is_stopped(board, seat.player_id):
        return None, []
    step = next((line.steps[0] for line in due(plan.lines)), None)
    others = step and moves_others(
        board.rules, board.position, step.move, seat_to_move(board.position) or 1
    )
    if step is None:
        return None, [_end(work, board, plan, "not-met")]
    if others is None or not _is_legal(board, step.move):
        return None, [_end(work, board, plan, "illegal", step.move)]
    if others and not step.moves_others:
        return None, [_end(work, board, plan, "others", step.move)]
    return step, []


def is_stopped(board: Board, player_id: int) -> bool:
    """Return whether an open offer to a player stops the player's plan."""
    return any(player_id in waiting for waiting in board.open_offers.values())


def _is_legal(board: Board, move: str) -> bool:
    try:
        board.position.play(board.position.parse(move, seat_to_move(board.position) or 1))
    except RulesError:
        return False
    return True


def play_planned(
    work: UnitOfWork, board: Board, step: Step, now: datetime
) -> tuple[Board, list[Event]]:
    """Play a move of a plan. It takes none of its player's time."""
    after, move = add_move(work, board, step.move, now, planned=True)
    if terms_of(after).counts_used:
        look_in_time(work, after, now)
    player_id = board.seats[step.seat - 1].player_id
    return after, [MovePlayed(board.id, after.ply, player_id, move, planned=True)]


def sent_before(ply: int, plies: Iterable[Ply]) -> int:
    """Return the ply of the move that was sent, and led to the planned ones up to `ply`."""
    planned = {item.ply: item.planned for item in plies}
    while planned.get(ply):
        ply -= 1
    return ply


def shown_plan(board: Board, plan: Plan | None) -> dict[str, object] | None:
    """Return a plan as data for the mails to its own player."""
    if plan is None:
        return None
    lines = tree([line for line in plan.lines if line.steps], board)
    stopped = is_stopped(board, plan.player_id)
    return {"lines": lines, "due": move_due(board, plan), "stopped": stopped}
