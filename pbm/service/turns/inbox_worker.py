"""Claims mails of the inbox, and handles each mail in a turn, which is a piece of a writer's work.

On PostgreSQL each turn has its own transaction, and several workers run at the same time. On
SQLite, which has one writer, turns share a transaction and its fsync.
A row stays new until the commit, so a turn that failed can be repeated.

Slow work (parsing a long mail, hashing a password, replaying a whole game) runs in a thread,
without an open transaction. The mail is delayed meanwhile, and others are handled.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

import structlog

from pbm.clock import Clock
from pbm.commands.turn import Turn
from pbm.mail.address import Plain, PlayerReply, QuestionReply
from pbm.mail.reading.inbound import Envelope, masked, read
from pbm.mail.reading.limits import LIMITS, LONG, STRANGERS_LIMITS
from pbm.mail.site import Site
from pbm.play.turn import Cause
from pbm.service.accounts import tell_whose_was_cleared
from pbm.service.running.rounds import Alive, rounds, until
from pbm.service.running.writer import Claims, InThread, Writer
from pbm.service.trouble.failures import GIVEN_UP_FOR, CrashMarker, Watchdog, faults_to
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import NoOperatorError, tell_operator, tell_sender
from pbm.service.turns.handle_mail import handle
from pbm.slow_work import SlowWork, WorkNeeded
from pbm.store.db import Database, UnitOfWork
from pbm.store.queues.queue import ScanFloor
from pbm.store.sql.driver import gave_up, is_away
from pbm.store.values.mails import InboxMail, incoming, named

MOST_TRIES = 3
MOST_PREPARED = 4  # prepared mails that share a transaction; each may be long
MOST_UNDER_WAY = 16  # mails with slow work; at this number only short mails are claimed
ASIDE_FOR = timedelta(minutes=1)  # over the watchdog's limit; then another process may claim it
_READ = (Plain, PlayerReply, QuestionReply)  # recipients of mails that are parsed
_ENVELOPE = ("envelope",)
_log = structlog.get_logger("pbm.turn")


class TurnFailedError(Exception):
    def __init__(self, mail: InboxMail, error: Exception) -> None:
        super().__init__(f"mail {incoming(mail.id)}: {error}")
        self.mail = mail
        self.error = error


_EXPECTED = (WorkNeeded, TurnFailedError)


@dataclass(eq=False)
class Preparation:
    """A mail, with the results of slow work so far."""

    mail: InboxMail
    parse: Callable[[], Envelope]
    slow: SlowWork = field(default_factory=SlowWork)
    needed: Callable[[], None] | None = None  # slow work that is to be done before the turn
    started: bool = False  # the inbox delays the mail, and a thread may run the work

    @property
    def is_long(self) -> bool:
        return len(self.mail.raw) > LONG

    def read(self) -> Envelope:
        return self.slow.outcome(_ENVELOPE, self.parse) if self.is_long else self.parse()


def _parsed(site: Site, mail: InboxMail) -> Envelope:
    own, limits = site.address.plain, LIMITS if mail.known else STRANGERS_LIMITS
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=limits)
    return envelope if envelope.automatic else masked(envelope)


@dataclass
class InboxWorker:
    database: Database
    site: Site
    clock: Clock
    crash_marker: CrashMarker = field(default_factory=CrashMarker)
    watchdog: Watchdog = field(default_factory=Watchdog)

    def __post_init__(self) -> None:
        self.claims = Claims[InboxMail](self.database)
        self._floor = ScanFloor()
        self._prepared: dict[int, Preparation] = {}  # of mails that are long or need slow work
        self._to_start: list[Preparation] = []
        self._failed: dict[int, TurnFailedError] = {}  # to be counted
        self._latest: UnitOfWork | None = None  # the transaction of the latest turn

    def begin(self) -> None:
        with self.database.transaction() as work:
            tell_whose_was_cleared(Turn(work=work, site=self.site, now=self.clock()))
            if self.database.embedded:
                work.inbox.take_back()
        with self.database.transaction() as work:
            self._suspect(work, self.crash_marker.left_over())
        self.crash_marker.clear()

    def _suspect(self, work: UnitOfWork, numbers: Iterable[int]) -> None:
        """Count a failed try of each mail that was being handled when the server crashed.

        The mails are retried at different times, so that another crash shows which one is at fault.
        """
        now = self.clock()
        found = [mail for mail in map(work.inbox.find_new, sorted(numbers)) if mail is not None]
        for mail in found:
            self._count(work, mail, "the server died while it obeyed this mail")
        again = [mail.id for mail in found if 0 < mail.tries < MOST_TRIES - 1]
        for place, number in enumerate(again[1:], start=1):  # the next crash tells them apart
            work.inbox.put_aside([number], now + place * ASIDE_FOR)

    async def take(self, writer: Writer, most: int) -> bool:
        """Handle up to `most` mails; return whether others may wait. Raises DBAPIError."""
        ready = self.ready()[: min(most, MOST_PREPARED)]
        turns = [
            *(writer.do(partial(self.take_prepared, prepared=it), slow=it.is_long) for it in ready),
            *(writer.do(self.take_next) for _ in range(most - len(ready))),
        ]
        outcomes = await asyncio.gather(*turns, return_exceptions=True)
        for prepared, outcome in zip(ready, outcomes, strict=False):
            if outcome is True and not prepared.needed:
                self._prepared.pop(prepared.mail.id, None)
        failed = [*self._failed.values()]
        for each in failed:
            await writer.do(partial(self.count_failed, failed=each))
            del self._failed[each.mail.id]
        for outcome in outcomes:
            # The next round delays a mail that needs work, and repeats a turn that failed.
            if isinstance(outcome, BaseException) and not isinstance(outcome, _EXPECTED):
                raise outcome
        return bool(failed) or False not in outcomes

    def take_next(self, work: UnitOfWork) -> bool:
        """Handle the next mail; return whether others may wait.

        A mail that is long is only noted, for `take_prepared`. Raises WorkNeeded, TurnFailedError
        and DBAPIError.
        """
        if self.claims.are_late(work):
            return True
        mail = self.claims.next(work, self._claim)
        if mail is None:
            return False
        prepared = self._preparation(mail)
        if prepared.needed or not prepared.is_long:
            self._take(work, prepared)
        return True

    def take_prepared(self, work: UnitOfWork, prepared: Preparation) -> bool:
        """Handle a mail that is long or needed slow work. Raises as `take_next` does."""
        mail = work.inbox.find_new(prepared.mail.id, wait=False)
        if mail and self._preparation(mail) is prepared:
            self._take(work, prepared)
        else:  # done, claimed by another process, or never committed
            self._prepared.pop(prepared.mail.id, None)
        return True

    def ready(self) -> list[Preparation]:
        """Return the noted mails whose slow work is done, or has not been started."""
        return [known for known in self._prepared.values() if not (known.needed and known.started)]

    def to_start(self) -> list[Preparation]:
        """Return the mails that were delayed since the last call, for `work_out`."""
        delayed, self._to_start = self._to_start, []
        return delayed

    def work_out(self, preparation: Preparation) -> None:
        """Run a mail's slow work; called in a thread, outside any transaction."""
        number = preparation.mail.id
        with self.watchdog.watching(number), self.crash_marker.holding(number):
            if preparation.needed is not None:
                preparation.needed()
            preparation.needed = None

    def _claim(self, work: UnitOfWork) -> Sequence[InboxMail]:
        now = self.clock()
        under_way = sum(it.needed is not None for it in self._prepared.values())
        claim = partial(work.inbox.claim, now, self.claims.most, since=self._floor.since(now))
        if under_way >= MOST_UNDER_WAY:
            return claim(most_bytes=LONG)
        claimed = claim()
        self._floor.found([mail.received_at for mail in claimed], now)
        return claimed

    def _preparation(self, mail: InboxMail) -> Preparation:
        known = self._prepared.get(mail.id)  # after a rollback the number may be another mail's
        if known and (known.mail.recipient, known.mail.raw) == (mail.recipient, mail.raw):
            return known
        prepared = Preparation(mail, partial(_parsed, self.site, mail))
        if prepared.is_long:
            if isinstance(self.site.address.parse(mail.recipient), _READ):
                prepared.needed = partial(prepared.slow.do, {_ENVELOPE: prepared.parse})
            self._prepared[mail.id] = prepared
        return prepared

    def _take(self, work: UnitOfWork, prepared: Preparation) -> None:
        """Handle a mail and write its changes, or delay it if it needs slow work."""
        mail = prepared.mail
        if mail.id in self._failed:  # and is counted once this group of turns has ended
            return
        if prepared.needed:
            work.inbox.put_aside([mail.id], self.clock() + ASIDE_FOR)
            if not prepared.started:
                self._to_start.append(prepared)
            prepared.started = True
            return
        is_first, self._latest = self._latest is not work, work
        began = time.monotonic()
        try:
            with self.watchdog.watching(mail.id), self.crash_marker.holding(mail.id):
                turn = self._turn(work, mail, prepared.slow)
                outcome = self._handle(turn, prepared)
                taken, refused = "; ".join(turn.taken) or None, ",".join(turn.refused) or None
                work.inbox.finish([(mail.id, outcome)], self.clock(), taken)
                work.end()
                board = getattr(self.site.address.parse(mail.recipient), "board_id", None)
                told = named(mail.id, board=board, taken=taken, refused=refused)
                seconds = round(time.monotonic() - began, 4)
                _log.info("mail done", **told, outcome=outcome, seconds=seconds)
        except WorkNeeded as needed:
            prepared.needed, prepared.started = needed.do, False
            self._prepared[mail.id] = prepared
            raise
        except Exception as error:
            if is_away(error) and not gave_up(error):
                raise
            failed = TurnFailedError(mail, error)
            if is_first:  # else an earlier turn may be the cause; this one is repeated alone
                self._failed[mail.id] = failed
            raise failed from error

    def _handle(self, turn: Turn, prepared: Preparation) -> str:
        return handle(turn, prepared.mail, prepared.read)

    def _turn(self, work: UnitOfWork, mail: InboxMail, slow: SlowWork) -> Turn:
        return Turn(
            work=work,
            site=self.site,
            now=self.clock(),
            cause=Cause(mail.id, came_at=mail.received_at),
            slow=slow,
        )

    def count_failed(self, work: UnitOfWork, failed: TurnFailedError) -> None:
        """Count a failed try of a mail, except after a timeout or deadlock in the database."""
        mail, error = failed.mail, failed.error
        self._prepared.pop(mail.id, None)  # the next try repeats its slow work
        if gave_up(error):
            told = named(mail.id, error=in_a_line(error))
            _log.warning("database gave up a turn, it waits", **told)
            work.inbox.put_aside([mail.id], self.clock() + GIVEN_UP_FOR)
        elif isinstance(error, NoOperatorError):
            work.inbox.count_try(mail.id, str(error))
            work.inbox.set_stuck(mail.id)
        else:
            _log.error("mail failed", **named(mail.id, exception=traceback_of(error)))
            self._count(work, mail, in_a_line(error))

    def _count(self, work: UnitOfWork, mail: InboxMail, error: str) -> None:
        if work.inbox.count_try(mail.id, error) >= MOST_TRIES:
            work.inbox.set_stuck(mail.id)
            for tell in (tell_operator, tell_sender):
                # The same fault may break this notice; the mail is stuck all the same.
                with faults_to(partial(_log_untold, mail)), work.savepoint():
                    tell(self._turn(work, mail, SlowWork()), mail)
                    work.flush()


def _log_untold(mail: InboxMail, error: Exception) -> None:
    told = named(mail.id, exception=traceback_of(error))
    _log.error("nobody told of a stuck mail", **told)


async def take_turns(
    worker: InboxWorker, writer: Writer, in_thread: InThread, mail_kept: asyncio.Event, alive: Alive
) -> None:
    """Handle mails for ever; `in_thread` does slow work. New rows of the inbox set `mail_kept`."""

    async def work_out(preparation: Preparation) -> None:
        await in_thread(partial(worker.work_out, preparation))
        mail_kept.set()

    async def a_round() -> float | None:
        try:
            more = await worker.take(writer, worker.claims.most)
        finally:
            for preparation in worker.to_start():
                apart.create_task(work_out(preparation))
        # Several workers share the event, so another may have cleared it.
        return None if more or worker.ready() else until(None, worker.clock)

    async with asyncio.TaskGroup() as apart:
        await rounds(a_round, mail_kept, alive, "turns wait")
