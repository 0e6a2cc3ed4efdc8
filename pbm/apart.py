"""Slow work runs in a thread, outside turns and transactions.

A turn that needs such work raises `WorkNeeded`. The turn is rolled back, a thread does the work,
and the turn restarts with the outcome.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_MOST_TIMES = 32  # restarts of one mail's turn; rates allow fewer
T = TypeVar("T")


class WorkNeeded(Exception):  # noqa: N818 - no error: the turn begins anew after `work_out`
    """A turn needs an outcome that its `Apart` does not know yet.

    The caller rolls the turn back, calls `work_out` in a thread outside any transaction, and
    restarts the turn with the same `Apart`, which raises any error of the work.
    """

    def __init__(self, work_out: Callable[[], None]) -> None:
        super().__init__()
        self.work_out = work_out


class Apart:
    """The outcomes so far of the slow work for one mail."""

    def __init__(self) -> None:
        self._outcomes: dict[Hashable, Any] = {}
        self._failed: Exception | None = None
        self._times = 0

    def outcome(self, of: Hashable, work: Callable[[], T]) -> T:
        """The outcome of some work. Raises WorkNeeded if it is not known yet, and any error of the
        work."""
        if of not in self._outcomes:
            self.need(lambda: self._outcomes.update({of: work()}))
        found: T = self._outcomes[of]
        return found

    def need(self, work: Callable[[], None]) -> None:
        """Request some work. Raises WorkNeeded, or the error of earlier work."""
        if self._failed:
            raise self._failed
        self._times += 1
        if self._times > _MOST_TIMES:
            raise RuntimeError("a turn that needs ever more worked out")

        def work_out() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the turn raises it
                self._failed = error

        raise WorkNeeded(work_out)
