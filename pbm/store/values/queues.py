"""Dataclasses of timers, search jobs, analyses, the operator's changes, facts and heartbeats."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class TimerKind(StrEnum):
    """Kinds of timers. `pbm.service.ticks.jobs` has the function that runs for each kind."""

    FIRST_MOVE_REMINDER = "first-move-reminder"
    FIRST_MOVE_DECLINE = "first-move-decline"
    QUESTION_LAPSE = "question-lapse"
    DAILY_ERASURE = "daily-erasure"
    RATINGS = "ratings"
    CLOCK = "clock"
    VACATION = "vacation"
    VACATION_OVER = "vacation-over"
    SEEK_LAPSE = "seek-lapse"
    RECORD_LAPSE = "record-lapse"
    DIGEST = "digest"
    KEPT_NEWS = "kept-news"
    ACCOUNT_NEWS = "account-news"
    NEW_DATES = "new-dates"
    BROADCAST = "broadcast"
    RESTORED = "restored"  # tells players how their boards stand after a restore
    HEALTH = "health"
    CLAIMS = "claims"  # the digest of mails in a player's name
    WATCHERS = "watchers"  # those of a board who are told at once
    WATCHER = "watcher"  # one, who is told once a day


@dataclass(frozen=True)
class Timer:
    """A timer. A function for its kind runs at `due_at`."""

    id: int
    kind: str  # a `TimerKind`, or a kind of a newer version
    about: str  # key, unique within the kind
    board_id: int | None
    player_id: int | None
    question_id: int | None
    since: datetime  # start of the timer's period
    set_at: datetime  # when it was set or put off last
    due_at: datetime
    tries: int = 0
    last_error: str | None = None
    stuck: bool = False


class SearchKind(StrEnum):
    """Kinds of search jobs. `pbm.service.robots.handlers` has a handler for each kind."""

    MOVE = "move"
    DRAW = "draw"  # whether to accept one
    HINT = "hint"
    ANALYSIS = "analysis"


@dataclass(frozen=True)
class SearchJob:
    """A job for a robot, which searches the position on a board after the ply `ply`."""

    id: int
    kind: str  # a `SearchKind`
    about: str  # key, unique within the kind
    board_id: int
    ply: int
    player_id: int  # for whom the search counts as a job
    params: dict[str, Any]
    asked_at: datetime
    tries: int = 0  # failed ones
    last_error: str | None = None

    @property
    def is_long(self) -> bool:
        """Return whether the search is expected to take a second or longer."""
        return bool(self.params.get("long"))


@dataclass(frozen=True)
class KeptAnalysis:
    board_id: int
    mark: str  # identifies the state of the game that is analysed
    found: Mapping[str, Any]
    finished_at: datetime | None = None  # None if not complete yet


@dataclass(frozen=True)
class Change:
    """A change by the operator. If it concerns a player or a board, these are named."""

    at: datetime
    who: str
    why: str
    what: str
    handle: str | None
    board_id: int | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Ban:
    """Who may send no mail here."""

    what: str  # a handle, an address, a domain such as @example.net, or a network
    at: datetime
    who: str  # the operator
    why: str
    addresses: tuple[str, ...] = ()  # keys of the addresses of a banned player


@dataclass(frozen=True)
class Fact:
    """A named value about the server's environment."""

    value: Any  # plain JSON
    noted_at: datetime  # when it was stored


@dataclass(frozen=True)
class Heartbeat:
    """A sign that a process did its work in a role. Times are by the process's clock."""

    process: str
    role: str
    host: str
    pid: int
    beat_at: datetime  # when this was written
    alive_at: datetime  # last progress of the role's loop
    ahead: float | None = None  # seconds ahead of PostgreSQL's clock; None with SQLite
    program: str = ""  # version of the program; "" before 0.3.0
    tables: str = ""  # version of the tables that it needs

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"
