"""Compiles `core.c`, the search in C, if there is a C compiler.

This module imports nothing of the package, since `hatch_build.py` runs it to build the wheel. If an
installation has no compiled search, or that of another version, `python -m
pbm.rules.abalone.engine.compiling` compiles it.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("core.c")
LIBRARY = Path(__file__).with_name("_core.lib")

REMEDY = (
    "To compile what makes them fast, install gcc and libc6-dev, and run: "
    f"{sys.executable} -m pbm.rules.abalone.engine.compiling"
)

_COMPILERS = ("cc", "gcc", "clang")
# No -march: a wheel must run on any processor of the platform.
_FLAGS = ("-std=gnu11", "-O3", "-fPIC", "-shared")
_SECONDS = 300


class CompilingError(Exception):
    """The core cannot be compiled. The error's text is for the operator."""


def digest() -> str:
    """Return the hash of `core.c`. The compiled library contains the hash of its source."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def compile_core(library: Path = LIBRARY) -> None:
    """Compile `core.c` into a library file, which is replaced. Raises CompilingError."""
    command = [*_compiler(), *_FLAGS, f'-DSOURCE="{digest()}"']
    try:
        # Renamed into place: a process that has the old one open keeps it.
        with tempfile.TemporaryDirectory(dir=library.parent, prefix="_core-") as folder:
            made = Path(folder) / library.name
            run = subprocess.run(
                [*command, "-o", str(made), str(SOURCE)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
            if run.returncode != 0:
                raise CompilingError(f"{command[0]} cannot compile {SOURCE}: {_gist(run.stderr)}")
            made.replace(library)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompilingError(f"{library} cannot be made: {error}") from error


def _compiler() -> list[str]:
    """Return the C compiler's command: CC, or one that is installed. Raises CompilingError."""
    words = shlex.split(os.environ.get("CC", ""))
    for name in words[:1] or _COMPILERS:
        if path := shutil.which(name):
            return [path, *words[1:]]
    wanted = f"no {words[0]}" if words else "no C compiler"
    raise CompilingError(f"there is {wanted} here")


def _gist(output: str) -> str:
    """Return the first error line of a compiler's output; the whole output if it has none."""
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), " ".join(lines)) or "it says nothing"


def main() -> int:
    try:
        compile_core()
    except CompilingError as error:
        print(f"Robots think in plain Python, more slowly: {error}. {REMEDY}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
