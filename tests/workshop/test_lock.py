"""requirements.lock: complete, checked by hashes, and without a trace of where it was made."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text()


def pins() -> dict[str, str]:
    """The locked version of each project."""
    entries = LOCK.replace("\\\n", " ").splitlines()
    found = (entry.split()[0].partition("==") for entry in entries)
    return {name: version for name, _, version in found}


def test_every_line_is_a_pin_or_a_hash() -> None:
    pin = r"[a-z0-9.-]+==[\w.+!]+( ; [\w. ='<>()!-]+)? \\"
    digest = r"    --hash=sha256:[0-9a-f]{64}( \\)?"
    for line in LOCK.splitlines():
        assert re.fullmatch(f"{pin}|{digest}", line), line


def test_no_address_or_path_is_named() -> None:
    for trace in ("://", "/", "@", "index", "find-links", "#"):
        assert trace not in LOCK


def test_every_pin_has_hashes() -> None:
    for entry in LOCK.replace("\\\n", " ").splitlines():
        assert "--hash=sha256:" in entry, entry


def test_lock_holds_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = pins()
    for requirement in map(Requirement, asked):
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name}: run make lock"
        assert requirement.specifier.contains(locked[name]), f"{name}: run make lock"


def test_lock_can_build_the_project_itself() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    for requirement in map(Requirement, build):
        assert requirement.specifier.contains(pins()[requirement.name])
    assert "editables" in pins()  # hatchling asks for it when it makes an editable installation
