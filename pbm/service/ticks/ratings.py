"""Boards that have to be counted anew for ratings, a piece at a time."""

from datetime import timedelta

from pbm.play.ratings import STALE, recount
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.db import UnitOfWork
from pbm.store.values.ratings import CountedBoard

AT_ONCE = 10  # boards; all turns wait while they are counted
_NEXT_PIECE_AFTER = timedelta(milliseconds=100)  # so that nobody waits for long beside it


def count_anew(tick: Tick) -> Done | Again:
    """Count the next boards that were counted later than one that is none any more."""
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
    return Again(tick.now + _NEXT_PIECE_AFTER, f"counted {len(some)} boards anew")


def _count(work: UnitOfWork, counted: CountedBoard) -> None:
    """Count one anew. Where its game is not installed nothing can be said, and all stays."""
    board = work.boards.get(counted.board_id)
    if not board.is_installed:
        return
    found = recount(work, board, counted)
    if found is None:
        work.ratings.forget(counted)
    else:
        work.ratings.set_results(counted, found)
