"""Boards that have to be counted anew for ratings, a piece at a time."""

from datetime import timedelta

from pbm.play.ratings import STALE, recount
from pbm.service.ticks.tick import Again, Done, Tick

_AT_ONCE = 20
_NEXT_PIECE_AFTER = timedelta(milliseconds=200)  # so that nobody waits for long beside it


def count_anew(tick: Tick) -> Done | Again:
    """Count the next boards that were counted later than one that is none any more."""
    work = tick.work
    stale = work.facts.find(STALE, lock=True)
    if stale is None:
        return Done("no board to count anew")
    some = work.ratings.counted_from(stale.value, _AT_ONCE)
    for counted in some:
        found = recount(work, counted)
        if found is None:
            work.ratings.forget(counted)
        else:
            work.ratings.set_results(counted, found)
    if len(some) < _AT_ONCE:
        work.facts.forget(STALE)
        return Done(f"counted {len(some)} boards anew, and that was the last")
    work.facts.note(STALE, some[-1].number + 1, tick.now)
    return Again(tick.now + _NEXT_PIECE_AFTER, f"counted {len(some)} boards anew")
