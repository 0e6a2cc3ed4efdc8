"""The processes that think, started when there is something to think about.

Each has a thread of this process that waits for it. One that dies or hangs is no harm: it is
killed, and the next question starts another.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

SECONDS = 120.0  # for one answer; what needs longer hangs


class ThinkingFailedError(Exception):
    """A question that got no answer: the process died, hung, or its search raised something.

    `trace` is where that came from, if it is known.
    """

    def __init__(self, reason: str, trace: str = "") -> None:
        super().__init__(reason)
        self.trace = trace or reason


@dataclass(frozen=True)
class Question:
    """What is to be computed in another process: a function of a module, and what it is given.

    Both go there as pickles, so the module should import little.
    """

    function: Callable[..., Any]
    given: tuple[Any, ...]


class Mind:
    """One process that thinks, or none yet."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._changing = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The number of the process, None while there is none."""
        return self._process.pid if self._process else None

    def think(self, question: Question) -> Any:
        """Return the answer; it takes as long as it does. Raises ThinkingFailedError."""
        try:
            connection = self._started()
            connection.send((question.function, question.given))
            if not connection.poll(self._seconds):
                raise ThinkingFailedError(f"no answer within {self._seconds:g} seconds")
            answer, trouble = connection.recv()
        except (EOFError, OSError) as error:
            self.end()
            raise ThinkingFailedError("the process that thought has died") from error
        except ThinkingFailedError:
            self.end()
            raise
        except Exception as error:
            self.end()
            raise ThinkingFailedError(f"{type(error).__name__}: {error}") from error
        if trouble is not None:
            raise ThinkingFailedError(*trouble)
        return answer

    def end(self) -> None:
        """Kill the process, if there is one."""
        with self._changing:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
            if process is not None:
                process.kill()
                process.wait()
                if process.stdin:
                    process.stdin.close()
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Kill the process, and start no other."""
        self._closed = True
        with self._changing:
            if self._process is not None:
                self._process.kill()  # whoever waits for it hears of that, and ends it

    def _started(self) -> Connection:
        with self._changing:
            if self._closed:
                raise ThinkingFailedError("the server stops")
            if self._process is None or self._connection is None:
                self._process, self._connection = _start()
            return self._connection


class Minds:
    """Several of them, each thinking about one thing at a time."""

    def __init__(self, size: int, seconds: float = SECONDS) -> None:
        self._minds = [Mind(seconds) for _ in range(size)]
        self._free = list(self._minds)
        self._threads = ThreadPoolExecutor(size, "pbm-mind")

    @property
    def size(self) -> int:
        """How many they are."""
        return len(self._minds)

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that there are."""
        return tuple(mind.pid for mind in self._minds if mind.pid is not None)

    async def think(self, question: Question) -> Any:
        """Return the answer of one that is free. Raises ThinkingFailedError."""
        mind = self._free.pop()  # which was used last, so that few processes are started
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, partial(mind.think, question))
        finally:
            self._free.append(mind)

    def close(self) -> None:
        """Kill all processes."""
        for mind in self._minds:
            mind.close()
        self._threads.shutdown()
        for mind in self._minds:
            mind.end()


def _start() -> tuple[subprocess.Popen[bytes], Connection]:
    here, there = Pipe()
    try:
        command = [sys.executable, "-P", "-m", "pbm.service.robots.mind", str(there.fileno()), "0"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, pass_fds=[there.fileno()], process_group=0
        )
    except BaseException:
        here.close()
        raise
    finally:
        there.close()
    return process, here
