"""Records made for tests, and short ways to read and write them."""

from dataclasses import replace
from typing import Any

from pbm.rules.abalone import GAME, AbalonePosition
from pbm.rules.abalone.records.text_parts import Winners, replay_of, winners_of
from pbm.rules.contract import Ending, GameRecord, Step


def made(
    board: str = "standard",
    players: int = 2,
    teams: bool = False,
    pillar: bool = False,
    names: tuple[str, ...] = (),
    steps: tuple[Step, ...] = (),
    ended: Ending | None = None,
    tags: tuple[tuple[str, str], ...] = (),
) -> GameRecord:
    """The record of a game, by default without names and moves."""
    flags = {name: True for name, is_set in (("teams", teams), ("pillar", pillar)) if is_set}
    return GameRecord(
        players, {"layout": board, **flags}, names or ("",) * players, steps, ended, tags
    )


def canonical(record: GameRecord) -> GameRecord:
    """A record with its moves in canonical text."""
    return replace(record, steps=tuple(each.step for each in replay_of(record).steps))


def read(text: str, **chosen: Any) -> GameRecord:
    """The record in a text."""
    return GAME.read(text, chosen)


def written(record: GameRecord, **chosen: Any) -> str:
    """A record as text."""
    return GAME.write(record, chosen)


def plies(record: GameRecord) -> int:
    """The number of moves."""
    return replay_of(record).ply


def final(record: GameRecord) -> AbalonePosition:
    """The position after the last step."""
    return replay_of(record).position


def winners(record: GameRecord) -> Winners:
    """The result of a game."""
    return winners_of(record, final(record))
