"""A turn: what a move does, who is next, and when the game is over (rules, sections 3 and 5)."""

from dataclasses import dataclass, replace

from pbm.rules.board import BOARD, before, format_cell, members, shifted
from pbm.rules.errors import IllegalMoveError
from pbm.rules.moves import Move, can_move
from pbm.rules.position import EJECTIONS_TO_WIN, Outcome, Position
from pbm.rules.refusals import game_over, why_not


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

    >>> from pbm.rules import parse_move, start
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
    moving = move.marbles | _pushed(position, move)
    falling = moving & before(~BOARD, move.step)
    ejected = tuple(seat for seat in position.seats if position.marbles_of(seat) & falling)
    after = replace(
        position,
        marbles=tuple(
            bits & ~moving | shifted(bits & moving & ~falling, move.step)
            for bits in position.marbles
        ),
        scores=_scores(position, ejected),
        quiet=0 if ejected else position.quiet + 1,
    )
    ejected_from = next(map(format_cell, members(falling)), None)
    next_seat = position.turn % position.players + 1
    return Played(settle(after, next_seat), move, ejected, ejected_from)


def leave(position: Position, seat: int) -> Position:
    """Take a seat out of the game: its player resigned, forfeited or was removed.

    The marbles stay, in everybody's way, and score for nobody. Raises IllegalMoveError if the game
    is over, if there is no such seat, or if it is out already.
    """
    if position.outcome is not None:
        raise game_over()
    if seat not in position.seats:
        raise IllegalMoveError("no-such-seat", f"The seats are 1 to {position.players}.")
    if seat in position.out:
        raise IllegalMoveError("already-out", f"Seat {seat} has left this game already.")
    assert position.turn is not None
    return settle(replace(position, out=position.out | {seat}), position.turn)


def settle(position: Position, first: int) -> Position:
    """The position with its turn and outcome as the rules have them.

    The turn falls to the first seat from `first` on that is still in and can move. If the game is
    over, it is nobody's.
    """
    outcome = _winner(position)
    if outcome is not None:
        return replace(position, turn=None, outcome=outcome)
    seats = (*position.seats[first - 1 :], *position.seats[: first - 1])
    turn = next((s for s in seats if s not in position.out and can_move(position, s)), None)
    draw = Outcome((), "none") if turn is None else None
    return replace(position, turn=turn, outcome=draw)


def _pushed(position: Position, move: Move) -> int:
    """The marbles that a legal move pushes: those that stand ahead of it without a gap."""
    pushed = 0
    ahead = shifted(move.marbles, move.step) & ~move.marbles
    while ahead & position.occupied:
        pushed |= ahead
        ahead = shifted(ahead, move.step)
    return pushed


def _scores(position: Position, ejected: tuple[int, ...]) -> tuple[int, ...]:
    """One more for the mover if a marble was ejected whose owner is still in."""
    if not set(ejected) - position.out:
        return position.scores
    return tuple(
        score + (seat == position.turn)
        for seat, score in zip(position.seats, position.scores, strict=True)
    )


def _winner(position: Position) -> Outcome | None:
    for seat, score in zip(position.seats, position.scores, strict=True):
        if score >= EJECTIONS_TO_WIN:
            return Outcome((seat,), "ejections")
    still_in = [seat for seat in position.seats if seat not in position.out]
    with_marbles = [seat for seat in still_in if position.marbles_of(seat)]
    for left in (still_in, with_marbles):
        if len(left) == 1:
            return Outcome((left[0],), "last")
    return None
