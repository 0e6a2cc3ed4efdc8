"""Worker processes for searches, started on demand.

A thread waits for each process. If a process dies or hangs, the next computation starts another.
"""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

SECONDS = 120.0  # timeout of a computation
Computation = partial[Any]
"""A function call for a worker process, sent pickled; its module should import little."""


class SearchFailedError(Exception):
    """A computation raised an error, or its process died or hung; `trace` may be a traceback."""

    def __init__(self, reason: str, trace: str = "") -> None:
        super().__init__(reason)
        self.trace = trace or reason


class WorkerProcess:
    """One worker process, started at its first computation."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._changing = threading.Lock()
        self._closed = False

    def run(self, computation: Computation) -> Any:
        """Run a computation and return its result; blocks until then. Raises SearchFailedError."""
        try:
            connection = self._started()
            connection.send(computation)
            if not connection.poll(self._seconds):
                raise SearchFailedError(f"no answer within {self._seconds:g} seconds")
            answer, trouble = connection.recv()
        except Exception as error:
            self.end()
            if isinstance(error, SearchFailedError):
                raise
            if isinstance(error, EOFError | OSError):
                raise SearchFailedError("the process of the search has died") from error
            raise SearchFailedError(f"{type(error).__name__}: {error}") from error
        if trouble is not None:
            raise SearchFailedError(*trouble)
        return answer

    def end(self) -> None:
        with self._changing:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
            if process is not None:
                with process:  # waits for it, and closes the pipe
                    process.kill()
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Kill the process and start no other."""
        self._closed = True
        with self._changing:
            if self._process is not None:
                self._process.kill()  # the waiting thread sees that and ends it

    def _started(self) -> Connection:
        with self._changing:
            if self._closed:
                raise SearchFailedError("the server stops")
            if self._connection is None:
                self._connection, there = Pipe()
                command = [sys.executable, "-P", "-m", "pbm.service.robots.worker_main"]
                with there:
                    self._process = subprocess.Popen(
                        [*command, str(there.fileno()), "0"],
                        stdin=subprocess.PIPE,
                        pass_fds=[there.fileno()],
                        process_group=0,
                    )
            return self._connection


class WorkerProcesses:
    """A pool of worker processes, each with one computation at a time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._processes = [WorkerProcess() for _ in range(size)]
        self._free = list(self._processes)
        self._threads = ThreadPoolExecutor(size, "pbm-robot")

    async def run(self, computation: Computation) -> Any:
        process = self._free.pop()  # the last one used, to start few processes
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, partial(process.run, computation))
        finally:
            self._free.append(process)

    def close(self) -> None:
        for process in self._processes:
            process.close()
        self._threads.shutdown()
        for process in self._processes:
            process.end()
