"""Heartbeats of processes, jumps of the system clock, and outages.

Each process regularly records the roles it runs and when each was last alive, so that a stuck loop
can be told from a dead process (docs/adr/processes.md).
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.play.clocks.calendar import DOWN, LISTENING, UNNOTICED, known_outages
from pbm.service.running.hold import hold_of
from pbm.service.running.writer import Writer
from pbm.store.db import UnitOfWork
from pbm.store.migrate import newest_version
from pbm.store.values.queues import Heartbeat
from pbm.version import version

LISTEN, TURN, POST, TICKS, ROBOTS = "listen", "turn", "post", "ticks", "robots"
ROLES = (LISTEN, TURN, POST, TICKS, ROBOTS)
"""The roles: accept mail, run turns, send mail, run timers, compute robots' moves."""
WEB = "web"
"""A role that a server can do without: show public pages."""

BEAT_EVERY = 20.0  # seconds
LATE = timedelta(seconds=60)  # without a heartbeat a process counts as dead or stuck
CLOCKS_AGREE = timedelta(seconds=30)  # largest harmless difference of two clocks
FORGOTTEN_AFTER = timedelta(days=1)
_LAST_BEAT_SECONDS = 5.0
_KEPT_FOR = timedelta(days=400)  # longer than any clock runs
_NOTICE_FROM = timedelta(days=1)  # after longer outages players are told their new deadlines
_log = structlog.get_logger("pbm.heartbeat")


def is_off(ahead: float) -> bool:
    return abs(ahead) > CLOCKS_AGREE.total_seconds()


class Heart:
    def __init__(self, clock: Clock, roles: Iterable[str]) -> None:
        self._clock = clock
        self._process = secrets.token_hex(8)  # the system reuses process ids
        self._host = socket.gethostname()
        self._versions = version(), newest_version()
        self._loops: dict[str, dict[int, datetime]] = {role: {} for role in sorted(roles)}
        self._is_off = False

    def alive(self, role: str, loop: int = 0) -> None:
        """Record that loop number `loop` of a role is alive. A role is stuck if a loop is stuck."""
        self._loops[role][loop] = self._clock()

    def stuck(self) -> list[str]:
        """Return the roles that have given no sign for the time `LATE`; thread-safe."""
        late = self._clock() - LATE
        loops = {role: list(of_role.values()) for role, of_role in self._loops.items()}
        return [role for role, moments in loops.items() if min(moments, default=late) < late]

    def beat(self, work: UnitOfWork) -> None:
        """Write heartbeats and delete old ones; warn if our clock differs from the database's."""
        now, ahead = self._clock(), work.heartbeats.clock_ahead(self._clock)
        was_off, self._is_off = self._is_off, is_off(ahead or 0)
        if self._is_off and not was_off:
            _log.warning("this clock is not the database's", seconds_ahead=round(ahead or 0))
        host, pid = self._host, os.getpid()
        beats = [
            Heartbeat(
                *(self._process, role, host, pid, now, min(loops.values(), default=now), ahead),
                *self._versions,
            )
            for role, loops in self._loops.items()
        ]
        work.heartbeats.beat(beats)
        if LISTEN in self._loops:
            note_listening(work, now)
        work.heartbeats.forget_dead(now - FORGOTTEN_AFTER)

    def end(self, work: UnitOfWork) -> None:
        work.heartbeats.forget(self._process)


async def keep_beating(heart: Heart, writer: Writer) -> None:
    while True:
        await asyncio.sleep(BEAT_EVERY)
        await beat(heart, writer)


async def beat(heart: Heart, writer: Writer) -> None:
    """Write heartbeats once. If the database is down, this is only logged."""
    try:
        await writer.do(heart.beat)
    except DBAPIError as error:
        _log.warning("database away, no heartbeat", error=str(error.orig))


async def stop_beating(heart: Heart, writer: Writer) -> None:
    """Delete this process's heartbeats; if the database is down, they expire by themselves."""
    try:
        async with asyncio.timeout(_LAST_BEAT_SECONDS):
            await writer.do(heart.end)
    except (DBAPIError, TimeoutError) as error:
        _log.warning("no leave taken, the process will be found dead", error=type(error).__name__)


class ClockWatch:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest: datetime | None = None  # until `mend` has succeeded

    async def mend(
        self, writer: Writer, bring_forward: Callable[[UnitOfWork, datetime], None]
    ) -> None:
        """If the system clock was set back, shorten waits with the function `bring_forward`.

        The first call also runs `bring_forward`. If a call raises DBAPIError, the next one runs the
        function again.
        """
        if self.went_back():
            now, self._latest = self._latest, None
            await writer.do(lambda work: bring_forward(work, self._clock()))
            self._latest = now

    def went_back(self) -> bool:
        """Return whether the clock was set back since the last call; True at the first call."""
        now, latest = self._clock(), self._latest
        went_back = latest is None or now < latest - UNNOTICED
        self._latest = now if latest is None or went_back else max(now, latest)
        return went_back


def note_listening(work: UnitOfWork, now: datetime, *, tells_dates: bool = True) -> None:
    """Record that the server accepts mail now, and the outage if it was down before.

    A hold is an outage that lasts until the release. If `tells_dates`, players are told their new
    deadlines after a long one.
    """
    if hold_of(work):
        return
    before = work.facts.find(LISTENING, lock=True)
    if before is not None and abs(now - before.noted_at) > UNNOTICED:
        outages = list(known_outages(work))
        # An end in the future was recorded while the clock was ahead.
        shifts = [(begin, max(begin, now) - end) for begin, end in outages if end > now]
        known = [(begin, min(end, now)) for begin, end in outages if begin < now]
        if before.noted_at < now:
            known.append((before.noted_at, now))
            shifts.append((before.noted_at, now - before.noted_at))
            if tells_dates and now - before.noted_at > _NOTICE_FROM:
                work.timers.set_new_dates(now)
        work.expiring.put_off_answers(shifts)
        work.seeks.lock()  # lock order: after the question being answered, before its rows
        work.expiring.put_off_seeks(shifts)
        told = [
            [begin.isoformat(), end.isoformat()] for begin, end in known if end > now - _KEPT_FOR
        ]
        work.facts.note(DOWN, told, now)
    work.facts.note(LISTENING, None, now)
