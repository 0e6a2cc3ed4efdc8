"""Random records of games on every set-up, the same ones in each run."""

import random

from pbm.rules import abalone as rules
from pbm.rules.contract import GameRecord
from tests.rules.random_games import pick
from tests.rules.random_positions import SETUPS, Setup
from tests.rules.records.making import made

_TEXTS = (
    "alice",
    "Zoë  Ångström",
    'the "big" one',
    "back\\slash\\",
    "[brackets] {braces} (round) ; semicolon",
    " blanks around ",
    "1-0",
    "“curly”",
    "山田\u00a0太郎",
    "x" * 200,
    '"' * 200,
    "",
)
_TAGS = ("Event", "Site", "Date", "Round", "Annotator", "event_2", "WhiteElo", "Termination")
_HOWS = ("resigned", "removed", "forfeited")


def random_record(seed: int, setups: list[Setup] = SETUPS) -> GameRecord:
    """A game of some plies, in which seats may leave and which may be ended by word."""
    dice = random.Random(seed)
    setup = setups[seed % len(setups)]
    position, steps = setup.start(), []
    for _ in range(dice.randrange(60)):
        if position.turn is None:
            break
        if dice.random() < 0.05:
            seat = dice.choice([seat for seat in position.seats if seat not in position.out])
            steps.append(rules.Leaving(seat, dice.choice(_HOWS)))
            position = position.leave(seat)
        else:
            played = pick(dice, position)
            steps.append(str(played.move))
            position = played.position
    return made(
        setup.board,
        setup.players,
        setup.teams,
        setup.pillar,
        tuple(dice.choice(_TEXTS) for _ in position.seats),
        tuple(steps),
        None if position.outcome else _ending(dice, position),
        _tags(dice),
    )


def _ending(dice: random.Random, position: rules.AbalonePosition) -> rules.Ending | None:
    how = dice.choice((None, "agreed", "claimed", "closed", "operator", "record"))
    if how not in ("operator", "record"):
        return how and rules.Ending(how)
    return rules.Ending(how, tuple(seat for seat in position.seats if dice.random() < 0.4))


def _tags(dice: random.Random) -> tuple[tuple[str, str], ...]:
    names = dice.sample(_TAGS[:-1], dice.randrange(len(_TAGS)))
    return tuple((name, dice.choice(_TEXTS)) for name in names)
