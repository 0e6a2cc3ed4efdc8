"""A mail's way through the listener: taken, refused, too large, smuggled."""

import asyncio
import contextlib
import gc
import smtplib

import pytest

from pbm.mail.smtp_in.connection_limits import Caller, ListenerLimits
from tests.mail.wire.talk import MAIL, Inbox, listening, run, talking_to
from tests.rows import each_row


def test_promise_01_250_comes_after_the_mail_is_kept() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            client.send(MAIL + b".\r\n")
            answer = asyncio.create_task(client.reply())
            await inbox.begun.wait()
            gc.collect()
            assert not inbox.mails
            assert not answer.done()
            inbox.may_end.set()
            assert await answer == "250 2.0.0 Kept as 1."
            assert inbox.raws == [MAIL]

    run(scene)


def test_the_server_gets_what_was_said() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data("pbm@localhost", "PBM+u7.x@localhost", "pbm@localhost")
            client.send(MAIL + b".\r\n")
            await client.reply()
            assert inbox.mails == [
                (
                    "alice@example.org",
                    ("pbm@localhost", "PBM+u7.x@localhost"),
                    MAIL,
                    Caller("127.0.0.1"),
                )
            ]

    run(scene)


def test_the_null_sender_is_empty() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.say_all("MAIL FROM:<>", "RCPT TO:<pbm@localhost>", "DATA")
            client.send(MAIL + b".\r\n")
            assert (await client.reply()).startswith("250")
            assert inbox.mails[0][0] == ""

    run(scene)


@each_row(
    ("sent", "kept"),
    [
        (b"", b""),
        (b"..\r\n", b".\r\n"),
        (b"\r\n..\r\n...\r\n", b"\r\n.\r\n..\r\n"),
        (b".x\r\n", b"x\r\n"),
        (b"a.\r\n", b"a.\r\n"),
        (b"\r\n", b"\r\n"),
        (b"8-bit: \xe4\xff\r\n", b"8-bit: \xe4\xff\r\n"),
    ],
)
@each_row("slowly", [False, True])
def test_dots_are_undone_and_nothing_else_is_changed(
    sent: bytes, kept: bytes, slowly: bool
) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            for piece in (
                [bytes([octet]) for octet in sent + b".\r\n"] if slowly else [sent, b".\r\n"]
            ):
                client.send(piece)
                await client.writer.drain()
                await asyncio.sleep(0)
            assert (await client.reply()).startswith("250")
            assert inbox.raws == [kept]

    run(scene)


@each_row(
    "false_end",
    [
        b"\n.\n",
        b"\r.\r",
        b"\n.\r\n",
        b"\r\n.\n",
        b"\r.\r\n",
        b"\r\n.\r",
        b"\n.\r",
        b"\r\n.\r\r\n",
        b"\r\n\0.\r\n",
        b"\r\r\n.\r\r\n",
    ],
)
def test_promise_11_only_crlf_dot_crlf_ends_a_mail(false_end: bytes) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            smuggled = b"MAIL FROM:<evil@example.org>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\nevil"
            client.send(MAIL + b"x" + false_end + smuggled + b"\r\n.\r\n")
            reply = await client.reply()
            assert reply.startswith("550 5.6.0 ")
            assert "must end in CRLF" in reply
            assert await client.say("NOOP") == "250 2.0.0 Nothing done."
            assert inbox.mails == []
            assert (await client.send_mail()).startswith("250")

    run(scene)


def test_promise_11_a_bare_cr_cannot_forge_a_header() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            forged = b"Subject: move\rFrom: bob@example.org\r\n\r\nhi\r\n"
            assert (await client.send_mail(forged)).startswith("550 5.6.0 ")
            assert inbox.mails == []

    run(scene)


def test_two_mails_in_one_segment() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            envelope = b"MAIL FROM:<>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\n"
            client.send(envelope + b"one\r\n.\r\n" + envelope + b"two\r\n.\r\nNOOP\r\nQUIT\r\n")
            codes = [(await client.reply())[:3] for _ in range(10)]
            assert codes == ["250", "250", "354", "250", "250", "250", "354", "250", "250", "221"]
            assert inbox.raws == [b"one\r\n", b"two\r\n"]
            assert await client.reply() == ""

    run(scene)


def test_commands_behind_a_mail_are_put_together_across_segments() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            client.send(MAIL + b".\r\nNO")
            assert (await client.reply()).startswith("250 2.0.0 Kept")
            client.send(b"OP\r\n")
            assert await client.reply() == "250 2.0.0 Nothing done."

    run(scene)


def test_a_mail_of_the_full_size_is_taken_and_one_byte_more_is_not() -> None:
    async def scene() -> None:
        inbox = Inbox()
        limits = ListenerLimits(mail_bytes=2048)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            full = (b"x" * 62 + b"\r\n") * 32
            assert (await client.send_mail(full)).startswith("250")
            reply = await client.send_mail(b"x" + full)
            assert reply.startswith("552 5.3.4 ")
            assert "2 KB at most" in reply
            assert inbox.raws == [full]
            assert (await client.send_mail()).startswith("250")

    run(scene)


@pytest.mark.parametrize("line", [b"x" * 998 + b"\r\n", b"\r\n", b"..\r\n", b"x" * 4096])
def test_ten_megabytes_are_refused_in_a_sentence(line: bytes) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            client.send(line * (10_000_000 // len(line)) + b"\r\n.\r\n")
            assert (await client.reply()).startswith("552 5.3.4 ")
            assert inbox.mails == []
            assert (await client.send_mail()).startswith("250")

    run(scene)


def test_a_size_that_is_announced_is_refused_before_the_mail() -> None:
    async def scene() -> None:
        async with listening(Inbox()) as port, talking_to(port) as client:
            reply = await client.say("MAIL FROM:<alice@example.org> SIZE=10000000")
            assert reply.startswith("552 5.3.4 ")
            assert (await client.say("MAIL FROM:<a@example.org> SIZE=1048576")).startswith("250")

    run(scene)


def test_a_mail_without_an_end_is_cut_off() -> None:
    async def scene() -> None:
        inbox = Inbox()
        limits = ListenerLimits(mail_bytes=2048, surplus_bytes=100_000)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            await client.until_data()
            client.send(b"x" * 1_000_000)
            # The server hangs up on unread data, so its last word may be lost on the way.
            with contextlib.suppress(ConnectionError):
                assert (await client.reply())[:3] in ("", "421")
        assert inbox.mails == []
        assert inbox.faults == []

    run(scene)


def test_a_line_too_long_is_refused() -> None:
    async def scene() -> None:
        inbox = Inbox()
        limits = ListenerLimits(line_bytes=1000)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            for before in (b"", b"short\r\n", (b"y" * 998 + b"\r\n") * 3):
                longest = before + b"x" * 1000 + b"\r\n"
                assert (await client.send_mail(longest)).startswith("250")
                too_long = before + b"x" * 1001 + b"\r\nshort\r\n"
                assert (await client.send_mail(too_long)).startswith("500 5.5.2 ")
            assert len(inbox.mails) == 3

    run(scene)


def test_a_real_client_library() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port:

            def send() -> dict[str, tuple[int, bytes]]:
                with smtplib.SMTP("127.0.0.1", port) as client:
                    return client.sendmail("alice@example.org", ["pbm@localhost"], MAIL)

            assert await asyncio.to_thread(send) == {}
            assert inbox.raws == [MAIL]

    run(scene)


def test_promise_15_fifty_connections_at_once() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port:

            async def one(number: int) -> str:
                async with talking_to(port) as client:
                    return await client.send_mail(b"%d\r\n" % number)

            answers = await asyncio.gather(*(one(number) for number in range(50)))
            assert set(answers) == {"250 2.0.0 Kept as 1."}
            assert sorted(inbox.raws) == sorted(b"%d\r\n" % number for number in range(50))

    run(scene)
