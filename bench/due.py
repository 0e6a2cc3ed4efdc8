"""Thousands of clocks that are due at once: how fast they are done, and what waits meanwhile."""

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
from pbm.app import MOST_TIMERS_TOGETHER
from pbm.service.running.steps import at_once
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
    def slow(self) -> float:
        """What of a hundred pieces all but the slowest take at most."""
        return quantiles(self.pieces, n=100)[98] if len(self.pieces) > 1 else self.pieces[0]


def measure(seconds: float = 2.0, size: Size = YEARS, together: int = TOGETHER) -> list[Row]:
    """Looks while nothing is due, then reminders and forfeits at once, on both databases."""
    rows: list[Row] = []
    for name, database in (("SQLite", _sqlite), ("PostgreSQL", _postgresql)):
        with database() as url:
            table = Table(url)
            fill(table.database, size)
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
        slow, ratio = f"{name}, a piece of these {what}, p99", done.slow / MOST
        yield Row(slow, "ms", 1000 * done.slow, f"{1000 * MOST:.0f} ms", ratio)


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
