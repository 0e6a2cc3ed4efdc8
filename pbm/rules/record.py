"""Replay of whole games, and a plain form of records for games without their own."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbm.rules.contract import (
    Game,
    GameRecord,
    KeepsRecords,
    Leaving,
    Option,
    Options,
    Position,
    Step,
    View,
    completed,
    has,
)
from pbm.rules.sides import turn

_FORMS = (Option("json"), Option("diagram"))


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step of a game and its result.

    `ply` counts the moves up to and with this step; `seat` moved or left; a move in `step` is in
    canonical text.
    """

    step: Step
    seat: int
    ply: int
    position: Position
    effect: dict[str, Any] = field(default_factory=dict)


def start_of(game: Game, record: GameRecord) -> Position:
    """The first position of a recorded game. Raises SetupError."""
    return game.start(record.seats, completed(game.info.options, record.options), 0)


def replayed(game: Game, record: GameRecord) -> list[Replayed]:
    """The steps of a game in order. Raises RulesError for one that is not allowed."""
    position, ply, steps = start_of(game, record), 0, list[Replayed]()
    for step in record.steps:
        if isinstance(step, Leaving):
            position = position.leave(step.seat)
            steps.append(Replayed(step, step.seat, ply, position))
            continue
        seat = turn(position) or 1
        played = position.play(position.parse(step, seat))
        position, ply = played.position, ply + 1
        steps.append(Replayed(str(played.move), seat, ply, position, dict(played.effect)))
    return steps


def merged_steps(
    moves: Sequence[str], leavings: Iterable[tuple[int, Leaving]] = ()
) -> tuple[Step, ...]:
    """Moves and leavings in order; each leaving comes with the number of plies before it.

    >>> merged_steps(["c5,d5", "g5,f5"], [(1, Leaving(3))])
    ('c5,d5', Leaving(seat=3, how='resigned'), 'g5,f5')
    """
    steps: list[Step] = []
    played = 0
    for after_ply, leaving in sorted(leavings, key=lambda pair: pair[0]):
        steps += [*moves[played:after_ply], leaving]
        played = after_ply
    return (*steps, *moves[played:])


def forms_of(game: Game) -> tuple[Option, ...]:
    """The options of a record of this game: its own, or those of the plain form."""
    return game.writes if has(game, KeepsRecords) else _FORMS


def readings_of(game: Game) -> tuple[Option, ...]:
    """The options for what an imported record does not say itself."""
    return game.reads if has(game, KeepsRecords) else ()


def written(record: GameRecord, game: Game, chosen: Options) -> str:
    """A game as text, in a form of its own or as JSON. Raises RecordError."""
    if has(game, KeepsRecords):
        return game.write(record, chosen)
    steps = replayed(game, record)
    final = steps[-1].position if steps else start_of(game, record)
    if chosen.get("diagram"):
        return "\n".join([*final.diagram(View()), "", f"State: {final.state()}", ""])
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
            | ({"effect": item.effect} if item.effect else {})
            for item in steps
        ],
        "ended": record.ended and {"how": record.ended.how, "winners": record.ended.winners},
        "outcome": final.outcome and {"ranks": final.outcome.ranks, "by": final.outcome.by},
        "state": final.state(),
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"
