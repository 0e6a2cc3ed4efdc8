"""What takes long is worked out apart from turns, while no transaction is open.

A turn that needs such work raises `WorkNeeded`: it is undone, the work is done in a thread, and the
turn begins anew with what came of it.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_MOST_TIMES = 32  # that one mail's turn begins anew; rates allow fewer
T = TypeVar("T")


class WorkNeeded(Exception):  # noqa: N818 - no error: the turn begins anew after `work_out`
    """A turn needs what is not known yet.

    The turn is to be undone, `work_out` to be called apart from the event loop and outside any
    transaction, and the turn to be begun anew with the same `Apart`. `work_out` raises nothing:
    what goes wrong there is raised in the turn.
    """

    def __init__(self, work_out: Callable[[], None]) -> None:
        super().__init__()
        self.work_out = work_out


class Apart:
    """What has come so far of the work for one mail."""

    needed = WorkNeeded

    def __init__(self) -> None:
        self._outcomes: dict[Hashable, Any] = {}
        self._failed: Exception | None = None
        self._times = 0

    def outcome(self, of: Hashable, work: Callable[[], T]) -> T:
        """What comes of some work. Raises WorkNeeded where it is not known yet, and what the work
        raised."""
        if of not in self._outcomes:
            self.need(lambda: self._outcomes.update({of: work()}))
        found: T = self._outcomes[of]
        return found

    def need(self, work: Callable[[], None]) -> None:
        """Let something be worked out. Raises WorkNeeded, and what went wrong before."""
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

        raise self.needed(work_out)
