"""`send` and `read`: a player without a mail program."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path

import pytest

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.smtp_out.maildir import folder_of
from pbm.service.operator.correspondence import newest, send
from tests.e2e.ports import free_port
from tests.e2e.sink import Sink, running_sink
from tests.polling import until

ALICE = "alice@example.org"
REPLY_TO = "pbm+g1.u1.k1abcdefghijklmnop@games.example"
BOARD = f"""\
From: pbm <pbm@games.example>
To: {ALICE}
Subject: Abalone Board 1: alice v bob
Reply-To: {REPLY_TO}
Message-ID: <g1.p1.00000007@games.example>
References: <g1.p0.u1.0123456789abcdef@games.example>
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Your move on board 1. – {{number}}

--b
Content-Type: text/html; charset=utf-8

<p>Your move</p>
--b--
"""


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A mail server that takes everything."""
    with running_sink() as sink:
        yield sink


@pytest.fixture
def settings(tmp_path: Path, sink: Sink) -> Settings:
    """Settings under which that is our server."""
    return Settings(
        address="pbm@games.example",
        listen=f"127.0.0.1:{sink.port}, 127.0.0.1:1",
        maildir=str(tmp_path / "maildir"),
    )


def arrives(settings: Settings, name: str, text: str = BOARD, part: str = "new") -> None:
    """Put a mail to alice where the server delivers."""
    folder = folder_of(Path(settings.maildir), ALICE) / part
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def only(sink: Sink) -> Message:
    """The one mail that was sent."""
    (delivered,) = sink.mails
    return message_from_bytes(delivered.raw)


def body(mail: Message) -> str:
    payload = mail.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode("utf-8").replace("\r\n", "\n")


class TestSend:
    def test_an_answer_to_the_newest_mail(self, settings: Settings, sink: Sink) -> None:
        arrives(settings, "1700000000.M1P1Q1.host")
        assert send(settings, ALICE, "a1-c3,d4\nGood luck!", wait=0) == "250 2.0.0 kept"
        (delivered,) = sink.mails
        assert (delivered.sender, delivered.recipient) == (ALICE, REPLY_TO)
        mail = only(sink)
        assert mail["From"] == ALICE
        assert mail["To"] == REPLY_TO
        assert mail["Subject"] == "Re: Abalone Board 1: alice v bob"
        assert mail["In-Reply-To"] == "<g1.p1.00000007@games.example>"
        assert mail["References"].split() == [
            "<g1.p0.u1.0123456789abcdef@games.example>",
            "<g1.p1.00000007@games.example>",
        ]
        assert body(mail) == "a1-c3,d4\nGood luck!\n"

    def test_a_new_mail_where_nothing_has_come_yet(self, settings: Settings, sink: Sink) -> None:
        send(settings, ALICE, "signup alice", wait=0)
        (delivered,) = sink.mails
        assert (delivered.sender, delivered.recipient) == (ALICE, "pbm@games.example")
        mail = only(sink)
        assert (mail["Subject"], body(mail).strip()) == ("signup alice", "")
        assert mail["In-Reply-To"] is None

    def test_a_new_mail_where_it_is_asked_for(self, settings: Settings, sink: Sink) -> None:
        arrives(settings, "1700000000.M1P1Q1.host")
        send(settings, ALICE, "challenge bob\nHello bob,\nshall we?", new=True, wait=0)
        mail = only(sink)
        assert (mail["To"], mail["Subject"]) == ("pbm@games.example", "challenge bob")
        assert body(mail) == "Hello bob,\nshall we?\n"

    def test_each_mail_has_its_own_message_id(self, settings: Settings, sink: Sink) -> None:
        send(settings, ALICE, "help", wait=0)
        send(settings, ALICE, "help", wait=0)
        ids = {message_from_bytes(mail.raw)["Message-ID"] for mail in sink.mails}
        assert len(ids) == 2

    def test_without_a_reply_to_the_author_is_answered(
        self, settings: Settings, sink: Sink
    ) -> None:
        arrives(settings, "1", BOARD.replace(f"Reply-To: {REPLY_TO}\n", ""))
        send(settings, ALICE, "yes", wait=0)
        assert sink.mails[0].recipient == "pbm@games.example"

    def test_a_reply_mark_is_not_doubled(self, settings: Settings, sink: Sink) -> None:
        arrives(settings, "1", BOARD.replace("Subject: ", "Subject: RE: "))
        send(settings, ALICE, "yes", wait=0)
        assert only(sink)["Subject"] == "RE: Abalone Board 1: alice v bob"

    def test_long_ids_stay_whole(self, settings: Settings, sink: Sink) -> None:
        long = f"<g1.p1.00000007@{'x' * 60}.{'y' * 60}.example>"
        arrives(settings, "1", BOARD.replace("<g1.p1.00000007@games.example>", long))
        send(settings, ALICE, "yes", wait=0)
        assert only(sink)["In-Reply-To"] == long
        assert only(sink)["References"].split()[-1] == long

    def test_any_letters(self, settings: Settings, sink: Sink) -> None:
        send(settings, ALICE, "grüße an alle\nschöner Zug – 好", new=True, wait=0)
        mail = only(sink)
        assert str(make_header(decode_header(mail["Subject"]))) == "grüße an alle"
        assert body(mail) == "schöner Zug – 好\n"
        assert sink.mails[0].raw.isascii()

    def test_header_lines_cannot_be_smuggled_in(self, settings: Settings, sink: Sink) -> None:
        subject = "Subject: =?utf-8?q?one=0D=0ABcc=3A_eve=40example=2Eorg?="
        arrives(settings, "1", BOARD.replace("Subject: Abalone Board 1: alice v bob", subject))
        send(settings, ALICE, "yes", wait=0)
        assert only(sink)["Bcc"] is None
        assert only(sink)["Subject"] == "Re: one Bcc: eve@example.org"

    @pytest.mark.parametrize("address", ["alice", "alice@", "a b@example.org", "../x@example.org"])
    def test_an_address_that_is_none(self, settings: Settings, sink: Sink, address: str) -> None:
        with pytest.raises(OperatorError):
            send(settings, address, "help", wait=0)
        assert sink.mails == []

    def test_nobody_answers(self, settings: Settings) -> None:
        port = free_port()
        alone = Settings(listen=f"127.0.0.1:{port}", maildir=settings.maildir)
        with pytest.raises(OperatorError, match=f"127.0.0.1 port {port} .*pbm serve"):
            send(alone, ALICE, "help", wait=0)

    def test_a_server_on_all_interfaces_is_here(self, settings: Settings, sink: Sink) -> None:
        everywhere = Settings(listen=f"0.0.0.0:{sink.port}", maildir=settings.maildir)
        assert send(everywhere, ALICE, "help", wait=0).startswith("250 ")

    @pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "."])
    def test_a_refusal_is_told(self, settings: Settings, verb: str) -> None:
        with refusing(verb) as port:
            here = Settings(listen=f"127.0.0.1:{port}", maildir=settings.maildir)
            with pytest.raises(OperatorError, match=r"^The server refuses: 550 5\.1\.1 No more\.$"):
                send(here, ALICE, "help", wait=0)

    def test_it_waits_for_an_answer(self, settings: Settings, sink: Sink) -> None:
        """The answer comes while it waits; without it the test would hang for its hour."""
        arrives(settings, "1700000000.M1P1Q1.host")

        def answer() -> None:
            until(lambda: sink.to(REPLY_TO), "the mail")
            arrives(settings, "1700000001.M1P1Q2.host")

        answering = threading.Thread(target=answer)
        answering.start()
        send(settings, ALICE, "yes", wait=3600)
        answering.join()

    def test_it_waits_for_nothing_where_mail_goes_elsewhere(self, settings: Settings) -> None:
        away = Settings(
            listen=settings.listen, maildir=settings.maildir, smarthost="smtp://127.0.0.1:1"
        )
        assert send(away, ALICE, "help", wait=3600).startswith("250 ")


class TestRead:
    def test_subject_and_text_of_the_newest(self, settings: Settings) -> None:
        arrives(settings, "1700000000.M1P1Q1.host", BOARD.format(number=1))
        arrives(settings, "1700000001.M1P1Q2.host", BOARD.format(number=2))
        ((subject, text),) = newest(settings, "Alice@Example.Org")
        assert subject == "Abalone Board 1: alice v bob"
        assert text.strip() == "Your move on board 1. – 2"

    def test_the_newest_comes_last(self, settings: Settings) -> None:
        for number in range(1, 6):
            arrives(settings, f"1700000000.M{number}P1Q{number}.host", BOARD.format(number=number))
        texts = [text.strip()[-1] for _, text in newest(settings, ALICE, 3)]
        assert texts == ["3", "4", "5"]
        assert len(newest(settings, ALICE, 99)) == 5

    def test_the_order_is_that_of_delivery(self, settings: Settings) -> None:
        """Within one second, whatever the names' alphabet and the files' dates say."""
        names = ["1700000000.M999P1Q9.host", "1700000000.M1000P1Q10.host", "1700000001.M5P1Q11.h"]
        for number, name in reversed(list(enumerate(names))):
            arrives(settings, name, BOARD.format(number=number), "cur" if number == 1 else "new")
            file = next(folder_of(Path(settings.maildir), ALICE).rglob(name))
            os.utime(file, (0, 0))
        assert [text.strip()[-1] for _, text in newest(settings, ALICE, 3)] == ["0", "1", "2"]

    def test_encoded_subjects_and_other_charsets(self, settings: Settings) -> None:
        arrives(
            settings,
            "1",
            "Subject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\n"
            "Content-Type: text/plain; charset=x-unknown\n"
            "Content-Transfer-Encoding: quoted-printable\n\nsch=F6n\n",
        )
        assert newest(settings, ALICE) == (("grüße", "schön\n"),)

    def test_nothing_to_read(self, settings: Settings) -> None:
        with pytest.raises(OperatorError, match=r"^There is no mail to alice@example\.org in "):
            newest(settings, ALICE)
        away = Settings(maildir=settings.maildir, smarthost="smtp://127.0.0.1:25")
        with pytest.raises(OperatorError, match="PBM_SMARTHOST is set, so mail goes there"):
            newest(away, ALICE)


@contextmanager
def refusing(verb: str) -> Iterator[int]:
    """A mail server for one conversation that says no to one verb."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        serving = threading.Thread(target=_refuse, args=(server, verb))
        serving.start()
        yield server.getsockname()[1]
        serving.join()


def _refuse(server: socket.socket, verb: str) -> None:
    connection, _ = server.accept()
    with connection, connection.makefile("rwb", buffering=0) as stream:
        stream.write(b"220 games.example ESMTP\r\n")
        in_data = False
        while line := stream.readline():
            said = line.decode().split()[0].upper() if line.strip() else ""
            if in_data and line != b".\r\n":
                continue
            in_data = said == "DATA" and verb != "DATA"
            if said == verb:
                stream.write(b"550 5.1.1 No more.\r\n")
            else:
                stream.write({"DATA": b"354 Go on.\r\n"}.get(said, b"250 Fine.\r\n"))
