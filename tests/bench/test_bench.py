"""Every part of the benchmarks runs, in small; no test looks at how long anything takes."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import structlog

from bench import __main__ as bench
from bench import cost, due, fair, growth, life, pairs, place, report, robots, rules, turns, whole
from bench.checkout import HERE, checked_out
from bench.costs import COMMITS, PROCESSOR, ROUND_TRIPS, STATEMENTS, SYNCS, WAL, Cost, costs
from bench.filling import Size
from bench.measure import Line, Row, beside, rate_of, rates_of

TINY = Size(finished=3, running=2, pairs=2, plies=4)
SMALL: dict[str, Callable[[], Sequence[Line]]] = {
    "rules": lambda: rules.measure(0, positions=3, depth=2),
    "turns": lambda: turns.measure(0),
    "whole": lambda: whole.measure(place.Size(4, 1, behind=4), whole.SETTINGS[1::4], (2,)),
    "cost": lambda: cost.measure(0),
    "growth": lambda: growth.measure(0, TINY, times=1),
    "fair": lambda: fair.measure(turns=2),
    "due": lambda: due.measure(0, TINY, together=2),
    "robots": lambda: robots.measure(turns=2, boards=20, rounds=1, queued=2, asked=2),
    "life": lambda: life.measure(life.Size(rows=20, minutes=0, held=0, boards=4)),
}
OF_TURNS = (PROCESSOR, STATEMENTS, ROUND_TRIPS, COMMITS, SYNCS)
WAITS = ["ms to both boards p50", "ms to both boards p99"]
NEVER = ["pairs", "--against", "never-a-commit"]
PAGE = """\
# A page

<!-- bench rules -->
| old |
<!-- /bench rules -->

between

<!-- bench turns -->
<!-- /bench turns -->
"""


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    before = structlog.get_config() if structlog.is_configured() else None
    yield
    if before:
        structlog.configure(**before)
    else:
        structlog.reset_defaults()


def test_every_part_is_run_small_here() -> None:
    assert set(SMALL) == set(bench.PARTS)


@pytest.mark.thorough
@pytest.mark.parametrize("part", SMALL)
def test_a_part_measures_and_compares(part: str) -> None:
    lines = SMALL[part]()
    rows = [line for line in lines if isinstance(line, Row)]
    counted = [row for row in rows if row.beside == "all"]  # of all mails; on a slow machine none
    assert all(0 <= row.ratio <= 1 for row in counted)
    assert all(row.rate > 0 and row.ratio > 0 for row in rows if row not in counted)
    assert bool(counted) == (part == "robots")
    assert rows[0].beside == "itself"
    assert len({row.name for row in rows}) == len(rows)
    if part == "whole":
        assert_costs([line for line in lines if isinstance(line, Cost)])


def assert_costs(told: Sequence[Cost]) -> None:
    sqlite, *postgresql = told
    assert sqlite.figures.keys() == {PROCESSOR, SYNCS}
    assert all(amount > 0 for amount in sqlite.figures.values())
    waiting = [cost for cost in postgresql if "mails wait" in cost.name]
    assert [cost.process for cost in waiting] == ["the database", "turn", "together"]
    assert all(waiting[1].figures[counter] > 0 for counter in OF_TURNS)
    coming = [cost for cost in postgresql if cost not in waiting]
    assert {cost.process for cost in coming} >= {"listen", "turn", "post", "together"}
    turn = next(cost.figures for cost in coming if cost.process == "turn")
    together = coming[-1].figures
    for counter in OF_TURNS:
        assert 0 < turn[counter] < together[counter]
    assert together[WAL] > 0


@pytest.mark.thorough
def test_two_checkouts_are_compared_in_pairs() -> None:
    head, line, *rows = pairs.measure(HERE, ["sqlite"], rounds=2, boards=4)
    assert (head.count("|"), line.count("|")) == (5, 5)
    figures = [row.split("|")[1].rpartition(", ")[2].strip() for row in rows]
    assert figures == [*["turns a second", "ms a turn", "fsyncs a turn"] * 2, *WAITS]
    assert all(float(row.split("|")[-2]) > 0 for row in rows if "turns a second" in row)


@pytest.mark.thorough
def test_a_commit_is_checked_out_for_the_time_of_a_comparison() -> None:
    with checked_out("HEAD") as checkout:
        assert checkout.program.is_file()
        assert (checkout.folder / "bench" / "season.py").is_file()
    assert not checkout.folder.exists()


def test_what_turns_cost_is_added_up_over_rounds_and_processes() -> None:
    first = defaultdict[tuple[str, str], float](float, {("turn", "ms"): 6.0, ("post", "ms"): 2.0})
    second = defaultdict[tuple[str, str], float](
        float, {("turn", "ms"): 4.0, ("turn", "fsyncs"): 5}
    )
    told = [cost.cells() for cost in costs("x", [first, second], 10)]
    assert told == [
        ["x", "post", "0.20", "", "", "", "", "", "", ""],
        ["x", "turn", "1.00", "", "", "", "", "", "0.50", ""],
        ["x", "together", "1.20", "", "", "", "", "", "0.50", ""],
    ]


def test_what_cannot_be_compared_is_told() -> None:
    for arguments in (["pairs"], ["pairs", "--against", ".", "soup"], NEVER):
        with pytest.raises(SystemExit):
            bench.main(arguments)


def test_the_parts_asked_for_are_written_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(PAGE, "utf-8")
    bench.main(["rules"], SMALL, page)
    written = page.read_text("utf-8")
    table, rest = written.split("<!-- /bench rules -->")
    assert rest == PAGE.split("<!-- /bench rules -->")[1]
    assert "| old |" not in table
    assert "| rules.legal_moves |" in table
    assert re.search(r", \d+ cores, Python 3\.\d+\.\d+\S*, \d{4}-\d\d-\d\d; calibration ", table)
    assert "| rules.legal_moves |" in capsys.readouterr().out
    bench.main(["rules"], SMALL, page)
    assert page.read_text("utf-8").count("\n") == written.count("\n")


def test_all_parts_have_their_place_on_the_real_page(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(report.PAGE.read_text("utf-8"), "utf-8")
    fake = [Row("a thing", "things", 2000, "itself", 1)]
    fakes = {part: lambda: fake for part in bench.PARTS}
    bench.main([], fakes, page)
    bench.main(["life"], fakes, page)
    assert page.read_text("utf-8").count("| a thing | 2 000 things | itself | 1.00 |") == len(SMALL)


def test_a_part_without_a_place_or_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs <!-- bench turns --> and"):
        report.rewritten("# nothing here\n", {"turns": ""})
    with pytest.raises(SystemExit):
        bench.main(["soup"], SMALL, tmp_path / "benchmarks.md")


def test_a_rate_is_what_was_done_in_the_time_that_passed() -> None:
    clock = iter([10.0, 10.5, 11.0, 12.0])
    assert rate_of(lambda: 6, at_least=1.5, clock=lambda: next(clock)) == 9.0


def test_works_that_are_compared_take_turns() -> None:
    order: list[str] = []

    def work(name: str) -> Callable[[], int]:
        return lambda: order.append(name) or 1

    assert set(rates_of({"a": work("a"), "b": work("b")}, at_least=0)) == {"a", "b"}
    assert order == ["a", "b"] * 3


def test_ratios_are_to_the_first() -> None:
    rows = beside("slow", {"slow": 10.0, "fast": 400.0}, unit="moves", called="it")
    assert [(row.beside, row.ratio) for row in rows] == [("itself", 1), ("it", 40)]
