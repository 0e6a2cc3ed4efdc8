"""Events of boards as they are stored, their readers, and those who watch boards of others."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


@dataclass(frozen=True)
class NewEvent:
    at: datetime
    kind: str
    fields: dict[str, Any]
    by_id: int | None = None  # the player who caused it
    cause: int | None = None  # the number of the mail that caused it
    unheard: tuple[int, ...] | None = None  # waiting readers who will not be told of it


@dataclass(frozen=True, kw_only=True)
class KeptEvent(NewEvent):
    number: int  # on its board, from 1


@dataclass(frozen=True)
class Waiting:
    """A reader whom a later mail will tell of events on a board."""

    player_id: int
    seen: int  # the number of the last event that the reader was told of
    since: datetime  # when the first event happened that waits
    waiting: int  # size of what waits, in characters


class How(StrEnum):
    """When a watcher is told."""

    DAILY = "daily"  # in one mail a day
    MOVES = "moves"  # of each move, at once
    END = "end"  # only of the end, at once


@dataclass(frozen=True)
class Watching:
    """That a player watches a board, or all boards of another player."""

    id: int
    watcher_id: int
    board_id: int | None
    followed_id: int | None
    how: How
    since: datetime
    over: bool  # nobody may follow that player any more; the watcher is still to be told
