"""The direction of imports is really watched: a planted breach is found."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
IMPORTED_AS = {"Pillow": "PIL", "argon2-cffi": "argon2"}


@pytest.mark.parametrize(
    ("module", "source", "broken"),
    [
        ("rules/planted.py", "import pbm.errors", True),
        ("rules/planted.py", "import sqlalchemy", True),
        ("store/planted.py", "import pbm.mail", True),
        ("mail/planted.py", "import pbm.store", True),
        ("commands/planted.py", "import pbm.service", True),
        ("play/planted.py", "import pbm.commands", True),
        ("mail/planted.py", "import pbm.play", True),
        ("store/planted.py", "import pbm.play", True),
        ("commands/planted.py", "import pbm.play", False),
        ("planted.py", "", True),  # every room has its place
        ("store/planted.py", "import pbm.rules", False),
        ("store/planted.py", "import pbm.rules.abalone", True),
        ("play/planted.py", "import pbm.rules.abalone", True),
        ("rules/abalone/planted.py", "import pbm.rules.contract", False),
    ],
)
def test_a_breach_is_found(module: str, source: str, broken: bool, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "pbm", tmp_path / "pbm")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "pbm" / module).write_text(source + "\n")
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode != 0) is broken, run.stdout
    assert ("planted" in run.stdout) is broken, run.stdout


def test_every_dependency_is_forbidden_to_the_rules() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (
        contract
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["name"] == "The rules need nothing but the standard library"
    )
    names = {Requirement(text).name for text in project["project"]["dependencies"]}
    modules = {IMPORTED_AS.get(name, re.sub(r"[-.]", "_", name).lower()) for name in names}
    assert modules == set(contract["forbidden_modules"])


def test_every_room_has_to_come_through_the_door() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (
        contract
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract.get("forbidden_modules") == ["pbm.rules.abalone"]
    )
    rooms = [*(ROOT / "pbm").iterdir(), *(ROOT / "pbm/rules").iterdir()]
    names = {
        ".".join(room.relative_to(ROOT).with_suffix("").parts)
        for room in rooms
        if room.suffix == ".py" or (room / "__init__.py").exists()
    }
    apart = {"pbm.__init__", "pbm.rules.__init__", "pbm.rules", "pbm.rules.abalone"}
    assert names - apart == set(contract["source_modules"])
