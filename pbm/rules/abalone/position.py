"""Positions and turns: what a move does, who is next, when the game is over (rules, 3 and 5)."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pbm.rules.abalone.board import EDGE, format_cell, shifted
from pbm.rules.abalone.movegen import moved
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN, Placement
from pbm.rules.abalone.refusals import game_over, why_not
from pbm.rules.abalone.state import format_state, read_state
from pbm.rules.contract import IllegalMoveError, Outcome, Played, StateError, View

_MOST_KEPT = 1024  # positions: those of one board are asked for again soon


@dataclass(frozen=True, slots=True)
class AbalonePlayed(Played):
    """A move that was played. `effect` is empty, or has `ejected`, the seat whose marble left the
    board, and `from`, the name of the cell where it stood."""

    position: "AbalonePosition"
    move: LineMove

    @property
    def ejected(self) -> tuple[int, ...]:
        """The seat that lost a marble, if one did."""
        return (self.effect["ejected"],) if self.effect else ()


@dataclass(frozen=True, slots=True, repr=False)
class AbalonePosition(Placement):
    """A position, as the contract has it."""

    def parse(self, text: str, seat: int = 0) -> LineMove:  # noqa: ARG002 - one seat can move
        """The legal move that a text means; raises NotationError and IllegalMoveError."""
        return parse_move(text, self)

    def play(self, move: LineMove) -> AbalonePlayed:
        """Play a move of the seat whose turn it is; raises IllegalMoveError if it is not legal.

        >>> from pbm.rules.abalone import start
        >>> position = start("standard", 2)
        >>> position.play(position.parse("a1-c3,d4")).position.turn
        2
        """
        refusal = why_not(self, move)
        if refusal is not None:
            raise refusal
        return self.play_legal(move)

    def play_legal(self, move: LineMove) -> AbalonePlayed:
        """Play a move that is known to be legal, as each of `legal_moves` is."""
        assert self.turn is not None
        step = move.step
        moving = moved(move.marbles, step, self.occupied)
        lost = moving & EDGE[step]
        staying = moving ^ lost
        marbles = tuple(
            bits & ~moving | shifted(bits & staying, step) if bits & moving else bits
            for bits in self.marbles
        )
        effect: dict[str, Any] = {}
        if lost:
            cell = lost.bit_length() - 1
            effect = {"ejected": self.seat_at(cell), "from": format_cell(cell)}
        after = AbalonePosition(
            marbles,
            None,
            self._scores_with(effect.get("ejected")),
            self.out,
            0 if lost else self.quiet + 1,
            None,
            self.teams,
            self.pillar,
        )
        return AbalonePlayed(after.settled(self.turn % self.players + 1), move, effect)

    def leave(self, seat: int) -> "AbalonePosition":
        """Take a seat out of the game: its player resigned, forfeited or was removed.

        The marbles stay and block, and score for no seat; in teams a partner who is still in plays
        on with them. Raises IllegalMoveError if the game is over, for an unknown seat, and for one
        that is out already.
        """
        if self.turn is None:
            raise game_over()
        if seat not in self.seats:
            raise IllegalMoveError("no-such-seat", last=self.players)
        if seat in self.out:
            raise IllegalMoveError("already-out", seat=seat)
        return replace(self, out=self.out | {seat}).settled(self.turn)

    def settled(self, first: int) -> "AbalonePosition":
        """This position with turn and outcome by the rules.

        The turn falls to the first seat from `first` on that a player moves for and that can move.
        """
        outcome = self._won()
        if outcome is None:
            for seat in (*self.seats[first - 1 :], *self.seats[: first - 1]):
                if self.is_played(seat) and self.can_move(seat):
                    return replace(self, turn=seat, outcome=None)
            outcome = self._outcome((), "none")
        return replace(self, turn=None, outcome=outcome)

    def state(self) -> str:
        """The state line."""
        return format_state(self)

    def diagram(self, view: View) -> tuple[str, ...]:  # noqa: ARG002 - all see the same
        """The board with the labels of its rows and columns."""
        return tuple(self.drawn().split("\n"))

    def _scores_with(self, ejected: int | None) -> tuple[int, ...]:
        """One more for the mover's side if the ejected marble is of a seat that is still in."""
        if ejected is None or ejected in self.out:
            return self.scores
        scorers = self.group_of(self.turn)
        return tuple(
            score + (seat in scorers) for seat, score in zip(self.seats, self.scores, strict=True)
        )

    def _won(self) -> Outcome | None:
        """`ejections`: six marbles were pushed off; `last`: one side is left, or has marbles."""
        if max(self.scores) >= EJECTIONS_TO_WIN:
            first = self.scores.index(EJECTIONS_TO_WIN) + 1
            return self._outcome(self.group_of(first), "ejections")
        still_in = [group for group in self.groups if not self.out.issuperset(group)]
        with_marbles = [group for group in still_in if any(map(self.marbles_of, group))]
        for left in (still_in, with_marbles):
            if len(left) == 1:
                return self._outcome(left[0], "last")
        return None

    def _outcome(self, winners: tuple[int, ...], by: str) -> Outcome:
        first = winners or self.seats
        return Outcome(tuple(1 if seat in first else 2 for seat in self.seats), by, self.scores)


@lru_cache(maxsize=_MOST_KEPT)
def parse_state(text: str) -> AbalonePosition:
    """The position that a state line describes; raises StateError, and nothing else.

    >>> from pbm.rules.abalone import start
    >>> parse_state(start("bowl", 6).state()) == start("bowl", 6)
    True
    """
    unsettled, first = read_state(text, AbalonePosition)
    position = unsettled.settled(first)
    if position.state() != text:
        raise StateError("bad-state", fault="differs", state=position.state())
    return position


def perft(position: AbalonePosition, depth: int) -> int:
    """The number of sequences of exactly `depth` legal moves: a yardstick for rules and speed.

    >>> from pbm.rules.abalone import start
    >>> [perft(start("bowl", 6), depth) for depth in (1, 2)]
    [16, 263]
    """
    if depth == 0:
        return 1
    if depth == 1:
        return position.count_moves()
    moves = position.legal_moves()
    return sum(perft(position.play_legal(move).position, depth - 1) for move in moves)
