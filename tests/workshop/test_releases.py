"""A release has a number of its own, and CHANGELOG.md says which tables belong to it."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.version import Version

from pbm import __version__
from pbm.store.migrate import newest_version

CHANGELOG = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASE = re.compile(r"(\d+\.\d+\.\d+) \(tables (?:\d{4} to )?(\d{4})\)")
SECOND = "0.2.0 (tables 0008)"


def what_is_wrong(changelog: str, number: str, tables: str) -> str:
    """What keeps a program with this number and these tables from being built; empty if nothing."""
    headings = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    is_released = headings[0] != "Unreleased"
    found = [RELEASE.fullmatch(heading) for heading in headings[not is_released :]]
    releases = [(Version(item[1]), item[2]) for item in found if item]
    if len(releases) != len(found):
        return "a heading names no release"
    if any(newer[0] <= older[0] or newer[1] < older[1] for newer, older in pairwise(releases)):
        return "the releases are not in order"
    if not is_released:
        return "" if Version(number) > releases[0][0] else "the number is a release's already"
    if Version(number) != releases[0][0]:
        return "the newest release has another number"
    return "" if tables == releases[0][1] else "the release has other tables"


def test_the_number_of_this_program_is_its_own() -> None:
    assert what_is_wrong(CHANGELOG, __version__, newest_version()) == ""


@pytest.mark.parametrize(
    ("headings", "number", "tables", "wrong"),
    [
        (f"Unreleased, {SECOND}", "0.3.0", "0009", ""),
        (f"Unreleased, {SECOND}", "0.2.0", "0008", "the number is a release's already"),
        ("Unreleased, 0.10.0 (tables 0008)", "0.9.0", "0008", "the number is a release's already"),
        (SECOND, "0.2.0", "0008", ""),
        (SECOND, "0.2.0", "0009", "the release has other tables"),
        (SECOND, "0.3.0", "0008", "the newest release has another number"),
        ("0.2.0", "0.2.0", "0008", "a heading names no release"),
        (f"{SECOND}, {SECOND}", "0.2.0", "0008", "the releases are not in order"),
        (f"0.3.0 (tables 0007), {SECOND}", "0.3.0", "0007", "the releases are not in order"),
    ],
)
def test_what_cannot_be_built(headings: str, number: str, tables: str, wrong: str) -> None:
    changelog = "".join(f"## {heading}\n\n" for heading in headings.split(", "))
    assert what_is_wrong(changelog, number, tables) == wrong
