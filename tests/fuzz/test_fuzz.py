"""What the fuzzer works with, and what it found: none of it does harm any more."""

import random
from pathlib import Path

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.programs import rules as program
from tests.fuzz import targets
from tests.fuzz.__main__ import Told, dictionary_entry, read_log

FOLDER = Path(__file__).parent
_LOG = """\
INFO: Seed: 1997751804
#2\tINITED cov: 97 ft: 98 corp: 1/1b exec/s: 0 rss: 42Mb
#4660\tNEW    cov: 261 ft: 718 corp: 103/833b lim: 68 exec/s: 2163 rss: 44Mb L: 11/30
"""
_END = """\
stat::number_of_executed_units: 32600
stat::average_exec_per_sec:     2037
stat::new_units_added:          254
"""


def test_every_module_is_a_target_or_known() -> None:
    modules = {file.stem for file in FOLDER.glob("*.py") if not file.stem.startswith("test_")}
    assert modules == {"__main__", "engine", "targets", *targets.NAMES}
    assert {folder.name for folder in targets.KEPT.iterdir()} == set(targets.NAMES)


@pytest.mark.parametrize("name", targets.NAMES)
def test_the_seeds_and_the_kept_inputs_do_no_harm(name: str) -> None:
    target, kept = targets.load(name), targets.kept_inputs(name)
    assert target.seeds
    assert kept
    seeds = {f"seed {number}": seed for number, seed in enumerate(target.seeds)}
    for which, data in ({"nothing": b""} | seeds | kept).items():
        print(which)
        target.check(data)
    assert all(len(data) <= target.longest for data in (*target.seeds, *kept.values()))


@pytest.mark.parametrize("name", targets.NAMES)
@pytest.mark.thorough
def test_nor_do_they_with_a_few_bytes_changed(name: str) -> None:
    target, dice = targets.load(name), random.Random(name)
    inputs = [*target.seeds, *targets.kept_inputs(name).values()]
    for number in range(500):
        print("change", number)
        data = bytearray(dice.choice(inputs))
        place = dice.randrange(len(data) + 1)
        data[place : place + dice.randrange(3)] = dice.choice([dice.randbytes(1), *target.words])
        target.check(bytes(data))


@pytest.mark.parametrize(
    ("name", "where", "what"),
    [
        ("moves", rules, "parse_move"),
        ("moves", rules, "parse_abapro"),
        ("moves", rules, "is_notation"),
        ("states", rules, "parse_state"),
        ("protocol", program, "parse_move"),
        ("records", rules, "parse_record"),
    ],
)
def test_a_planted_bug_is_found(
    name: str, where: object, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("planted")

    target = targets.load(name)
    monkeypatch.setattr(where, what, broken)
    with pytest.raises(IndexError, match="planted"):
        _check_all(target)


def _check_all(target: targets.Target) -> None:
    for data in target.seeds:
        target.check(data)


def test_the_log_is_understood() -> None:
    assert read_log(_LOG) == Told(4660, 261, 0, ())
    assert read_log(_LOG + _END) == Told(32600, 261, 254, ())
    crash = "artifact_prefix='/p/moves/'; Test unit written to /p/moves/crash-96f4\nBase64: \n"
    assert read_log(_LOG + crash).findings == ("/p/moves/crash-96f4",)


def test_words_for_the_dictionary_are_quoted() -> None:
    assert dictionary_entry('a1–"'.encode()) == r'"a1\xe2\x80\x93\x22"'
