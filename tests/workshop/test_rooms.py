"""The direction of imports is really watched: a planted breach is found."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
IMPORTED_AS = {"Pillow": "PIL", "argon2-cffi": "argon2"}


# Modules that are planted, each with what it imports.
BREACHES = {
    "rules/planted_0": "pbm.errors",
    "rules/planted_1": "sqlalchemy",
    "store/planted_2": "pbm.mail",
    "mail/planted_3": "pbm.store",
    "commands/planted_4": "pbm.service",
    "play/planted_5": "pbm.commands",
    "mail/planted_6": "pbm.play",
    "store/planted_7": "pbm.play",
    "store/planted_8": "pbm.rules.abalone",
    "play/planted_9": "pbm.rules.abalone",
    "robots/planted_10": "pbm.service",
    "robots/planted_11": "pbm.rules.abalone",
    "service/telling/planted_12": "pbm.service.trouble",
    "service/intake/planted_13": "pbm.service.turns",
    "service/ticks/planted_14": "pbm.service.turns",
    "service/turns/planted_15": "pbm.service.operator",
}
ALLOWED = {
    "commands/planted_0": "pbm.play",
    "store/planted_1": "pbm.rules",
    "rules/abalone/planted_2": "pbm.rules.contract",
}


def lint(folder: Path, planted: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Look at the imports of a copy of ours in which there are these modules, too."""
    shutil.copytree(ROOT / "pbm", folder / "pbm")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for module, imported in planted.items():
        source = f"import {imported}\n" if imported else ""
        (folder / "pbm" / f"{module}.py").write_text(source)
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_breach_is_found(tmp_path: Path) -> None:
    run = lint(tmp_path, BREACHES)
    assert run.returncode != 0, run.stdout
    for module, imported in BREACHES.items():
        name = f"pbm.{module.replace('/', '.')}"
        assert re.search(rf"{name} -> {imported}\b", run.stdout), (module, run.stdout)


def test_every_room_has_its_place(tmp_path: Path) -> None:
    run = lint(tmp_path, {"planted": ""})
    assert run.returncode != 0, run.stdout
    assert "planted" in run.stdout


def test_what_is_allowed_is_no_breach(tmp_path: Path) -> None:
    run = lint(tmp_path, ALLOWED)
    assert run.returncode == 0, run.stdout
    assert "planted" not in run.stdout


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
