"""Claims mails of the inbox, and handles each mail in a turn.

On PostgreSQL each turn has its own transaction, and several workers run at the same time. On
SQLite, which has one writer, turns share a transaction and its fsync, for `SLICE` seconds at most.
A row stays new until the commit, so a turn that failed can be repeated.

Slow work (parsing a long mail, hashing a password, replaying a whole game) runs in a thread,
without an open transaction. The mail is delayed meanwhile, and others are handled.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
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
from pbm.service.running.writer import Steps
from pbm.service.trouble.failures import GIVEN_UP_FOR, CrashMarker, Watchdog
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import NoOperatorError, tell_operator, tell_sender
from pbm.service.turns.handle_mail import handle
from pbm.slow_work import SlowWork, WorkNeeded
from pbm.store.db import Database, UnitOfWork
from pbm.store.queues.queue import ScanFloor
from pbm.store.sql.driver import gave_up, is_away
from pbm.store.values.mails import InboxMail, incoming

MOST_TRIES = 3
MOST_UNDER_WAY = 16  # mails with slow work; at this number only short mails are claimed
ASIDE_FOR = timedelta(minutes=1)  # over the watchdog's limit; then another process may claim it
SLICE = 0.03  # seconds until a batch commits; other writers wait for it
_log = structlog.get_logger("pbm.turn")


class TurnFailedError(Exception):
    """Raised if handling `mail` fails.

    `in_batch` is how many mails the batch has begun so far. Each of them may be the cause.
    """

    def __init__(self, mail: InboxMail, error: Exception, *, in_batch: int) -> None:
        super().__init__(f"mail {incoming(mail.id)}: {error}")
        self.mail = mail
        self.error = error
        self.in_batch = in_batch


@dataclass(eq=False)
class Preparation:
    """A mail that needs slow work, with the results so far."""

    mail: InboxMail
    slow: SlowWork = field(default_factory=SlowWork)
    under_way: Callable[[], None] | None = None  # slow work that is not finished
    started: bool = False  # the inbox delays the mail, and a thread may run the work

    def __post_init__(self) -> None:
        self.is_long = len(self.mail.raw) > LONG

    def read(self, site: Site) -> Envelope:
        """Return the parsed mail. Raises the parser's errors. A long mail may raise WorkNeeded."""
        read = partial(_read_mail, site, self.mail)
        return self.slow.outcome(("envelope",), read) if self.is_long else read()


class Preparations:
    """Claims the next mails of the inbox. Keeps the results of the slow work that mails need."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._floor = ScanFloor()
        self._kept: dict[int, Preparation] = {}
        self._to_do: list[Preparation] = []

    def claim(self, work: UnitOfWork, now: datetime, most: int) -> list[InboxMail]:
        """Claim at most `most` mails.

        Mails known to need slow work come first, if that work is finished or has not been started.
        """
        found: dict[int, InboxMail] = {}
        for number in self.ready():
            if len(found) == most:
                break
            mail = work.inbox.find_new(number, wait=False)
            if mail is None:
                self.forget(number)  # done, or claimed by another process
            else:
                found[number] = mail
        if len(found) < most:
            under_way = sum(known.under_way is not None for known in self._kept.values())
            claim = partial(work.inbox.claim, now, most - len(found), since=self._floor.since(now))
            if under_way >= MOST_UNDER_WAY:
                claimed = claim(most_bytes=LONG)
            else:
                claimed = claim()
                self._floor.found([mail.received_at for mail in claimed], now)
            for mail in claimed:
                found.setdefault(mail.id, mail)
        return list(found.values())

    def of(self, mail: InboxMail) -> Preparation:
        """Return a mail's preparation. If the mail is long, a thread is to parse it (slow work)."""
        known = self._kept.get(mail.id)  # after a rollback the number may belong to another mail
        if known and (known.mail.recipient, known.mail.raw) != (mail.recipient, mail.raw):
            known = None
        prepared = known or Preparation(mail)
        recipient = self._site.address.parse(mail.recipient) if prepared.is_long else None
        if isinstance(recipient, Plain | PlayerReply | QuestionReply) and not prepared.under_way:
            try:
                prepared.read(self._site)
            except WorkNeeded as needed:
                self.begin(prepared, needed)
            except Exception:  # noqa: BLE001 - the turn raises it again
                pass
        return prepared

    def begin(self, prepared: Preparation, needed: WorkNeeded) -> None:
        """Note a mail's slow work. The next batch starts it, and delays the mail meanwhile."""
        prepared.under_way, prepared.started = needed.do, False
        self._kept[prepared.mail.id] = prepared

    def start(self, prepared: Preparation) -> None:
        """Queue the slow work of a mail. A thread runs it after the batch has ended."""
        if not prepared.started:
            self._to_do.append(prepared)
        prepared.started = True

    def ready(self) -> list[int]:
        """Return the numbers of mails whose slow work is finished, or has not been started."""
        kept = self._kept.items()
        return [number for number, known in kept if not (known.under_way and known.started)]

    def forget(self, number: int) -> None:
        self._kept.pop(number, None)

    def to_do(self) -> list[Preparation]:
        """Return the preparations started since the last call."""
        started, self._to_do = self._to_do, []
        return started


def _read_mail(site: Site, mail: InboxMail) -> Envelope:
    own, limits = site.address.plain, LIMITS if mail.known else STRANGERS_LIMITS
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=limits)
    return envelope if envelope.automatic else masked(envelope)


@dataclass(frozen=True)
class BatchResult:
    mails: int  # handled or delayed
    more: bool  # others may wait


@dataclass
class InboxWorker:
    database: Database
    site: Site
    clock: Clock
    crash_marker: CrashMarker = field(default_factory=CrashMarker)
    watchdog: Watchdog | None = None
    preparations: Preparations = field(init=False, repr=False)
    seconds: Callable[[], float] = field(default=time.monotonic, init=False)

    def __post_init__(self) -> None:
        self.preparations = Preparations(self.site)

    def begin(self) -> None:
        """Prepare for handling mails when the process starts."""
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

    def run_batch(self, work: UnitOfWork, most: int) -> Steps[BatchResult]:
        """Handle at most `most` of the next mails. After `SLICE` seconds no other mail is begun.

        Before each mail, this yields whether it is long. After an error the caller must roll back.
        """
        now, began = self.clock(), self.seconds()
        most = most if self.database.embedded else 1  # a turn's commit releases all claimed rows
        mails = self.preparations.claim(work, now, most)
        done = 0
        aside: list[int] = []
        for mail in mails:
            if done and self.seconds() - began > SLICE:
                break
            prepared = self.preparations.of(mail)
            yield prepared.is_long
            if prepared.under_way:
                aside.append(mail.id)
                self.preparations.start(prepared)
                continue
            done += 1
            self._take(work, prepared, in_batch=done)
        if aside:
            work.inbox.put_aside(aside, now + ASIDE_FOR)
        count = done + len(aside)
        return BatchResult(count, more=count > 0 and (count == most or count < len(mails)))

    def work_out(self, preparation: Preparation) -> None:
        """Run a mail's slow work; called in a thread, outside any transaction."""
        with self._at_hand(preparation.mail):
            if preparation.under_way is not None:
                preparation.under_way()
            preparation.under_way = None

    def _take(self, work: UnitOfWork, prepared: Preparation, *, in_batch: int) -> None:
        """Handle a mail and write its changes. Raises WorkNeeded, TurnFailedError or DBAPIError."""
        mail = prepared.mail
        try:
            with self._at_hand(mail):
                outcome = self._handle(work, prepared)
                work.inbox.finish([(mail.id, outcome)], self.clock())
                work.end()
                _log.info("mail done", mail=incoming(mail.id), outcome=outcome)
        except WorkNeeded as needed:
            self.preparations.begin(prepared, needed)
            raise
        except Exception as error:
            if is_away(error) and not gave_up(error):
                raise
            raise TurnFailedError(mail, error, in_batch=in_batch) from error

    def _handle(self, work: UnitOfWork, prepared: Preparation) -> str:
        return handle(self._turn(work, prepared), prepared.mail, partial(prepared.read, self.site))

    def _turn(self, work: UnitOfWork, prepared: Preparation) -> Turn:
        return Turn(
            work=work,
            site=self.site,
            now=self.clock(),
            cause=Cause(prepared.mail.id, came_at=prepared.mail.received_at),
            slow=prepared.slow,
        )

    @contextmanager
    def _at_hand(self, mail: InboxMail) -> Iterator[None]:
        watched = self.watchdog.watching(mail.id) if self.watchdog else nullcontext()
        with watched, self.crash_marker.holding(mail.id):
            yield

    def count_failed(self, work: UnitOfWork, failed: TurnFailedError) -> None:
        """Count a failed try of a mail, except after a timeout or deadlock in the database."""
        mail, error = failed.mail, failed.error
        self.preparations.forget(mail.id)  # the next try repeats its slow work
        if gave_up(error):
            told = {"mail": incoming(mail.id), "error": in_a_line(error)}
            _log.warning("database gave up a turn, it waits", **told)
            work.inbox.put_aside([mail.id], self.clock() + GIVEN_UP_FOR)
        elif isinstance(error, NoOperatorError):
            work.inbox.count_try(mail.id, str(error))
            work.inbox.set_stuck(mail.id)
        else:
            _log.error("mail failed", mail=incoming(mail.id), exception=traceback_of(error))
            self._count(work, mail, in_a_line(error))

    def _count(self, work: UnitOfWork, mail: InboxMail, error: str) -> None:
        if work.inbox.count_try(mail.id, error) >= MOST_TRIES:
            work.inbox.set_stuck(mail.id)
            for tell in (tell_operator, tell_sender):
                try:
                    with work.savepoint():
                        tell(self._turn(work, Preparation(mail)), mail)
                        work.flush()
                except Exception as error:
                    if is_away(error):
                        raise
                    # The same fault may break this notice; the mail is stuck all the same.
                    told = {"mail": incoming(mail.id), "exception": traceback_of(error)}
                    _log.error("nobody told of a stuck mail", **told)
