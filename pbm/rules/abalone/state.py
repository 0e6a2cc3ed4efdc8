"""The state line: a position in one line of text (rules, section 6).

`ROWS TURN SCORES FLAGS`: the rows a to i with `/` between them, each marble as the digit of its
seat, a fixed one as `#`; the seat that moves next, `-` once the game is over; the scores by seat;
and `-` or some of the flags `teams`, `out=3+5`, `quiet=17` and `won=1` or `draw`, in this order and
with `;` between them.

A position has one line. It may be set up rather than reached in play, but turn and outcome must
follow the rules.
"""

import re
from functools import lru_cache
from typing import TypeVar

from pbm.rules.abalone.board import CELLS, CENTRE, ROW_SLICES, ROWS, format_cell
from pbm.rules.abalone.pictures import MOST_MARBLES
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN, EMPTY, FIXED, TEAMS, Placement
from pbm.rules.contract import StateError

_Placement = TypeVar("_Placement", bound=Placement)

_LONGEST = 200
_MOST_KEPT = (
    1024  # lines, half a KB each with the position: those of one board are asked for again soon
)

_LINE = re.compile(
    r"(?P<rows>[^ ]+) (?P<turn>[1-6]|-) (?P<scores>[0-6](?:,[0-6]){1,5}) (?P<flags>[^ ]+)",
    re.ASCII,
)
_FLAG = re.compile(
    r"-|(?P<teams>teams)|out=(?P<out>[1-6](?:\+[1-6])*)|quiet=(?P<quiet>[1-9][0-9]{0,8})"
    r"|won=[1-6](?:\+[1-6])?|draw",
    re.ASCII,
)
_EMPTY_ROWS = [EMPTY * len(CELLS[row]) for row in ROW_SLICES]


@lru_cache(maxsize=_MOST_KEPT)
def format_state(position: Placement) -> str:
    """The state line of a position.

    >>> from pbm.rules.abalone.layouts import start
    >>> format_state(start("bowl", 6))
    '11.22/111222/.1...2./66....33/66.....33/66....33/.5...4./555444/55.44 1 0,0,0,0,0,0 -'
    """
    signs = position.signs("".join(map(str, position.seats)))
    rows = "/".join("".join(signs[row]) for row in ROW_SLICES)
    scores = ",".join(map(str, position.scores))
    return f"{rows} {position.turn or '-'} {scores} {';'.join(_flags(position)) or '-'}"


def _flags(position: Placement) -> list[str]:
    flags = ["teams"] if position.teams else []
    if position.out:
        flags.append("out=" + "+".join(map(str, sorted(position.out))))
    if position.quiet:
        flags.append(f"quiet={position.quiet}")
    if position.outcome:
        winners = "+".join(map(str, position.outcome.winners))
        flags.append(f"won={winners}" if winners else "draw")
    return flags


def read_state(text: str, kind: type[_Placement]) -> tuple[_Placement, int]:
    """The position in a state line without turn and outcome, and the seat that moves next.

    Raises StateError.
    """
    line = _LINE.fullmatch(text) if len(text) <= _LONGEST else None
    if line is None:
        raise StateError("bad-state", fault="parts")
    scores = tuple(map(int, line["scores"].split(",")))
    teams, out, quiet = _parse_flags(line["flags"])
    marbles, pillar = _parse_rows(line["rows"], len(scores))
    placed = kind(marbles, None, scores, out, quiet, teams=teams, pillar=pillar)
    _check_seats(placed)
    _check_sides(placed)
    first = 1 if line["turn"] == "-" else int(line["turn"])
    if first > placed.players:
        raise StateError("bad-state", fault="turn", seat=first)
    return placed, first


def _parse_rows(text: str, players: int) -> tuple[tuple[int, ...], bool]:
    """The marbles of each seat, and whether there is a fixed one."""
    rows = text.split("/")
    if [len(row) for row in rows] != [len(row) for row in _EMPTY_ROWS]:
        ends, empty = [ROWS[0], ROWS[-1]], "/".join(_EMPTY_ROWS)
        raise StateError("bad-state", fault="rows", ends=ends, empty=empty)
    marbles = [0] * players
    pillar = False
    for cell, character in zip(CELLS, "".join(rows), strict=True):
        if character == EMPTY:
            continue
        if character == FIXED and cell == CENTRE:
            pillar = True
            continue
        if character not in "123456"[:players]:
            centre = format_cell(CENTRE)
            raise StateError("bad-state", fault="cell", last=players, centre=centre)
        marbles[int(character) - 1] |= 1 << cell
    return tuple(marbles), pillar


def _parse_flags(text: str) -> tuple[bool, frozenset[int], int]:
    """`teams`, `out` and `quiet`; `won` and `draw` follow from the rest of the line."""
    teams, quiet = False, 0
    out: frozenset[int] = frozenset()
    for flag in text.split(";"):
        match = _FLAG.fullmatch(flag)
        if match is None:
            raise StateError("bad-state", fault="flags")
        teams = teams or bool(match["teams"])
        if match["out"]:
            out = frozenset(map(int, match["out"].split("+")))
        if match["quiet"]:
            quiet = int(match["quiet"])
    return teams, out, quiet


def _check_seats(position: Placement) -> None:
    for seat in position.seats:
        if position.count(seat) > MOST_MARBLES:
            raise StateError("bad-state", fault="marbles", seat=seat, most=MOST_MARBLES)
    if not position.out < set(position.seats):
        raise StateError("bad-state", fault="out")


def _check_sides(position: Placement) -> None:
    """Check that the teams are two, and that one side at most has won."""
    if position.teams and position.players != len(TEAMS) * 2:
        raise StateError("bad-state", fault="teams")
    scores = dict(zip(position.seats, position.scores, strict=True))
    if any(scores[side[0]] != scores[side[-1]] for side in position.groups):
        raise StateError("bad-state", fault="score")
    winners = [side for side in position.groups if scores[side[0]] >= EJECTIONS_TO_WIN]
    if len(winners) > 1 or any(position.out.issuperset(side) for side in winners):
        teams, most = position.teams, EJECTIONS_TO_WIN
        raise StateError("bad-state", fault="winners", teams=teams, ejections=most)
