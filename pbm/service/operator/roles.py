"""Whether each role is run by a process that lives, as their heartbeats tell."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from pbm.errors import OperatorError
from pbm.service.operator.finding import DoubtError, Finding, look_at
from pbm.service.running.heartbeat import FORGOTTEN_AFTER, LATE, ROLES
from pbm.store.values.running import Heartbeat

_MOST_NAMED = 5  # processes in a line


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
    if lost:
        raise OperatorError(f"No process runs it. {told} Start it again: {start}")
    raise OperatorError(f"No process runs it. Start one with: {start}")


def _is_lost(beat: Heartbeat, now: datetime) -> bool:
    return min(beat.beat_at, beat.alive_at) < now - LATE


def _lost(beat: Heartbeat, now: datetime) -> str:
    if beat.beat_at < now - LATE:
        at = f"{beat.beat_at:%Y-%m-%d %H:%M:%S} UTC"
        return f"The {_name(beat)} was last heard of at {at}: it died, was killed, or hangs."
    at = f"{beat.alive_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"The {_name(beat)} lives, but has stood still in this role since {at}: end it."


def _named(beats: Sequence[Heartbeat]) -> str:
    more = [f"{len(beats) - _MOST_NAMED} more"] if len(beats) > _MOST_NAMED else []
    return ", ".join([*map(_name, beats[:_MOST_NAMED]), *more])


def _name(beat: Heartbeat) -> str:
    return f"process {beat.pid} on {beat.host}"
