"""A seek for which not enough players have come: it lapses, and who waits in it is told."""

from pbm.play.clocks.outages import time_lost
from pbm.play.seeks import close_seek
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.service.turns.announce import announce_seeks


def lapse(tick: Tick) -> Done | Again:
    """Let a seek be over, unless it has begun, or the time has been given back."""
    tick.work.seeks.lock()
    seek = tick.work.seeks.find(int(tick.timer.about))
    if seek is None or seek.status != "open":
        return Done("the seek is over")
    by = seek.expires_at + time_lost(tick.work, tick.timer.since, tick.now)
    if tick.now < by:
        return Again(by, "the server was down meanwhile")
    wait = tick.waits_for_mail(by)
    if wait is not None:
        return wait
    announce_seeks(tick, close_seek(tick.work, seek, "lapsed"))
    return Done(f"seek {seek.id} has lapsed")
