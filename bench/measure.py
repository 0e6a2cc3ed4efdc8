"""Measuring, and the table that it is told in."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

CALIBRATION_ROUNDS = 1_000_000

_TURNS = 3


@dataclass(frozen=True)
class Row:
    """One figure, `rate` in `unit` a second, beside the rate that it is compared with."""

    name: str
    unit: str
    rate: float
    beside: str
    ratio: float

    def cells(self) -> list[str]:
        """The figure without decimals, and the ratio with two."""
        figure = f"{self.rate:,.0f} {self.unit}".replace(",", " ")
        return [self.name, figure, self.beside, f"{self.ratio:.2f}"]


def rate_of(
    work: Callable[[], int],
    *,
    at_least: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Repeat `work` for at least so many seconds, and once in any case; return what it did in one.

    `work` returns how many things it has done in one call. For work that waits for nothing
    `time.process_time` is the better clock: others on the same machine disturb it less.
    """
    done, spent, start = 0, 0.0, clock()
    while not done or spent < at_least:
        done += work()
        spent = clock() - start
    return done / max(spent, 1e-9)


def rates_of(works: Mapping[str, Callable[[], int]], *, at_least: float = 1.0) -> dict[str, float]:
    """The rates of works that wait for nothing and are to be compared.

    They take turns, and the best of each counts: a machine that is now fast and now slow is so to
    all of them.
    """
    found = dict.fromkeys(works, 0.0)
    for _ in range(_TURNS):
        for name, work in works.items():
            rate = rate_of(work, at_least=at_least / _TURNS, clock=time.process_time)
            found[name] = max(found[name], rate)
    return found


def beside(
    first: str, rates: Mapping[str, float], *, unit: str, called: str | None = None
) -> list[Row]:
    """Rows of the rates, each beside the one that is named first; `called` is its short name."""
    return [
        Row(name, unit, rate, "itself" if name == first else called or first, rate / rates[first])
        for name, rate in rates.items()
    ]


def calibration_ms() -> float:
    """The time that a fixed loop takes here, in milliseconds, to read the absolute figures by."""

    def loop() -> int:
        total = 0
        for number in range(CALIBRATION_ROUNDS):
            total += number * number & 7
        return 1

    return 1000 / max(rate_of(loop, at_least=0, clock=time.process_time) for _ in range(5))


def table(rows: Sequence[Row]) -> str:
    """Render rows in Markdown."""
    head = ("what", "a second", "beside", "ratio")
    return "\n".join(map(_piped, (head, ["---"] * len(head), *(row.cells() for row in rows))))


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
