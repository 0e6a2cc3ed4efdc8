"""Promises 4 and 11: what is said about a mail by its bytes alone."""

from pbm.mail.reading.inbound import digest
from pbm.mail.reading.mime import check_wire
from tests.rows import each_row

MAIL = (
    b"From: alice@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: move 12\r\n a1-b2\r\n"
    b"\r\nnice\r\nReceived: no header here\r\n"
)


def test_promise_11_crlf_is_fine() -> None:
    assert check_wire(MAIL) is None
    assert check_wire(b"") is None
    assert check_wire(b"\r\n\r\n\r\n") is None


@each_row(
    "raw",
    [
        b"From: a@x.example\r\nX: y\rFrom: b@y.example\r\n\r\n",
        b"a\nb\r\n",
        b"\n",
        b"\r",
        b"a\r\r\n",
        b"a\r\n\n",
        b"\n\r",
        b"a\n.\r\nMAIL FROM:<b@y.example>\r\n",
        b"a\r\n.\rMAIL FROM:<b@y.example>\r\n",
        b"a\r\n.\n",
        MAIL + b"\r",
        MAIL + b"\n",
    ],
)
def test_promise_11_bare_line_ends(raw: bytes) -> None:
    sentence = check_wire(raw)
    assert sentence is not None
    assert "lines must end in CRLF" in sentence


@each_row("raw", [b"\0", b"From: a\0@x.example\r\n\r\n", MAIL + b"\0"])
def test_promise_11_nul(raw: bytes) -> None:
    sentence = check_wire(raw)
    assert sentence is not None
    assert "NUL" in sentence
    assert "lines must end in CRLF" in sentence


ADDED = [
    b"Received: from a by b; Fri\r\n",
    b"received: from a\r\n\tby b\r\n for c; Fri\r\n",
    b"RECEIVED : from a\r\n",
    b"Return-Path: <alice@example.org>\r\n",
    b"Return-Path: <a@x.example>\r\nReceived: x\r\n y\r\nReceived: z\r\n",
    b"X-Received: by 2002:a17 with SMTP id q1\r\n",
    b"Received-SPF: pass\r\n",
    b"Delivered-To: pbm@games.example\r\n",
    b"X-Original-To: pbm@games.example\r\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; d=example.org;\r\n\tb=abc\r\n def\r\n",
    b"Authentication-Results: mx.example; dmarc=pass\r\n",
    b"ARC-Seal: i=1; cv=none\r\nARC-Message-Signature: i=1\r\n",
    b"X-Spam-Status: No, score=-1.0\r\n",
    b"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n",
    b"To: somebody@else.example\r\n",
]


@each_row("added", ADDED)
def test_promise_04_the_way_here_makes_no_difference(added: bytes) -> None:
    assert digest(added + MAIL) == digest(MAIL)
    head, rest = MAIL.split(b"Subject", 1)
    assert digest(head + added + b"Subject" + rest) == digest(MAIL)
    head, rest = MAIL.split(b"\r\n\r\n", 1)
    assert digest(head + b"\r\n" + added + b"\r\n" + rest) == digest(MAIL)


@each_row(
    "same",
    [
        MAIL.replace(b"move 12\r\n a1", b"move 12 a1"),
        MAIL.replace(b"Subject: ", b"SUBJECT:\r\n\t"),
        b"Subject: move 12 a1-b2\r\nFrom: alice@example.org\r\nMessage-ID: <1@example.org>"
        + MAIL[MAIL.index(b"\r\n\r\n") :],
        b" Received: folded\r\n" + MAIL,
    ],
)
def test_promise_04_nor_do_folding_and_order(same: bytes) -> None:
    assert digest(same) == digest(MAIL)


@each_row(
    "other",
    [
        MAIL + b"x",
        MAIL.replace(b"Received: no", b"Received: a"),
        MAIL.replace(b"<1@", b"<2@"),
        MAIL.replace(b" a1-b2", b" a1-b3"),
        MAIL.replace(b"alice", b"bob"),
        b"In-Reply-To: <g1.p2.x@games.example>\r\n" + MAIL,
        b"References: <g1.p2.x@games.example>\r\n" + MAIL,
        b"Content-Type: text/html\r\n" + MAIL,
        b"Content-Transfer-Encoding: base64\r\n" + MAIL,
        b"Auto-Submitted: auto-replied\r\n" + MAIL,
        b"Precedence: bulk\r\n" + MAIL,
        b"List-Id: <club.example>\r\n" + MAIL,
        b"X-PBM-Board: 1\r\n" + MAIL,
        b"X-Loop: x\r\n" + MAIL,
        b"From: bob@example.org\r\n" + MAIL,
        b"",
        b"X: y\r\n" * 300 + MAIL,  # beyond what is read
    ],
)
def test_promise_04_what_is_read_does(other: bytes) -> None:
    assert digest(other) != digest(MAIL)


def test_promise_04_without_a_message_id_the_date_counts() -> None:
    bare = MAIL.replace(b"Message-ID: <1@example.org>\r\n", b"")
    dated = b"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n"
    assert (
        len({digest(bare), digest(dated + bare), digest(dated.replace(b"12", b"13") + bare)}) == 3
    )
    assert digest(ADDED[0] + bare) == digest(bare)
    blank = b"Message-ID: \r\n"
    assert digest(blank + dated + bare) != digest(blank + bare)


def test_no_two_mails_read_alike() -> None:
    """Where a header ends and a body begins makes a difference, as does an empty field."""
    raws = [b"Subject: x", b"Subject: x\r\n\r\n", b"\r\nSubject: x", b"Subject:\r\n\r\nx", b"x"]
    assert len({digest(raw) for raw in raws}) == len(raws) - 1  # the first two are one mail


def test_message_id_is_seen() -> None:
    assert digest(MAIL)[1]
    assert digest(b"message-id : <x@y>\r\n\r\n")[1]
    assert digest(b"Message-ID:\r\n <x@y>\r\n\r\n")[1]
    assert not digest(b"Message-ID:  \r\nFrom: a@x.example\r\n\r\n")[1]
    assert not digest(b"From: a@x.example\r\n\r\nMessage-ID: <x@y>\r\n")[1]
    assert not digest(b"")[1]
