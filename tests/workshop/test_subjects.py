"""The check of commit subjects, in each kind of checkout."""

import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tests.rows import each_row

SCRIPT = Path(__file__).parents[2] / "tools" / "subjects.py"
GOOD = [
    "store: skip locked rows when taking back delayed mails",
    "tests, bench: pass the clock to each table",
    "mail/reading: process a bare LF as its own line",
    f"store: {'x' * 65}",
]
BAD = [
    "Skip locked rows",
    "store: Skip locked rows",
    "Store: skip locked rows",
    "store:skip locked rows",
    "store: skips locked rows",
    "store: skipped locked rows",
    "store: skipping locked rows",
    "store: the locked rows",
    f"store: {'x' * 66}",
]


def fault(subject: str) -> str | None:
    """Reason of the script."""
    spec = spec_from_file_location("subjects", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: str | None = module.fault(subject)
    return found


@each_row("subject", GOOD)
def test_a_part_and_an_imperative_pass(subject: str) -> None:
    assert fault(subject) is None


@each_row("subject", BAD)
def test_anything_else_is_refused(subject: str) -> None:
    assert fault(subject)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit(folder: Path, subject: str) -> str:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def checked(folder: Path, base: str) -> tuple[int, str]:
    """Exit status and words of the check in a folder that has the script."""
    done = subprocess.run(
        [sys.executable, folder / "tools" / SCRIPT.name, base],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A source tree without git."""
    (tmp_path / "tree" / "tools").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "tree" / "tools")
    return tmp_path / "tree"


def repository(folder: Path, *subjects: str) -> str:
    """Make a repository with these commits above a base, and return the base."""
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    commit(folder, "Of before, in no form")
    base = commit(folder, "The base, in no form either")
    for subject in subjects:
        commit(folder, subject)
    return base


def test_a_source_tree_without_git_passes(folder: Path) -> None:
    assert checked(folder, "0" * 40) == (
        0,
        "Commit subjects are not checked: this is no checkout of git.\n",
    )


def test_a_folder_of_somebody_elses_repository_passes(folder: Path) -> None:
    git(folder.parent, "init", "--quiet")
    commit(folder.parent, "Another project")
    assert checked(folder, "0" * 40)[0] == 0


def test_commits_since_the_base_are_checked(folder: Path) -> None:
    base = repository(folder, "store: skip locked rows")
    assert checked(folder, base) == (0, "Commit subjects: 1 checked.\n")
    commit(folder, "Wait for nobody")
    status, words = checked(folder, base)
    assert status == 1
    assert "'Wait for nobody'" in words


def test_another_history_passes(folder: Path) -> None:
    repository(folder)
    assert checked(folder, "0" * 40) == (
        0,
        "Commit subjects are not checked: this history has no commit 00000000.\n",
    )


def test_a_shallow_clone_without_the_base_checks_what_it_has(folder: Path) -> None:
    base = repository(folder, "store: skip locked rows", "mail: read dates once")
    shallow = folder.parent / "shallow"
    git(folder.parent, "clone", "--quiet", "--depth=2", f"file://{folder}", str(shallow))
    assert checked(shallow, base) == (0, "Commit subjects: 2 checked.\n")
    commit(shallow, "Wait for nobody")
    assert checked(shallow, base)[0] == 1
