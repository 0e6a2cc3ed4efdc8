"""Whether the clocks of all processes are the database's, and whose is off if not."""

import socket
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pbm.clock import Clock
from pbm.errors import OperatorError
from pbm.service.running.heartbeat import CLOCKS_AGREE, LATE, is_off
from pbm.store.db import UnitOfWork
from pbm.store.values.running import Heartbeat

_SET_IT = "Set it right, for good by NTP (timedatectl set-ntp true)."


def seen_by(work: UnitOfWork, clock: Clock) -> list[Heartbeat]:
    """All heartbeats in the time of this clock, whatever the clocks of their processes say."""
    ahead = work.heartbeats.clock_ahead(clock)
    return [_seen(beat, ahead) for beat in work.heartbeats.all()]


def clocks_state(work: UnitOfWork, clock: Clock) -> str:
    """Compare the clocks of this machine and of all processes that live with the database's; an
    embedded one has none, so that it can be told only that the time was once ahead of this.

    Raises OperatorError, which names whose is off.
    """
    ahead, now = work.heartbeats.clock_ahead(clock), clock()
    if ahead is None:
        return _not_in_the_future(work.heartbeats.all(), now)
    found = {f"this machine, {socket.gethostname()}": ahead}
    for beat in work.heartbeats.all():
        if beat.ahead is not None and _seen(beat, ahead).beat_at >= now - LATE:
            found[f"process {beat.pid} on {beat.host}"] = beat.ahead
    off = {name: seconds for name, seconds in found.items() if is_off(seconds)}
    if not off:
        return f"{', '.join(found)}: within {CLOCKS_AGREE.seconds} seconds of the database's"
    if len(off) == len(found) > 1 and not is_off(max(off.values()) - min(off.values())):
        raise OperatorError(
            f"The clock of the database's machine is {_by(-ahead)} those of {', '.join(off)}, "
            f"which agree. {_SET_IT}"
        )
    told = "; ".join(f"that of {name} is {_by(seconds)} it" for name, seconds in off.items())
    raise OperatorError(f"Compared with the clock of the database, {told}. {_SET_IT}")


def _not_in_the_future(heartbeats: Sequence[Heartbeat], now: datetime) -> str:
    for beat in heartbeats:
        if is_off((ahead := beat.beat_at - now).total_seconds()) and ahead > timedelta():
            raise OperatorError(
                f"Process {beat.pid} on {beat.host} has written at {beat.beat_at:%Y-%m-%d %H:%M} "
                "UTC, which has not come yet: its clock is ahead, or this one is behind. "
                f"{_SET_IT}"
            )
    return "nothing was written in the future"


def _seen(beat: Heartbeat, ahead: float | None) -> Heartbeat:
    if ahead is None or beat.ahead is None:
        return beat
    shift = timedelta(seconds=ahead - beat.ahead)
    return replace(beat, beat_at=beat.beat_at + shift, alive_at=beat.alive_at + shift)


def _by(seconds: float) -> str:
    return f"{timedelta(seconds=abs(round(seconds)))} {'ahead of' if seconds > 0 else 'behind'}"
