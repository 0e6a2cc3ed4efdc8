"""Our programs, each run in a process of its own that has loaded them already.

To load them and the templates takes more than a second of a processor. So a server of
`multiprocessing` loads them once, and each run is a fork of it, with a folder, an environment,
words and output of its own.
"""

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from weakref import WeakSet

from pbm.admin.cli import COMMANDS
from tests.polling import PATIENCE

_PROGRAMS = {
    "pbm": "pbm.app.cli",
    "pbm-admin": "pbm.admin.cli",
    "dying-server": "tests.e2e.dying_server",
    "slow-robot": "tests.e2e.slow_robot",
}
_FORKS = multiprocessing.get_context("forkserver")
# What `pbm-admin` imports only when a command is called.
_LATER = [
    *(f"pbm.admin.{name}" for name in sorted({module for module, _ in COMMANDS.values()})),
    "pbm.service.operator.boards",
]
_FORKS.set_forkserver_preload([__name__, *_PROGRAMS.values(), *_LATER, "tests.templates_read"])


class Program:
    """One that runs, handled as a `subprocess.Popen` is: the first of its words is its name."""

    def __init__(
        self,
        words: Sequence[str | bytes],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: Path,
        errors: Path,
    ) -> None:
        self.words = [os.fsdecode(word) for word in words]
        self._process = _FORKS.Process(
            target=_begin, args=(self.words, folder, dict(environment), output, errors)
        )
        self._process.start()
        _RUNNING.add(self)

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit status, minus the signal that ended it; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit status. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired(self.words, timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


_RUNNING: "WeakSet[Program]" = WeakSet()


@atexit.register
def _end_all() -> None:
    """End what a test has left running; `multiprocessing` would wait for its end."""
    for program in _RUNNING:
        program.kill()


def run(
    words: Sequence[str | bytes], *, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program until it ends."""
    with tempfile.TemporaryDirectory() as kept:
        output, errors = Path(kept, "output"), Path(kept, "errors")
        program = Program(
            words, folder=folder, environment=environment, output=output, errors=errors
        )
        try:
            status = program.wait(PATIENCE)
        finally:
            program.kill()
        return subprocess.CompletedProcess(
            program.words, status, output.read_text(), errors.read_text()
        )


def _begin(
    words: list[str], folder: Path, environment: dict[str, str], output: Path, errors: Path
) -> None:
    """What a fork does: be the program."""
    for number, file in ((1, output), (2, errors)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    import_module(_PROGRAMS[words[0]]).main()
