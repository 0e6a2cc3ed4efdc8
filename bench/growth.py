"""Turns in a database where years of games are, beside the same turns in an empty one."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from bench.filling import Size, fill
from bench.measure import Row, rate_of
from bench.season import MOVES
from tests.growth import SendingTable
from tests.postgres_server import running_postgres

YEARS = Size(finished=100_000, running=2_000, pairs=20_000)
_TIMES = 5  # that each is measured; the best counts


def measure(seconds: float = 2.0, size: Size = YEARS, times: int = _TIMES) -> list[Row]:
    """Whole turns, the mail kept, obeyed and both boards sent, on both databases."""
    found: list[Row] = []
    for name, databases in (("SQLite", _sqlite), ("PostgreSQL", _postgresql)):
        with databases() as (empty, full):
            fill(full.database, size)
            works = {"an empty database": _turns(empty), "a full one": _turns(full)}
            found += _beside(name, _best(works, seconds, times))
            for table in (empty, full):
                table.leave()
    return found


@contextmanager
def _sqlite() -> Iterator[tuple[SendingTable, SendingTable]]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield (
            SendingTable(f"sqlite:///{folder / 'empty.sqlite3'}"),
            SendingTable(f"sqlite:///{folder / 'full.sqlite3'}"),
        )
    finally:
        shutil.rmtree(folder)


@contextmanager
def _postgresql() -> Iterator[tuple[SendingTable, SendingTable]]:
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres())
        empty, full = (stack.enter_context(server.new_database()) for _ in range(2))
        yield SendingTable(empty), SendingTable(full)


def _turns(table: SendingTable) -> Callable[[], int]:
    """A move on a board that goes on for ever, at each call."""
    table.intake.rates = replace(table.intake.rates, per_address=0)
    people = table.start("alice", "bob")
    to = [person.mail("Abalone Board").reply_to for person in people]
    plies = count()

    def turn() -> int:
        ply = next(plies)
        people[ply % 2].writes("", MOVES[ply % len(MOVES)], to=to[ply % 2])
        assert people[ply % 2].replied.startswith("250")
        table.mailboxes.clear()
        return 1

    return turn


def _best(works: Mapping[str, Callable[[], int]], seconds: float, times: int) -> dict[str, float]:
    """The best rate of each, measured in turn by the wall's clock: databases wait, too."""
    found = dict.fromkeys(works, 0.0)
    for _ in range(times):
        for name, work in works.items():
            rate = rate_of(work, at_least=seconds / times, clock=time.perf_counter)
            found[name] = max(found[name], rate)
    return found


def _beside(database: str, rates: Mapping[str, float]) -> list[Row]:
    empty, full = rates.values()
    return [
        Row(f"{database}, an empty database", "turns", empty, "itself", 1.0),
        Row(f"{database}, 102 000 boards in it", "turns", full, "the empty one", full / empty),
    ]
