"""Upkeep of the tables, in pieces: deletes old rows, and recounts ratings."""

from datetime import timedelta

from pbm.play.limits import REPORTS_KEPT, WORDS_KEPT
from pbm.play.ratings import STALE, recount
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import CONSENT_STANDS
from pbm.store.values.players import CountedBoard

_EVERY = timedelta(days=1)
_NEXT_ERASURE_AFTER = timedelta(seconds=1)  # so that turns wait briefly
AT_ONCE = 10  # boards; all turns wait while they are counted
_NEXT_COUNT_AFTER = timedelta(milliseconds=100)


def erase_old_rows(tick: Tick) -> Again:
    """Delete old rows, a piece at a time.

    Rates are old after a week, words after thirty days, reports and consents when they end.
    """
    more = tick.work.buckets.forget_full(tick.now)
    more |= tick.work.words.forget_before(tick.now - WORDS_KEPT)
    tick.work.reports.forget_before(tick.now - REPORTS_KEPT)
    tick.work.consents.forget_before(tick.now - CONSENT_STANDS)
    return Again(tick.now + (_NEXT_ERASURE_AFTER if more else _EVERY), "erased what is old")


def recount_ratings(tick: Tick) -> Done | Again:
    """Recount the next boards that were rated after one whose rating has changed."""
    work = tick.work
    work.ratings.hold()
    stale = work.facts.find(STALE, lock=True)
    if stale is None:
        return Done("no board to count anew")
    some = work.ratings.counted_from(stale.value, AT_ONCE)
    for counted in some:
        _count(work, counted)
    if len(some) < AT_ONCE:
        work.facts.forget(STALE)
        return Done(f"counted {len(some)} boards anew, and that was the last")
    work.facts.note(STALE, some[-1].number + 1, tick.now)
    return Again(tick.now + _NEXT_COUNT_AFTER, f"counted {len(some)} boards anew")


def _count(work: UnitOfWork, counted: CountedBoard) -> None:
    """Recount a board, unless its game is not installed."""
    board = work.boards.get(counted.board_id)
    if not board.is_installed:
        return
    found = recount(work, board, counted)
    if found is None:
        work.ratings.forget(counted)
    else:
        work.ratings.set_results(counted, found)
