"""Whole turns of this checkout beside those of another, in pairs: `--against PATH`.

Both servers run all the time and take a round in turns, first the one and then the other, so that
a machine that slows down does so to both. What counts is the median of the pairs' ratios.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import running, whole
from bench.smtp_load import SHAPES, Letter, Shape, load
from tests.postgres_server import running_postgres

ROUNDS = 11
SETTINGS = {
    "sqlite": whole.Setting("SQLite"),
    "pictures": whole.Setting("SQLite, pictures", picture=True),
    "postgresql": whole.Setting("PostgreSQL", postgresql=True),
}
_BOARDS = 200
# Run in a checkout: its own code makes its own database, and writes the mails of each round.
_LETTERS = """
import json, sys
from pathlib import Path
from bench import season
url, folder, boards, picture = sys.argv[1:]
boards = season.begin(url, Path(folder), int(boards), picture=bool(picture))
print(flush=True)
for _ in sys.stdin:
    mails = boards.round()
    print(json.dumps([[m.sender.decode(), m.recipient.decode(), m.raw.decode()] for m in mails]))
    sys.stdout.flush()
"""


@dataclass(frozen=True)
class Checkout:
    """A folder with the program and its `.venv`."""

    folder: Path

    @property
    def program(self) -> Path:
        """Its `pbm`."""
        return self.folder / ".venv" / "bin" / "pbm"

    @contextmanager
    def season(self, url: str, folder: Path, boards: int, *, picture: bool) -> Iterator["_Letters"]:
        """Boards in an empty database, and their mails."""
        words = ["-c", _LETTERS, url, str(folder), str(boards), "1" if picture else ""]
        with subprocess.Popen(
            [self.program.with_name("python"), *words],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            letters = _Letters(process)
            letters.line()
            yield letters
            process.kill()


@dataclass(frozen=True)
class _Letters:
    """The mails of a season, as the program that writes them sends them."""

    process: subprocess.Popen[str]

    def line(self) -> str:
        """The next line that it says."""
        assert self.process.stdout
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError("the boards of that checkout could not be begun")
        return said

    def round(self) -> list[Letter]:
        """The mails of the next ply of every board."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [
            Letter(sender.encode(), recipient.encode(), raw.encode())
            for sender, recipient, raw in json.loads(self.line())
        ]


@dataclass(frozen=True)
class Figures:
    """A round: turns a second, and milliseconds of the processor for a turn."""

    turns: float
    processor: float


@dataclass(frozen=True)
class Pair:
    """A round before and a round after."""

    before: Figures
    after: Figures


def measure(
    before: Path, settings: Sequence[str], *, rounds: int = ROUNDS, boards: int = _BOARDS
) -> Iterator[str]:
    """The lines of the table: the checkout at `before`, and this one after it."""
    here = Checkout(running.ROOT)
    yield "| what | before | after | ratio |"
    yield "| --- | --- | --- | --- |"
    with (
        load() as sending,
        running.next_server() as sink,
        running_postgres(whole.DURABLE) as postgres,
    ):
        place = whole.Place(sending, sink, postgres, whole.Size(boards, rounds))
        for setting in map(SETTINGS.__getitem__, settings):
            with (
                _game(place, setting, Checkout(before)) as old,
                _game(place, setting, here) as new,
            ):
                for shape in SHAPES:
                    yield from _told(f"{setting.name}; {shape.name}", _pairs(old, new, shape))


@contextmanager
def _game(place: whole.Place, setting: whole.Setting, checkout: Checkout) -> Iterator[whole.Game]:
    with tempfile.TemporaryDirectory() as name, place.database(setting, Path(name)) as url:
        folder = Path(name)
        season = checkout.season(url, folder, place.size.boards, picture=setting.picture)
        with (
            season as letters,
            place.server(setting, folder, url, letters, program=checkout.program) as game,
        ):
            yield game


def _pairs(old: whole.Game, new: whole.Game, shape: Shape) -> list[Pair]:
    pairs = []
    for number in range(old.place.size.rounds):
        if number % 2:
            after = _figures(new, shape)
            pairs.append(Pair(_figures(old, shape), after))
        else:
            before = _figures(old, shape)
            pairs.append(Pair(before, _figures(new, shape)))
    return pairs


def _figures(game: whole.Game, shape: Shape) -> Figures:
    used = game.processor_seconds()
    rate = game.round(shape).rate
    return Figures(rate, 1000 * (game.processor_seconds() - used) / game.place.size.boards)


def _told(name: str, pairs: Sequence[Pair]) -> Iterator[str]:
    yield _row(f"{name}, turns a second", pairs, lambda figures: figures.turns)
    yield _row(f"{name}, processor ms a turn", pairs, lambda figures: figures.processor)


def _row(name: str, pairs: Sequence[Pair], figure: Callable[[Figures], float]) -> str:
    before = [figure(pair.before) for pair in pairs]
    after = [figure(pair.after) for pair in pairs]
    ratio = median(new / old for old, new in zip(before, after, strict=True))
    return f"| {name} | {median(before):.2f} | {median(after):.2f} | {ratio:.3f} |"


def main(arguments: Sequence[str]) -> None:
    """Measure, and print each line as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench pairs", description=__doc__)
    parser.add_argument("--against", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
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
    for line in measure(asked.against, settings, rounds=asked.rounds):
        print(line, flush=True)
