"""Dataclasses of watchers: players who are told of boards on which they do not play."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
