"""A turn that takes long is told of; one that hangs ends the process, and waiting does not."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from pbm.service.trouble import failures
from pbm.service.trouble.failures import DEADLINE, HUNG, SLOW, TIMER, Watchdog
from tests.polling import PATIENCE


class Seconds:
    """A clock that moves only when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def ended() -> list[int]:
    return []


@pytest.fixture
def watch(seconds: Seconds, ended: list[int]) -> Watchdog:
    return Watchdog(ended.append, seconds)


@pytest.fixture(autouse=True)
def timer(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the kernel's timer was set to, which would end the tests."""
    wound: list[float] = []
    monkeypatch.setattr(failures, "_wind_up", wound.append)
    return wound


@contextmanager
def a_turn(
    watch: Watchdog, mail_id: int, body: str, module: str = "pbm.commands"
) -> Iterator[None]:
    """A turn in a thread of its own, which waits in a function `body` of a module."""
    begun, over = threading.Event(), threading.Event()
    space = vars(ModuleType(module)) | {"wait": over.wait, "begun": begun}
    exec(f"def {body}():\n    begun.set()\n    wait()", space)  # noqa: S102 - a module of our own

    def turn() -> None:
        with watch.watching(mail_id):
            space[body]()

    thread = threading.Thread(target=turn)
    thread.start()
    assert begun.wait(PATIENCE)
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_short_turn_is_told_of_by_nobody(
    watch: Watchdog, seconds: Seconds, ended: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with a_turn(watch, 7, "short"):
        seconds.now += SLOW - 0.1
        watch.look()
    seconds.now += DEADLINE
    watch.look()
    assert not ended
    assert "turn" not in "".join(capsys.readouterr())


def test_a_slow_one_is_told_of_once_with_where_it_is(
    watch: Watchdog, seconds: Seconds, ended: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with a_turn(watch, 7, "dawdles"):
        for _ in range(3):
            seconds.now += SLOW
            watch.look()
    told = "".join(capsys.readouterr())
    assert told.count("turn takes long") == 1
    assert " dawdles" in told
    assert re.search(r"\bin\S*=\S*i7\b", told)
    assert not ended


def test_one_that_hangs_ends_the_process(
    watch: Watchdog, seconds: Seconds, ended: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with a_turn(watch, 7, "hangs"):
        seconds.now += DEADLINE
        watch.look()
    assert ended == [HUNG]
    assert "turn hangs, so the server ends" in "".join(capsys.readouterr())


def test_to_wait_for_the_database_is_no_hanging(
    watch: Watchdog, seconds: Seconds, ended: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with a_turn(watch, 7, "wait_for_it", module="psycopg.waiting"):
        seconds.now += 10 * DEADLINE
        watch.look()
    assert not ended
    assert "turn takes long" in "".join(capsys.readouterr())


def test_the_timer_runs_while_a_turn_does_and_each_look_winds_it_up(
    watch: Watchdog, timer: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "LOOK_EVERY", 3600)
    with watch.running():
        watch.look()
        with a_turn(watch, 7, "short"):
            watch.look()
        watch.look()
        assert timer == [TIMER, TIMER, 0]
        with pytest.raises(ZeroDivisionError), watch.watching(7):
            raise ZeroDivisionError
        assert timer[3:] == [TIMER, 0]
        timer.clear()
    assert timer == [0]


def test_where_nobody_looks_no_timer_runs(watch: Watchdog, timer: list[float]) -> None:
    with watch.watching(7):
        watch.look()
    assert timer == []


def test_a_log_that_fails_saves_no_turn_that_hangs(
    watch: Watchdog, seconds: Seconds, ended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def warning(self, *_: object, **__: object) -> None:
            """Say nothing."""

        def error(self, *_: object, **__: object) -> None:
            raise OSError("no space left")

    monkeypatch.setattr(failures, "_watch_log", Full())
    with a_turn(watch, 7, "hangs"):
        seconds.now += DEADLINE
        with pytest.raises(OSError, match="no space"):
            watch.look()
    assert ended == [HUNG]
