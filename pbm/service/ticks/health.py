"""Looks at the server's own state every few minutes, and mails the operator what is red."""

from datetime import datetime, timedelta

from pbm.service.health.figures import note_size
from pbm.service.health.stored import stored_results
from pbm.service.health.telling import tell_what_is_red
from pbm.service.running.heartbeat import TICKS
from pbm.service.ticks.tick import Tick

_EVERY = timedelta(minutes=10)


def look_after_health(tick: Tick) -> datetime:
    machine = tick.slow.outcome("machine", tick.look_at_machine)
    stored = list(stored_results(tick.work, lambda: tick.now, tick.site.authserv_id))
    note_size(tick.work, tick.now)
    # A process with this role is alive, as it looks. If its signs are late, the clock has jumped.
    if all(result.good for result in stored if result.what == f"role {TICKS}"):
        tell_what_is_red(tick, [*stored, *machine])
    return tick.now + _EVERY
