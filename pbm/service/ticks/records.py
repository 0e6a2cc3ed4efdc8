"""A record that a player has brought in, and that nobody looks at any more: it goes."""

from pbm.play.records import KEPT_UNSEEN
from pbm.service.ticks.tick import Again, Done, Tick


def lapse(tick: Tick) -> Done | Again:
    """Forget a record, unless somebody has looked at it since."""
    board = tick.work.boards.find(int(tick.timer.about), lock=True)
    if board is None:
        return Done("the record has gone")
    by = board.changed_at + KEPT_UNSEEN
    if tick.now < by:
        return Again(by, "somebody has looked at it")
    tick.work.playing.forget(board.id)
    return Done(f"nobody looks at record {board.id} any more")
