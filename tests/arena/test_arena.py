"""The arena in small: who plays there, what is proven there, and that every part runs."""

import json
import os
import random
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena import __main__ as arena
from arena import alone, ladder, several, sprt, tactics, tune
from arena.elo import Score, interval
from arena.games import FOR_TWO, Match, Setup, both_ways, leaders_of, play
from arena.ladder import robot
from arena.opponents import MaterialPlayer, Player, RandomMover, RingPlayer
from arena.plan import Plan
from bench.checkout import HERE
from pbm.rules import abalone as rules
from pbm.rules.abalone.engine.judging import Weights
from pbm.rules.abalone.engine.roots import MOST_LINES
from pbm.rules.abalone.engine.searching import search
from pbm.rules.contract import Budget
from pbm.rules.robots import ROBOTS
from tests.arena.plain_search import best_moves
from tests.rules.random_positions import two_player_positions

TINY = Plan(seed=3, games=2, nodes=300)
SMALL = Plan(seed=11, games=4, nodes=3_000)


def test_every_part_has_its_place_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "strength.md"
    page.write_text(arena.PAGE.read_text("utf-8"), "utf-8")
    fake: dict[str, Callable[[Plan], str]] = {
        part: lambda plan: f"| seed {plan.seed} {plan.nodes} {plan.jobs} |" for part in arena.PARTS
    }
    arena.main(["--seed", "5"], fake, page)
    assert page.read_text("utf-8").count("| seed 5 30000 1 |\n\n") == len(arena.PARTS)
    assert re.search(r"; (compiled|plain) core, seed 5$", capsys.readouterr().out, re.MULTILINE)
    arena.main(["ladder", "--print", "--seed", "6"], fake, page)
    assert "seed 6" not in page.read_text("utf-8")
    with pytest.raises(SystemExit):
        arena.main(["soup"], fake, page)


def test_a_seed_plays_the_same_games_again() -> None:
    pairing = ladder.Pairing("", robot(ROBOTS["cobble"], 300), RandomMover())
    first, again = (ladder.score_of(TINY, pairing, "x", 2) for _ in range(2))
    assert first == again
    assert first[0] == Score(won=2)
    assert TINY.seeds("x", 3) == TINY.seeds("x", 3) != TINY.seeds("y", 3)


def test_games_at_once_come_to_the_same() -> None:
    pairing = ladder.Pairing("", robot(ROBOTS["cobble"], 300), RandomMover())
    at_once = Plan(TINY.seed, jobs=2)
    assert ladder.score_of(at_once, pairing, "x", 2) == ladder.score_of(TINY, pairing, "x", 2)


def test_both_colours_and_boards_are_played() -> None:
    matches = both_ways(RandomMover(), MaterialPlayer(), [1, 2])
    assert [match.setup.layout for match in matches] == ["standard"] * 2 + ["bowl"] * 2
    assert [match.players[0] for match in matches] == [RandomMover(), MaterialPlayer()] * 2


def test_a_game_ends_by_the_rules_or_by_its_length() -> None:
    short = play(Match(FOR_TWO[0], (RandomMover(), RandomMover()), 1, most=9))
    assert (short.winners, short.plies, short.is_over) == ((), 9, False)
    long = play(Match(FOR_TWO[0], (robot(ROBOTS["cobble"], 300), RandomMover()), 1))
    assert (long.winners, long.is_over) == ((1,), True)
    assert max(long.positions[-1].scores) == 6
    assert leaders_of(Match(FOR_TWO[0], (RandomMover(), RandomMover()), 1, most=9)) == (1, 2)
    for number, position in enumerate(long.positions[:-1]):
        assert position.to_move == (number % 2 + 1,)


@pytest.mark.parametrize(
    ("player", "depth", "rings"),
    [(MaterialPlayer(), 2, False), (RingPlayer(2), 2, True)],
    ids=["material", "rings"],
)
def test_simple_players_play_what_a_plain_search_finds(
    player: Player, depth: int, rings: bool
) -> None:
    choices = 0
    for seed, position in enumerate(two_player_positions(6)):
        best = best_moves(position, depth, rings=rings)
        assert player([position], seed) in best
        choices += len(best) < len(position.legal_moves())
    assert choices >= (6 if rings else 2)


def test_weights_are_read_as_they_are_told() -> None:
    numbers = tune.numbers_of(Weights())
    assert tune.read_numbers(tune.told_numbers(numbers)) == numbers
    assert tune.read_numbers("push=7")["push"] == 7
    assert tune.weights_of(numbers | {"danger": -5}).danger == 0
    assert tune.weights_of(numbers).rings == Weights().rings


def test_tuning_goes_where_games_are_won(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = tune.numbers_of(Weights())
    wanted = {name: begin[name] + 3 * step for name, step in tune.STEPS.items()}

    def gain(numbers: tune.Numbers, signs: dict[str, int], *_: object) -> int:
        nearer = sum((wanted[n] - numbers[n]) * signs[n] / tune.STEPS[n] for n in wanted)
        return 2 if nearer > 0 else -2

    def away(numbers: tune.Numbers) -> float:
        return sum(abs(wanted[n] - numbers[n]) / tune.STEPS[n] for n in wanted)

    monkeypatch.setattr(tune, "gain_of", gain)
    ended = tune.tuned(begin, rounds=400, nodes=1, seed=1)
    assert away(ended) < away(begin) / 4
    assert capsys.readouterr().out.split("\n")[-2] == f"400 {tune.told_numbers(ended)}"


def test_a_step_of_tuning_is_played() -> None:
    begin = tune.numbers_of(Weights()) | {"ring4": 0.0}
    signs = dict.fromkeys(tune.STEPS, 0) | {"ring4": 1}
    # Whoever is drawn to the edge loses to whoever is not.
    gains = [tune.gain_of(begin, signs, 30.0, 300, seed) for seed in (1, 2)]
    assert sum(gains) < 0


def test_bars_hold_half_the_points_where_all_is_even() -> None:
    low, high = interval(Score(won=50, drawn=20, lost=50))
    assert low < 0 < high
    assert interval(Score(won=400))[1] == float("inf")


@pytest.mark.thorough
def test_a_robot_beats_what_is_below_it() -> None:
    neighbours = ladder.pairings(Plan(1, nodes=20_000))
    for pairing in [each for each in neighbours if each.name[0] == "`" and each.games == 400][:5]:
        score, _ = ladder.score_of(SMALL, pairing, pairing.name, 20)
        assert score.share > 0.5, (pairing.name, score)


def test_what_a_move_loses_is_seen_by_a_deeper_search() -> None:
    (position,) = tactics.positions(seed=2, count=1)
    worst = search([position], Budget(300), best=MOST_LINES).lines[-1].moves[0]
    best = tactics.found(position, 20_000)
    assert tactics.Judge(20_000)((position, [best, best])) == [0, 0]
    lost, little = tactics.Judge(20_000)((position, [worst, best]))
    assert lost > little == 0


@pytest.mark.thorough
def test_a_search_loses_little_in_the_middle_of_games() -> None:
    judge = tactics.Judge(200_000)
    lost = sorted(
        judge((position, [tactics.found(position, 20_000)]))[0]
        for position in tactics.positions(seed=4, count=40)
    )
    assert lost[20] == 0
    assert lost[-1] <= 50  # hundredths of a marble


@pytest.mark.thorough
def test_among_weak_ones_a_strong_robot_takes_more_than_its_share() -> None:
    plan = Plan(seed=2, games=4, nodes=1_000)
    head, line, *rows = several.several(plan).split("\n")
    assert (head.count("|"), line.count("|"), len(rows)) == (6, 6, 6)
    assert sum(float(row.split("|")[-2]) for row in rows) > 1.5 * len(rows)


@pytest.mark.thorough
@pytest.mark.parametrize("part", [several.ways, alone.alone, ladder.ladder])
def test_the_other_parts_tell_a_table(part: Callable[[Plan], str]) -> None:
    head, line, *rows = part(Plan(seed=1, games=2, nodes=500)).split("\n")
    assert rows
    assert {row.count("|") for row in rows} == {head.count("|")} == {line.count("|")}


def test_setups_start_where_the_rules_do() -> None:
    dice = random.Random(1)
    for setup in (*FOR_TWO, Setup("official", 4, teams=True), Setup("bowl", dice.choice((3, 6)))):
        expected = rules.start(setup.layout, setup.seats, teams=setup.teams)
        assert setup.start() == expected


@pytest.mark.parametrize(
    ("pairs", "decision"),
    [
        ([], ""),
        ([1.0] * 2 + [0.0] * 2, ""),
        ([0.75, 0.5] * 200, "accepted"),
        ([0.5, 0.25] * 200, "refused"),
        ([0.5] * 800, "refused"),
    ],
)
def test_a_match_ends_when_its_pairs_decide(pairs: list[float], decision: str) -> None:
    assert sprt.Bounds(0, 10).decision(pairs) == decision


@pytest.mark.thorough
def test_a_match_goes_on_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.jsonl"
    program = HERE.program.with_name("pbm-engine")
    words = [
        "--engine",
        str(program),
        "--go",
        "nodes 2000",
        "--their-go",
        "nodes 20",
        "--file",
        str(file),
    ]
    sprt.main([*words, "--games", "2"])
    (first,) = map(json.loads, file.read_text("utf-8").splitlines())
    assert first["points"] == [1, 1]
    sprt.main([*words, "--games", "4"])
    kept, _ = map(json.loads, file.read_text("utf-8").splitlines())
    assert kept == first
    assert capsys.readouterr().out.count("+10 Elo is not decided") == 2


def test_the_engine_of_the_manual_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manual = (HERE.folder / "docs" / "engine-protocol.md").read_text("utf-8")
    program = tmp_path / "tiny.py"
    program.write_text(manual.partition("```python\n")[2].partition("```")[0], "utf-8")
    monkeypatch.setenv("PATH", str(HERE.program.parent), prepend=os.pathsep)
    now = Setup("bowl").start()
    with closing(sprt.EngineProcess(["python", str(program)])) as engine:
        engine.begin()
        moves = [engine.move(now.state(), [], 1, "nodes 10")]
        moves.append(engine.move(now.state(), moves, 1, "nodes 10"))
    for move in moves:
        now = now.play(rules.parse_move(move, now)).position


def test_a_program_that_is_no_engine_is_named() -> None:
    for program, said in (("cat", "uai"), ("true", "nothing")):
        with pytest.raises(sprt.EngineError, match=f"^{program} said '{said}' to 'uai', not"):
            sprt.EngineProcess([program])
