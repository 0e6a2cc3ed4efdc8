"""Dataclasses of plans: moves that a player wants to be played once others have moved."""

from dataclasses import dataclass, field
from datetime import datetime

ANY = "*"  # one move of another player, whichever it is
REST = "otherwise"  # all moves of others until it is the planner's turn


@dataclass(frozen=True)
class Step:
    """One move of a line: the planner's own, another player's, or `ANY` or `REST`."""

    move: str  # canonical, unless the position in which it is played is not known yet
    seat: int = field(default=0, compare=False)  # 0 if not known yet; the moves before tell it
    own: bool = False
    moves_others: bool = False  # the planner expects it to move other pieces, too


@dataclass(frozen=True)
class Line:
    """One path of a plan, from the position after the plan's ply."""

    steps: tuple[Step, ...]
    rank: tuple[int, ...] = ()  # how moves of others were met so far: lower ones are closer


@dataclass(frozen=True)
class Plan:
    """A player's plan on a board. The others must not learn of it."""

    board_id: int
    player_id: int
    ply: int  # up to which it has been followed
    taken_back: int  # as on the board when it was made
    lines: tuple[Line, ...]
    made_at: datetime
