"""The long run of random games: it tells its seed, repeats itself, and stops at a disagreement."""

import re

import pytest

from pbm.rules import abalone as rules
from tests.rules import random_games, torture


def test_a_run_is_told_and_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    torture.main(["--games", "8"])
    first = capsys.readouterr().out
    seed = re.match(r"8 games, SEED=(\d+)\n", first)
    assert seed
    torture.main(["--games", "8", "--seed", seed[1]])
    assert capsys.readouterr().out == first
    assert sum(map(int, re.findall(r"(\d+) (?:ejections|last|none|unfinished)", first))) == 8


def test_a_disagreement_stops_the_run_and_tells_the_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_games.oracle, "moves_of", lambda *_: iter(()))
    with pytest.raises(AssertionError):
        torture.main(["--games", "8", "--seed", "5"])
    assert capsys.readouterr().out == (
        "8 games, SEED=5\ngame 0, its own seed '5 0', does not agree\n"
    )
    assert rules.start().legal_moves()
