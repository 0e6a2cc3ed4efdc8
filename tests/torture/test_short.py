"""Short runs of `make torture`. What is counted is no matter of speed."""

import pytest

from tests.torture import __main__ as torture
from tests.torture.runs import Size, run_kills, run_season

SMALL = Size(boards=12, players=5, most_events=20)
TURNS = 150


@pytest.mark.thorough
def test_promise_01_and_promise_05_killed_at_random() -> None:
    report = run_kills("sqlite", 6, "in the tests, 23", print, SMALL)
    assert report.findings == []
    assert report.figures["kills"] == report.figures["of serve"] == 6
    assert report.figures["turns"] > 0


@pytest.mark.thorough
def test_promise_01_and_promise_05_on_postgresql_which_is_killed_too() -> None:
    # With this seed a process of each role dies, and once all of PostgreSQL.
    report = run_kills("postgresql", 6, "in the tests, 605", print, SMALL)
    assert report.findings == []
    victims = ("post 1", "turn 3", "robots 2", "ticks 3", "postgres", "listen 3")
    assert [report.figures.get(f"of {victim}") for victim in victims] == [1] * len(victims)
    assert report.figures["turns"] > 0


@pytest.mark.thorough
def test_promise_05_a_season_with_a_failing_smarthost() -> None:
    report = run_season(TURNS, "in the tests", print, SMALL)
    assert report.findings == []
    assert report.figures["turns"] == TURNS
    assert report.figures["mails arrived"] - report.figures["of them copies"] == 2 * TURNS
    assert report.figures["steps of the smarthost that went wrong"] > 0


def test_the_seed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert torture.main(["--kills", "0", "--turns", "0", "--seed", "7"]) == 0
    assert capsys.readouterr().out == "SEED=7: 0 kills, 0 turns\n"
