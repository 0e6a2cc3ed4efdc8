"""The conversation around a mail: envelopes, odd clients, caps and clocks."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from ipaddress import ip_network
from typing import Any, cast

import pytest

from pbm.config import Doorway
from pbm.errors import OperatorError
from pbm.mail.smtp_in.connection_limits import Caller, ConnectionLimits, ListenerLimits, peer_of
from pbm.mail.smtp_in.handler import Handler, Rejection
from pbm.mail.smtp_in.listener import Listener
from tests.mail.wire.talk import (
    MAIL,
    Client,
    Inbox,
    accept_all,
    listening,
    run,
    talking_to,
)
from tests.rows import each_row

NOBODY: Any = {"trusted_peers": ()}


@contextlib.asynccontextmanager
async def conversation(**options: Any) -> AsyncIterator[Client]:
    async with listening(Inbox(), **options) as port, talking_to(port) as client:
        yield client


def test_the_greeting_names_the_host_and_nothing_else() -> None:
    async def scene() -> None:
        async with (
            listening(Inbox(), trusted_peers=()) as port,
            talking_to(port, hello=False) as client,
        ):
            assert await client.reply() == "220 mx.example ESMTP"
            assert (await client.say("EHLO there")).split("\n") == [
                "250-mx.example",
                "250-SIZE 1048576",
                "250-8BITMIME",
                "250-PIPELINING",
                "250-ENHANCEDSTATUSCODES",
                "250 HELP",
            ]
            assert await client.say("HELO there") == "250 mx.example"

    run(scene)


@each_row(
    ("command", "reply"),
    [
        ("VRFY alice", "252 2.1.5 "),
        ("EXPN players", "252 2.1.5 "),
        ("HELP", "214 2.0.0 "),
        ("HELP AUTH", "214 2.0.0 "),
        ("NOOP x", "250 2.0.0 "),
        ("RSET", "250 2.0.0 "),
        ("QUIT", "221 2.0.0 "),
        ("quit", "221 2.0.0 "),
        ("AUTH PLAIN AHVzZXIAcGFzcw==", "500 5.5.1 "),
        ("STARTTLS", "500 5.5.1 "),
        ("BDAT 10", "500 5.5.1 "),
        ("GET / HTTP/1.1", "500 5.5.1 "),
        ("", "500 5.5.1 "),
        (" MAIL FROM:<>", "500 5.5.1 "),
        ("EHLO", "501 5.5.4 "),
        ("HELO", "501 5.5.4 "),
        ("MAIL", "501 5.5.4 "),
        ("MAIL FROM", "501 5.5.4 "),
        ("MAIL FROM:", "501 5.5.4 "),
        ("MAIL TO:<alice@example.org>", "501 5.5.4 "),
        ("MAIL FROM:<alice@example.org", "501 5.5.4 "),
        ("MAIL FROM:<a lice@example.org>", "501 5.5.4 "),
        ("MAIL FROM:<a<b>@example.org>", "501 5.5.4 "),
        ("MAIL FROM:<alice@example.org>SIZE=1", "501 5.5.4 "),
        ("MAIL FROM:<alice@example.org> SIZE=x", "555 5.5.4 "),
        ("MAIL FROM:<alice@example.org> SIZE=-1", "555 5.5.4 "),
        ("MAIL FROM:<alice@example.org> SIZE=" + "9" * 21, "555 5.5.4 "),
        ("MAIL FROM:<alice@example.org> SIZE=" + "9" * 20, "552 5.3.4 "),
        ("MAIL FROM:<alice@example.org> BODY=BINARYMIME", "555 5.5.4 "),
        ("MAIL FROM:<alice@example.org> RET=HDRS", "555 5.5.4 "),
        ("MAIL FROM:<alice@example.org> SMTPUTF8", "553 5.6.7 "),
        ("MAIL FROM:<älice@example.org>", "553 5.6.7 "),
        ("MAIL FROM:<" + "a" * 255 + ">", "553 5.1.7 "),
        ("MAIL FROM:<" + "a" * 2100 + ">", "500 5.5.2 "),
        ("MAIL FROM:<alice@example.org> BODY=8BITMIME SIZE=100", "250 2.1.0 "),
        ("mail from: <alice@example.org> body=7bit", "250 2.1.0 "),
        ("MAIL FROM:alice@example.org", "250 2.1.0 "),
        ("MAIL FROM:<@relay.example,@b.example:alice@example.org>", "250 2.1.0 "),
        ("RCPT TO:<pbm@localhost>", "503 5.5.1 "),
        ("DATA", "503 5.5.1 "),
    ],
)
def test_one_command_after_the_greeting(command: str, reply: str) -> None:
    async def scene() -> None:
        async with conversation() as client:
            said = await client.say(command)
            assert said.startswith(reply), said
            assert "alice" not in said

    run(scene)


@each_row(
    ("command", "reply"),
    [
        ("RCPT", "501 5.5.4 "),
        ("RCPT TO:", "501 5.5.4 "),
        ("RCPT TO:<>", "501 5.1.3 "),
        ("RCPT TO:<pbm@localhost> NOTIFY=NEVER", "555 5.5.4 "),
        ("RCPT TO:<pbm@lócalhost>", "553 5.6.7 "),
        ("RCPT TO:<postmaster>", "250 2.1.5 "),
        ("rcpt to: PBM@localhost", "250 2.1.5 "),
        ("RCPT TO:<nobody@localhost>", "550 5.1.1 There is nobody of that name here."),
        ("MAIL FROM:<>", "503 5.5.1 "),
        ("DATA", "554 5.5.1 "),
    ],
)
def test_one_command_after_the_sender(command: str, reply: str) -> None:
    async def accept(address: str, *_: object) -> Rejection | None:
        if address.startswith("nobody"):
            return Rejection(550, "5.1.1 There is nobody of that name here.")
        return None

    async def scene() -> None:
        async with conversation(accept_recipient=accept) as client:
            assert (await client.say("MAIL FROM:<alice@example.org>")).startswith("250")
            assert (await client.say(command)).startswith(reply)

    run(scene)


def test_the_recipient_is_asked_for_as_it_was_written() -> None:
    async def scene() -> None:
        asked: list[str] = []

        async def accept(address: str, *_: object) -> Rejection | None:
            asked.append(address)
            return None

        async with conversation(accept_recipient=accept) as client:
            await client.say_all(
                "MAIL FROM:<>", "RCPT TO:<PostMaster>", "RCPT TO:<@a.example:PBM+G1.u2.X@Localhost>"
            )
        assert asked == ["PostMaster", "PBM+G1.u2.X@Localhost"]

    run(scene)


def test_nothing_goes_before_ehlo() -> None:
    async def scene() -> None:
        async with listening(Inbox()) as port, talking_to(port, hello=False) as client:
            await client.reply()
            assert (await client.say("MAIL FROM:<>")).startswith("503 5.5.1 ")

    run(scene)


def test_data_takes_no_argument_and_then_starts_over() -> None:
    async def scene() -> None:
        async with conversation() as client:
            await client.say_all("MAIL FROM:<>", "RCPT TO:<pbm@localhost>")
            assert (await client.say("DATA now")).startswith("501 5.5.4 ")
            assert (await client.say("DATA")).startswith("354")

    run(scene)


@each_row("restart", ["RSET", "EHLO again", "HELO again"])
def test_a_begun_mail_can_be_dropped(restart: str) -> None:
    async def scene() -> None:
        async with conversation() as client:
            await client.say_all("MAIL FROM:<>", "RCPT TO:<pbm@localhost>", restart)
            assert (await client.say("DATA")).startswith("503")
            assert (await client.send_mail()).startswith("250")

    run(scene)


def test_twenty_recipients_and_no_more() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.say("MAIL FROM:<>")
            for number in range(20):
                assert (await client.say(f"RCPT TO:<r{number}@localhost>")).startswith("250")
            assert (await client.say("RCPT TO:<r3@localhost>")).startswith("250")
            assert (await client.say("RCPT TO:<r20@localhost>")).startswith("452 4.5.3 ")
            await client.say("DATA")
            client.send(MAIL + b".\r\n")
            assert (await client.reply()).startswith("250")
            assert len(inbox.mails[0][1]) == 20

    run(scene)


@each_row("line", [b"NOOP\n", b"NOOP\rRSET\r\n", b"NO\0OP\r\n", b"NOOP\0\r\n", b"\n", b"EHLO x\n"])
def test_command_lines_must_end_in_crlf(line: bytes) -> None:
    async def scene() -> None:
        async with conversation() as client:
            client.send(line)
            assert (await client.reply()).startswith("500 5.5.2 ")
            assert (await client.say("NOOP")).startswith("250")

    run(scene)


def test_a_command_line_without_an_end() -> None:
    async def scene() -> None:
        async with conversation() as client:
            client.send(b"x" * 400_000)
            with contextlib.suppress(ConnectionError):
                assert (await client.reply())[:3] in ("", "421")

    run(scene)


def test_what_is_no_smtp_at_all_is_cut_off() -> None:
    async def scene() -> None:
        async with conversation() as client:
            client.send(b"Host: localhost\r\n" * 6)
            codes = [(await client.reply())[:3] for _ in range(7)]
            assert codes == ["500"] * 5 + ["421", ""]

    run(scene)


def test_a_stranger_may_not_chat_for_ever() -> None:
    async def scene() -> None:
        limits = ListenerLimits(commands=10)
        async with conversation(limits=limits, **NOBODY) as client:
            for _ in range(3):
                assert (await client.send_mail()).startswith("250")  # a mail starts a new count
            client.send(b"NOOP\r\n" * 11)
            codes = [(await client.reply())[:3] for _ in range(11)]
            assert codes == ["250"] * 10 + ["421"]
        async with conversation(limits=limits) as client:
            client.send(b"NOOP\r\n" * 100)
            assert {(await client.reply())[:3] for _ in range(100)} == {"250"}

    run(scene)


def test_promise_15_connections_of_one_peer_are_capped_and_freed() -> None:
    async def scene() -> None:
        limits = ListenerLimits(connections_per_peer=2)
        async with (
            listening(Inbox(), limits=limits, **NOBODY) as port,
            talking_to(port) as first,
            talking_to(port),
        ):
            async with talking_to(port, hello=False) as third:
                assert (await third.reply()).startswith("421 4.7.0 ")
                assert await third.reply() == ""
            await first.say("QUIT")
            assert await first.reply() == ""
            async with talking_to(port) as fourth:
                assert (await fourth.send_mail()).startswith("250")

    run(scene)


def test_promise_15_all_connections_are_capped_but_those_of_trusted_peers() -> None:
    async def scene() -> None:
        limits = ListenerLimits(connections=1)
        async with (
            listening(Inbox(), limits=limits, **NOBODY) as port,
            talking_to(port),
            talking_to(port, hello=False) as second,
        ):
            assert (await second.reply()).startswith("421 4.3.2 ")
        trusted: Any = {"trusted_peers": [ip_network("127.0.0.1")]}
        async with (
            listening(Inbox(), limits=limits, **trusted) as port,
            talking_to(port),
            talking_to(port),
        ):
            pass

    run(scene)


async def come_from(address: str, port: int, count: int = 1) -> list[Client]:
    local = (address, 0)
    return [
        Client(*await asyncio.open_connection("127.0.0.1", port, local_addr=local))
        for _ in range(count)
    ]


@pytest.mark.parametrize("says", [b"", b"NOOP\r\n", b"MAIL FROM:<>\r\nRCPT TO:<pbm@x>\r\nDATA\r\n"])
def test_promise_15_idle_connections_shut_nobody_out(says: bytes) -> None:
    """Two hundred of them from twelve networks, whether they say something now and then or not."""

    async def scene() -> None:
        limits = ListenerLimits(crowded_seconds=0.02)
        async with listening(Inbox(), limits=limits, **NOBODY) as port:
            [slow] = await come_from("127.2.1.1", port)
            assert (await slow.reply()).startswith("220")
            idle = [
                client
                for number in range(12)
                for client in await come_from(f"127.0.{number}.9", port, 17)
            ]
            for client in idle[:199]:
                assert (await client.reply()).startswith("220")
                client.send(says and b"HELO x\r\n" + says)
            await asyncio.sleep(0.15)
            for client in idle:
                client.send(says if says == b"NOOP\r\n" else b"")
            for number in range(30):  # each makes room for itself, and for nobody else
                [honest] = await come_from(f"127.1.{number}.1", port)
                assert (await honest.reply()).startswith("220")
                assert (await honest.say("HELO client.example")).startswith("250")
                assert (await honest.send_mail()).startswith("250")
                honest.leave()
            assert (await slow.say("HELO slow.example")).startswith("250")  # few are of its network
            for client in (slow, *idle):
                client.leave()

    run(scene)


def test_promise_15_a_known_network_comes_in_while_others_wait() -> None:
    async def scene() -> None:
        async def is_known(network: str) -> bool:
            return network == "127.2.3.0/24"

        limits = ListenerLimits(connections=20, reserve=2, connections_per_network=12)
        async with listening(Inbox(), limits=limits, is_known=is_known, **NOBODY) as port:
            idle = [
                *await come_from("127.0.1.9", port, 6),
                *await come_from("127.0.1.10", port, 7),
                *await come_from("127.0.2.9", port, 8),
            ]
            codes = [(await client.reply())[:9] for client in idle]
            assert codes == [*["220 mx.ex"] * 12, "421 4.7.0", *["220 mx.ex"] * 8]
            others = [*await come_from("127.0.3.9", port), *await come_from("127.2.3.4", port, 3)]
            codes = [(await client.reply())[:3] for client in others]
            assert codes == ["421", "220", "220", "421"]
            for client in (*idle, *others):
                client.leave()

    run(scene)


def test_promise_15_hundreds_of_idle_connections_do_not_stop_a_mail() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port:
            idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(400)]
            async with talking_to(port) as client:
                assert (await client.send_mail()).startswith("250")
            for _, writer in idle:
                writer.transport.abort()

    run(scene)


def test_promise_15_silence_is_ended() -> None:
    async def scene() -> None:
        limits = ListenerLimits(idle_seconds=0.01)
        async with (
            listening(Inbox(), limits=limits) as port,
            talking_to(port, hello=False) as client,
        ):
            assert (await client.reply()).startswith("220 ")
            assert (await client.reply()).startswith("421 4.4.2 Nothing was said")
            assert await client.reply() == ""

    run(scene)


def test_promise_15_a_mail_has_its_time() -> None:
    async def scene() -> None:
        inbox = Inbox()
        limits = ListenerLimits(data_seconds=0.01)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            begun = b"MAIL FROM:<>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\n"
            client.send(begun + b"lines that end in LF\n.\n")  # all of it is there in time
            *_, reply = [await client.reply() for _ in range(4)]
            assert reply.startswith("421 4.4.2 The mail did not end in time")
            assert "CRLF" in reply
            assert await client.reply() == ""
        assert inbox.mails == []

    run(scene)


def test_our_own_time_is_not_the_clients() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        limits = ListenerLimits(data_seconds=0.02)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            client.send(b"MAIL FROM:<>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\n" + MAIL + b".\r\n")
            await inbox.begun.wait()
            asyncio.get_running_loop().call_later(2 * 0.02, inbox.may_end.set)
            replies = [await client.reply() for _ in range(4)]
            assert replies[-1] == "250 2.0.0 Kept as 1."

    run(scene)


def test_a_client_that_reads_nothing_is_cut_off() -> None:
    async def scene() -> None:
        limits = ListenerLimits(idle_seconds=0.05)
        async with listening(Inbox(), limits=limits) as port:
            async with talking_to(port, hello=False) as client:
                cast(asyncio.Transport, client.writer.transport).pause_reading()
                with contextlib.suppress(ConnectionError):
                    while True:  # until the server has cut the connection
                        client.send(b"NOOP\r\n" * 10_000)
                        await client.writer.drain()
            async with talking_to(port, hello=False) as another:
                assert (await another.reply()).startswith("220")

    run(scene)


def test_several_ports_and_a_port_in_use() -> None:
    async def scene() -> None:
        inbox = Inbox()
        listener = Listener(
            Handler(hostname="mx.example", accept_recipient=accept_all, keep=inbox.keep)
        )
        await listener.start([Doorway("127.0.0.1", 0)] * 2)
        assert len({port for _, port in listener.bound}) == 2
        for _, port in listener.bound:
            async with talking_to(port) as client:
                assert (await client.send_mail()).startswith("250")
        second = Listener(
            Handler(hostname="mx.example", accept_recipient=accept_all, keep=inbox.keep)
        )
        with pytest.raises(OperatorError, match="Can't listen on 127"):
            await second.start([Doorway("127.0.0.1", 0), Doorway(*listener.bound[0])])
        assert second.bound == ()
        await listener.stop()

    run(scene)


def test_peers_are_told_apart() -> None:
    assert peer_of(("::ffff:127.0.0.1", 1, 0, 0)) == peer_of(("127.0.0.1", 1))
    assert peer_of("") is None
    door = ConnectionLimits(ListenerLimits(connections_per_peer=1), [ip_network("10.0.0.0/8")])
    assert door.is_trusted(peer_of(("10.1.2.3", 1)))
    assert door.is_trusted(peer_of(""))
    assert not door.is_trusted(peer_of(("::1", 1, 0, 0)))
    assert door.enter(peer_of(("2001:db8:1:1::1", 1, 0, 0))) is None
    assert door.enter(peer_of(("2001:db8:1:2::1", 1, 0, 0))) is None
    neighbour = peer_of(("2001:db8:1:1:ffff::1", 1, 0, 0))
    assert str(door.enter(neighbour)).startswith("421 4.7.0 ")
    door.leave(neighbour)
    door.leave(peer_of(("2001:db8:1:1::1", 1, 0, 0)))
    assert door.enter(neighbour) is None


@each_row(
    ("says", "network"),
    [
        ("XFORWARD ADDR=192.0.2.77", "192.0.2.0/24"),
        ("xforward NAME=x.example addr=IPV6:2001:db8:5:6::1", "2001:db8:5::/48"),
        ("XFORWARD ADDR=::ffff:192.0.2.77", "192.0.2.0/24"),
        ("XFORWARD ADDR=[UNAVAILABLE]", ""),
        ("XFORWARD ADDR=127.0.0.1", ""),
        ("NOOP", ""),
    ],
)
def test_a_trusted_peer_says_for_whom_it_speaks(says: str, network: str) -> None:
    asked: list[object] = []

    async def accept(_address: str, _sender: str, caller: object) -> Rejection | None:
        asked.append(caller)
        return None

    async def scene() -> None:
        inbox = Inbox()
        async with (
            listening(inbox, accept_recipient=accept) as port,
            talking_to(port) as client,
        ):
            assert "XFORWARD ADDR" in await client.say("EHLO front.example")
            assert await client.say(says) in ("250 2.0.0 Go on.", "250 2.0.0 Nothing done.")
            assert (await client.send_mail()).startswith("250")
            assert (await client.send_mail()).startswith("250")  # it was said of one mail
            assert (await client.say("XFORWARD 192.0.2.1")).startswith("501 5.5.4 ")
            assert (await client.say("MAIL FROM:<a@b.example>")).startswith("250")
            assert (await client.say("XFORWARD ADDR=192.0.2.1")).startswith("503 5.5.1 ")
        said, unsaid = Caller("127.0.0.1", network), Caller("127.0.0.1")
        assert asked == [caller for *_, caller in inbox.mails] == [said, unsaid]

    run(scene)


def test_others_cannot_say_for_whom_they_speak() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox, trusted_peers=()) as port, talking_to(port) as client:
            assert "XFORWARD" not in await client.say("EHLO client.example")
            assert (await client.say("XFORWARD ADDR=192.0.2.77")).startswith("500 5.5.1 ")
            assert (await client.send_mail()).startswith("250")
        assert [caller for *_, caller in inbox.mails] == [Caller("127.0.0.1", "127.0.0.0/24")]

    run(scene)
