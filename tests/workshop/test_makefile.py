"""The Makefile and the script that a continuous integration runs."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A make that is started by `make test` must not take itself for a part of it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


def test_help_lists_every_target() -> None:
    targets = re.findall(r"^([A-Za-z][\w-]*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    shown = subprocess.run(
        ["make"], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert {"run", "test", "check", "deps"} <= set(targets)
    assert [line.split()[1] for line in shown.stdout.splitlines()] == targets
    assert all(len(line.split()) > 3 for line in shown.stdout.splitlines())


def test_every_target_is_phony() -> None:
    text = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^([a-z][\w-]*):.*##", text, re.MULTILINE):
        assert f".PHONY: {target}\n" in text


def test_ci_calls_check_and_both_parts_of_the_tests_only(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    make = tmp_path / "make"
    make.write_text(f'#!/bin/sh\necho "$PWD: $*; stdin: $(cat)" >>{calls}\n')
    make.chmod(0o755)
    subprocess.run(
        [ROOT / ".ci" / "run"],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        input="nobody reads this",
        text=True,
        check=True,
    )
    called = [f"{ROOT}: {target}; stdin: \n" for target in ("check", "test", "test-all")]
    assert calls.read_text() == "".join(called)


def test_ci_stops_at_the_first_failure(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "called $1"\nexit 3\n')
    make.chmod(0o755)
    run = subprocess.run(
        [ROOT / ".ci" / "run"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (3, "called check\n")
