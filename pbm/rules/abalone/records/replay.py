"""A game played through again, step by step, with the numbers that people count moves by."""

from collections.abc import Callable
from dataclasses import dataclass

from pbm.rules import contract
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePlayed, AbalonePosition
from pbm.rules.abalone.records.steps import HOWS, Leaving, Step
from pbm.rules.contract import RecordError, RulesError

_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step of a game and what came of it.

    `ply` counts the moves up to and with this step, `number` the rounds, from 1. `seat` moved or
    left; `skipped` are the seats that were passed over before it moved. `step` is in canonical
    text, `played` None for a leaving, `before` and `position` are those before and after the step.
    """

    step: Step
    seat: int
    ply: int
    number: int
    skipped: tuple[int, ...]
    played: AbalonePlayed | None
    before: AbalonePosition
    position: AbalonePosition


class Replay:
    """A game under way: every step is tried, and raises RecordError if the rules refuse it."""

    def __init__(self, start: AbalonePosition) -> None:
        self.position = start
        self.ply = 0
        self._number = 1
        self._next = 1  # the seat that would be next if none were skipped
        self._shown = 0  # how many `--` have been read since the last move

    def move(
        self, text: str, parse: Callable[[str, AbalonePosition], LineMove] = parse_move
    ) -> Replayed:
        """Play the move that a text means in a notation."""
        before = self.position
        try:
            played = before.play(parse(text, before))
        except RulesError as error:
            raise self._refused(error, text, before.turn) from error
        assert before.turn is not None
        skipped = self._seats_before(before.turn)
        self._number = self._number_of(before.turn)
        self._next = before.turn % before.players + 1
        number, self._number = self._number, self._number + (self._next == 1)
        self.position, self.ply, self._shown = played.position, self.ply + 1, 0
        return Replayed(
            str(played.move),
            before.turn,
            self.ply,
            number,
            skipped,
            played,
            before,
            played.position,
        )

    def leave(self, step: Leaving) -> Replayed:
        """Take a seat out of the game."""
        before = self.position
        if step.how not in HOWS:
            raise RecordError("bad-ending", fault="leaving", words=list(HOWS))
        try:
            self.position = before.leave(step.seat)
        except RulesError as error:
            given = shown(str(step))
            told = {**error.params, "seat": step.seat, "after": self.ply}
            raise RecordError(error.reason, ply=self.ply, given=given, **told) from error
        return Replayed(step, step.seat, self.ply, self._number, (), None, before, self.position)

    def step(self, step: Step) -> Replayed:
        """Do either, a move being in the usual notation."""
        return self.leave(step) if isinstance(step, Leaving) else self.move(step)

    def skip(self, text: str) -> None:
        """Read a sign for a seat that is passed over; it must be one that cannot move."""
        turn = self.position.turn
        seat = (self._next + self._shown - 1) % self.position.players + 1
        if turn is None or seat == turn:
            refused = contract.RulesError("not-skipped", over=not turn)
            raise self._refused(refused, text, seat)
        self._shown += 1

    def _seats_before(self, turn: int) -> tuple[int, ...]:
        players = self.position.players
        ahead = (turn - self._next) % players
        return tuple((self._next - 1 + index) % players + 1 for index in range(ahead))

    def _number_of(self, seat: int) -> int:
        """The round in which a seat moves next."""
        return self._number + (seat < self._next)

    def _refused(self, error: contract.RulesError, given: str, seat: int | None) -> RecordError:
        number, ply = self._number_of(seat or self._next), self.ply + 1
        where = {"ply": ply, "number": number, "given": shown(given)}
        mover = {"seat": seat} if seat else {}  # nobody's turn once the game is over
        return RecordError(error.reason, **{**error.params, **where, **mover})


def shown(text: str) -> str:
    """A text from a record as a sentence can have it: short and on one line.

    >>> shown("a1\\nb2")
    'a1�b2'
    """
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return "".join(character if character.isprintable() else "�" for character in short)
