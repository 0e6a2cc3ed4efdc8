"""Run the fuzzer on some targets or all, one after the other, and tell what it did: `make fuzz`."""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import targets

_ROOT = Path(__file__).resolve().parents[2]

_SCRATCH = _ROOT / ".fuzz"
"""Where a run leaves its log, and the inputs that the next one begins with."""

_SLOWEST = 10
"""Seconds that an input may take; a longer one is a finding."""


class BrokenRunError(RuntimeError):
    """The fuzzer ended otherwise than by its time or a finding."""


@dataclass(frozen=True)
class Told:
    """What a run of the fuzzer told about itself."""

    executions: int
    covered: int
    new_inputs: int
    findings: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz; the result is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="target", help=", ".join(targets.NAMES))
    parser.add_argument("--seconds", type=int, default=300, help="for all targets together")
    parser.add_argument("--keep", action="store_true", help="keep inputs that reach something new")
    options = parser.parse_args(arguments)
    names = options.names or targets.NAMES
    if not set(names) <= set(targets.NAMES):
        parser.error(f"the targets are {', '.join(targets.NAMES)}")
    findings = 0
    for name in names:
        findings += _one_target(name, max(1, options.seconds // len(names)), options.keep)
    return 1 if findings else 0


def _one_target(name: str, seconds: int, keep: bool) -> int:
    """Fuzz one target and tell of it; return the number of findings."""
    print(f"{name}: {seconds} seconds", flush=True)
    told = fuzz(name, seconds)
    print(
        f"{name}: {told.executions:,} executions, {told.covered} places of the code covered,"
        f" {told.new_inputs} inputs that did something new, {len(told.findings)} findings",
        flush=True,
    )
    for finding in told.findings:
        print(f"{name}: {finding} is kept, and fails: make test ARGS=tests/fuzz", flush=True)
    if keep and not told.findings:
        print(f"{name}: {_keep(name)} of its inputs kept", flush=True)
    return len(told.findings)


def fuzz(name: str, seconds: int) -> Told:
    """Run the fuzzer on one target. Raises BrokenRunError if it doesn't run."""
    target = targets.load(name)
    scratch, kept = _SCRATCH / name, targets.KEPT / name
    for folder in (scratch, kept):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (scratch / f"seed-{number}").write_bytes(seed)
    words = _SCRATCH / f"{name}.words"
    words.write_text("".join(f"{dictionary_entry(word)}\n" for word in target.words))
    log, status = _engine(
        name,
        scratch,
        kept,
        f"-max_total_time={seconds}",
        f"-timeout={_SLOWEST}",
        f"-max_len={target.longest}",
        f"-dict={words}",
        f"-artifact_prefix={kept}/",
        "-print_final_stats=1",
    )
    told = read_log(log)
    if status and not told.findings:
        raise BrokenRunError(f"the fuzzer ended with status {status}:\n{log[-2000:]}")
    return told


def dictionary_entry(word: bytes) -> str:
    """A word as libFuzzer's dictionaries have it.

    >>> dictionary_entry('"a1–'.encode())
    '"\\\\x22a1\\\\xe2\\\\x80\\\\x93"'
    """
    return (
        '"' + "".join(chr(b) if chr(b).isalnum() and b < 128 else f"\\x{b:02x}" for b in word) + '"'
    )


def read_log(log: str) -> Told:
    """What a log of libFuzzer says; of a figure that it gives often, the last."""

    def last(pattern: str) -> int:
        figures = re.findall(pattern, log, re.MULTILINE)
        return int(figures[-1]) if figures else 0

    return Told(
        last(r"^(?:stat::number_of_executed_units: |#)(\d+)\b"),
        last(r" cov: (\d+) "),
        last(r"^stat::new_units_added: +(\d+)$"),
        tuple(re.findall(r"Test unit written to (\S+)", log)),
    )


def _keep(name: str) -> int:
    """Keep the fewest of a run's inputs that cover what the kept ones don't; return how many."""
    kept = targets.KEPT / name
    before = len(list(kept.iterdir()))
    log, status = _engine(name, "-set_cover_merge=1", kept, _SCRATCH / name)
    if status:
        raise BrokenRunError(f"the fuzzer could not merge:\n{log[-2000:]}")
    return len(list(kept.iterdir())) - before


def _engine(name: str, *arguments: str | Path) -> tuple[str, int]:
    """Run the fuzzer in a process of its own, which it ends; return its log and its status."""
    file = _SCRATCH / f"{name}.log"
    with file.open("wb") as log:
        command = [sys.executable, "-m", "tests.fuzz.engine", name, *map(str, arguments)]
        run = subprocess.run(command, cwd=_ROOT, stdout=log, stderr=subprocess.STDOUT, check=False)
    return file.read_text("utf-8", "replace"), run.returncode


if __name__ == "__main__":
    sys.exit(main())
