"""What is to be done at a moment."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TimerKind(StrEnum):
    """What is to be done at a moment; `pbm.service.ticks.jobs` has the handlers."""

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


@dataclass(frozen=True)
class Timer:
    """Something to be done at `due_at`, or looked at again then; its time counts from `since`.

    `kind` is a `TimerKind`, or one that only a newer program knows. `about` makes it one and the
    same of its kind. `set_at` is when it was written or put off last.
    """

    id: int
    kind: str
    about: str
    board_id: int | None
    player_id: int | None
    question_id: int | None
    since: datetime
    set_at: datetime
    due_at: datetime
    tries: int = 0
    last_error: str | None = None
    stuck: bool = False
