"""Our programs, each run in a process of its own that has loaded them already.

To load them takes a second of a processor. So a server of `multiprocessing` loads them once, and
each run is a fork of it, with a folder, an environment, words and output of its own.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

_PROGRAMS = {"pbm": "pbm.app", "pbm-admin": "pbm.admin.cli"}
_PATIENCE = 120.0  # seconds; a bound for what hangs
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, *_PROGRAMS.values()])


def run(
    words: Sequence[str | bytes], *, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program until it ends; the first of the words is its name."""
    with tempfile.TemporaryDirectory() as kept:
        output, errors = Path(kept, "output"), Path(kept, "errors")
        process = _FORKS.Process(
            target=_program,
            args=(list(map(os.fsdecode, words)), folder, dict(environment), output, errors),
        )
        process.start()
        process.join(_PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(words), _PATIENCE)
        return subprocess.CompletedProcess(
            list(words), process.exitcode, output.read_text(), errors.read_text()
        )


def _program(
    words: list[str], folder: Path, environment: dict[str, str], output: Path, errors: Path
) -> None:
    for number, file in ((1, output), (2, errors)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    import_module(_PROGRAMS[words[0]]).main()
