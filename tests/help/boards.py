"""Labelled boards: cut out of the help's pages, and drawn from the rules to compare."""

from dataclasses import dataclass
from textwrap import dedent

from pbm.rules import abalone as rules
from tests.help.pages import page_text

_LABELS = "1 2 3 4 5"
_LINES = 11


@dataclass(frozen=True)
class Shown:
    """A labelled board of a page, and the words between it and the board above it."""

    words: str
    board: str


def boards_in(subject: str) -> list[Shown]:
    """The boards of a page, from its top to its bottom."""
    lines = page_text(subject).split("\n")
    tops = [number for number, line in enumerate(lines) if line.strip() == _LABELS]
    ends = [0, *(top + _LINES for top in tops)]
    return [
        Shown(flow("\n".join(lines[end:top])), dedent("\n".join(lines[top : top + _LINES])))
        for end, top in zip(ends, tops, strict=False)
    ]


def drawn(position: rules.AbalonePosition) -> str:
    """A position as a page should show it, without its place on the line."""
    return dedent(position.drawn())


def set_up(rows: str, turn: int) -> rules.AbalonePosition:
    """A position for two out of rows of `o` and `x`."""
    return rules.parse_state(f"{rows.replace('o', '1').replace('x', '2')} {turn} 0,0 -")


def after(position: rules.AbalonePosition, *moves: str) -> rules.AbalonePosition:
    """The position after some moves."""
    for move in moves:
        position = position.play(rules.parse_move(move, position)).position
    return position


def flow(text: str) -> str:
    """A text on one line, to look for words across the ends of its lines."""
    return " ".join(text.split())
