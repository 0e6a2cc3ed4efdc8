"""What is done when a timer comes, a line for each kind of it."""

from collections.abc import Mapping

from pbm.service.ticks import (
    accounts,
    clocks,
    digests,
    erasure,
    first_moves,
    questions,
    ratings,
    records,
    reminders,
    seeks,
    vacations,
)
from pbm.service.ticks.tick import Do
from pbm.store.values.timers import TimerKind

TIMERS: Mapping[str, Do] = {
    TimerKind.FIRST_MOVE_REMINDER: first_moves.remind,
    TimerKind.FIRST_MOVE_DECLINE: first_moves.decline,
    TimerKind.QUESTION_LAPSE: questions.lapse,
    TimerKind.DAILY_ERASURE: erasure.erase,
    TimerKind.CLOCK: clocks.watch,
    TimerKind.RATINGS: ratings.count_anew,
    TimerKind.VACATION: vacations.begin,
    TimerKind.VACATION_OVER: vacations.end,
    TimerKind.SEEK_LAPSE: seeks.lapse,
    TimerKind.RECORD_LAPSE: records.lapse,
    TimerKind.DIGEST: digests.send,
    TimerKind.KEPT_NEWS: digests.tell,
    TimerKind.ACCOUNT_NEWS: accounts.tell,
    TimerKind.NEW_DATES: reminders.tell_dates,
}

ALWAYS = (TimerKind.DAILY_ERASURE,)
"""Those that come again and again, of which there is one from the beginning."""
