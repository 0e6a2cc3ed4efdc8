"""Promise 9: what became of our mails, as the servers of this world report it."""

import time
from pathlib import Path

import pytest

from pbm.mail.delivery_report import Report, read_report

FOLDER = Path(__file__).parent / "reports"
# Of each report its verdict and its status; None for what is no report of a delivery.
REPORTS = {
    "exchange-unknown-recipient": ("hard", "5.1.1"),
    "exim-old-prose": ("hard", "5.0.0"),
    "exim-over-quota": ("soft", "4.2.2"),
    "exim-unknown-user": ("hard", "5.0.0"),
    "exim-warning": ("delayed", ""),
    "forwarder-one-of-two": ("delivered", "2.0.0"),
    "gmail-delayed": ("delayed", "4.4.2"),
    "gmail-no-such-user": ("hard", "5.1.1"),
    "gmail-old-prose": ("hard", "5.1.1"),
    "in-prose-only": ("hard", "5.2.1"),
    "internationalised": ("hard", "5.1.1"),
    "ironport-unknown": ("hard", "5.0.0"),
    "no-status-at-all": ("soft", ""),
    "not-a-person": None,
    "not-complaint": None,
    "not-read-receipt": None,
    "not-vacation": None,
    "office365-blocked": ("hard", "5.7.606"),
    "office365-unknown-recipient": ("hard", "5.1.10"),
    "postfix-delayed": ("delayed", "4.4.1"),
    "postfix-gave-up": ("soft", "4.4.1"),
    "postfix-relayed": ("delivered", "2.1.5"),
    "postfix-unknown-user": ("hard", "5.1.1"),
    "qmail-gave-up": ("soft", "4.4.3"),
    "qmail-no-mailbox": ("hard", "5.1.1"),
    "qmail-remote-said": ("hard", "5.0.0"),
    "sendmail-old-prose": ("hard", "5.0.0"),
    "sendmail-user-unknown": ("hard", "5.1.1"),
    "sendmail-warning": ("delayed", ""),
    "status-4.0.0": ("soft", "4.0.0"),
    "words-alone": ("soft", ""),
    "yahoo-disabled": ("hard", "5.0.0"),
    "yahoo-old-prose": ("hard", "5.0.0"),
}
HEAD = b"From: MAILER-DAEMON@mx.example.net\r\n"


def stored(name: str) -> bytes:
    """A report as it comes from the wire."""
    return (FOLDER / f"{name}.eml").read_bytes().replace(b"\n", b"\r\n")


def formal(fields: bytes, encoding: bytes = b"7bit") -> bytes:
    """A report by its form, with these fields for the one recipient."""
    return (
        HEAD
        + b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
        + b"--b\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n"
        + b"--b\r\nContent-Type: message/delivery-status\r\n"
        + b"Content-Transfer-Encoding: "
        + encoding
        + b"\r\n\r\n"
        + fields
        + b"\r\n--b--\r\n"
    )


def judged(raw: bytes) -> tuple[str, str] | None:
    """Verdict and status."""
    report = read_report(raw)
    return (report.verdict, report.status) if report else None


def test_every_stored_report_is_looked_at() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.eml")) == sorted(REPORTS)


@pytest.mark.parametrize("name", REPORTS)
def test_promise_09_reports_of_many_servers(name: str) -> None:
    assert judged(stored(name)) == REPORTS[name]


@pytest.mark.parametrize("name", REPORTS)
def test_promise_09_with_bare_line_feeds_all_the_same(name: str) -> None:
    assert judged((FOLDER / f"{name}.eml").read_bytes()) == REPORTS[name]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (b"Action: failed\r\nStatus: 4.0.0\r\n", ("soft", "4.0.0")),
        (b"Action: failed\r\nStatus: 4.0.0\r\nDiagnostic-Code: smtp; 550 x", ("soft", "4.0.0")),
        (b"Action: failed\r\nStatus: 5.0.0\r\n", ("hard", "5.0.0")),
        (b"ACTION: FAILED\r\nSTATUS: 5.1.1 (no such user)\r\n", ("hard", "5.1.1")),
        (b"action:failed\r\nstatus:\r\n 5.1.1\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus: 5\r\n", ("soft", "")),
        (b"Action: failed\r\nStatus: 15.1.1\r\n", ("soft", "")),
        (b"Action: failed\r\nStatus: 2.0.0\r\n", ("soft", "2.0.0")),
        (b"Action: failed\r\nStatus: none\r\nDiagnostic-Code: smtp; 554 no\r\n", ("hard", "5.0.0")),
        (b"Action: failed\r\nDiagnostic-Code: smtp; 421-4.3.2 no\r\n", ("soft", "4.3.2")),
        (b"Action: failed\r\nStatus: 5.0.0\r\nDiagnostic-Code: smtp; 421 x", ("soft", "4.0.0")),
        (b"Action: failed\r\nDiagnostic-Code: x-unix; exit status 67\r\n", ("soft", "")),
        (b"Status: 5.1.1\r\n", ("hard", "5.1.1")),
        (b"Status: 2.1.5\r\n", ("delivered", "2.1.5")),
        (b"Action: expanded\r\nStatus: 2.0.0\r\n", ("delivered", "2.0.0")),
        (b"Action: delayed\r\nStatus: 5.4.1\r\n", ("delayed", "5.4.1")),
        (b"Action: no such action\r\nStatus: 5.1.1\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus: 4.2.2\r\nStatus: 5.1.1\r\n", ("soft", "4.2.2")),
        (b"Final-Recipient: rfc822; alice@example.org\r\n", ("soft", "")),
        (b"Reporting-MTA: dns; mx.example.net\r\n", ("soft", "")),
        (b"", ("soft", "")),
        (b"\xff\xfe\x00\r\n: \r\n\r\n\r\n::::\r\n", ("soft", "")),
    ],
)
def test_promise_09_fields_in_every_state(fields: bytes, expected: tuple[str, str]) -> None:
    assert judged(formal(fields)) == expected


def test_an_encoded_report_is_decoded() -> None:
    assert judged(formal(b"QWN0aW9uOiBmYWlsZWQKU3RhdHVzOiA1LjEuMQo=", b"base64")) == (
        "hard",
        "5.1.1",
    )


def test_what_is_said_about_it_holds_no_tag_and_no_line_break() -> None:
    said = b"smtp; 550 <pbm+b.1.00000001.k1aaaaaaaaaaaaaaaa@games.example>\x07\r\n \xe9 no\r\n"
    report = read_report(formal(b"Action: failed\r\nDiagnostic-Code: " + said))
    expected = "smtp; 550 <pbm+b.1.00000001.k1***@games.example> no"
    assert report == Report("hard", "5.0.0", expected)


@pytest.mark.parametrize(
    "body",
    [
        b"-" * 60_000,
        b"- " * 30_000,
        b">" * 60_000,
        b": " * 30_000,
        b" " * 60_000,
        b"550" * 20_000,
        b"5.1." * 15_000,
        b"#" * 60_000,
        b"\r\n" * 30_000,
        b"--- copy " * 6_000,
    ],
)
def test_promise_14_a_crafted_report_costs_no_more(body: bytes) -> None:
    started = time.process_time()
    assert judged(HEAD + b"\r\n" + body) is not None
    assert judged(formal(body)) is not None
    assert judged(formal(b"Action: failed\r\n" + b"x: y\r\n\r\n" * 5_000)) == ("soft", "")
    assert time.process_time() - started < 30.0  # only a guard against a pattern that backtracks
