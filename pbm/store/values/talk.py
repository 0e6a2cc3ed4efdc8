"""What players said, and what was reported of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Said:
    """What somebody said to the others of a board."""

    handle: str
    said_at: datetime
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What a player told the operator about a board, with the words of others there."""

    id: int
    handle: str
    board_id: int
    reported_at: datetime
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]
