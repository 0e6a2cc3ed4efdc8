"""What is written is read again: the same game, on every set-up."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from pbm.rules import abalone as rules
from tests.rules.random_positions import SETUPS
from tests.rules.records.random_records import random_record

FOR_TWO = [setup for setup in SETUPS if setup.players == 2]


of_each_set_up = pytest.mark.parametrize(
    "of_each", [1, pytest.param(3, marks=pytest.mark.thorough)]
)


def they_are_of_every_kind(games: list[rules.Record]) -> None:
    kinds = Counter(
        (bool(game.final.outcome), game.ended and game.ended.how, game.winners == ())
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
    assert any(step for game in games for each in game.replayed for step in each.skipped)
    assert any(isinstance(step, rules.Leaving) for game in games for step in game.steps)


def apgn_in_the_usual_notation(games: list[rules.Record]) -> None:
    for game in games:
        text = rules.format_record(game)
        assert rules.parse_record(text) == game, text


def apgn_in_aba_pro_notation(games: list[rules.Record]) -> None:
    for game in games:
        text = rules.format_record(game, notation="Aba-Pro")
        assert rules.parse_record(text) == game, text


def json(games: list[rules.Record]) -> None:
    for game in games:
        for states in (False, True):
            text = rules.format_record(game, "json", states=states)
            assert text.isascii()
            assert rules.parse_record(text) == game, text


@of_each_set_up
def test_the_list_of_two_players(of_each: int) -> None:
    for seed in range(of_each * len(FOR_TWO)):
        game = random_record(seed, FOR_TWO)
        text = rules.format_record(game, "abapro")
        read = rules.parse_record(text, "abapro", board=game.board, pillar=game.pillar)
        assert (read.board, read.pillar, read.steps, read.winners) == (
            game.board,
            game.pillar,
            game.steps,
            game.winners,
        )


def lines_of_moves_are_short_and_may_be_broken_anywhere(games: list[rules.Record]) -> None:
    dice = random.Random(1)
    for game in games[::5]:
        text = rules.format_record(game)
        head, _, moves = text.rpartition("\n\n")
        assert max(map(len, moves.split("\n"))) <= 40
        broken = "".join(
            dice.choice((" ", "\n", "\r\n", " \n")) if c in " \n" else c for c in moves
        )
        assert rules.parse_record(f"{head}\r\n\r\n{broken}") == game


def reading_gives_back_the_position(games: list[rules.Record]) -> None:
    for game in games[::5]:
        position = game.start
        for step in game.steps:
            if isinstance(step, rules.Leaving):
                position = position.leave(step.seat)
            else:
                position = position.play(rules.parse_move(step, position)).position
        assert rules.parse_record(rules.format_record(game)).final == position
        assert [each.position for each in game.replayed][-1:] in ([position], [])


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
        starts = {each.ply: each.before for each in game.replayed if each.played}
        after = {each.ply + 1: each.position for each in game.replayed if each.played}
        starts |= {ply: at for ply, at in after.items() if ply > game.plies and at.turn}
        lines = {
            ply: (str(position.legal_moves()[-1]),)
            for ply, position in starts.items()
            if ply % 4 == 1 or ply > game.plies
        }
        remarked = replace(game, better=tuple(lines.items()))
        assert remarked == game
        for text in (
            rules.format_record(remarked),
            rules.format_record(remarked, notation="Aba-Pro"),
        ):
            words = text.replace("\n", " ")
            assert words.count("better: ") + words.count("best line: ") == len(lines), text
            assert rules.parse_record(text) == game, text
