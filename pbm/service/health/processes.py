"""Finds roles that no process has, and wrong system clocks."""

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock, system_clock
from pbm.errors import OperatorError
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.service.running.heartbeat import CLOCKS_AGREE, FORGOTTEN_AFTER, LATE, ROLES, is_off
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import newest_version
from pbm.store.sql.driver import shown_url
from pbm.store.values.queues import Heartbeat

_MOST_NAMED = 5  # processes in a line
_STARTED = 18  # index, after the state, of the start time in /proc/N/stat (ticks since boot)
_DEAD = ("Z", "X")
_MOMENT = "%Y-%m-%d %H:%M:%S UTC"
_SET_IT = "Set it right, for good by NTP (timedatectl set-ntp true)."


def role_results(work: UnitOfWork, clock: Clock) -> list[CheckResult]:
    """Check each role that a server needs, and each that had a heartbeat recently."""
    now = clock()
    known = [beat for beat in seen_by(work, clock) if beat.beat_at > now - FORGOTTEN_AFTER]
    results, newest = [], newest_version()  # which reads a folder
    for role in dict.fromkeys([*ROLES, *sorted(beat.role for beat in known)]):
        of_role = [beat for beat in known if beat.role == role]
        start = f"pbm serve --roles={role}" if work.is_shared and known else "pbm serve"
        results.append(checked(f"role {role}", partial(_state, of_role, now, start, newest)))
    return results


def those_beating(heartbeats: Iterable[Heartbeat], now: datetime) -> str:
    """Name the processes that had a heartbeat recently; "" if there are none."""
    beating = {beat.process: beat for beat in heartbeats if beat.beat_at >= now - LATE}
    return _named(list(beating.values()))


def refuse_processes(database: Database, clock: Clock) -> None:
    """Raise OperatorError if a process uses a PostgreSQL database; on SQLite it would listen."""
    if database.embedded:
        return
    try:
        with database.reading() as work:
            beating = those_beating(seen_by(work, clock), clock())
    except DBAPIError:
        return  # there are no tables, or broken ones
    if beating:
        raise OperatorError(
            f"The database {shown_url(database.engine.url)} is used by {beating}. Stop all "
            "processes of the server first. One that was killed counts as running for a minute."
        )


def seen_by(work: UnitOfWork, clock: Clock) -> Iterator[Heartbeat]:
    """Yield all heartbeats. Times by the clock of another process are converted to `clock`."""
    here = work.heartbeats.clock_ahead(clock)
    for beat in work.heartbeats.all():
        ahead = 0.0 if here is None or beat.ahead is None else here - beat.ahead
        shift = timedelta(seconds=ahead)
        yield replace(beat, beat_at=beat.beat_at + shift, alive_at=beat.alive_at + shift)


def _state(of_role: Sequence[Heartbeat], now: datetime, start: str, tables: str) -> str:
    """Name a role's processes. Raises DubiousError if some died, OperatorError if none lives."""
    late = now - LATE
    lost = [beat for beat in of_role if min(beat.beat_at, beat.alive_at) < late]
    running = [beat for beat in of_role if beat not in lost]
    old = [beat for beat in running if beat.tables != tables]
    if old:
        program = old[0].program or "before 0.3.0"
        raise OperatorError(
            f"run by {_named(old)}, with pbm {program}, which is for other tables than these. "
            "Start it again."
        )
    if running and not lost:
        return f"run by {_named(running)}"
    told = " ".join(_lost(beat, late) for beat in lost[:_MOST_NAMED])
    if len(lost) > _MOST_NAMED:
        told += f" So did {len(lost) - _MOST_NAMED} more."
    if running:
        raise DubiousError(f"run by {_named(running)}. {told} Its log says more.")
    if any(map(_still_runs, lost)):
        raise OperatorError(f"{told} Its log says more.")
    if lost:
        raise OperatorError(f"No process runs it. {told} Start it again: {start}")
    raise OperatorError(f"No process runs it. Start one with: {start}")


def _lost(beat: Heartbeat, late: datetime) -> str:
    if beat.beat_at >= late:
        at = f"{beat.alive_at:{_MOMENT}}"
        return f"The {beat} lives, but has stood still in this role since {at}: end it."
    at = f"{beat.beat_at:{_MOMENT}}"
    if _still_runs(beat):
        return (
            f"The {beat} lives, but was last heard of at {at}: it cannot write to the "
            "database, as where a disk is full, or hangs."
        )
    return f"The {beat} was last heard of at {at}: it died, was killed, or hangs."


def _still_runs(beat: Heartbeat) -> bool:
    if beat.host != socket.gethostname():
        return False
    try:
        told = Path(f"/proc/{beat.pid}/stat").read_text(encoding="utf-8", errors="replace")
        up = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return False
    state, *others = told.rpartition(")")[2].split()
    # Another process may have the id by now; such a process started later.
    age = timedelta(seconds=up - int(others[_STARTED]) / os.sysconf("SC_CLK_TCK"))
    now = system_clock()
    return state not in _DEAD and now - age - LATE < beat.beat_at < now + LATE


def _named(beats: Sequence[Heartbeat]) -> str:
    more = [f"{len(beats) - _MOST_NAMED} more"] if len(beats) > _MOST_NAMED else []
    return ", ".join([*map(str, beats[:_MOST_NAMED]), *more])


def clocks_state(work: UnitOfWork, clock: Clock) -> str:
    """Compare all clocks with the database's. Raises OperatorError if some clocks are wrong."""
    here, now = work.heartbeats.clock_ahead(clock), clock()
    beats = list(seen_by(work, clock))
    if here is None:  # SQLite has no clock of its own
        for beat in beats:
            if beat.beat_at > now + CLOCKS_AGREE:
                raise OperatorError(
                    f"Process {beat.pid} on {beat.host} has written at "
                    f"{beat.beat_at:%Y-%m-%d %H:%M} UTC, which has not come yet: its clock is "
                    f"ahead, or this one is behind. {_SET_IT}"
                )
        return "nothing was written in the future"
    found = {f"this machine, {socket.gethostname()}": here}
    for beat in beats:
        if beat.ahead is not None and beat.beat_at >= now - LATE:
            found[str(beat)] = beat.ahead
    off = {name: seconds for name, seconds in found.items() if is_off(seconds)}
    if not off:
        return f"{', '.join(found)}: within {CLOCKS_AGREE.seconds} seconds of the database's"
    if len(off) == len(found) > 1 and not is_off(max(off.values()) - min(off.values())):
        raise OperatorError(
            f"The clock of the database's machine is {_by(-here)} those of {', '.join(off)}, "
            f"which agree. {_SET_IT}"
        )
    told = "; ".join(f"that of {name} is {_by(seconds)} it" for name, seconds in off.items())
    raise OperatorError(f"Compared with the clock of the database, {told}. {_SET_IT}")


def _by(seconds: float) -> str:
    return f"{timedelta(seconds=abs(round(seconds)))} {'ahead of' if seconds > 0 else 'behind'}"
