"""What the server keeps of its own running."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Change:
    """One act of the operator; `handle` and `board_id` name whom or what it is about, if any."""

    at: datetime
    who: str
    why: str
    what: str
    handle: str | None
    board_id: int | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Fact:
    """Something that the server knows of its surroundings, and since when; plain JSON."""

    value: Any
    noted_at: datetime


@dataclass(frozen=True)
class Heartbeat:
    """A role of a process: when the process last wrote, and when the role last went on.

    Both are by the clock of the process, which was `ahead` of the database's by so many seconds;
    None where the database has no clock of its own.
    """

    process: str
    role: str
    host: str
    pid: int
    beat_at: datetime
    alive_at: datetime
    ahead: float | None = None
