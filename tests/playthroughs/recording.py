"""What a recorded game looks like: told through the public face of the rules alone."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pbm.rules import abalone as rules
from pbm.rules.abalone import GAME
from tests.rules.random_positions import Setup

PLIES_BETWEEN_DIAGRAMS = 25

_EVENT = re.compile(
    r"^ *\d+ +[1-6] +(?P<move>\S+,\S+) |^ *-- +(?P<leaving>[1-6]) leaves ", re.MULTILINE
)
_ROW = "{:>3} {:>4} {:<8} {:<7} {:>2} {:<4} {}"


@dataclass(frozen=True)
class Move:
    """A move, as it was written."""

    text: str


@dataclass(frozen=True)
class Leaving:
    """A seat's leaving, which is no ply."""

    seat: int


Event = Move | Leaving


def read(text: str) -> Iterator[Event]:
    """What happened in a recorded game; whatever else it tells follows from that."""
    for found in _EVENT.finditer(text):
        yield Leaving(int(found["leaving"])) if found["leaving"] else Move(found["move"])


def tell(setup: Setup, events: Iterable[Event]) -> str:
    """The recording of a game: every ply in all notations, what came of it, and how it ended."""
    position = setup.start()
    lines = [str(setup), "", *_seats(position), "", *_shown(position), _headings()]
    ply = 0
    for event in events:
        if isinstance(event, Leaving):
            position = position.leave(event.seat)
            lines.append(_row("--", event.seat, "leaves", "", "", "", position))
            continue
        ply += 1
        played = _played(position, event.text)
        lines.append(_ply(ply, position, played))
        position = played.position
        if ply % PLIES_BETWEEN_DIAGRAMS == 0 and position.outcome is None:
            lines += ["", *_shown(position), _headings()]
    balances = (GAME.balance(setup.start(), position, seat) for seat in position.seats)
    balance = f"balance: {' '.join(f'{number:+}' for number in balances)}"
    return "\n".join([*lines, "", position.drawn(), "", _end(position), balance, ""])


def _seats(position: rules.AbalonePosition) -> Iterator[str]:
    for seat in position.seats:
        home = rules.home_of(position.marbles_of(seat))
        yield f"seat {seat}, {rules.symbol(position, seat)}: {position.count(seat)} marbles, {home}"


def _shown(position: rules.AbalonePosition) -> Iterator[str]:
    yield position.drawn()
    yield ""
    yield f"{position.state()}; such as {next(iter(rules.example_moves(position)), None)}"
    yield ""


def _headings() -> str:
    return _ROW.format("ply", "seat", "move", "Aba-Pro", "of", "off", "after it")


def _played(position: rules.AbalonePosition, text: str) -> rules.AbalonePlayed:
    """A move, found by its canonical text in both notations and among the legal ones."""
    move = rules.parse_move(text, position)
    assert str(move) == text
    assert rules.parse_abapro(rules.format_abapro(move, position), position) == move
    assert move in position.legal_moves()
    return position.play(move)


def _ply(ply: int, before: rules.AbalonePosition, played: rules.AbalonePlayed) -> str:
    assert before.turn is not None
    effect = played.effect
    off = f"{effect['ejected']}@{effect['from']}" if effect else ""
    abapro = rules.format_abapro(played.move, before)
    number = len(before.legal_moves())
    text = str(played.move)
    return _row(ply, before.turn, text, abapro, number, off, played.position)


def _row(
    ply: int | str,
    seat: int,
    text: str,
    abapro: str,
    number: int | str,
    off: str,
    after: rules.AbalonePosition,
) -> str:
    state = after.state()
    assert rules.parse_state(state) == after
    return _ROW.format(ply, seat, text, abapro, number, off, state)


def _end(position: rules.AbalonePosition) -> str:
    assert position.outcome is not None, "a recorded game ends"
    seats = " and ".join(f"seat {seat}" for seat in position.outcome.winners)
    return f"{f'won by {seats}' if seats else 'a draw'}: {position.outcome.by}"
