"""Promise 9: what became of our mails, as the servers of this world report it."""

import time
from pathlib import Path

from pbm.mail.reading.delivery_report import DeliveryReport, read_report
from tests.rows import each_row

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


@each_row("name", REPORTS)
def test_promise_09_reports_of_many_servers(name: str) -> None:
    assert judged(stored(name)) == REPORTS[name]


@each_row("name", REPORTS)
def test_promise_09_with_bare_line_feeds_all_the_same(name: str) -> None:
    assert judged((FOLDER / f"{name}.eml").read_bytes()) == REPORTS[name]


@each_row(
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
        (b"Action: failed\r\nDiagnostic-Code: x-unix; exit status 67\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nDiagnostic-Code: X-Unix; 68\r\n", ("hard", "5.1.2")),
        (b"Action: failed\r\nDiagnostic-Code: x-unix; 75\r\n", ("soft", "")),
        # Odd ways to write a status.
        (b"Action: failed\r\nStatus: 5.1.1.\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus:\t5 . 1 . 1 \r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus: (bad mailbox) 5.1.1\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus: (5.1.1)\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus: 5(permanent).1(address).1(bad)\r\n", ("hard", "5.1.1")),
        (b"Action: failed\r\nStatus : smtp;5.1.1; see below\r\n", ("hard", "5.1.1")),
        (b'ACTION : "Failed";\r\nSTATUS : "5.1.10"\r\n', ("hard", "5.1.10")),
        (b"Action: (no) failed\r\nStatus: 550 5.7.1 policy\r\n", ("hard", "5.7.1")),
        (b"Action: failure\r\nStatus: 553 Exceeded the size\r\n", ("hard", "5.0.0")),
        (b"Action: failed\r\nStatus: 5.1\r\n", ("hard", "5.1")),
        (b"Action: failed\r\nStatus: 451 later\r\n", ("soft", "4.0.0")),
        # The server behind them knew better.
        (
            b"Status: 4.4.7\r\nAction: failed\r\nDiagnostic-Code: smtp; 550 5.1.1 x\r\n",
            ("hard", "5.1.1"),
        ),
        (
            b"Status: 4.0.0\r\nAction: delayed\r\nDiagnostic-Code: smtp; 550 5.1.1 x\r\n",
            ("delayed", "5.1.1"),
        ),
        (
            b"Action: failed\r\nDiagnostic-Code: smtp; 550-5.1.1 The account does not\r\n"
            b" 550-5.1.1 exist. Please\r\n\t550 5.1.1 look\r\n",
            ("hard", "5.1.1"),
        ),
        (
            b"Action: failed\r\nDiagnostic-Code: smtp;550#5.1.0 Address rejected\r\n",
            ("hard", "5.1.0"),
        ),
        (b"Action: failed\r\nDiagnostic-Code: smtp; 550.\r\n", ("hard", "5.0.0")),
        (b"Action: failed\r\nStatus: unknown\r\nDiagnostic-Code: x; 5.1.1.\r\n", ("hard", "5.1.1")),
        # A full mailbox: for good, or for now, as the server says that knows it.
        (b"Action: failed\r\nStatus: 5.2.2\r\n", ("hard", "5.2.2")),
        (
            b"Action: failed\r\nStatus: 5.0.0\r\nDiagnostic-Code: smtp; 552 5.2.2 full\r\n",
            ("hard", "5.0.0"),
        ),
        (b"Action: failed\r\nDiagnostic-Code: smtp; 452-4.2.2 full\r\n", ("soft", "4.2.2")),
        # An empty line within the group.
        (
            b"Final-Recipient: rfc822; a@x.example\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n",
            ("hard", "5.1.1"),
        ),
        (
            b"Final-Recipient: rfc822; a@x.example\r\nAction: failed\r\n \r\nStatus: 5.1.1\r\n",
            ("hard", "5.1.1"),
        ),
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


ALICE = b"Final-Recipient: rfc822; <Alice@Example.org>\r\n"
OTHER = b"Final-Recipient: rfc822; carol@elsewhere.example\r\n"
FAILED = b"Action: failed\r\nStatus: 5.1.1\r\n"
FULL = b"Action: failed\r\nStatus: 4.2.2\r\n"
LATE = b"Action: delayed\r\nStatus: 4.4.1\r\n"
THERE = b"Action: delivered\r\nStatus: 2.0.0\r\n"
ON = b"Action: relayed\r\nStatus: 2.1.9\r\n"
MANY = b"Action: expanded\r\nStatus: 2.0.0\r\n"
NEXT = b"\r\n"


@each_row(
    ("fields", "expected"),
    [
        (ALICE + FAILED + NEXT + OTHER + THERE, "hard"),
        (OTHER + THERE + NEXT + ALICE + FAILED, "hard"),
        (OTHER + ON + NEXT + ALICE + FULL, "soft"),
        (OTHER + FAILED + NEXT + ALICE + LATE, "delayed"),
        (OTHER + FAILED + NEXT + ALICE + MANY, "delivered"),
        (OTHER + FAILED + ALICE + THERE, "delivered"),  # no empty line between
        (OTHER + THERE + ALICE + FAILED, "hard"),
        # Her mail went on to others: one who got it is enough.
        (OTHER + FAILED + NEXT + OTHER + FULL, "soft"),
        (OTHER + FAILED + NEXT + OTHER + LATE, "delayed"),
        (OTHER + FAILED + NEXT + OTHER + ON, "delivered"),
        (OTHER + FAILED + NEXT + OTHER + FAILED, "hard"),
        (OTHER + FAILED + NEXT + b"Original-Recipient: rfc822;alice@example.org\r\n" + OTHER + ON
         + NEXT + OTHER + FAILED, "delivered"),
        (b"Original-Recipient: rfc822;ali+63e@example.org\r\n" + OTHER + FAILED + NEXT + OTHER
         + THERE, "hard"),
        (b"Original-Recipient: rfc822;alice@example.org\r\n" + OTHER + FAILED
         + b"Original-Recipient: rfc822;alice@example.org\r\n" + ALICE + THERE, "delivered"),
        # Another address of hers was not what this mail went to.
        (b"Final-Recipient: rfc822; alice@work.example\r\n" + THERE + NEXT + ALICE + FAILED,
         "hard"),
        (ALICE + NEXT + FAILED + NEXT + OTHER + NEXT + THERE, "hard"),
    ],
)  # fmt: skip
def test_promise_09_reports_about_several(fields: bytes, expected: str) -> None:
    head = b"Reporting-MTA: dns; mx.example.net\r\nArrival-Date: today\r\n\r\n"
    for raw in (formal(head + fields), formal(head + fields).replace(b"\r\n", b"\n")):
        report = read_report(raw, "alice@example.org")
        assert report is not None
        assert report.verdict == expected


@each_row(
    ("text", "expected"),
    [
        (
            b"<alice@example.org>:\r\nSorry, no mailbox here by that name. (#5.1.1)\r\n",
            ("hard", "5.1.1"),
        ),
        (
            b"<carol@x.example>:\r\nOver quota (#4.2.2)\r\n\r\n<alice@example.org>:\r\n"
            b"No mailbox here (#5.1.1)\r\n",
            ("hard", "5.1.1"),
        ),
        (
            b"<carol@x.example>:\r\nNo mailbox here (#5.1.1)\r\n\r\n<Alice@example.org>:\r\n"
            b"Over quota (#5.2.2)\r\n",
            ("hard", "5.2.2"),
        ),
        (
            b"  alice@example.org\r\n    host mx.example.org [192.0.2.1]\r\n"
            b"    SMTP error after RCPT TO:<alice@example.org>:\r\n    550-5.1.1 No such\r\n"
            b"    550 5.1.1 user\r\n",
            ("hard", "5.1.1"),
        ),
        (b"alice@example.org: SMTP error from 192.0.2.1: 550 Unknown user\r\n", ("hard", "5.0.0")),
        (
            b"#< #5.1.10 smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found> #SMTP#\r\n",
            ("hard", "5.1.10"),
        ),
        (
            b"The response was:\r\n\r\nThe account is gone. error code 550 5.1.1.\r\n",
            ("hard", "5.1.1"),
        ),
        (b"Reason: The server replied: 550: 5.1.1 User unknown\r\n", ("hard", "5.1.1")),
        (b'Remote said "554 no such user"\r\n', ("hard", "5.0.0")),
        (b"SMTP error 550 mailbox unavailable\r\n", ("hard", "5.0.0")),
        (b"Delivered 450 of 554 mails at 5.1.2026 from 10.5.1.1\r\n", ("soft", "")),
    ],
)
def test_promise_09_reports_in_words(text: bytes, expected: tuple[str, str]) -> None:
    """With a machine's part that says nothing, and without one."""
    silent = formal(b"Final-Recipient: rfc822; alice@example.org\r\nAction: failed\r\n")
    for raw in (HEAD + b"\r\n" + text, silent.replace(b"Sorry.\r\n", text)):
        report = read_report(raw, "alice@example.org")
        assert report is not None
        assert (report.verdict, report.status) == expected


def test_an_encoded_report_is_decoded() -> None:
    assert judged(formal(b"QWN0aW9uOiBmYWlsZWQKU3RhdHVzOiA1LjEuMQo=", b"base64")) == (
        "hard",
        "5.1.1",
    )


def test_what_is_said_about_it_holds_no_tag_and_no_line_break() -> None:
    said = b"smtp; 550 <pbm+b.1.00000001.k1aaaaaaaaaaaaaaaa@games.example>\x07\r\n \xe9 no\r\n"
    report = read_report(formal(b"Action: failed\r\nDiagnostic-Code: " + said))
    expected = "smtp; 550 <pbm+b.1.00000001.k1***@games.example> no"
    assert report == DeliveryReport("hard", "5.0.0", expected)


@each_row(
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
        b"(" * 60_000,
        b"status:" * 8_000,
        b"Status: " + b" ." * 8_000,
        b"Final-Recipient: x\r\n" * 3_000,
    ],
)
def test_promise_14_a_crafted_report_costs_no_more(body: bytes) -> None:
    started = time.process_time()
    assert judged(HEAD + b"\r\n" + body) is not None
    assert judged(formal(body)) is not None
    assert judged(formal(b"Action: failed\r\n" + b"x: y\r\n\r\n" * 5_000)) == ("soft", "")
    assert time.process_time() - started < 30.0  # only a guard against a pattern that backtracks
