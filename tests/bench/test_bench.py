"""Every part of the benchmarks runs, in small; no test looks at how long anything takes."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import structlog

from bench import __main__ as bench
from bench import fair, pairs, report, rules, web
from bench.checkout import HERE, checked_out
from bench.measure import Row, beside, rate_of, rates_of

SMALL: dict[str, Callable[[], Sequence[Row]]] = {
    "rules": lambda: rules.measure(0, positions=3, depth=2),
    "fair": lambda: fair.measure(turns=2),
    "web": lambda: web.measure(turns=2, rounds=1, boards=20),
}
WAITS = ["ms to both boards p50", "ms to both boards p99"]
NEVER = ["pairs", "--against", "never-a-commit"]
PAGE = """\
# A page

<!-- bench rules -->
| old |
<!-- /bench rules -->

between

<!-- bench fair -->
<!-- /bench fair -->
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
    rows = SMALL[part]()
    assert all(row.rate > 0 and row.ratio > 0 for row in rows)
    assert rows[0].beside == "itself"
    assert len({row.name for row in rows}) == len(rows)


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
    assert page.read_text("utf-8").count("| a thing | 2 000 things | itself | 1.00 |") == len(SMALL)


def test_a_part_without_a_place_or_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs <!-- bench fair --> and"):
        report.rewritten("# nothing here\n", {"fair": ""})
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
