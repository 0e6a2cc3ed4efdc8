"""A search in a thread of its own, which can be stopped."""

import time
from collections.abc import Callable, Sequence
from ctypes import c_int32
from threading import Event, Thread

from pbm.rules.abalone.engine.searching import search
from pbm.rules.abalone.matches.orders import MOST
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Budget, Found

_NO_MOVE = "(none)"


class Thinking:
    """One search, from `go` to its `bestmove`; it says by `say` what it finds.

    Without a budget it ends, and says its best move, only when it is stopped. `over`: another one
    may begin.
    """

    def __init__(
        self,
        positions: Sequence[AbalonePosition],
        budget: Budget | None,
        *,
        best: int,
        seed: int,
        say: Callable[[str], None],
    ) -> None:
        self._positions = positions
        self._budget = budget
        self._best = best
        self._seed = seed
        self._say = say
        self._began = time.monotonic()
        self._stop = c_int32(0)
        self._stopped = Event()
        self.over = False
        self._thread = Thread(target=self._think)
        self._thread.start()

    def stop(self) -> None:
        """End it soon, and wait until its best move is said."""
        self._stop.value = 1
        self._stopped.set()
        self._thread.join()

    def finish(self) -> None:
        """Wait for its end; without a budget, stop it."""
        if self._budget is None:
            self.stop()
        self._thread.join()

    def _think(self) -> None:
        try:
            found = search(
                self._positions,
                self._budget or Budget(MOST["nodes"]),
                best=self._best,
                seed=self._seed,
                stop=self._stop,
                told=self._tell,
            )
            self._tell(found)
            if self._budget is None:
                self._stopped.wait()
        finally:
            self.over = True
        # Said last: who hears of it may go on at once.
        self._say(f"bestmove {found.lines[0].moves[0] if found.lines else _NO_MOVE}")

    def _tell(self, found: Found) -> None:
        seconds = time.monotonic() - self._began
        rate = round(found.nodes / seconds) if seconds else 0
        for number, line in enumerate(found.lines, 1):
            self._say(
                f"info depth {found.depth} multipv {number} score cp {line.score}"
                f" nodes {found.nodes} time {round(1000 * seconds)} nps {rate}"
                f" pv {' '.join(line.moves)}"
            )
