"""Slow work of a turn, such as hashing a password: a thread does it, outside any transaction."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

_MOST_TIMES = 32  # restarts of one mail's turn; rates allow fewer
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class WorkNeeded(Exception):  # noqa: N818 - no error: the turn begins anew after `do`
    """A turn needs the outcome of slow work, which is not done yet.

    The caller rolls back, calls `do` in a thread, and restarts with the same `SlowWork`.
    """

    def __init__(self, do: Callable[[], None]) -> None:
        super().__init__()
        self.do = do


@dataclass(eq=False)
class SlowWork:
    """A cache for the outcomes of slow work, which a mail's restarted turn uses again."""

    _outcomes: dict[Hashable, Any] = field(default_factory=dict)
    _failed: dict[Hashable, Exception] = field(default_factory=dict)
    _times: int = 0

    def outcome(self, of: Hashable, work: Callable[[], T]) -> T:
        """Return the outcome of `work` that is cached under `of`. Raises WorkNeeded without one."""
        return self.outcomes({of: work})[of]

    def outcomes(self, works: Mapping[K, Callable[[], T]]) -> dict[K, T]:
        """Return the outcomes of several works. If one of them failed, raise its error."""
        for of in works:
            if of in self._failed:
                raise self._failed[of]
        missing = {of: work for of, work in works.items() if of not in self._outcomes}
        if missing and self._times == _MOST_TIMES:
            raise RuntimeError("a turn that needs ever more slow work")
        if missing:
            self._times += 1
            raise WorkNeeded(partial(self.do, missing))
        return {of: self._outcomes[of] for of in works}

    def do(self, works: Mapping[Any, Callable[[], Any]]) -> None:
        """Do works outside any transaction, for later calls of `outcomes`."""
        for of, work in works.items():
            try:
                self._outcomes[of] = work()
            except Exception as error:  # noqa: BLE001 - the turn raises it
                self._failed[of] = error
