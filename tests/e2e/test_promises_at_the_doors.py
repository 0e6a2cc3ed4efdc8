"""What a running server promises whoever hands in a mail, by SMTP and by LMTP."""

import re
import smtplib
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path

import pytest

from pbm.play.limits import OF_ORIGIN
from pbm.service.intake.door import GUESSES
from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.ports import free_port
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE, until

OPERATOR = "operator@world.example"
IDLE = 1000


@dataclass
class Door:
    """One way into a running server."""

    server: RunningServer
    sink: Sink
    port: int
    is_lmtp: bool

    def connect(self) -> smtplib.SMTP:
        kind = smtplib.LMTP if self.is_lmtp else smtplib.SMTP
        client = kind("127.0.0.1", self.port, timeout=PATIENCE)
        client.ehlo()
        return client

    def player(self, handle: str) -> Player:
        player = Player(handle, self.server, self.sink)
        player.signs_up()
        return player

    def envelope(self, player: Player, recipient: str) -> socket.socket:
        """A connection on which only the mail itself is still to be said."""
        client = self.connect()
        assert client.mail(player.address)[0] == client.rcpt(recipient)[0] == 250
        assert client.docmd("DATA")[0] == 354
        assert client.sock is not None
        return client.sock


@pytest.fixture(params=["SMTP", "LMTP"])
def door(request: pytest.FixtureRequest, tmp_path: Path, sink: Sink) -> Iterator[Door]:
    port, lmtp_port = free_port(), free_port()
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_OPERATOR": OPERATOR,
        "PBM_LISTEN": f"127.0.0.1:{port}, lmtp://127.0.0.1:{lmtp_port}",
    }
    is_lmtp = request.param == "LMTP"
    with RunningServer(tmp_path, settings, port=port) as server:
        yield Door(server, sink, lmtp_port if is_lmtp else port, is_lmtp)


def octets(mail: EmailMessage) -> bytes:
    return mail.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def with_ply_1(player: Player) -> int:
    return sum(b"X-PBM-Ply: 1\r\n" in mail.raw for mail in player.mails)


@pytest.mark.parametrize("half", [False, True], ids=["close", "half-close"])
def test_promise_03_and_promise_04_who_leaves_after_the_dot_and_comes_again(
    half: bool, door: Door
) -> None:
    alice, bob = door.player("alice"), door.player("bob")
    move = alice.answer_to(alice.challenges(bob), "a1-c3,d4")
    for hop in ("first", "second"):
        # The second comes another way: its trace differs, and nothing else.
        raw = f"Received: by {hop}.example; today\r\n".encode() + octets(move)
        left = door.envelope(alice, move["To"])
        left.sendall(raw + b".\r\n")
        left.shutdown(socket.SHUT_WR if half else socket.SHUT_RDWR)
        left.close()
        until(lambda: with_ply_1(alice), "the board after the move")
    with door.connect() as client:
        client.sendmail(alice.address, move["To"], octets(move))
    # Whatever is still to come for the others has come before this.
    alice.answers(alice.welcome, "whoami")
    until(lambda: any("You are alice" in text_of(mail) for mail in alice.mails), "the answer")
    assert with_ply_1(alice) == with_ply_1(bob) == 1
    # The board and that answer, but nothing about a move that is made already.
    assert len(alice.mails) - alice.read == 2


FALSE_ENDS = (b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\r.\r\n", b"\0\r\n.\n")


def test_promise_11_no_second_mail_is_smuggled_in(door: Door) -> None:
    alice = door.player("alice")
    smuggled = (
        f"MAIL FROM:<{alice.address}>\r\nRCPT TO:<{SERVER}>\r\nDATA\r\n"
        f"From: {alice.address}\r\nSubject: whoami\r\n\r\nwhoami"
    )
    for end in FALSE_ENDS:
        with door.connect() as client:
            assert client.mail("evil@wild.example")[0] == client.rcpt(SERVER)[0] == 250, end
            assert client.docmd("DATA")[0] == 354
            client.send(b"From: evil@wild.example\r\nSubject: help\r\n\r\nhelp" + end)
            client.send(f"{smuggled}\r\n.\r\n".encode())
            code, text = client.getreply()
            assert (code, text[:5]) == (550, b"5.6.0"), end
            assert b"CRLF" in text
            assert client.noop()[0] == 250, end
    door.server.until_all_is_sent()
    assert len(alice.mails) == alice.read
    assert door.sink.to("evil@wild.example") == []


def test_promise_15_idle_connections_keep_nobody_from_playing(door: Door) -> None:
    alice, bob = door.player("alice"), door.player("bob")
    move = alice.answer_to(alice.challenges(bob), "a1-c3,d4")
    with ExitStack() as stack:
        for _ in range(IDLE):
            stack.enter_context(
                socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE)
            )
        slow = door.envelope(bob, SERVER)
        slow.sendall(b"Subject: this does not e")
        with door.connect() as client:
            client.sendmail(alice.address, move["To"], octets(move))
        assert position_in(text_of(alice.receives())).turn == 2
        slow.close()


def test_promise_23_the_operator_gets_what_is_for_postmaster(door: Door) -> None:
    recipients = ["postmaster", "Postmaster@games.example", "abuse@games.example"]
    for number, recipient in enumerate(recipients, start=1):
        raw = (
            b"From: x@wild.example\r\nSubject: whoami\r\n"
            b"Message-ID: <p%d@wild.example>\r\n\r\nresign\r\n" % number
        )
        with door.connect() as client:
            assert client.mail("x@wild.example")[0] == client.rcpt(recipient)[0] == 250
            assert client.data(raw)[0] == 250
        copies = until(
            lambda number=number: found if len(found := door.sink.to(OPERATOR)) >= number else [],
            f"the operator's copy of a mail to {recipient}",
        )
        assert len(copies) == number
        assert b"resign" in copies[-1].raw
    assert door.sink.to("x@wild.example") == []


def test_promise_08_networks_that_forge_or_guess_are_put_off_and_others_are_not(door: Door) -> None:
    alice = door.player("alice")
    _, right = parseaddr(message_from_bytes(alice.welcome.raw)["Reply-To"])
    wrong = re.sub(r"\+u\d+\.", "+u999.", right)
    with door.connect() as client:

        def says(sender: str, recipient: str, network: str) -> int:
            client.rset()
            assert client.docmd("XFORWARD", f"ADDR={network}.7")[0] == 250
            assert client.mail(sender)[0] == 250
            return client.rcpt(recipient)[0]

        def writes(number: int, network: str) -> int:
            sender = f"p{number}@forged.example"
            assert says(sender, SERVER, network) == 250
            return client.data(f"From: {sender}\r\nSubject: hello {number}\r\n\r\nHello\r\n")[0]

        tried = [says("a@b.example", wrong, "192.0.2") for _ in range(GUESSES.most + 5)]
        assert tried == [550] * GUESSES.most + [450] * 5
        assert says("a@b.example", right, "192.0.2") == 450
        assert says(alice.address, right, "192.0.2") == 250
        assert says("a@b.example", right, "198.51.100") == 250
        taken = [writes(number, "192.0.2") for number in range(OF_ORIGIN.most + 5)]
        assert taken == [250] * OF_ORIGIN.most + [450] * 5
        assert writes(99, "198.51.100") == 250
    until(lambda: door.sink.to("p99@forged.example"), "the newcomer's answer")
    assert not door.sink.to(f"p{OF_ORIGIN.most}@forged.example")
