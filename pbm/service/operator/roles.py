"""Whether each role is run by a process that lives, as their heartbeats tell."""

import os
import socket
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from pbm.clock import system_clock
from pbm.errors import OperatorError
from pbm.service.operator.finding import DoubtError, Finding, look_at
from pbm.service.running.heartbeat import FORGOTTEN_AFTER, LATE, ROLES
from pbm.store.values.running import Heartbeat

_MOST_NAMED = 5  # processes in a line
_STARTED = 18  # of what follows the state in /proc/N/stat: ticks from the boot to its start
_DEAD = ("Z", "X")


def role_findings(
    heartbeats: Sequence[Heartbeat], now: datetime, *, shared: bool
) -> Iterator[Finding]:
    """A finding for each role that there must be, and for any other that some process runs.

    `shared`: whether processes of one role each can be started on this database.
    """
    known = [beat for beat in heartbeats if beat.beat_at > now - FORGOTTEN_AFTER]
    for role in dict.fromkeys([*ROLES, *sorted(beat.role for beat in known)]):
        of_role = [beat for beat in known if beat.role == role]
        start = f"pbm serve --roles={role}" if shared and known else "pbm serve"
        yield look_at(f"role {role}", partial(_state, of_role, now, start))


def those_beating(heartbeats: Sequence[Heartbeat], now: datetime) -> str:
    """The names of the processes that have given a sign of life lately; empty if none has."""
    late = now - LATE
    beating = {beat.process: beat for beat in heartbeats if beat.beat_at >= late}
    return _named(list(beating.values()))


def _state(of_role: Sequence[Heartbeat], now: datetime, start: str) -> str:
    """Who runs a role. Raises DoubtError where some process has died, OperatorError where all."""
    lost = [beat for beat in of_role if _is_lost(beat, now)]
    running = [beat for beat in of_role if beat not in lost]
    if running and not lost:
        return f"run by {_named(running)}"
    told = " ".join(_lost(beat, now) for beat in lost[:_MOST_NAMED])
    if len(lost) > _MOST_NAMED:
        told += f" So did {len(lost) - _MOST_NAMED} more."
    if running:
        raise DoubtError(f"run by {_named(running)}. {told} Its log says more.")
    if any(map(_has_its_process, lost)):
        raise OperatorError(f"{told} Its log says more.")
    if lost:
        raise OperatorError(f"No process runs it. {told} Start it again: {start}")
    raise OperatorError(f"No process runs it. Start one with: {start}")


def _is_lost(beat: Heartbeat, now: datetime) -> bool:
    return min(beat.beat_at, beat.alive_at) < now - LATE


def _lost(beat: Heartbeat, now: datetime) -> str:
    if beat.beat_at < now - LATE:
        at = f"{beat.beat_at:%Y-%m-%d %H:%M:%S} UTC"
        if _has_its_process(beat):
            return (
                f"The {_name(beat)} lives, but was last heard of at {at}: it cannot write to the "
                "database, as where a disk is full, or hangs."
            )
        return f"The {_name(beat)} was last heard of at {at}: it died, was killed, or hangs."
    at = f"{beat.alive_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"The {_name(beat)} lives, but has stood still in this role since {at}: end it."


def _has_its_process(beat: Heartbeat) -> bool:
    """Whether there is a process of that number on this machine, begun before it was last heard of
    as another of the same number was not."""
    if beat.host != socket.gethostname():
        return False
    try:
        told = Path(f"/proc/{beat.pid}/stat").read_text(encoding="utf-8", errors="replace")
        up = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return False
    state, *others = told.rpartition(")")[2].split()
    age = timedelta(seconds=up - int(others[_STARTED]) / os.sysconf("SC_CLK_TCK"))
    now = system_clock()
    return state not in _DEAD and now - age - LATE < beat.beat_at < now + LATE


def _named(beats: Sequence[Heartbeat]) -> str:
    more = [f"{len(beats) - _MOST_NAMED} more"] if len(beats) > _MOST_NAMED else []
    return ", ".join([*map(_name, beats[:_MOST_NAMED]), *more])


def _name(beat: Heartbeat) -> str:
    return f"process {beat.pid} on {beat.host}"
