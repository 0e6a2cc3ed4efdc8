"""Promises 4 and 11: what is said about a mail by its bytes alone."""

import pytest

from pbm.mail.wire import check_wire, digest, has_message_id

MAIL = (
    b"From: alice@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: move 12\r\n a1-b2\r\n"
    b"\r\nnice\r\nReceived: no header here\r\n"
)


def test_promise_11_crlf_is_fine() -> None:
    assert check_wire(MAIL) is None
    assert check_wire(b"") is None
    assert check_wire(b"\r\n\r\n\r\n") is None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("raw", [b"\0", b"From: a\0@x.example\r\n\r\n", MAIL + b"\0"])
def test_promise_11_nul(raw: bytes) -> None:
    sentence = check_wire(raw)
    assert sentence is not None
    assert "NUL" in sentence
    assert "lines must end in CRLF" in sentence


@pytest.mark.parametrize(
    "added",
    [
        b"Received: from a by b; Fri\r\n",
        b"received: from a\r\n\tby b\r\n for c; Fri\r\n",
        b"RECEIVED : from a\r\n",
        b"Return-Path: <alice@example.org>\r\n",
        b"Return-Path: <a@x.example>\r\nReceived: x\r\n y\r\nReceived: z\r\n",
    ],
)
def test_promise_4_the_way_here_makes_no_difference(added: bytes) -> None:
    assert digest(added + MAIL) == digest(MAIL)
    head, rest = MAIL.split(b"Subject", 1)
    assert digest(head + added + b"Subject" + rest) == digest(MAIL)
    head, rest = MAIL.split(b"\r\n\r\n", 1)
    assert digest(head + b"\r\n" + added + b"\r\n" + rest) == digest(MAIL)


@pytest.mark.parametrize(
    "other",
    [
        MAIL + b"x",
        MAIL.replace(b"Received: no", b"Received: a"),
        MAIL.replace(b"<1@", b"<2@"),
        MAIL.replace(b" a1-b2", b" a1-b3"),
        b"X-Received: from a\r\n" + MAIL,
        b"Received-SPF: pass\r\n" + MAIL,
        b" Received: folded\r\n" + MAIL,
        b"",
    ],
)
def test_promise_4_anything_else_does(other: bytes) -> None:
    assert digest(other) != digest(MAIL)


def test_the_digest_is_of_what_remains() -> None:
    import hashlib

    assert digest(MAIL) == hashlib.sha256(MAIL).hexdigest()
    assert digest(b"Received: x") == hashlib.sha256(b"").hexdigest()
    assert digest(b"Received: x\r\n\r\ny") == hashlib.sha256(b"\r\ny").hexdigest()


def test_message_id_is_seen() -> None:
    assert has_message_id(MAIL)
    assert has_message_id(b"message-id : <x@y>\r\n\r\n")
    assert has_message_id(b"Message-ID:\r\n <x@y>\r\n\r\n")
    assert not has_message_id(b"Message-ID:  \r\nFrom: a@x.example\r\n\r\n")
    assert not has_message_id(b"From: a@x.example\r\n\r\nMessage-ID: <x@y>\r\n")
    assert not has_message_id(b"")
