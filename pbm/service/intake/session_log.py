"""Logs each SMTP session, masked.

Uneventful sessions of trusted peers are not logged. Sessions without mail are logged up to a number
a minute, so that strangers cannot fill the disk.
"""

import time
from collections.abc import Callable

import structlog

from pbm.mail.smtp_in.handler import Session
from pbm.service.trouble.masking import masked, one_line

MOST_A_MINUTE = 60  # sessions without mail
_WINDOW = 60.0  # seconds
_log = structlog.get_logger("pbm.session")


class SessionLog:
    """Called with each session at its end."""

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
                _log.warning("sessions without mail, not told one by one", count=self._left_out)
            self._since, self._lines, self._left_out = now, 0, 0
        if not session.kept:
            self._lines += 1
            if self._lines > MOST_A_MINUTE:
                self._left_out += 1
                return
        _log.info(
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
