"""Progress bars for what takes longer than a moment: on a terminal, and on standard error only."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from time import monotonic
from typing import TYPE_CHECKING

from pbm.service.operator.progress import watched_by

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_MOMENT = 0.3  # seconds


@contextmanager
def bars() -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    shown = _Bars()
    try:
        with watched_by(shown.tell):
            yield
    finally:
        shown.end()


class _Bars:
    """One bar at a time. It is gone when its task is done."""

    def __init__(self) -> None:
        self._what, self._since = "", monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._redirection = ExitStack()

    def tell(self, what: str, done: int, total: int | None) -> None:
        if total is not None and monotonic() < self._since + _MOMENT:
            return  # it may be over at once
        bar = self._bar = self._bar or _begun(self._redirection)
        if what != self._what or self._task is None:
            self._what = what
            if self._task is not None:
                bar.remove_task(self._task)
            self._task = bar.add_task(what, total=total)
        bar.update(self._task, completed=done, total=total)
        if done == total:
            self.end()  # before what comes next is printed where it was

    def end(self) -> None:
        self._redirection.close()
        if self._bar:
            self._bar.stop()
        self._bar = self._task = None


def _begun(redirection: ExitStack) -> "Progress":
    from rich.console import Console
    from rich.file_proxy import FileProxy
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    class AboveTheBar(FileProxy):
        encoding, errors = "utf-8", "replace"  # without them click writes past it

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeLeft())
    terminal = Console(stderr=True)
    bar = Progress(*columns, console=terminal, transient=True, redirect_stdout=False)
    bar.start()
    if sys.stdout.isatty():  # else lines of a command go elsewhere
        redirection.enter_context(redirect_stdout(AboveTheBar(terminal, sys.stdout)))
    return bar
