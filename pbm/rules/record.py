"""Replay of whole games, and a plain form of records for games that define no form."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbm.rules.contract import (
    LEAVING_HOWS,
    Game,
    GameRecord,
    KeepsRecords,
    Leaving,
    Move,
    Option,
    Options,
    Position,
    RecordError,
    RulesError,
    Step,
    completed,
    has,
)
from pbm.rules.sides import after, turn

_FORMS = (Option("json"), Option("diagram"))
_LONGEST_QUOTE = 60  # characters of a text in an error


@dataclass(frozen=True, slots=True)
class Replayed:
    step: Step  # in canonical text
    seat: int  # that moved or left
    ply: int  # the number of moves so far, this one included
    number: int  # of the round, from 1
    before: Any
    position: Any
    effect: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[int, ...] = ()  # the seats passed over before a move


class Replay:
    """A game that is played through step by step; a refused step raises RecordError."""

    def __init__(self, start: Any) -> None:
        self.start = self.position = start
        self.steps: list[Replayed] = []
        self.ply = 0
        self._number = 1
        self._next = 1  # the seat that would be next if none were skipped
        self._shown = 0  # `--` that have been read since the last move

    def move(self, text: str, parse: Callable[[str, Any], Move] | None = None) -> Replayed:
        """Play the move `text`, which `parse` reads. By default the game's own notation is used."""
        before, seat = self.position, turn(self.position)
        try:
            played = before.play(parse(text, before) if parse else before.parse(text, seat or 1))
        except RulesError as error:
            raise self._refused(error, text, seat) from error
        seats = len(before.sides)
        seat = seat or 1
        number = self._number_of(seat)
        ahead = range((seat - self._next) % seats)
        skipped = tuple((self._next - 1 + index) % seats + 1 for index in ahead)
        self._next = seat % seats + 1
        self._number = number + (self._next == 1)
        self.ply, self._shown = self.ply + 1, 0
        return self._keep(str(played.move), seat, number, played.position, played.effect, skipped)

    def step(self, step: Step) -> Replayed:
        if isinstance(step, str):
            return self.move(step)
        if step.how not in LEAVING_HOWS:
            raise RecordError("bad-ending", fault="leaving", words=list(LEAVING_HOWS))
        try:
            position = self.position.leave(step.seat)
        except RulesError as error:
            told = {**error.params, "seat": step.seat, "after": self.ply}
            raise RecordError(
                error.reason, ply=self.ply, given=quoted(f"{step}"), **told
            ) from error
        return self._keep(step, step.seat, self._number, position)

    def skip(self, text: str) -> None:
        """Pass over the next seat, which has dashes (`text`). Raises RecordError if it can move."""
        to_move = turn(self.position)
        seat = (self._next + self._shown - 1) % len(self.position.sides) + 1
        if to_move in (None, seat):
            raise self._refused(RulesError("not-skipped", over=not to_move), text, seat)
        self._shown += 1

    def _keep(self, step: Step, seat: int, number: int, position: Any, *more: Any) -> Replayed:
        self.steps.append(Replayed(step, seat, self.ply, number, self.position, position, *more))
        self.position = position
        return self.steps[-1]

    def _number_of(self, seat: int) -> int:
        return self._number + (seat < self._next)

    def _refused(self, error: RulesError, given: str, seat: int | None) -> RecordError:
        number = self._number_of(seat or self._next)
        where = {"ply": self.ply + 1, "number": number, "given": quoted(given)}
        mover = {"seat": seat} if seat else {}  # no seat is to move once the game is over
        return RecordError(error.reason, **{**error.params, **where, **mover})


def replay(game: Game, record: GameRecord) -> Replay:
    """Play a recorded game through. Raises SetupError, RecordError."""
    played = Replay(game.start(record.seats, completed(game.info.options, record.options)))
    for step in record.steps:
        played.step(step)
    return played


def quoted(text: str) -> str:
    """Return a text from a record, shortened, without control characters."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return "".join(character if character.isprintable() else "�" for character in short)


def merged_steps(
    moves: Sequence[str], leavings: Iterable[tuple[int, Leaving]] = ()
) -> tuple[Step, ...]:
    """Return the steps of a game. Each leaving is given with the number of moves before it.

    >>> merged_steps(["c5,d5", "g5,f5"], [(1, Leaving(3))])
    ('c5,d5', Leaving(seat=3, how='resigned'), 'g5,f5')
    """
    steps: list[Step] = []
    played = 0
    for after_ply, leaving in sorted(leavings, key=lambda pair: pair[0]):
        steps += [*moves[played:after_ply], leaving]
        played = after_ply
    return (*steps, *moves[played:])


def positions(start: Position, steps: Iterable[Step]) -> Iterator[Position]:
    """Yield the position before each move, and the last position. Raises RulesError."""
    position = start
    for step in steps:
        if isinstance(step, str):
            yield position
            position = after(position, step)
        else:
            position = position.leave(step.seat)
    yield position


def forms_of(game: Game) -> tuple[Option, ...]:
    """Return the options for writing a record of this game."""
    return game.writes if has(game, KeepsRecords) else _FORMS


def readings_of(game: Game) -> tuple[Option, ...]:
    """Return the options that supply what the text of a record of this game may lack."""
    return game.reads if has(game, KeepsRecords) else ()


def written(record: GameRecord, game: Game, chosen: Options) -> str:
    """Return a record as text, in the game's own form if it has one. Raises RecordError."""
    if has(game, KeepsRecords):
        return game.write(record, chosen)
    played = replay(game, record)
    final = played.position
    if chosen.get("diagram"):
        return "\n".join([*final.diagram(), "", f"State: {final.state()}", ""])
    told = {
        "game": game.info.name,
        "rules": game.info.version,
        "options": dict(record.options),
        "names": list(record.names),
        "tags": dict(record.tags),
        "steps": [
            {"seat": item.seat, "left": item.step.how}
            if isinstance(item.step, Leaving)
            else {"seat": item.seat, "move": item.step}
            | ({"effect": dict(item.effect)} if item.effect else {})
            for item in played.steps
        ],
        "ended": record.ended and {"how": record.ended.how, "winners": record.ended.winners},
        "outcome": final.outcome and {"ranks": final.outcome.ranks, "by": final.outcome.by},
        "state": final.state(),
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"
