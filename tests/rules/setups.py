"""Positions for tests, drawn or listed."""

import re

from pbm.rules import abalone as rules

ROWS = "abcdefghi"
CELLS = [f"{ROWS[r - 1]}{c}" for r in range(1, 10) for c in range(1, 10) if abs(r - c) < 5]


def placed(
    *marbles: str,
    turn: int | str = 1,
    scores: str = "",
    flags: str = "-",
    pillar: bool = False,
) -> rules.AbalonePosition:
    """A position from a list of cells for each seat, such as `placed("a1 b2", "e5")`."""
    seat_on = {cell: seat for seat, cells in enumerate(marbles, 1) for cell in cells.split()}
    assert len(seat_on) == sum(len(cells.split()) for cells in marbles), "two marbles on a cell"
    assert set(seat_on) <= set(CELLS)
    on = {cell: str(seat) for cell, seat in seat_on.items()} | ({"e5": "#"} if pillar else {})
    signs = {row: "".join(on.get(c, ".") for c in CELLS if c[0] == row) for row in ROWS}
    scores = scores or ",".join("0" * len(marbles))
    return rules.parse_state(f"{'/'.join(signs.values())} {turn} {scores} {flags}")


def teamed(
    *marbles: str, turn: int | str = 1, scores: str = "0,0,0,0", flags: str = ""
) -> rules.AbalonePosition:
    """A position in teams; seats of which nothing is said have a marble in a corner."""
    corners = ("a5", "e1", "h4", "i5")
    named = [*marbles, *corners[len(marbles) :]]
    return placed(*named, turn=turn, scores=scores, flags=f"teams;{flags}".rstrip(";"))


def drawn(diagram: str, turn: int = 1) -> rules.AbalonePosition:
    """The two players' position that a labelled diagram shows."""
    rows = re.findall(r"[A-I]- ([.ox ]+)", diagram)
    line = "/".join(row.replace(" ", "").translate(str.maketrans("ox", "12")) for row in rows)
    return rules.parse_state(f"{line} {turn} 0,0 -")


def move(text: str, position: rules.AbalonePosition) -> rules.AbalonePlayed:
    """What comes of a move in any spelling."""
    return position.play(rules.parse_move(text, position))


def marbles(position: rules.AbalonePosition, seat: int) -> str:
    """The cells with a seat's marbles, in reading order."""
    signs = position.state().split()[0].replace("/", "")
    return " ".join(cell for cell, sign in zip(CELLS, signs, strict=True) if sign == str(seat))


def won(position: rules.AbalonePosition) -> tuple[tuple[int, ...], str] | None:
    """Who has won, and by what."""
    return position.outcome and (position.outcome.winners, position.outcome.by)
