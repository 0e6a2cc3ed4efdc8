"""Thousands of clocks that are due at once: how fast they are done, and what waits meanwhile."""

import gc
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from sqlalchemy import Connection

from bench.filling import Size, fill
from bench.measure import Row, rate_of
from pbm.app.cli import spare_garbage_looks
from pbm.app.server import MOST_TIMERS_TOGETHER
from pbm.service.running.writer import at_once
from tests.postgres_server import running_postgres
from tests.run_out import let_remind, let_run_out, wind_up
from tests.table import START, Table

YEARS = Size(finished=100_000, running=20_000, pairs=20_000, plies=4)
TOGETHER = 5_000
MOST = 0.05  # seconds that any turn may be held up
_DUE: dict[str, Callable[[Connection, range], None]] = {
    "reminders": lambda connection, numbers: let_remind(connection, START, numbers),
    "forfeits": lambda connection, numbers: let_run_out(connection, START, numbers),
}


@dataclass(frozen=True)
class _Done:
    """How many timers were done, and how many seconds each piece of them took."""

    timers: int
    pieces: list[float]

    @property
    def rate(self) -> float:
        return self.timers / sum(self.pieces)

    @property
    def held_up(self) -> dict[str, float]:
        """What of a hundred pieces all but the slowest take at most, and the slowest of all."""
        most = max(self.pieces)
        p99 = quantiles(self.pieces, n=100)[98] if len(self.pieces) > 1 else most
        return {"p99": min(p99, most), "the slowest": most}


def measure(seconds: float = 2.0, size: Size = YEARS, together: int = TOGETHER) -> list[Row]:
    """Looks while nothing is due, then reminders and forfeits at once, on both databases."""
    rows: list[Row] = []
    for name, database in (("SQLite", _sqlite), ("PostgreSQL", _postgresql)):
        with database() as url:
            table = Table(url)
            fill(table.database, size)
            with _garbage_as_in_the_server():
                rows += _on(name, table, size, seconds, together)
            table.database.close()
    return rows


def _on(name: str, table: Table, size: Size, seconds: float, together: int) -> Iterator[Row]:
    with table.database.engine.begin() as connection:
        wind_up(connection, START)

    def look() -> int:
        table.ticks.next_due_at()
        return 1

    looks = rate_of(look, at_least=seconds, clock=time.perf_counter)
    yield Row(f"{name}, nothing is due", "looks", looks, "itself", 1.0)
    first = size.finished + 1  # of the boards that are played
    for what, let_be_due in _DUE.items():
        with table.database.engine.begin() as connection:
            let_be_due(connection, range(first, first + together))
        done = _do_all(table)
        yield Row(f"{name}, {together} {what} at once", what, done.rate, "looks", done.rate / looks)
        for which, took in done.held_up.items():
            piece = f"{name}, a piece of these {what}, {which}"
            yield Row(piece, "ms", 1000 * took, f"{1000 * MOST:.0f} ms", took / MOST)


def _do_all(table: Table) -> _Done:
    """Do what is due as the server does it, a transaction for each piece."""
    most = MOST_TIMERS_TOGETHER if table.database.embedded else 1
    done, pieces = 0, []
    while True:
        began = time.perf_counter()
        with table.database.transaction() as work:
            some = at_once(table.ticks.take_some(work, most))
        if not some:
            return _Done(done, pieces)
        done += some
        pieces.append(time.perf_counter() - began)


@contextmanager
def _garbage_as_in_the_server() -> Iterator[None]:
    before = gc.get_threshold()
    spare_garbage_looks()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def _sqlite() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield f"sqlite:///{folder / 'pbm.sqlite3'}"
    finally:
        shutil.rmtree(folder)


@contextmanager
def _postgresql() -> Iterator[str]:
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres())
        yield stack.enter_context(server.new_database())
