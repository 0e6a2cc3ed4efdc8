"""What is written is read again: the same game, on every set-up."""

import random
from collections import Counter
from dataclasses import replace
from json import dumps, loads

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.records.text_parts import replay_of
from pbm.rules.contract import GameRecord
from tests.rules.random_positions import SETUPS
from tests.rules.records.making import final, plies, read, winners, written
from tests.rules.records.random_records import random_record

FOR_TWO = [setup for setup in SETUPS if setup.players == 2]


of_each_set_up = pytest.mark.parametrize(
    "of_each", [1, pytest.param(3, marks=pytest.mark.thorough)]
)


def they_are_of_every_kind(games: list[GameRecord]) -> None:
    kinds = Counter(
        (bool(final(game).outcome), game.ended and game.ended.how, winners(game) == ())
        for game in games
    )
    assert {kind[1] for kind in kinds} == {
        None,
        "agreed",
        "claimed",
        "closed",
        "operator",
        "record",
    }
    assert {kind[0] for kind in kinds} == {True, False}
    assert any(step for game in games for each in replay_of(game).steps for step in each.skipped)
    assert any(isinstance(step, rules.Leaving) for game in games for step in game.steps)


def apgn_in_the_usual_notation(games: list[GameRecord]) -> None:
    for game in games:
        text = written(game)
        assert read(text) == game, text


def apgn_in_aba_pro_notation(games: list[GameRecord]) -> None:
    for game in games:
        text = written(game, apgn=True, abapro=True)
        assert read(text) == game, text


def json(games: list[GameRecord]) -> None:
    for game in games:
        states = [each.position.state() for each in replay_of(game).steps]
        text = written(game, json=True)
        assert text.isascii()
        assert read(text) == game, text
        assert read(dumps({**loads(text), "states": states})) == game, text


@of_each_set_up
def test_the_list_of_two_players(of_each: int) -> None:
    for seed in range(of_each * len(FOR_TWO)):
        game = random_record(seed, FOR_TWO)
        text = written(game, abapro=True)
        again = read(text, abapro=True, **game.options)
        assert (again.options, again.steps, winners(again)) == (
            game.options,
            game.steps,
            winners(game),
        )


def lines_of_moves_are_short_and_may_be_broken_anywhere(games: list[GameRecord]) -> None:
    dice = random.Random(1)
    for game in games[::5]:
        text = written(game)
        head, _, moves = text.rpartition("\n\n")
        assert max(map(len, moves.split("\n"))) <= 40
        broken = "".join(
            dice.choice((" ", "\n", "\r\n", " \n")) if c in " \n" else c for c in moves
        )
        assert read(f"{head}\r\n\r\n{broken}") == game


def reading_gives_back_the_position(games: list[GameRecord]) -> None:
    for game in games[::5]:
        position = replay_of(game).start
        for step in game.steps:
            if isinstance(step, rules.Leaving):
                position = position.leave(step.seat)
            else:
                position = position.play(rules.parse_move(step, position)).position
        assert final(read(written(game))) == position
        assert [each.position for each in replay_of(game).steps][-1:] in ([position], [])


@of_each_set_up
def test_every_game_is_read_again(of_each: int) -> None:
    """One test, so that one process plays the games."""
    games = [random_record(seed) for seed in range(of_each * len(SETUPS))]
    they_are_of_every_kind(games)
    apgn_in_the_usual_notation(games)
    apgn_in_aba_pro_notation(games)
    json(games)
    lines_of_moves_are_short_and_may_be_broken_anywhere(games)
    reading_gives_back_the_position(games)


def test_better_lines_are_comments_that_are_no_part_of_the_game() -> None:
    """For random games a line from every fourth ply, and from the one after the last."""
    for seed in range(20):
        game = random_record(seed)
        steps, last = replay_of(game).steps, plies(game)
        starts = {each.ply: each.before for each in steps if isinstance(each.step, str)}
        after = {each.ply + 1: each.position for each in steps if isinstance(each.step, str)}
        starts |= {ply: at for ply, at in after.items() if ply > last and at.turn}
        lines = {
            ply: (str(position.legal_moves()[-1]),)
            for ply, position in starts.items()
            if ply % 4 == 1 or ply > last
        }
        remarked = replace(game, better=tuple(lines.items()))
        assert remarked == game
        for text in (
            written(remarked),
            written(remarked, apgn=True, abapro=True),
        ):
            words = text.replace("\n", " ")
            assert words.count("better: ") + words.count("best line: ") == len(lines), text
            assert read(text) == game, text
