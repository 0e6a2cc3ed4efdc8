"""A turn in process, on SQLite: the mail kept, the move played, both boards written."""

import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import fmean

import structlog

from bench.measure import Row, rate_of
from tests.serving import keep
from tests.table import SERVER, Table

_together: Barrier  # of a process that takes turns beside others
_MOVES = ("a1-c3,d4", "i9-g7,f6")


def measure(seconds: float = 1.0) -> list[Row]:
    """Whole turns beside keeping the same mails and doing nothing with them."""
    with tempfile.TemporaryDirectory() as folder:
        keeping = _keeping(_table(Path(folder) / "keeping.sqlite3"), seconds)
        playing = _playing(_table(Path(folder) / "playing.sqlite3"), seconds)
    return [
        Row("mails kept, one commit each", "mails", keeping, "itself", 1.0),
        Row(
            "turns, kept and played and both boards written",
            "turns",
            playing,
            "keeping",
            playing / keeping,
        ),
    ]


def _table(file: Path) -> Table:
    """A server that takes any number of mails in an hour."""
    table = Table(f"sqlite:///{file}")
    table.intake.rates = replace(table.intake.rates, per_address=0)
    return table


def _keeping(table: Table, seconds: float) -> float:
    numbers = iter(range(10**9))

    def keep_one() -> int:
        raw = f"From: a@b.example\r\nMessage-ID: <{next(numbers)}@b.example>\r\n\r\nhello\r\n"
        keep(table, "a@b.example", (SERVER,), raw.encode())
        return 1

    return rate_of(keep_one, at_least=seconds)


def processor_ms(processes: int, seconds: float = 1.0) -> float:
    """What a turn costs where so many processes take turns that share nothing, in milliseconds of
    the processor; so what they do to each other by being there."""
    context = get_context("spawn")
    together = context.Barrier(processes)
    with context.Pool(processes, _wait_for, [together]) as pool:
        return fmean(pool.map(_processor_ms, [seconds] * processes, chunksize=1))


def _wait_for(together: Barrier) -> None:
    global _together
    _together = together


def _processor_ms(seconds: float) -> float:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        table = _table(Path(folder) / "alone.sqlite3")
        _together.wait()
        return 1000 / _playing(table, seconds, clock=time.process_time)


def _playing(table: Table, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    alice, bob = table.joins("alice"), table.joins("bob")

    def play() -> int:
        alice.says("challenge bob")
        for player, move in zip((alice, bob), _MOVES, strict=True):
            player.says(move)
        return len(_MOVES) + 1

    return rate_of(play, at_least=seconds, clock=clock)
