"""Programs that a measurement runs beside itself, all on loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import season
from tests.e2e.ports import free_port
from tests.e2e.running import PROGRAMS
from tests.polling import until

ROOT = Path(__file__).resolve().parents[1]
ALL_ROLES = ""  # what `pbm serve` runs by itself
PBM = PROGRAMS / "pbm"


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
def nothing() -> Iterator[int]:
    """The port of a server of aiosmtpd's that does nothing."""
    with _module("bench.nothing") as (port, _):
        yield port


@contextmanager
def pbm(
    folder: Path,
    database_url: str,
    smarthost: int,
    *,
    program: Path = PBM,
    processes: Sequence[str] = (ALL_ROLES,),
    variables: Mapping[str, str] | None = None,
) -> Iterator[tuple[int, list[subprocess.Popen[bytes]]]]:
    """pbm itself, a process for each set of roles: the port to send to, and the processes."""
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
    environment = {
        **kept,
        "PBM_ADDRESS": season.SERVER,
        "PBM_DATABASE_URL": database_url,
        "PBM_SECRET_KEY": season.SECRET,
        "PBM_LISTEN": f"127.0.0.1:{port}",
        "PBM_SMARTHOST": f"smtp://127.0.0.1:{smarthost}",
        **(variables or {}),
    }
    running = []
    with (folder / "log").open("ab") as log:
        try:
            for roles in processes:
                words = [str(program), "serve"]
                words += [f"--roles={roles}"] if roles else []
                running.append(
                    subprocess.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log)
                )
            until(lambda: _greets(port), "the server's greeting")
            yield port, running
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait(60)


def slow_disk(folder: Path, milliseconds: int) -> dict[str, str]:
    """The variables that make each fsync take longer. Builds what that needs into `folder`."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("There is no C compiler: run `make deps`.")
    library = folder / "slow_disk.so"
    source = Path(__file__).with_name("slow_disk.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "SLOW_DISK_MILLISECONDS": str(milliseconds)}


def send(program: subprocess.Popen[bytes], what: signal.Signals) -> None:
    """Send a signal to a process and to its children."""
    for number in _with_children([program]):
        os.kill(number, what)


def megabytes(processes: Sequence[subprocess.Popen[bytes]]) -> float:
    """The memory of processes and of their children, what is shared counted in parts."""
    return sum(map(_proportional_kilobytes, _with_children(processes))) / 1024


def processor_seconds(processes: Sequence[subprocess.Popen[bytes]]) -> float:
    """What processes and their children have used of the processor since they were started."""
    return sum(map(_clock_ticks, _with_children(processes))) / os.sysconf("SC_CLK_TCK")


def _with_children(processes: Sequence[subprocess.Popen[bytes]]) -> list[int]:
    numbers = [process.pid for process in processes]
    for number in numbers:
        for children in Path(f"/proc/{number}/task").glob("*/children"):
            numbers += map(int, children.read_text("ascii").split())
    return numbers


def _clock_ticks(number: int) -> int:
    """The fields `utime` and `stime` of proc(5), in ticks."""
    told = Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(told[11]) + int(told[12])


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


def _greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            return connection.recv(3) == b"220"
    except OSError:
        return False
