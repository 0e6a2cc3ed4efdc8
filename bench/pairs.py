"""Whole turns of this checkout beside those of another version, in pairs: `--against COMMIT`, or
the folder of a checkout that has its `.venv`.

Both servers run all the time and take a round in turns, first the one and then the other, so that
a machine that slows down does so to both. What counts is the median of the pairs' ratios.
"""

import argparse
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from bench.checkout import HERE, Checkout, NoSuchVersionError, checked_out
from bench.costs import COUNTERS
from bench.place import Game, Place, Setting, Size, place
from bench.smtp_load import SHAPES, Shape

ROUNDS = 11
SETTINGS = {
    "sqlite": Setting("SQLite"),
    "pictures": Setting("SQLite, pictures", picture=True),
    "postgresql": Setting("PostgreSQL", postgresql=True),
    "processes": Setting(
        "PostgreSQL, three processes", postgresql=True, processes=("listen", "turn", "post")
    ),
}
_BOARDS = 200
_RATE = "turns a second"
Figures = Mapping[str, float]
"""What a round showed, each figure by its name."""


@dataclass(frozen=True)
class Pair:
    """A round before and a round after."""

    before: Figures
    after: Figures


def measure(
    before: Checkout, settings: Sequence[str], *, rounds: int = ROUNDS, boards: int = _BOARDS
) -> Iterator[str]:
    """The lines of the table: that checkout, and this one after it."""
    yield "| what | before | after | ratio |"
    yield "| --- | --- | --- | --- |"
    with place(Size(boards, rounds)) as here:
        for setting in map(SETTINGS.__getitem__, settings):
            with _game(here, setting, before) as old, _game(here, setting, HERE) as new:
                yield from _compared(setting.name, old, new)


def _compared(name: str, old: Game, new: Game) -> Iterator[str]:
    """As fast as mails are taken, and at half of what the one before can do."""
    rate = 0.0
    for shape in SHAPES:
        pairs = _pairs(old, new, partial(_costs, shape))
        yield from _told(f"{name}; {shape.name}", pairs)
        rate = median(pair.before[_RATE] for pair in pairs)
    pairs = _pairs(old, new, partial(_waits, SHAPES[-1], rate / 2))
    yield from _told(f"{name}; at half of the load before", pairs)


@contextmanager
def _game(here: Place, setting: Setting, checkout: Checkout) -> Iterator[Game]:
    with tempfile.TemporaryDirectory() as name, here.database(setting, Path(name)) as url:
        folder = Path(name)
        season = checkout.season(url, folder, here.size.boards, picture=setting.picture)
        with (
            season as letters,
            here.server(setting, folder, url, letters, program=checkout.program) as game,
        ):
            yield game


def _pairs(old: Game, new: Game, figures: Callable[[Game], Figures]) -> list[Pair]:
    pairs = []
    for number in range(old.place.size.rounds):
        if number % 2:
            after = figures(new)
            pairs.append(Pair(figures(old), after))
        else:
            before = figures(old)
            pairs.append(Pair(before, figures(new)))
    return pairs


def _costs(shape: Shape, game: Game) -> Figures:
    """The rate, and what a turn cost all processes together."""
    played = game.round(shape)
    spent: defaultdict[str, float] = defaultdict(float)
    for (_, counter), amount in played.used.items():
        spent[counter] += amount / game.place.size.boards
    costs = {f"{name} a turn": spent[name] for name in COUNTERS if name in spent}
    return {_RATE: played.rate, **costs}


def _waits(shape: Shape, a_second: float, game: Game) -> Figures:
    """Milliseconds from a final dot to the second board's arrival."""
    milliseconds = [1000 * seconds for seconds in game.round(shape, a_second=a_second).waited]
    return {
        "ms to both boards p50": median(milliseconds),
        "ms to both boards p99": quantiles(milliseconds, n=100)[98],
    }


def _told(name: str, pairs: Sequence[Pair]) -> Iterator[str]:
    for figure in pairs[0].before:
        before = [pair.before[figure] for pair in pairs]
        after = [pair.after[figure] for pair in pairs]
        ratios = [new / old for old, new in zip(before, after, strict=True) if old]
        told = f"{median(ratios):.3f}" if ratios else ""
        yield f"| {name}, {figure} | {median(before):.2f} | {median(after):.2f} | {told} |"


def main(arguments: Sequence[str]) -> None:
    """Measure, and print each line as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench pairs", description=__doc__)
    parser.add_argument("--against", required=True, metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--boards", type=int, default=_BOARDS)
    parser.add_argument(
        "settings",
        nargs="*",
        metavar="setting",
        help=f"{', '.join(SETTINGS)}; or all",
    )
    asked = parser.parse_args(arguments)
    settings = asked.settings or list(SETTINGS)
    if not set(settings) <= set(SETTINGS):
        parser.error(f"the settings are {', '.join(SETTINGS)}")
    before_us = signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # and cleaned up
    try:
        with checked_out(asked.against) as before:
            for line in measure(before, settings, rounds=asked.rounds, boards=asked.boards):
                print(line, flush=True)
    except NoSuchVersionError as error:
        parser.error(str(error))
    finally:
        signal.signal(signal.SIGTERM, before_us)
