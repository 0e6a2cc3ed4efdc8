"""A seek for which not enough players have come: it lapses, and who waits in it is told."""

from pbm.play.seeks import close_seek
from pbm.service.telling.announce import announce_seeks
from pbm.service.ticks.tick import Again, Done, Tick


def lapse(tick: Tick) -> Done | Again:
    """Let a seek be over, unless it has begun, or the time has been given back."""
    tick.work.seeks.lock()
    seek = tick.work.seeks.find(int(tick.timer.about))
    if seek is None or seek.status != "open":
        return Done("the seek is over")
    wait = tick.waits_for_mail(seek.expires_at)
    if wait is not None:
        return wait
    if tick.now < seek.expires_at:
        return Again(seek.expires_at, "the server was down meanwhile")
    announce_seeks(tick, close_seek(tick.work, seek, "lapsed"))
    return Done(f"seek {seek.id} has lapsed")
