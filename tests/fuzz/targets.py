"""What can be fuzzed: a module of this folder for each target, named in NAMES.

Such a module has a TARGET. Everything else follows from that: `make fuzz` runs it, `make test`
checks it with its seeds and with the inputs in its folder under `kept/`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

NAMES = ("mails", "moves", "protocol", "records", "states")

KEPT = Path(__file__).parent / "kept"
"""A folder for each target, with the inputs that the fuzzer found worth keeping."""


@dataclass(frozen=True)
class Target:
    """Code that takes bytes from anybody.

    `check` gives it some bytes and raises whatever is wrong with what comes of them: an
    AssertionError of its own, or anything that should have been caught. `seeds` are inputs to begin
    with, `words` what inputs may be made of, and `longest` the length up to which they are tried.
    """

    check: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()
    longest: int = 200


def load(name: str) -> Target:
    """The target of a module of this folder."""
    target = import_module(f"tests.fuzz.{name}").TARGET
    assert isinstance(target, Target)
    return target


def kept_inputs(name: str) -> dict[str, bytes]:
    """The kept inputs of a target, by the names of their files."""
    return {file.name: file.read_bytes() for file in sorted((KEPT / name).iterdir())}
