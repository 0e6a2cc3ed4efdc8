"""What is thought about apart from turns, and what comes of it for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class ThoughtKind(StrEnum):
    """What is to be thought about; `pbm.service.robots.jobs` has the handlers."""

    MOVE = "move"
    DRAW = "draw"  # whether to take one
    HINT = "hint"
    ANALYSIS = "analysis"


@dataclass(frozen=True)
class Thought:
    """Something to be thought about `board_id` as it stands at `ply`, in the share of a player.

    `kind` is a `ThoughtKind`. `about` makes it one and the same of its kind. `tries` have failed so
    far.
    """

    id: int
    kind: str
    about: str
    board_id: int
    ply: int
    player_id: int
    params: dict[str, Any]
    asked_at: datetime
    tries: int = 0
    last_error: str | None = None


@dataclass(frozen=True)
class KeptAnalysis:
    """What has been found about a board's game as `mark` names it; until `finished_at` a part."""

    board_id: int
    mark: str
    found: Mapping[str, Any]
    finished_at: datetime | None = None
