"""Once a day: what is kept for a time only, and whose time is over."""

from datetime import timedelta

from pbm.play.reports import KEPT, WORDS_KEPT
from pbm.service.ticks.tick import Again, Tick
from pbm.store.values.questions import CONSENT_STANDS

_EVERY = timedelta(days=1)
_NEXT_PIECE_AFTER = timedelta(seconds=1)  # so that nobody waits for long beside it


def erase(tick: Tick) -> Again:
    """Delete rates of more than a week ago, words of more than thirty days ago, older reports and
    consents that are over, a piece at a time."""
    more = tick.work.buckets.forget_full(tick.now)
    more |= tick.work.words.forget_before(tick.now - WORDS_KEPT)
    tick.work.reports.forget_before(tick.now - KEPT)
    tick.work.consents.forget_before(tick.now - CONSENT_STANDS)
    return Again(tick.now + (_NEXT_PIECE_AFTER if more else _EVERY), "erased what is old")
