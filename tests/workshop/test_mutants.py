"""Each lock and each second look is needed: without it a test fails, in a copy of the program."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.mutants import MUTANTS, Mutant
from tests.polling import PATIENCE
from tests.postgres_tables import PostgresTables

ROOT = Path(__file__).resolve().parents[2]
_PARTS = ("pbm", "tests", "templates", "help", "migrations", "docs")
_FAILED = 1  # pytest's exit status, where tests have failed
_LOCK_TIMEOUT = "-c lock_timeout=20s"  # so that a broken lock lets no test wait for ever
_LOCK = re.compile(
    r"with_for_update\(|advisory_|LOCK_EX|\block=True\)|\.find_locked\(|with self\._writing"
)


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, in which files may be broken."""
    copy = tmp_path_factory.mktemp("mutants")
    for part in _PARTS:
        shutil.copytree(ROOT / part, copy / part, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def test_each_names_a_piece_of_a_file_and_its_tests() -> None:
    for file, mutants in MUTANTS.items():
        whole = (ROOT / "pbm" / file).read_text("utf-8")
        for mutant in mutants:
            assert whole.count(mutant.old) == 1, f"{mutant.old!r} in {file}"
            for test in mutant.tests:
                name, function = test.partition("[")[0].split("::")
                assert f"def {function}(" in (ROOT / name).read_text("utf-8"), test


def test_each_lock_has_a_mutant() -> None:
    """A lock that is new, in the rooms of the store and the post, needs one."""
    for folder in ("store", "service/post"):
        for path in (ROOT / "pbm" / folder).rglob("*.py"):
            file = str(path.relative_to(ROOT / "pbm"))
            left = path.read_text("utf-8")
            for mutant in MUTANTS.get(file, ()):
                left = left.replace(mutant.old, "")
            assert [line for line in left.splitlines() if _LOCK.search(line)] == [], file


@pytest.mark.thorough
def test_unbroken_all_pass(copy: Path, postgres_tables: PostgresTables) -> None:
    of_all = chain.from_iterable(MUTANTS.values())
    tests = tuple(dict.fromkeys(chain.from_iterable(mutant.tests for mutant in of_all)))
    whole = [("store/db.py", Mutant("", "", tests))]
    assert _outcomes(copy, whole, postgres_tables) == [(0, [])]


@pytest.mark.thorough
@pytest.mark.parametrize("room", sorted({file.rpartition("/")[0] for file in MUTANTS}))
def test_each_is_noticed(room: str, copy: Path, postgres_tables: PostgresTables) -> None:
    tried = [
        (file, mutant)
        for file, mutants in MUTANTS.items()
        for mutant in mutants
        if file.startswith(f"{room}/")
    ]
    found = _outcomes(copy, tried, postgres_tables)
    lives = [
        (*broken, outcome)
        for broken, outcome in zip(tried, found, strict=True)
        if outcome != (_FAILED, list(broken[1].tests))
    ]
    assert not lives


def _outcomes(
    copy: Path, tried: Sequence[tuple[str, Mutant]], tables: PostgresTables
) -> list[tuple[int, list[str]]]:
    """How pytest ended on each mutant of a file, and which tests failed."""
    jobs: list[dict[str, Any]] = [{"file": file, **vars(mutant)} for file, mutant in tried]
    told = [copy / f"outcome-{number}.json" for number in range(len(jobs))]
    for path in told:
        path.unlink(missing_ok=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    environment["PGOPTIONS"] = _LOCK_TIMEOUT
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # files change within a second
    with ExitStack() as lent:
        for job, path in zip(jobs, told, strict=True):
            urls = (lent.enter_context(tables.lent()) for _ in job["tests"])
            job |= {"told": str(path), "lent": " ".join(urls)}
        ran = subprocess.run(
            [sys.executable, "-m", "tests.mutants.running", json.dumps(jobs)],
            cwd=copy,
            env=environment,
            timeout=PATIENCE * 4,
            capture_output=True,
            text=True,
            check=False,
        )
    assert all(path.exists() for path in told), ran.stdout + ran.stderr
    outcomes = [json.loads(path.read_text("utf-8")) for path in told]
    return [(outcome["ended"], outcome["failed"]) for outcome in outcomes]
