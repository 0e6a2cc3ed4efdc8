"""Claims mails of the inbox and runs a turn for each.

On a shared database a transaction has one turn, and several workers run at the same time. On
SQLite, which has one writer, the turns of a short time share a transaction and its sync. Handling a
row again is safe: until the commit it is new, afterwards it is done.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from pbm.apart import WorkNeeded
from pbm.clock import Clock
from pbm.mail.reading.limits import is_long
from pbm.mail.site import Site
from pbm.play.turn import Cause, Turn
from pbm.service.accounts import tell_whose_was_cleared
from pbm.service.running.writer import Steps
from pbm.service.trouble.failures import GIVEN_UP_FOR, CrashMarker
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import NoOperatorError, tell_operator, tell_sender
from pbm.service.trouble.watchdog import Watchdog
from pbm.service.turns.handle_mail import handle
from pbm.service.turns.preparation import Preparation, Preparations
from pbm.store.db import Database, UnitOfWork
from pbm.store.sql.driver import gave_up, is_away
from pbm.store.values.mails import InboxMail, incoming

MOST_TRIES = 3
ASIDE_FOR = timedelta(minutes=1)  # longer than the watchdog allows; then another process takes it
SLICE = 0.03  # seconds of turns in one transaction; other work waits for it
Tell = Callable[[Turn, InboxMail], None]
_log = structlog.get_logger("pbm.turn")


class TurnFailedError(Exception):
    """A turn raised an error, by a bug or a broken database; its transaction is undone.

    `in_batch` turns of that transaction had begun: with more than one, any may be to blame.
    """

    def __init__(self, mail: InboxMail, error: Exception, *, in_batch: int) -> None:
        super().__init__(f"mail {incoming(mail.id)}: {error}")
        self.mail = mail
        self.error = error
        self.in_batch = in_batch


@dataclass(frozen=True)
class BatchResult:
    """How many mails were handled or put aside, and whether more may wait."""

    mails: int
    more: bool


@dataclass
class InboxWorker:
    """Handles the mails of the inbox in the order of their places."""

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
        """Announce an upgrade's effects; count a try for mails whose turns a crash ended."""
        with self.database.transaction() as work:
            tell_whose_was_cleared(Turn(work=work, site=self.site, now=self.clock()))
            if self.database.embedded:
                work.inbox.take_back()
        with self.database.transaction() as work:
            self._suspect(work, self.crash_marker.left_over())
        self.crash_marker.clear()

    def _suspect(self, work: UnitOfWork, numbers: Iterable[int]) -> None:
        """Count a try for the mails in whose turns a process died.

        Only one of them may be to blame. So those with an earlier try are separated: each is put
        aside for longer than the one before it.
        """
        now = self.clock()
        found = [mail for mail in map(work.inbox.find_new, sorted(numbers)) if mail is not None]
        for mail in found:
            self._count(work, mail, "the server died while it obeyed this mail")
        again = [mail.id for mail in found if 0 < mail.tries < MOST_TRIES - 1]
        for place, number in enumerate(again[1:], start=1):
            work.inbox.put_aside([number], now + place * ASIDE_FOR)

    def run_batch(self, work: UnitOfWork, most: int) -> Steps[BatchResult]:
        """Handle the next mails, each a step, for `SLICE` seconds at most.

        Everything is undone if it raises TurnFailedError, WorkNeeded or DBAPIError.
        """
        now, began = self.clock(), self.seconds()
        most = most if self.database.embedded else 1  # the turn commits, which frees other claims
        mails = self.preparations.claim(work, now, most)
        done = 0
        aside: list[int] = []
        for mail in mails:
            if done and self.seconds() - began > SLICE:
                break
            yield is_long(mail.raw)
            prepared = self.preparations.of(mail)
            if prepared.is_under_way:
                aside.append(mail.id)
                continue
            done += 1
            with self._blamed(mail, in_batch=done):
                self._take(work, prepared)
        if aside:
            work.inbox.put_aside(aside, now + ASIDE_FOR)
        count = done + len(aside)
        return BatchResult(count, more=count > 0 and (count == most or count < len(mails)))

    def work_out(self, preparation: Preparation) -> None:
        """Work out what a turn needs, outside the event loop and any transaction."""
        with self._at_hand(preparation.mail):
            preparation.work_out()

    def _take(self, work: UnitOfWork, prepared: Preparation) -> None:
        """Handle a mail and write everything; on a shared database also commit."""
        mail = prepared.mail
        try:
            with self._at_hand(mail):
                outcome = self._handle(work, prepared)
                work.inbox.finish([(mail.id, outcome)], self.clock())
                work.finish_turn()
        except WorkNeeded as needed:
            prepared.must_do(needed)
            self.preparations.remember(prepared)
            raise
        _log.info("mail done", mail=incoming(mail.id), outcome=outcome)

    def _handle(self, work: UnitOfWork, prepared: Preparation) -> str:
        """Handle one mail; return the outcome for the operator."""
        return handle(self._turn(work, prepared), prepared.mail, prepared)

    def _turn(self, work: UnitOfWork, prepared: Preparation) -> Turn:
        return Turn(
            work=work,
            site=self.site,
            now=self.clock(),
            cause=Cause(prepared.mail.id, came_at=prepared.mail.received_at),
            passwords=prepared.passwords,
            apart=prepared.apart,
        )

    @contextmanager
    def _blamed(self, mail: InboxMail, *, in_batch: int) -> Iterator[None]:
        """Convert an error to that mail's TurnFailedError, unless the database is down."""
        try:
            yield
        except WorkNeeded:
            raise
        except Exception as error:
            if is_away(error) and not gave_up(error):
                raise
            raise TurnFailedError(mail, error, in_batch=in_batch) from error

    @contextmanager
    def _at_hand(self, mail: InboxMail) -> Iterator[None]:
        watched = self.watchdog.watching(mail.id) if self.watchdog else nullcontext()
        with watched, self.crash_marker.holding(mail.id):
            yield

    def count_failed(self, work: UnitOfWork, failed: TurnFailedError) -> None:
        """Count the try of a mail whose turn failed and was undone.

        If the database gave up, it is no try, and the mail waits for a while.
        """
        self.preparations.forget(failed.mail.id)  # a further try works it out again
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

    def _count(self, work: UnitOfWork, mail: InboxMail, error: str) -> None:
        if work.inbox.count_try(mail.id, error) >= MOST_TRIES:
            work.inbox.set_stuck(mail.id)
            for tell in (tell_operator, tell_sender):
                self._try(tell, work, mail)

    def _try(self, tell: Tell, work: UnitOfWork, mail: InboxMail) -> None:
        try:
            with work.savepoint():
                tell(self._turn(work, Preparation(mail)), mail)
                work.flush()
        except Exception as error:
            if is_away(error):
                raise
            # The same fault may break this notice; the mail is stuck all the same.
            trouble = traceback_of(error)
            _log.error("nobody told of a stuck mail", mail=incoming(mail.id), exception=trouble)
