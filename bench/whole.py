"""Whole turns, end to end: a player's mail in over SMTP, both boards delivered to a sink.

Real players, reply addresses, rules, templates and durable commits; nothing is switched off.
"""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median, quantiles

from bench import running, season, turns
from bench.backlog import Caught, backlog
from bench.costs import Cost, costs
from bench.measure import Line, Row
from bench.place import Game, Place, Round, Setting, Size, place
from bench.smtp_load import SHAPES, Letter, Shape
from tests.e2e.postfix import running_postfix

NOTHING = "aiosmtpd, doing nothing"
_MILLISECONDS = 5
_ALONE = Shape("one after the other", 2, True)
SQLITE = Setting("SQLite, one process")
POSTGRESQL = Setting("PostgreSQL, one process", postgresql=True)
SETTINGS = (
    SQLITE,
    Setting("SQLite, one process, pictures", picture=True),
    POSTGRESQL,
    Setting(
        "PostgreSQL, three processes",
        postgresql=True,
        processes=("listen", "turn", "post"),
    ),
)
TURN_PROCESSES = (1, 2, 4, 8)


@dataclass
class Told:
    """What was measured: rates and their ratios, and apart from them what turns cost."""

    rates: list[Row] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)


def measure(
    size: Size | None = None,
    settings: Sequence[Setting] = SETTINGS,
    turn_processes: Sequence[int] = TURN_PROCESSES,
) -> list[Line]:
    """All lines; first each setting beside the server that does nothing with the same mails in the
    same shape."""
    told = Told()
    with place(size or Size()) as here:
        for shape in SHAPES:
            _beside_nothing(told, here, shape, settings)
        for shape in SHAPES:
            _postgresql_beside_sqlite(told, here, shape)
        for number in turn_processes:
            _more_turn_processes(told, here, number)
            _turns_behind(told, here, number)
        told.rates += _sharing_nothing(turn_processes)
        for shape in SHAPES:
            _on_a_slow_disk(told, here, shape)
        for setting in (SQLITE, POSTGRESQL):
            _waiting(told, here, setting)
        _memory(told, here)
    return [*told.rates, *told.costs]


def _beside_nothing(told: Told, here: Place, shape: Shape, settings: Sequence[Setting]) -> None:
    """Rounds that each stand beside one of the server that does nothing, right before: a machine
    that slows down does so to both."""
    first, nothing = len(told.rates), list[float]()
    with running.nothing() as port:

        def note(name: str, unit: str, rate: Callable[[], float]) -> None:
            pairs = []
            for _ in range(here.size.rounds):
                nothing.append(_taking(here, port, shape))
                pairs.append((rate(), nothing[-1]))
            told.rates.append(_row(f"{name}; {shape.name}", unit, pairs, "doing nothing"))

        with running_postfix(here.next_server.port, main="defer_transports = smtp\n") as postfix:
            note("Postfix, to its queue", "mails", lambda: _taking(here, postfix.port, shape))
        for setting in settings:
            with here.game(setting) as game:
                rounds: list[Round] = []

                def rate(game: Game = game, rounds: list[Round] = rounds) -> float:
                    rounds.append(game.round(shape))
                    return rounds[-1].rate

                note(setting.name, "turns", rate)
            told.costs += _costs(here, f"{setting.name}; {shape.name}", rounds)
    name = f"{NOTHING}; {shape.name}"
    told.rates.insert(first, Row(name, "mails", median(nothing), "itself", 1.0))


def _row(name: str, unit: str, pairs: Sequence[tuple[float, float]], beside: str) -> Row:
    """The medians of figures and of their ratios to what each stands beside."""
    ratio = median(figure / other for figure, other in pairs)
    return Row(name, unit, median(figure for figure, _ in pairs), beside, ratio)


def _costs(here: Place, name: str, rounds: Sequence[Round]) -> list[Cost]:
    return costs(name, [item.used for item in rounds], here.size.boards * len(rounds))


def _taking(here: Place, port: int, shape: Shape) -> float:
    """Mails a second that a server takes; they are those of a round of turns."""
    letters = 3 * _letters(here.size.boards)
    sent = here.load.send(port, letters, shape)
    return len(letters) / (max(item.reply for item in sent) - min(item.dot for item in sent))


@cache
def _letters(boards: int) -> list[Letter]:
    with tempfile.TemporaryDirectory() as name:
        url = f"sqlite:///{Path(name) / 'pbm.sqlite3'}"
        return season.begin(url, Path(name), boards, picture=False).round()


def _in_turns(here: Place, shape: Shape, one: Setting, other: Setting) -> list[tuple[Round, Round]]:
    """Rounds of two servers that both run, one of each in turn."""
    with here.game(one) as first, here.game(other) as second:
        return [(first.round(shape), second.round(shape)) for _ in range(here.size.rounds)]


def _rates(
    pairs: Sequence[tuple[Round, Round]] | Sequence[tuple[Caught, Caught]],
) -> list[tuple[float, float]]:
    return [(one.rate, other.rate) for one, other in pairs]


def _postgresql_beside_sqlite(told: Told, here: Place, shape: Shape) -> None:
    pairs = _in_turns(here, shape, POSTGRESQL, SQLITE)
    name = f"{POSTGRESQL.name}; {shape.name}"
    used = [
        (one.milliseconds / here.size.boards, other.milliseconds / here.size.boards)
        for one, other in pairs
    ]
    told.rates += [
        _row(name, "turns", _rates(pairs), "SQLite's rate"),
        _row(f"{name}, its own processor time", "ms a turn", used, "SQLite's"),
    ]


def _more_turn_processes(told: Told, here: Place, number: int) -> None:
    """So many processes that take turns, one that listens and one that sends, beside the same
    with one that takes turns."""
    setting = Setting(
        f"PostgreSQL, {_processes(number)}, a listener, a post",
        postgresql=True,
        processes=("listen", *["turn"] * number, "post"),
    )
    shape = SHAPES[1]
    if number == 1:
        with here.game(setting) as game:
            pairs = [(game.round(shape),) * 2 for _ in range(here.size.rounds)]
    else:
        pairs = _in_turns(here, shape, setting, SETTINGS[-1])
    name = f"{setting.name}; {shape.name}"
    told.rates.append(_row(name, "turns", _rates(pairs), "one turn process"))
    told.costs += _costs(here, name, [one for one, _ in pairs])


def _turns_behind(told: Told, here: Place, number: int) -> None:
    """So many processes that take turns, of mails that wait already, beside one."""
    mails = number * here.size.behind
    with ExitStack() as stack:
        waiting = stack.enter_context(backlog(here, number, mails))
        beside = waiting if number == 1 else stack.enter_context(backlog(here, 1, mails))
        pairs = []
        for _ in range(here.size.rounds):
            caught = waiting.round()
            pairs.append((caught, caught if beside is waiting else beside.round()))
    name = f"PostgreSQL, {_processes(number)}, {mails} mails wait"
    used = [(one.milliseconds, other.milliseconds) for one, other in pairs]
    together = [(one.together, other.together) for one, other in pairs]
    told.rates += [
        _row(name, "turns", _rates(pairs), "one turn process"),
        _row(f"{name}, their processor time", "ms a turn", used, "one turn process"),
        _row(f"{name}, in a transaction", "turns", together, "one turn process"),
    ]
    of_one = [one for one, _ in pairs]
    told.costs += costs(name, [it.used for it in of_one], sum(it.turns for it in of_one))


def _sharing_nothing(numbers: Sequence[int]) -> list[Row]:
    """What the same machine does to processes that have a database each, and no lock in common."""
    costs_of = {number: turns.processor_ms(number) for number in {1, *numbers}}
    return [
        Row(
            f"SQLite, {number} programs that share nothing, their processor time",
            "ms a turn",
            costs_of[number],
            "one such program",
            costs_of[number] / costs_of[1],
        )
        for number in numbers
    ]


def _processes(number: int) -> str:
    return "one turn process" if number == 1 else f"{number} turn processes"


def _on_a_slow_disk(told: Told, here: Place, shape: Shape) -> None:
    """The same server with each fsync slower, beside itself."""
    with tempfile.TemporaryDirectory() as name:
        slow = Setting("slow", variables=running.slow_disk(Path(name), _MILLISECONDS))
        pairs = _in_turns(here, shape, slow, SQLITE)
    words = f"{SQLITE.name}, each fsync {_MILLISECONDS} ms longer; {shape.name}"
    told.rates.append(_row(words, "turns", _rates(pairs), "its own rate"))


def _waiting(told: Told, here: Place, setting: Setting) -> None:
    """From the final dot to the second board's arrival, at half of the load that can be done."""
    shape = SHAPES[1]
    with here.game(setting) as game:
        alone = median(game.round(_ALONE, a_second=20).waited)
        half = game.rate(shape) / 2
        rounds = [game.round(shape, a_second=half) for _ in range(here.size.rounds)]
    waited = [seconds for item in rounds for seconds in item.waited]
    slow = quantiles(waited, n=100)[98]
    name = f"{setting.name}, final dot to both boards"
    told.rates += [
        Row(f"{name}, alone, p50", "ms", alone * 1000, "itself", 1.0),
        *(
            Row(f"{name}, at half load, {which}", "ms", seconds * 1000, "alone", seconds / alone)
            for which, seconds in (("p50", median(waited)), ("p99", slow))
        ),
    ]


def _memory(told: Told, here: Place) -> None:
    with here.game(SQLITE) as game:
        game.rate(SHAPES[1])
        under_load = game.memory()
    told.rates += [
        Row("memory, just started", "MB", game.at_rest, "itself", 1.0),
        Row("memory, after that load", "MB", under_load, "started", under_load / game.at_rest),
    ]
