"""What was played on a board, and how far it has got."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

MARK = 16  # characters of the mark of a position


@dataclass(frozen=True)
class Ply:
    """A played move; `effect` is what the rules say came of it, for the templates to word.

    `times` is how often the position after it had stood by then, as a claim counts it; None for
    moves of versions that did not count.
    """

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    played_at: datetime
    times: int | None = None


@dataclass(frozen=True)
class NewPly:
    """A move as it is written down; `stood` is the mark of the position after it."""

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    stood: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a board has got, as it is written down: its position, whose turn it is, its end.

    `status` is `playing`, `finished` or `closed`; `winners` are as those of a board.
    """

    state: str
    ply: int
    to_move_id: int | None
    status: str = "playing"
    ended_by: str | None = None
    winners: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Departure:
    """A seat given up after `after_ply` plies.

    `spared`: it ran out in the same absence as another board before, and costs no rating.
    """

    after_ply: int
    seat: int
    how: str
    left_at: datetime
    spared: bool = False


@dataclass(frozen=True)
class Bookkeeping:
    """What is kept beside a board so that it is found quickly; it follows from the board.

    `playing` holds every mark of its seats: one of the two while the books are in order.
    """

    to_move_id: int | None
    playing: frozenset[bool]
