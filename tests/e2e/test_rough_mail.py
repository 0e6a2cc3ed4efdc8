"""Whatever comes in over the socket: an answer or a refusal, and nobody else's turn waits."""

import smtplib

import pytest

from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE

HEAD = b"From: x@wild.example\r\nTo: pbm@games.example\r\nMessage-ID: <%d@wild.example>\r\n"
GARBAGE = [
    b"",
    b"\r\n",
    b"\r\n\r\n\r\n",
    b"no header at all\r\n",
    b"Subject\r\n\r\n",
    b"Content-Type: multipart/mixed\r\n\r\nno boundary\r\n",
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n--x\r\n--x--\r\n--x\r\n",
    b"Content-Type: text/plain; charset=no-such-charset\r\n\r\nhelp \xff\xfe\r\n",
    b"Content-Type: text/plain; charset=unicode_escape\r\n\r\n\\N{DIGIT ONE}\r\n",
    b"Content-Transfer-Encoding: base64\r\n\r\n!!!not base64!!!\r\n",
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=\r\n",
    b"Subject: =?utf-99?B?####?=\r\n\r\n\x80\x81\x82\r\n",
    b"Subject: \xff\xfe\xfd\r\n\r\n" + bytes(range(128, 256)) * 20 + b"\r\n",
    b"Content-Type: " + b"a/b;" * 5000 + b"\r\n\r\nhelp\r\n",
    b"".join(b"X-%d: y\r\n" % number for number in range(400)) + b"\r\nhelp\r\n",
    b"Content-Type: text/html\r\n\r\n" + b"<div>" * 8000 + b"help\r\n",
]


def submit(server: RunningServer, raw: bytes, sender: str = "x@wild.example") -> tuple[int, bytes]:
    """Hand bytes over and return what the server said to them."""
    with smtplib.SMTP("127.0.0.1", server.port, timeout=PATIENCE) as smtp:
        smtp.ehlo()
        smtp.mail(sender)
        assert smtp.rcpt(SERVER)[0] == 250
        return smtp.data(raw)


def test_garbage_gets_an_answer_or_a_refusal(
    server: RunningServer, sink: Sink, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    for number, garbage in enumerate(GARBAGE):
        code, text = submit(server, HEAD % number + garbage)
        assert code in (250, 550, 552, 554), text
        assert code == 250 or b" " in text.removeprefix(b"5.")
    # An unknown address gets five answers a day at the most, and everything was dealt with.
    alice.answers(board, "a1-c3,d4")
    assert position_in(text_of(alice.receives())).turn == 2
    assert len(sink.to("x@wild.example")) <= 5
    server.until_all_is_sent()
    assert "mail failed" not in server.log


def test_promise_15_ten_megabytes_are_refused_in_the_session(server: RunningServer) -> None:
    big = (b"x" * 76 + b"\r\n") * 140_000
    with (
        smtplib.SMTP("127.0.0.1", server.port, timeout=PATIENCE) as smtp,
        pytest.raises(smtplib.SMTPSenderRefused) as announced,
    ):
        smtp.sendmail("x@wild.example", SERVER, big)
    assert announced.value.smtp_code == 552
    code, text = submit(server, big)
    assert code == 552
    assert b"may have 1024 KB at most" in text


def test_a_thousand_commands(server: RunningServer, alice: Player) -> None:
    alice.answers(alice.welcome, "\n".join(["whoami"] * 1000))
    assert "20 commands at most" in text_of(alice.receives())
    assert "mail failed" not in server.log


def test_an_unknown_charset_is_read_all_the_same(alice: Player) -> None:
    mail = alice.answer_to(alice.welcome, "whoami")
    mail.replace_header("Content-Type", 'text/plain; charset="klingon"')
    alice.sends(mail)
    assert "You are alice" in text_of(alice.receives())
