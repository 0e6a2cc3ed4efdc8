"""SMTP callbacks: check recipients (RCPT), store mails (DATA) before the reply, log sessions."""

import time
from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.mail.reading.limits import is_long
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection, Session
from pbm.service.intake.keeping import Intake
from pbm.service.intake.recipients import WrongTag, check_recipient, count_wrong
from pbm.service.running.writer import InThread, Writer
from pbm.service.trouble.masking import masked, one_line, traceback_of
from pbm.store.db import Database
from pbm.store.sql.driver import is_away

_log = structlog.get_logger("pbm.receive")
_session_log = structlog.get_logger("pbm.session")
MOST_A_MINUTE = 60  # sessions without mail
_WINDOW = 60.0  # seconds


class Door:
    """Callbacks of the listener, for each recipient and mail."""

    def __init__(
        self,
        intake: Intake,
        database: Database,
        read_in: InThread,
        writer: Writer,
        look_in_thread: InThread,
    ) -> None:
        """`read_in` runs queries, perhaps in a thread; `look_in_thread` reads long mails."""
        self._intake, self._writer, self._database = intake, writer, database
        self._read_in, self._look_in_thread = read_in, look_in_thread

    async def accept_recipient(self, address: str, sender: str, caller: Caller) -> Rejection | None:
        """The refusal of a recipient, None if it is accepted. Raises DBAPIError."""

        def check() -> Rejection | None:
            with self._database.glance() as work:
                site, now = self._intake.site, self._intake.clock()
                return check_recipient(work, site, now, address, sender, caller)

        rejection = await self._read_in(check)
        if isinstance(rejection, WrongTag):
            now = self._intake.clock()
            await self._writer.do(partial(count_wrong, by=rejection.by, now=now))
        return rejection

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str | Rejection:
        """Keep a mail; return the text of the `250` reply, or the refusal. Raises DBAPIError."""
        look = partial(self._intake.look_at, sender, recipients, raw, caller)
        mail = await self._look_in_thread(look) if is_long(raw) else look()
        return await self._writer.do(partial(self._intake.keep_arrived, mail=mail))


def log_fault(fault: BaseException) -> None:
    """Log the reason of a 451: one line if the database is down, a traceback for a bug."""
    if isinstance(fault, DBAPIError) and is_away(fault):
        _log.warning("database away, mail is to come again", error=str(fault.orig))
    else:
        _log.error("listener-fault", exception=traceback_of(fault))


class SessionLog:
    """Logs SMTP sessions at their end; those without mail at a limited rate."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        """`seconds` is a monotonic clock."""
        self._seconds = seconds
        self._since = seconds()
        self._lines = 0
        self._left_out = 0

    def __call__(self, session: Session) -> None:
        """Log or count the session."""
        if session.is_trusted and session.is_uneventful:
            return
        now = self._seconds()
        if now - self._since >= _WINDOW:
            if self._left_out:
                _session_log.warning(
                    "sessions without mail, not told one by one", count=self._left_out
                )
            self._since, self._lines, self._left_out = now, 0, 0
        if not session.kept:
            self._lines += 1
            if self._lines > MOST_A_MINUTE:
                self._left_out += 1
                return
        _session_log.info(
            "session",
            peer=session.peer or "local socket",
            by=session.protocol,
            tls=session.is_encrypted,
            sender=masked(one_line(session.sender)),
            kept=session.kept,
            refused=session.refused,
            outcome="; ".join(masked(one_line(told)) for told in session.told),
            end=session.end,
        )
