"""Compiles `core.c`, the fast twin of the search, where this machine has a C compiler.

It needs nothing of the package around it: `hatch_build.py` runs it to build a wheel, before there
is one. `python -m pbm.rules.abalone.engine.compiling` does it for an installation that has no
compiled core, or one of another source.
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
# For any processor of the platform: a wheel is used on others than it was built on.
_FLAGS = ("-std=gnu11", "-O3", "-fPIC", "-shared")
_SECONDS = 300


class CompilingError(Exception):
    """There is no compiled core to be had here; the text tells the operator why."""


def digest() -> str:
    """What tells one source from another; the library has it, too."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def compile_core(library: Path = LIBRARY) -> None:
    """Compile the core into a file, in place of what is there. Raises CompilingError."""
    command = [*_compiler(), *_FLAGS, f'-DSOURCE="{digest()}"']
    try:
        # Written beside and renamed: a process that has the old one open keeps it.
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
    """The words that call the compiler: what CC says, else the first one that is there."""
    words = shlex.split(os.environ.get("CC", ""))
    for name in words[:1] or _COMPILERS:
        if path := shutil.which(name):
            return [path, *words[1:]]
    wanted = f"no {words[0]}" if words else "no C compiler"
    raise CompilingError(f"there is {wanted} here")


def _gist(output: str) -> str:
    """The first line of a compiler's output that names an error, else all of it."""
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), " ".join(lines)) or "it says nothing"


def main() -> int:
    """Compile for the installation that this file is in; the result is the exit status."""
    try:
        compile_core()
    except CompilingError as error:
        print(f"Robots think in plain Python, more slowly: {error}. {REMEDY}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
