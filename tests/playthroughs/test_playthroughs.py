"""A whole game on every board, for every number of players: all that the rules say of it, kept.

The recordings are in `games/`. After a wanted change run
`REGOLD=1 make test ARGS="tests/playthroughs -n 0"` and read the difference that git shows
before you commit it: the same moves are told anew. A game without a recording is played first.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pbm.rules import abalone as rules
from pbm.rules.sides import mover
from tests.playthroughs.player import played_out
from tests.playthroughs.recording import Event, Leaving, Move, read, tell
from tests.rules import oracle
from tests.rules.random_positions import Setup

FOLDER = Path(__file__).parent / "games"
LONGEST = 150
_STATE_AFTER = re.compile(r"^ *(?:\d+|--) .* (\S+ [-\d] [\d,]+ \S+)$", re.MULTILINE)
_LEAVING_AFTER = (20, 25, LONGEST - 50)


def _setups() -> Iterator[Setup]:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            yield Setup(board, players)
            if players == 4:
                yield Setup(board, players, teams=True)
    yield Setup("standard", 2, pillar=True)
    yield Setup("official", 4, teams=True, pillar=True)


def _name(setup: Setup) -> str:
    return str(setup).replace(" ", "-")


GAMES = {_name(setup): setup for setup in _setups()} | {
    "bowl-5-leaving": Setup("bowl", 5),
    "bowl-4-teams-leaving": Setup("bowl", 4, teams=True),
}


@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_as_it_was(name: str) -> None:
    file = FOLDER / f"{name}.txt"
    if os.environ.get("REGOLD"):
        events = list(read(file.read_text("utf-8"))) if file.exists() else _new_game(name)
        file.write_text(tell(GAMES[name], events), "utf-8")
    recorded = file.read_text("utf-8")
    events = list(read(recorded))
    assert len(events) <= LONGEST
    assert tell(GAMES[name], events) == recorded


@pytest.mark.parametrize("name", GAMES)
def test_the_oracle_agrees(name: str) -> None:
    recorded = (FOLDER / f"{name}.txt").read_text("utf-8")
    game = oracle.read_state(GAMES[name].start().state())
    states = []
    for event in read(recorded):
        if isinstance(event, Leaving):
            game = oracle.leave(game, event.seat)
        else:
            game, _ = oracle.play(game, event.text)
        states.append(oracle.write_state(game))
    assert states == _STATE_AFTER.findall(recorded)


def test_every_game_is_here() -> None:
    assert sorted(GAMES) == sorted(file.stem for file in FOLDER.iterdir())
    played = {(setup.board, setup.players) for setup in GAMES.values()}
    assert played == {
        (board, players) for board, numbers in rules.BOARDS.items() for players in numbers
    }


def _new_game(name: str) -> list[Event]:
    """The first game, over all seeds, that ends soon enough."""
    for seed in range(100):
        dice = Random(f"{name} {seed}")
        events, end = _one_game(name, dice)
        if end.outcome is not None:
            return events
    raise AssertionError(f"no game on {name} has ended in time")


def _one_game(name: str, dice: Random) -> tuple[list[Event], rules.AbalonePosition]:
    position = GAMES[name].start()
    events: list[Event] = []
    for plies in _LEAVING_AFTER if name.endswith("leaving") else (LONGEST,):
        leaver = mover(position)
        if events and leaver:
            events.append(Leaving(leaver))
            position = position.leave(leaver)
        for played in played_out(position, dice, plies):
            events.append(Move(str(played.move)))
            position = played.position
    return events, position
