"""Programs that a measurement runs beside itself, all on loopback."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench import season
from tests.e2e.ports import free_port
from tests.e2e.running import PROGRAMS
from tests.polling import until

ROOT = Path(__file__).resolve().parents[1]
ALL_ROLES = ""  # what `pbm serve` runs by itself
PBM = PROGRAMS / "pbm"
_SCHEDULED = 2  # of the clocks of a process, the one that counts what it was scheduled for


@dataclass
class NextServer:
    """The sink, as its user sees it."""

    port: int
    process: subprocess.Popen[str]

    def count(self) -> int:
        """How many mails have arrived since the last `take`."""
        return int(self._ask("count"))

    def take(self) -> list[tuple[float, str]]:
        """The moments and recipients of all mails since the last time."""
        return [(moment, recipient) for moment, recipient in json.loads(self._ask("take"))]

    def _ask(self, what: str) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


@contextmanager
def next_server() -> Iterator[NextServer]:
    """A server that takes all mail."""
    with _module("bench.sink") as (port, process):
        yield NextServer(port, process)


@contextmanager
def pbm(
    folder: Path,
    database_url: str,
    smarthost: int,
    *,
    program: Path = PBM,
    processes: Sequence[str] = (ALL_ROLES,),
    variables: Mapping[str, str] | None = None,
    own_users: bool = False,
) -> Iterator[tuple[int, list[subprocess.Popen[bytes]]]]:
    """pbm itself, a process for each set of roles: the port to send to, and the processes.

    With `own_users` each set of roles comes to the database under its own name.
    """
    port = free_port()
    environment = _environment(port, smarthost) | (variables or {})
    running = []
    with (folder / "log").open("ab") as log:
        try:
            for roles in processes:
                words = [str(program), "serve"]
                words += [f"--roles={roles}"] if roles else []
                url = database_url.replace("//postgres@", f"//{user(roles)}@")
                own = {"PBM_DATABASE_URL": url if own_users else database_url}
                running.append(
                    subprocess.Popen(
                        words, cwd=folder, env=environment | own, stdout=log, stderr=log
                    )
                )
            until(lambda: _greets(port), "the server's greeting")
            until(lambda: _ready(folder) >= len(running), "all of its processes")
            yield port, running
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(60)


def _environment(port: int, smarthost: int) -> dict[str, str]:
    """The usual settings, and none that stand around here."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
    return {
        **kept,
        "PBM_ADDRESS": season.SERVER,
        "PBM_SECRET_KEY": season.SECRET,
        "PBM_LISTEN": f"127.0.0.1:{port}",
        "PBM_SMARTHOST": f"smtp://127.0.0.1:{smarthost}",
    }


def user(roles: str) -> str:
    """The name of a process: its roles, or `pbm` for one that has them all."""
    return roles or "pbm"


def preloadable(name: str, folder: Path) -> Path:
    """The library of this name, built into `folder`."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("There is no C compiler: run `make deps`.")
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    return library


def megabytes(processes: Sequence[subprocess.Popen[bytes]]) -> float:
    """The memory of processes and of their children, what is shared counted in parts."""
    return sum(map(_proportional_kilobytes, with_children(processes))) / 1024


def processor_seconds(number: int) -> float:
    """What a process has used of the processor since it was started, ended threads too; 0 if it
    has ended.

    Its clock is that of clock_getcpuclockid(3), which counts nanoseconds; proc(5) counts ticks.
    """
    try:
        return time.clock_gettime((~number << 3) | _SCHEDULED)
    except OSError:
        return 0.0


def with_children(processes: Sequence[subprocess.Popen[bytes]]) -> list[int]:
    """The numbers of processes, and of all that they have started."""
    return descendants([process.pid for process in processes])


def descendants(numbers: Sequence[int]) -> list[int]:
    """Processes, and all that they have started."""
    found = list(numbers)
    for number in found:
        for children in Path(f"/proc/{number}/task").glob("*/children"):
            with suppress(OSError):  # it has just ended
                found += map(int, children.read_text("ascii").split())
    return found


def _proportional_kilobytes(number: int) -> int:
    for line in Path(f"/proc/{number}/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise RuntimeError(f"nothing is known of the memory of process {number}")


@contextmanager
def _module(name: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", name, str(port)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield port, process
    finally:
        process.kill()
        process.wait()


def _ready(folder: Path) -> int:
    """How many processes have said in the log that they are."""
    return (folder / "log").read_bytes().count(b"event=ready ")


def _greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            return connection.recv(3) == b"220"
    except OSError:
        return False
