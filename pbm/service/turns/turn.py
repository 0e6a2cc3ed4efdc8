"""A turn: one mail of the inbox, obeyed whole in one transaction.

It is claimed (`next_mails`), heard (`hearing`), and finished; then the commit.
Doing a row again changes nothing: until the commit it is still new, afterwards it is done.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog

from pbm.apart import WorkNeeded
from pbm.clock import Clock
from pbm.mail.reading.limits import is_long
from pbm.mail.site import Site
from pbm.play.turn import Cause, Turn
from pbm.service.accounts.cleared_passwords import tell_whose_was_cleared
from pbm.service.running.steps import Steps
from pbm.service.trouble.crash_marker import CrashMarker
from pbm.service.trouble.faults import GIVEN_UP_FOR
from pbm.service.trouble.mail_numbers import incoming
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import NoOperatorError, tell_operator, tell_sender
from pbm.service.trouble.watchdog import Watchdog
from pbm.service.turns.company import Companies
from pbm.service.turns.hearing import hear
from pbm.service.turns.next_mails import NextMails
from pbm.service.turns.preparation import Preparation, Preparations
from pbm.store.db import Database, UnitOfWork, gave_up, is_away
from pbm.store.transaction import WouldWaitError
from pbm.store.values.mails import InboxMail

MOST_TRIES = 3
ASIDE_FOR = timedelta(minutes=1)  # more than the watchdog allows; then another process takes it
MISSED_FOR = timedelta(milliseconds=100)  # until a board is looked at again that was not free
SLICE = 0.1  # seconds of turns in one transaction, for which the door has to wait
Tell = Callable[[Turn, InboxMail], None]
_log = structlog.get_logger("pbm.turn")


class TurnFailedError(Exception):
    """A turn went wrong in a way that nobody foresaw; everything that it did must be undone.

    `by_itself`: no other turn had come before it in its transaction, which might be to blame.
    """

    def __init__(self, mail: InboxMail, error: Exception, *, by_itself: bool) -> None:
        super().__init__(f"mail {incoming(mail.id)}: {error}")
        self.mail = mail
        self.error = error
        self.by_itself = by_itself


class GroupUndoneError(Exception):
    """Several turns cannot share a transaction as they were to: some will come alone."""


@dataclass(frozen=True)
class Taken:
    """How many mails were obeyed or put aside, whether more may wait, whether timers were
    set, or thoughts asked for, and whether some wait for boards that others have in hand; `missed`:
    how many of those were found this time."""

    mails: int
    more: bool
    timers_set: bool = False
    thoughts_asked: bool = False
    boards_missed: bool = False
    missed: int = 0


@dataclass
class Turns:
    """The inbox, taken a mail at a time, in the order of their places."""

    database: Database
    site: Site
    clock: Clock
    crash_marker: CrashMarker | None = None
    watchdog: Watchdog | None = None
    seconds: Callable[[], float] = field(init=False)
    preparations: Preparations = field(default_factory=Preparations, init=False, repr=False)

    def __post_init__(self) -> None:
        # Beside other processes, what those do with the processor ends no group: here one thread
        # takes all turns of a transaction.
        self.seconds = time.monotonic if self.database.embedded else time.thread_time
        self._next = NextMails(self.site, self.preparations)
        self._companies = Companies(self.site.address)
        self._missed_until = datetime.min.replace(tzinfo=UTC)

    def begin(self) -> None:
        """Tell what an upgrade did; count a try for the mails in whose turns a process died."""
        with self.database.transaction() as work:
            tell_whose_was_cleared(Turn(work=work, site=self.site, now=self.clock()))
            if self.database.embedded:
                work.inbox.take_back()
        for number in self.crash_marker.left_over() if self.crash_marker else ():
            with self.database.transaction() as work:
                mail = work.inbox.find_new(number)
                if mail is not None:
                    self._count(work, mail, "the server died while it obeyed this mail")
        if self.crash_marker:
            self.crash_marker.clear()

    def close(self) -> None:
        """Let another process remember in this one's place."""
        if self.crash_marker:
            self.crash_marker.close()

    def take_some(self, work: UnitOfWork, most: int) -> Steps[Taken]:
        """Obey the next mails, each a step; the outcome is what was `Taken`.

        It stops after `SLICE` seconds, so that others have not to wait for many slow turns, and
        after one for which all others wait. Where it raises, all is undone, and the next time
        the mail that was the reason is left aside, or comes first.
        Raises TurnFailedError, WorkNeeded and GroupUndoneError.
        """
        now, began = self.clock(), self.seconds()
        mails = self._next.claim(work, now, most)
        company = self._companies.of(work, mails)
        done = _Done()
        if company.first:
            yield from self._do(work, company.first, done, may_wait=True)
        if done.count and company.others and self._must_end(work, began):
            # The next time it comes first, or it might be left behind others again and again.
            self._companies.must_go_alone([company.others[0].id])
        elif company.others:
            held = self._companies.hold(work, company.others)
            done.missed = _numbers(company.others) - _numbers(held)
            # One by itself may wait, if not for its board: nobody else's is held meanwhile.
            by_itself = len(company.others) == 1 and company.first is None
            work.in_group = work.is_shared and not by_itself
            for mail in held:
                if mail is not held[0] and self._must_end(work, began):
                    break
                yield from self._do(work, mail, done, may_wait=by_itself)
        self._write_out(work, done, now)
        seen = done.count + len(done.missed)  # what was missed is passed over at the next look
        more = seen > 0 and (seen == most or seen < len(mails))
        told = work.timers.were_set, work.thoughts.were_asked
        waits = now <= self._missed_until
        return Taken(done.count, more, *told, boards_missed=waits, missed=len(done.missed))

    def _must_end(self, work: UnitOfWork, began: float) -> bool:
        """Whether others have waited for this transaction for long enough."""
        return work.holds_all_up or self.seconds() - began > SLICE

    def _do(
        self, work: UnitOfWork, mail: InboxMail, done: "_Done", *, may_wait: bool = False
    ) -> Steps[None]:
        yield is_long(mail.raw)
        prepared = self._next.prepared(mail)
        if prepared.is_under_way:
            done.aside.append(mail.id)
            return
        with self._blamed(mail, by_itself=not done.obeyed):
            outcome = self._take(work, prepared, may_wait=may_wait)
        done.obeyed.append((mail, outcome))

    def _write_out(self, work: UnitOfWork, done: "_Done", now: datetime) -> None:
        """Write all that is left to be written."""
        if done.missed:
            self._missed_until = now + MISSED_FOR
        obeyed = [mail for mail, _ in done.obeyed]
        try:
            work.inbox.put_aside(done.aside, now + ASIDE_FOR)
            work.inbox.put_aside(done.missed, now + MISSED_FOR)
            outcomes = [(mail.id, outcome) for mail, outcome in done.obeyed]
            work.inbox.finish(outcomes, self.clock())
            work.flush()
        except Exception as error:
            if not obeyed or _is_nobodys_fault(error):
                raise
            self._companies.must_go_alone(_numbers(obeyed))
            raise TurnFailedError(obeyed[0], error, by_itself=len(obeyed) == 1) from error
        self._companies.forget(_numbers(obeyed))

    def work_out(self, preparation: Preparation) -> None:
        """Work out what a turn needs; outside the event loop and any transaction."""
        try:
            with self._at_hand(preparation.mail):
                preparation.work_out()
        except OSError as error:  # nothing could be written into the file of what is in hand
            preparation.fail(error)

    def _take(self, work: UnitOfWork, prepared: Preparation, *, may_wait: bool) -> str:
        mail = prepared.mail
        try:
            with self._at_hand(mail):
                outcome = self._obey(work, mail, prepared)
                if may_wait:
                    work.flush()  # what goes wrong in it, or takes too long, is its own fault
        except WorkNeeded as needed:
            prepared.must_do(needed)
            self.preparations.remember(prepared)
            raise
        _log.info("mail done", mail=incoming(mail.id), outcome=outcome)
        return outcome

    @contextmanager
    def _blamed(self, mail: InboxMail, *, by_itself: bool) -> Iterator[None]:
        """Let a mail go alone, first in its transaction, that fails in the company of others."""
        try:
            yield
        except WorkNeeded:
            raise
        except WouldWaitError as error:
            self._companies.must_go_alone([mail.id])
            raise GroupUndoneError(str(error)) from error
        except Exception as error:
            if _is_nobodys_fault(error):
                raise
            self._companies.must_go_alone([mail.id])
            raise TurnFailedError(mail, error, by_itself=by_itself) from error

    @contextmanager
    def _at_hand(self, mail: InboxMail) -> Iterator[None]:
        watched = self.watchdog.watching(mail.id) if self.watchdog else nullcontext()
        held = self.crash_marker.holding(mail.id) if self.crash_marker else nullcontext()
        with watched, held:
            yield

    def count_in(self, work: UnitOfWork, failed: "TurnFailedError") -> None:
        """Count the try of a mail whose turn has failed and was undone; where the database gave
        up, that is none, and others come first for a while."""
        self.preparations.forget(failed.mail.id)  # a further try works it out anew
        if gave_up(failed.error):
            told = {"mail": incoming(failed.mail.id), "error": in_a_line(failed.error)}
            _log.warning("database gave up a turn, it waits", **told)
            work.inbox.put_aside([failed.mail.id], self.clock() + GIVEN_UP_FOR)
            return
        if isinstance(failed.error, NoOperatorError):
            work.inbox.count_try(failed.mail.id, str(failed.error))
            work.inbox.set_stuck(failed.mail.id)
            return
        trouble = traceback_of(failed.error)
        _log.error("mail failed", mail=incoming(failed.mail.id), exception=trouble)
        self._count(work, failed.mail, in_a_line(failed.error))

    def _obey(self, work: UnitOfWork, mail: InboxMail, prepared: Preparation) -> str:
        """Obey one mail and return the outcome for the operator."""
        return hear(self._turn(work, mail), mail, prepared)

    def _turn(self, work: UnitOfWork, mail: InboxMail) -> Turn:
        cause = Cause(mail.id, came_at=mail.received_at)
        return Turn(work=work, site=self.site, now=self.clock(), cause=cause)

    def _count(self, work: UnitOfWork, mail: InboxMail, error: str) -> None:
        if work.inbox.count_try(mail.id, error) >= MOST_TRIES:
            work.inbox.set_stuck(mail.id)
            for tell in (tell_operator, tell_sender):
                self._try(tell, work, mail)

    def _try(self, tell: Tell, work: UnitOfWork, mail: InboxMail) -> None:
        try:
            with work.savepoint():
                tell(self._turn(work, mail), mail)
                work.flush()
        except Exception as error:
            if is_away(error):
                raise
            # What broke the turn may break this, too; the mail is stuck all the same.
            trouble = traceback_of(error)
            _log.error("nobody told of a stuck mail", mail=incoming(mail.id), exception=trouble)


@dataclass
class _Done:
    """What a transaction has come to so far: mails that were obeyed, and the numbers of those that
    were put aside, and of those whose boards others have in hand."""

    obeyed: list[tuple[InboxMail, str]] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    missed: frozenset[int] = frozenset()

    @property
    def count(self) -> int:
        """How many were taken."""
        return len(self.obeyed) + len(self.aside)


def _is_nobodys_fault(error: Exception) -> bool:
    """Whether the database is away, so that any other mail would have failed, too."""
    return is_away(error) and not gave_up(error)


def _numbers(mails: Iterable[InboxMail]) -> frozenset[int]:
    return frozenset(mail.id for mail in mails)
