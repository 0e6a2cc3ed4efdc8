"""A turn: what a move does, who is next, and when the game is over (rules, sections 3 and 5)."""

from dataclasses import dataclass, replace

from pbm.rules.abalone.board import BOARD, STEPS, before, format_cell, shifted
from pbm.rules.abalone.errors import IllegalMoveError
from pbm.rules.abalone.moves import Move, can_move
from pbm.rules.abalone.position import EJECTIONS_TO_WIN, Outcome, Position
from pbm.rules.abalone.refusals import game_over, why_not
from pbm.rules.abalone.search import moved

_EDGE = {step: BOARD & before(~BOARD, step) for step in STEPS}
"""The cells from which a step leads off the board."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a move: the position after it, and the seats that lost a marble by it.

    `ejected_from` names the cell that the ejected marble stood on, None if there was none.
    """

    position: Position
    move: Move
    ejected: tuple[int, ...] = ()
    ejected_from: str | None = None


def play(position: Position, move: Move) -> Played:
    """Play a move of the seat whose turn it is; raises IllegalMoveError if it is not legal.

    >>> from pbm.rules.abalone import parse_move, start
    >>> position = start("standard", 2)
    >>> play(position, parse_move("a1-c3,d4", position)).position.turn
    2
    """
    refusal = why_not(position, move)
    if refusal is not None:
        raise refusal
    return play_legal(position, move)


def play_legal(position: Position, move: Move) -> Played:
    """Play a move that is known to be legal, as each of `legal_moves` is."""
    assert position.turn is not None
    step = move.step
    moving = moved(move.marbles, step, position.occupied)
    lost = falling(moving, step)
    staying = moving ^ lost
    marbles = tuple(
        bits & ~moving | shifted(bits & staying, step) if bits & moving else bits
        for bits in position.marbles
    )
    ejected = tuple(seat for seat in position.seats if position.marbles_of(seat) & lost)
    after = Position(
        marbles,
        None,
        _scores(position, ejected),
        position.out,
        0 if ejected else position.quiet + 1,
        None,
        position.teams,
        position.pillar,
    )
    ejected_from = format_cell(lost.bit_length() - 1) if lost else None
    next_seat = position.turn % position.players + 1
    return Played(settle(after, next_seat), move, ejected, ejected_from)


def falling(moving: int, step: int) -> int:
    """Those of the marbles moving a step that leave the board."""
    return moving & _EDGE[step]


def leave(position: Position, seat: int) -> Position:
    """Take a seat out of the game: its player resigned, forfeited or was removed.

    The marbles stay, in everybody's way, and score for nobody; in teams a partner who is still in
    plays on with them. Raises IllegalMoveError if the game is over, if there is no such seat, or
    if it is out already.
    """
    if position.outcome is not None:
        raise game_over()
    if seat not in position.seats:
        raise IllegalMoveError("no-such-seat", last=position.players)
    if seat in position.out:
        raise IllegalMoveError("already-out", seat=seat)
    assert position.turn is not None
    return settle(replace(position, out=position.out | {seat}), position.turn)


def settle(position: Position, first: int) -> Position:
    """The position with its turn and outcome as the rules have them.

    The turn falls to the first seat from `first` on that somebody plays and that can move. If the
    game is over, it is nobody's.
    """
    outcome = _winner(position)
    if outcome is None:
        for seat in (*position.seats[first - 1 :], *position.seats[: first - 1]):
            if position.is_played(seat) and can_move(position, seat):
                return replace(position, turn=seat, outcome=None)
        outcome = Outcome((), "none")
    return replace(position, turn=None, outcome=outcome)


def _scores(position: Position, ejected: tuple[int, ...]) -> tuple[int, ...]:
    """One more for the mover's side if a marble was ejected whose player has not left."""
    if position.out.issuperset(ejected):
        return position.scores
    scorers = next(side for side in position.sides if position.turn in side)
    return tuple(
        score + (seat in scorers)
        for seat, score in zip(position.seats, position.scores, strict=True)
    )


def _winner(position: Position) -> Outcome | None:
    if max(position.scores) >= EJECTIONS_TO_WIN:
        first = position.scores.index(EJECTIONS_TO_WIN) + 1
        winners = next(side for side in position.sides if first in side)
        return Outcome(winners, "ejections")
    still_in = [side for side in position.sides if not position.out.issuperset(side)]
    with_marbles = [side for side in still_in if any(map(position.marbles_of, side))]
    for left in (still_in, with_marbles):
        if len(left) == 1:
            return Outcome(left[0], "last")
    return None
