"""Processes that think: what they answer, and what happens when one dies or hangs."""

import asyncio
import operator
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pbm.robots.thinking import Course, think_about
from pbm.rules.registry import game_named
from pbm.service.robots.worker_processes import (
    Computation,
    SearchFailedError,
    WorkerProcess,
    WorkerProcesses,
)
from tests.polling import until

OUTSIDE = ("sqlalchemy", "aiosmtpd", "aiosmtplib", "jinja2", "PIL", "structlog", "asyncio")


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess()
    yield worker
    worker.close()
    worker.end()


def asked(function: Callable[..., Any], *given: Any) -> Computation:
    return partial(function, *given)


def told(words: str) -> Computation:
    """What an expression comes to over there."""
    return partial(eval, words)


def test_it_answers_and_says_what_went_wrong(worker: WorkerProcess) -> None:
    assert _pid(worker) is None  # nothing is started before it is needed
    assert worker.run(asked(operator.add, 2, 3)) == 5
    first = _pid(worker)
    with pytest.raises(SearchFailedError, match="ZeroDivisionError: ") as failed:
        worker.run(asked(operator.floordiv, 1, 0))
    assert "Traceback" in failed.value.trace
    assert worker.run(told("__import__('os').getpid()")) == first == _pid(worker)


def test_what_cannot_travel_is_no_answer(worker: WorkerProcess) -> None:
    for question in (asked(lambda: 1), told("lambda: 1")):
        with pytest.raises(SearchFailedError):
            worker.run(question)
    assert worker.run(asked(operator.add, 2, 3)) == 5


def test_others_go_first(worker: WorkerProcess) -> None:
    assert worker.run(told("__import__('os').nice(0)")) == 19


def test_it_finds_what_is_found_here_and_loads_nothing_of_the_server(worker: WorkerProcess) -> None:
    start = game_named("abalone").start(2, {"layout": "standard"}).state()
    given = ("pebble", Course("abalone", start, ("a1-c3,d4",)), 7, 0, 3.0)
    assert worker.run(asked(think_about, *given)).move == think_about(*given).move
    loaded = worker.run(told("sorted(__import__('sys').modules)"))
    assert "pbm.rules.abalone" in loaded
    assert not [name for name in loaded if name.split(".")[0] in OUTSIDE]
    assert not [name for name in loaded if name.startswith(("pbm.store", "pbm.play", "pbm.mail"))]


@pytest.mark.parametrize("how", ["kills itself", "leaves"])
def test_one_that_dies_is_followed_by_another(how: str, worker: WorkerProcess) -> None:
    first = worker.run(told("__import__('os').getpid()"))
    dying = {
        "kills itself": asked(signal.raise_signal, signal.SIGKILL),
        "leaves": asked(os._exit, 0),
    }
    with pytest.raises(SearchFailedError, match="has died"):
        worker.run(dying[how])
    assert worker.run(told("__import__('os').getpid()")) != first


def test_one_that_hangs_is_killed() -> None:
    worker = WorkerProcess(seconds=0.01)
    with pytest.raises(SearchFailedError, match="no answer within"):
        worker.run(asked(time.sleep, 1_000_000))
    assert _pid(worker) is None
    assert not any(b"robots.worker_main" in line for line in command_lines(os.getpid()))


def test_signals_to_the_server_leave_it_alone(worker: WorkerProcess) -> None:
    for name in ("SIGINT", "SIGTERM"):
        assert (
            worker.run(told(f"__import__('signal').raise_signal(__import__('signal').{name})"))
            is None
        )


def test_several_think_at_once_and_end_together() -> None:
    workers = WorkerProcesses(2)

    async def think() -> list[int]:
        both = (workers.run(told("__import__('os').getpid()")) for _ in range(2))
        return await asyncio.gather(*both)

    pids = asyncio.run(think())
    assert sorted(_pids(workers)) == sorted(pids)
    assert len(set(pids)) == 2
    workers.close()
    assert _pids(workers) == ()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_closing_ends_what_is_under_way() -> None:
    workers = WorkerProcesses(1)

    async def think_for_long() -> None:
        thinking = asyncio.create_task(workers.run(asked(time.sleep, 1_000_000)))
        while not _pids(workers):
            await asyncio.sleep(0.01)
        workers.close()
        with pytest.raises(SearchFailedError):
            await thinking

    asyncio.run(think_for_long())
    until(lambda: not command_lines(os.getpid()), "no process to be left")


def command_lines(parent: int) -> list[bytes]:
    """Of the processes that one has started."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                with open(f"{entry.path}/stat", encoding="ascii", errors="replace") as stat:
                    is_child = stat.read().rpartition(")")[2].split()[1] == str(parent)
                with open(f"{entry.path}/cmdline", "rb") as words:
                    line = words.read()
            except OSError:
                continue
            if is_child and b"robots.worker_main" in line:
                found.append(line)
    return found


def _pid(worker: WorkerProcess) -> int | None:
    return worker._process.pid if worker._process else None


def _pids(workers: WorkerProcesses) -> tuple[int, ...]:
    return tuple(pid for pid in map(_pid, workers._processes) if pid is not None)
