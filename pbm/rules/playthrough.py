"""The golden playthrough of a game: a whole game as text, which its rules must reproduce.

    start 2 seed=1 layout=plain
    = the state line at the start
    1 a1-c3,d4
    : a1-c3,b2 {"ejected": 2}
    = the state line after it
    leave 2
    = the state line after that
    over last ranks=1,2 scores=6,2

A step is a text that a player might send. Below it are the canonical text, the effect of the move,
and the state. A game whose rules do not reproduce its playthrough is not loaded.
"""

import json
from collections.abc import Iterator

from pbm.rules.contract import (
    LONGEST_BY,
    LONGEST_MOVE,
    Game,
    Options,
    Position,
    RulesError,
    View,
    completed,
)


class PlaythroughError(ValueError):
    """A playthrough that the rules do not reproduce, as a sentence."""


def check(game: Game) -> None:
    """Play a game's playthrough. Raises PlaythroughError."""
    told = [line for line in game.info.playthrough.split("\n") if line and line[0] != "#"]
    if not told:
        raise PlaythroughError("it has no playthrough")
    steps = [line for line in told[1:] if line[0] not in "=:" and not line.startswith("over ")]
    try:
        seats, seed, chosen = _parse_start(told[0])
        played = write(game, seats, chosen, steps, seed=seed)
    except RulesError as error:
        raise PlaythroughError(f"its playthrough cannot be played: {error}") from error
    for number, (kept, made) in enumerate(zip([*told, ""], [*played, ""], strict=False), 1):
        if kept != made:
            text = f"line {number} of its playthrough is {kept!r}, but its rules make it {made!r}"
            raise PlaythroughError(text)


def write(game: Game, seats: int, chosen: Options, steps: list[str], *, seed: int = 0) -> list[str]:
    """The lines of a playthrough with these steps, each `SEAT MOVE` or `leave SEAT`.

    Raises RulesError for a refused step, PlaythroughError for all else that is wrong.
    """
    return list(_lines(game, seats, chosen, steps, seed))


def _lines(game: Game, seats: int, chosen: Options, steps: list[str], seed: int) -> Iterator[str]:
    options = completed(game.info.options, chosen)
    position = game.start(seats, options, seed)
    yield " ".join(
        [
            f"start {seats} seed={seed}",
            *(name if value is True else f"{name}={value}" for name, value in options.items()),
        ]
    )
    yield f"= {_state(game, position)}"
    for step in steps:
        yield step
        first, _, rest = step.partition(" ")
        if first == "leave":
            position = position.leave(_number(rest))
        else:
            played = position.play(position.parse(rest, _number(first)))
            if str(position.parse(str(played.move), _number(first))) != str(played.move):
                raise PlaythroughError(f"the canonical text {played.move} is another move")
            if len(str(played.move)) > LONGEST_MOVE:
                text = f"the move {played.move} has more than {LONGEST_MOVE} characters"
                raise PlaythroughError(text)
            yield f": {played.move} {json.dumps(dict(played.effect), sort_keys=True)}"
            position = played.position
        yield f"= {_state(game, position)}"
    outcome = position.outcome
    if outcome is None:
        raise PlaythroughError("its playthrough stops before the game is over")
    if len(outcome.ranks) != seats:
        raise PlaythroughError(f"its outcome has {len(outcome.ranks)} ranks for {seats} seats")
    if len(outcome.by) > LONGEST_BY:
        text = f"the word {outcome.by!r} of its outcome has more than {LONGEST_BY} characters"
        raise PlaythroughError(text)
    yield f"over {outcome.by} ranks={_listed(outcome.ranks)} scores={_listed(outcome.scores)}"


def _state(game: Game, position: Position) -> str:
    state = position.state()
    again = game.load(state)
    if again != position or again.state() != state:
        raise PlaythroughError(f"the state line {state!r} does not give its position back")
    if not all(position.diagram(View())):
        raise PlaythroughError(f"the position of {state!r} has an empty line in its diagram")
    return state


def _parse_start(line: str) -> tuple[int, int, dict[str, str | bool]]:
    word, *words = line.split()
    if word != "start" or not words:
        raise PlaythroughError('its playthrough does not begin with "start" and a number of seats')
    chosen: dict[str, str | bool] = {}
    for name, _, value in (each.partition("=") for each in words[1:]):
        chosen[name] = value or True
    return _number(words[0]), _number(str(chosen.pop("seed", 0))), chosen


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise PlaythroughError(f"its playthrough has {text!r} where a number belongs")
    return int(text)


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
