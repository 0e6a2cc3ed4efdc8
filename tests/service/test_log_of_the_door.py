"""What the operator reads of mails that come in: of connections, and where a client is told 451."""

import sqlite3

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from structlog.testing import capture_logs

from pbm.mail.smtp_in.handler import QUIT, Session
from pbm.service.intake.door import MOST_A_MINUTE, SessionLog, log_fault


def away() -> DBAPIError:
    """A database that is full."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"
    return OperationalError("INSERT …", None, error)


def test_a_database_that_is_away_is_one_line() -> None:
    with capture_logs() as logs:
        log_fault(away())
    assert logs == [
        {
            "event": "database away, mail is to come again",
            "error": "database or disk is full",
            "log_level": "warning",
        }
    ]


@pytest.mark.parametrize("fault", [ValueError("x"), IntegrityError("x", None, sqlite3.Error())])
def test_a_bug_is_told_in_full_and_masked(fault: Exception) -> None:
    with pytest.raises(type(fault)) as raised:
        raise fault from KeyError("u7.abcdefghijklmnop")
    with capture_logs() as logs:
        log_fault(raised.value)
    assert logs[0]["event"] == "listener-fault"
    assert type(fault).__name__ in logs[0]["exception"]
    assert "test_log_of_the_door" in logs[0]["exception"]
    assert "abcdefghijklmnop" not in logs[0]["exception"]


def test_a_session_is_one_line_without_secrets() -> None:
    session = Session("192.0.2.7", "ESMTP", is_trusted=False, sender="a@example.org", end=QUIT)
    session.note(b"RCPT TO:<pbm+u7.abcdefghijklmnop@localhost>\r\n", "550 5.1.1 No.", "no player")
    session.note(b"DATA\r\n", "250 2.0.0 kept as i12")
    with capture_logs() as logs:
        SessionLog()(session)
    assert logs == [
        {
            "event": "session",
            "peer": "192.0.2.7",
            "by": "ESMTP",
            "tls": False,
            "sender": "a@example.org",
            "kept": 1,
            "refused": 1,
            "outcome": "RCPT TO:<pbm+u7.****@localhost>: 550 5.1.1 No. (no player); "
            "250 2.0.0 kept as i12",
            "end": QUIT,
            "in": "i12",
            "log_level": "info",
        }
    ]


def test_who_only_looks_and_who_floods() -> None:
    now = 0.0
    log = SessionLog(lambda: now)
    with capture_logs() as logs:
        log(Session("127.0.0.1", "ESMTP", is_trusted=True))
        assert logs == []
        for _ in range(MOST_A_MINUTE + 7):
            log(Session("192.0.2.7", "ESMTP", is_trusted=False))
        assert len(logs) == MOST_A_MINUTE
        log(Session("192.0.2.7", "ESMTP", is_trusted=False, kept=1))
        assert len(logs) == MOST_A_MINUTE + 1  # mails are told always
        now = 60.0
        log(Session("192.0.2.7", "ESMTP", is_trusted=False))
    assert [(line["event"], line.get("count")) for line in logs[-2:]] == [
        ("sessions without mail, not told one by one", 7),
        ("session", None),
    ]
