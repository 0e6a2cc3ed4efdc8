"""What the operator reads where a client is told 451."""

import sqlite3

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from structlog.testing import capture_logs

from pbm.service.receive import log_fault


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
