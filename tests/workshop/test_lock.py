"""The locks: complete, checked by hashes, and without a trace of where they were made."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text()
FUZZ_LOCK = (ROOT / "requirements-fuzz.lock").read_text()

each_lock = pytest.mark.parametrize("lock", [LOCK, FUZZ_LOCK], ids=["everything", "fuzz"])


def pins() -> dict[str, str]:
    """The locked version of each project."""
    entries = LOCK.replace("\\\n", " ").splitlines()
    found = (entry.split()[0].partition("==") for entry in entries)
    return {name: version for name, _, version in found}


@each_lock
def test_every_line_is_a_pin_or_a_hash(lock: str) -> None:
    pin = r"[a-z0-9.-]+==[\w.+!]+( ; [\w. ='<>()!-]+)? \\"
    digest = r"    --hash=sha256:[0-9a-f]{64}( \\)?"
    for line in lock.splitlines():
        assert re.fullmatch(f"{pin}|{digest}", line), line


@each_lock
def test_no_address_or_path_is_named(lock: str) -> None:
    for trace in ("://", "/", "@", "index", "find-links", "#"):
        assert trace not in lock


@each_lock
def test_every_pin_has_hashes(lock: str) -> None:
    for entry in lock.replace("\\\n", " ").splitlines():
        assert "--hash=sha256:" in entry, entry


def test_lock_holds_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = pins()
    for requirement in map(Requirement, asked):
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name}: run make lock"
        assert requirement.specifier.contains(locked[name]), f"{name}: run make lock"


def test_the_lock_of_the_fuzzer_holds_it_and_nothing_else() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    found = re.findall(r"^([\w.-]+)==(\S+) ; (.*) \\$", FUZZ_LOCK, re.MULTILINE)
    wanted = [Requirement(text) for text in groups["fuzz"]]
    assert [name for name, _, _ in found] == [requirement.name for requirement in wanted]
    for requirement, (_, version, _) in zip(wanted, found, strict=True):
        assert requirement.specifier.contains(version), "run make lock"
    assert not {requirement.name for requirement in wanted} & set(pins())


def test_lock_can_build_the_project_itself() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    for requirement in map(Requirement, build):
        assert requirement.specifier.contains(pins()[requirement.name])
    assert "editables" in pins()  # hatchling asks for it when it makes an editable installation
