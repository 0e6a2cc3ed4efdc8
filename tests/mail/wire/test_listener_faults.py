"""What the listener answers when something breaks, and when its clients leave."""

import asyncio
import gc
import logging
from typing import Any

import pytest

from pbm.config import Doorway
from pbm.mail.smtp_in.connection_limits import ListenerLimits
from pbm.mail.smtp_in.handler import Handler, Rejection
from pbm.mail.smtp_in.listener import Listener
from tests.mail.wire.talk import (
    MAIL,
    OWN_FAULT,
    Client,
    Inbox,
    accept_all,
    listening,
    run,
    talking_to,
)
from tests.rows import each_row

FAULTS = [
    RuntimeError("the password is swordfish"),
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    ConnectionResetError("the database went away"),
    TimeoutError(),
    asyncio.IncompleteReadError(b"", 1),
    KeyError("row"),
    StopIteration(),
    asyncio.CancelledError(),
]


@each_row("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_promise_02_our_own_fault_is_one_fixed_line(fault: BaseException) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.error = fault
        async with listening(inbox) as port, talking_to(port) as client:
            assert await client.send_mail() == OWN_FAULT
            inbox.error = None
            assert await client.send_mail() == "250 2.0.0 Kept as 1."
            if not isinstance(fault, asyncio.CancelledError | StopIteration):
                assert inbox.faults == [fault]

    run(scene)


@each_row("nothing", [None, "", 17, b"2.0.0 Kept.", Rejection(250, "5.7.1 No.")])
def test_promise_02_no_answer_is_our_fault_too(nothing: object) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.answer = nothing
        async with listening(inbox) as port, talking_to(port) as client:
            assert await client.send_mail() == OWN_FAULT
            inbox.answer = "2.0.0 Kept as 2."
            assert await client.send_mail() == "250 2.0.0 Kept as 2."
            assert [type(fault) for fault in inbox.faults] == [TypeError]

    run(scene)


@each_row("text", ["kept\r\n250 again", "k\xe4pt", "\0"])
def test_what_is_kept_is_acknowledged_in_other_words_if_need_be(text: str) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.answer = text
        async with listening(inbox) as port, talking_to(port) as client:
            assert await client.send_mail() == "250 2.0.0 Kept."
            assert await client.say("NOOP") == "250 2.0.0 Nothing done."

    run(scene)


def test_a_rejection_of_the_whole_mail() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.answer = Rejection(450, "4.7.1 That is enough for today.")
        async with listening(inbox) as port, talking_to(port) as client:
            assert await client.send_mail() == "450 4.7.1 That is enough for today."
            assert inbox.faults == []

    run(scene)


def test_promise_02_a_broken_check_of_recipients() -> None:
    async def scene() -> None:
        async def accept(address: str, *_: object) -> Rejection | None:
            if address == "pbm@localhost":
                return None
            if address == "odd@localhost":
                return Rejection(550, "two\r\nlines")
            raise RecursionError(f"about {address}")

        inbox = Inbox()
        options: Any = {"accept_recipient": accept}
        async with listening(inbox, **options) as port, talking_to(port) as client:
            assert await client.say_all(
                "MAIL FROM:<alice@example.org>",
                "RCPT TO:<bob@localhost>",
                "RCPT TO:<odd@localhost>",
                "RCPT TO:<pbm@localhost>",
            ) == ["250 2.1.0 Go on.", OWN_FAULT, OWN_FAULT, "250 2.1.5 Go on."]
            assert len(inbox.faults) == 2
            assert (await client.say("DATA")).startswith("354")
            client.send(MAIL + b".\r\n")
            assert (await client.reply()).startswith("250")
            assert [recipients for _, recipients, _, _ in inbox.mails] == [("pbm@localhost",)]

    run(scene)


def test_a_commit_that_takes_too_long_is_not_acknowledged_and_not_stopped() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        limits = ListenerLimits(commit_seconds=0.01)
        async with listening(inbox, limits=limits) as port, talking_to(port) as client:
            assert await client.send_mail() == OWN_FAULT
            assert inbox.begun.is_set()
            inbox.may_end.set()
            await inbox.ended.wait()
            assert inbox.raws == [MAIL]

    run(scene)


async def close(client: Client) -> None:
    client.writer.close()
    await client.writer.wait_closed()


async def half_close(client: Client) -> None:
    client.writer.write_eof()


async def reset(client: Client) -> None:
    client.leave()


@pytest.mark.parametrize("leave", [close, half_close, reset])
def test_promise_03_a_commit_survives_the_clients_leaving(leave: Any) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with listening(inbox) as port:
            async with talking_to(port) as client:
                await client.until_data()
                client.send(MAIL + b".\r\n")
                await inbox.begun.wait()
                await leave(client)
                async with talking_to(port) as another:  # by now the server knows
                    await another.say("NOOP")
                    gc.collect()
                inbox.may_end.set()
                await inbox.ended.wait()
                assert inbox.raws == [MAIL]
            async with talking_to(port) as client:
                assert (await client.send_mail()).startswith("250")
                assert inbox.raws == [MAIL, MAIL]

    run(scene)


def test_a_fault_after_the_client_has_left_is_reported() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        inbox.error = RuntimeError("too late")
        async with listening(inbox) as port:
            async with talking_to(port) as client:
                await client.until_data()
                client.send(MAIL + b".\r\n")
                await inbox.begun.wait()
            inbox.may_end.set()
        assert inbox.faults == [inbox.error]

    run(scene)


def test_a_client_that_closes_its_half_still_gets_its_answer() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with listening(inbox) as port, talking_to(port) as client:
            await client.until_data()
            client.send(MAIL + b".\r\n")
            await inbox.begun.wait()
            await half_close(client)
            inbox.may_end.set()
            assert await client.reply() == "250 2.0.0 Kept as 1."
            assert await client.reply() == ""

    run(scene)


def test_a_client_that_says_everything_at_once_and_closes_its_half() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port, talking_to(port, hello=False) as client:
            envelope = b"EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\n"
            client.send(envelope + MAIL + b".\r\nQUIT\r\n")
            await half_close(client)
            codes = [(await client.reply())[:3] for _ in range(7)]
            assert codes == ["220", "250", "250", "250", "354", "250", "221"]
            assert inbox.raws == [MAIL]

    run(scene)


@each_row(
    "said", [b"", b"MAIL FROM:<>", b"MAIL FROM:<>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\nhalf"]
)
@each_row("leave", [close, half_close, reset])
def test_a_client_that_leaves_earlier_leaves_nothing(said: bytes, leave: Any) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port:
            async with talking_to(port) as client:
                client.send(said)
                await client.writer.drain()
                await leave(client)
            async with talking_to(port) as another:
                assert (await another.send_mail()).startswith("250")
        assert inbox.raws == [MAIL]
        assert inbox.faults == []

    run(scene)


def test_stop_lets_a_commit_end_and_answers_it() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        listener = Listener(
            Handler(hostname="mx.example", accept_recipient=accept_all, keep=inbox.keep)
        )
        await listener.start([Doorway("127.0.0.1", 0)])
        (_, port) = listener.bound[0]
        async with talking_to(port) as idle, talking_to(port) as busy, talking_to(port) as half:
            await half.until_data()
            half.send(b"the mail is not at its")
            await busy.until_data()
            busy.send(MAIL + b".\r\n")
            await inbox.begun.wait()
            stopping = asyncio.create_task(listener.stop())
            assert (await idle.reply()).startswith("421 4.3.2 ")
            assert (await half.reply()).startswith("421 4.3.2 ")
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
            assert not stopping.done()
            inbox.may_end.set()
            assert await busy.reply() == "250 2.0.0 Kept as 1."
            assert (await busy.reply()).startswith("421 4.3.2 ")
            await stopping
        assert inbox.raws == [MAIL]

    run(scene)


def test_stop_gives_up_on_a_commit_that_does_not_end() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        listener = Listener(
            Handler(hostname="mx.example", accept_recipient=accept_all, keep=inbox.keep)
        )
        await listener.start([Doorway("127.0.0.1", 0)])
        async with talking_to(listener.bound[0][1]) as client:
            await client.until_data()
            client.send(MAIL + b".\r\n")
            await inbox.begun.wait()
            await listener.stop(0.01)
            assert await client.reply() == OWN_FAULT
            assert (await client.reply()).startswith("421")
        assert inbox.mails == []

    run(scene)


def test_promise_22_no_address_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        async with listening(Inbox()) as port, talking_to(port) as client:
            await client.until_data("pbm+u7.secrettag@localhost")
            client.send(MAIL + b".\r\n")
            await client.reply()

    with caplog.at_level(logging.DEBUG):
        run(scene)
    assert "secrettag" not in caplog.text
    assert "a1-c3" not in caplog.text
