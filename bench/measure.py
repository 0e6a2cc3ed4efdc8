"""Measuring, and the table that it is told in."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure, `rate` in `unit` a second, beside the rate that it is compared with."""

    name: str
    unit: str
    rate: float
    beside: str
    ratio: float


def rate_of(
    work: Callable[[], int],
    *,
    at_least: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Repeat `work` for at least so many seconds; return how much it did in a second.

    `work` returns how many things it has done in one call. For work that waits for nothing
    `time.process_time` is the better clock: others on the same machine disturb it less.
    """
    done, start = 0, clock()
    while (spent := clock() - start) < at_least:
        done += work()
    return done / spent


def calibration() -> float:
    """A fixed loop's rounds a second: how fast this machine is, to read the rest by."""

    def loop() -> int:
        total = 0
        for number in range(100_000):
            total += number * number & 7
        return 100_000

    return rate_of(loop)


def table(rows: list[Row]) -> str:
    """Render the rows in Markdown."""
    lines = ["| what | a second | beside | ratio |", "| --- | --- | --- | --- |"]
    for row in rows:
        figure = f"{row.rate:,.0f} {row.unit}".replace(",", " ")
        lines.append(f"| {row.name} | {figure} | {row.beside} | {row.ratio:.2f} |")
    return "\n".join(lines)
