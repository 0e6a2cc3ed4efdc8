"""LMTP (RFC 2033): what a server with a queue of its own says to us, and hears."""

import asyncio
import contextlib
import socket
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pbm.config import Doorway
from pbm.errors import OperatorError
from pbm.mail.smtp_in.connection_limits import Caller, ListenerLimits
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

LMTP = Doorway("127.0.0.1", 0, is_lmtp=True)
ALL: Any = {"doorway": LMTP}
THREE = ("a@localhost", "b@localhost", "c@localhost")
KEPT = "250 2.0.0 Kept as 1."


@contextlib.asynccontextmanager
async def conversation(inbox: Inbox, **options: Any) -> AsyncIterator[Client]:
    async with (
        listening(inbox, doorway=LMTP, **options) as port,
        talking_to(port, verb="LHLO") as client,
    ):
        yield client


async def replies(client: Client, count: int) -> list[str]:
    return [await client.reply() for _ in range(count)]


async def is_in_step(client: Client) -> bool:
    """Whether nothing more is said than what was waited for."""
    return await client.say("NOOP") == "250 2.0.0 Nothing done."


def test_the_greeting_and_the_hello() -> None:
    async def scene() -> None:
        async with listening(Inbox(), **ALL) as port, talking_to(port, hello=False) as client:
            assert await client.reply() == "220 mx.example LMTP"
            assert (await client.say("MAIL FROM:<>")) == "503 5.5.1 Say LHLO first."
            for no in ("EHLO there", "HELO there"):
                assert (await client.say(no)).startswith("500 5.5.1 ")
            assert (await client.say("LHLO")).startswith("501 5.5.4 ")
            assert (await client.say("LHLO there")).split("\n") == [
                "250-mx.example",
                "250-SIZE 1048576",
                "250-8BITMIME",
                "250-PIPELINING",
                "250-ENHANCEDSTATUSCODES",
                "250-XFORWARD ADDR",
                "250 HELP",
            ]

    run(scene)


def test_smtp_knows_no_lhlo() -> None:
    async def scene() -> None:
        async with listening(Inbox()) as port, talking_to(port) as client:
            assert (await client.say("LHLO there")).startswith("500 5.5.1 ")

    run(scene)


def test_promise_01_each_recipient_has_its_250_after_its_mail_is_kept() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with conversation(inbox) as client:
            await client.until_data(*THREE)
            client.send(MAIL + b".\r\n")
            await inbox.begun.wait()
            first = asyncio.create_task(client.reply())
            await asyncio.wait({first}, timeout=0.05)
            assert not first.done()
            inbox.may_end.set()
            assert [await first, *await replies(client, 2)] == [KEPT] * 3
            assert [recipients for _, recipients, _, _ in inbox.mails] == [(to,) for to in THREE]
            assert await is_in_step(client)

    run(scene)


def test_a_recipient_is_refused_for_itself() -> None:
    async def scene() -> None:
        async def keep(sender: str, to: tuple[str, ...], raw: bytes, caller: Caller) -> Any:
            if to == ("b@localhost",):
                return Rejection(550, "5.6.0 Nobody can read that.")
            if to == ("c@localhost",):
                raise RuntimeError("the password is swordfish")
            return await inbox.keep(sender, to, raw, caller)

        inbox = Inbox()
        async with conversation(inbox, keep=keep) as client:
            await client.until_data(*THREE)
            client.send(MAIL + b".\r\n")
            assert await replies(client, 3) == [KEPT, "550 5.6.0 Nobody can read that.", OWN_FAULT]
            assert await is_in_step(client)
            assert [type(fault) for fault in inbox.faults] == [RuntimeError]

    run(scene)


def test_a_recipient_named_twice_has_two_replies_and_one_mail() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox) as client:
            await client.until_data("a@localhost", "b@localhost", "a@localhost")
            client.send(MAIL + b".\r\n")
            assert await replies(client, 3) == [KEPT] * 3
            assert len(inbox.mails) == 2
            assert await is_in_step(client)

    run(scene)


def test_refused_recipients_have_no_reply_after_the_dot() -> None:
    async def scene() -> None:
        async def accept(address: str, *_: object) -> Rejection | None:
            return None if address == "b@localhost" else Rejection(550, "5.1.1 Nobody is here.")

        inbox = Inbox()
        async with conversation(inbox, accept_recipient=accept) as client:
            await client.say("MAIL FROM:<>")
            assert (await client.say("RCPT TO:<a@localhost>")).startswith("550")
            assert (await client.say("DATA")).startswith("503 5.5.1 ")
            assert (await client.say("RCPT TO:<b@localhost>")).startswith("250")
            assert (await client.say("DATA")).startswith("354")
            client.send(MAIL + b".\r\n")
            assert await client.reply() == KEPT
            assert await is_in_step(client)

    run(scene)


@each_row("fault", [RuntimeError("swordfish"), RecursionError(), MemoryError()])
def test_promise_02_our_own_fault_is_one_fixed_line_for_each(fault: BaseException) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.error = fault
        async with conversation(inbox) as client:
            await client.until_data(*THREE)
            client.send(MAIL + b".\r\n")
            assert await replies(client, 3) == [OWN_FAULT] * 3
            assert await is_in_step(client)
            assert inbox.faults == [fault] * 3

    run(scene)


def test_promise_02_even_a_fault_of_the_conversation_is_told_to_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr("pbm.mail.smtp_in.conversation.has_longer_line", broken)

    async def scene() -> None:
        async with conversation(Inbox()) as client:
            await client.until_data(*THREE)
            client.send(MAIL + b".\r\n")
            assert await replies(client, 3) == [OWN_FAULT] * 3
            assert await is_in_step(client)

    run(scene)


def test_promise_03_commits_survive_the_clients_leaving() -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with listening(inbox, doorway=LMTP) as port:
            async with talking_to(port, verb="LHLO") as client:
                await client.until_data(*THREE)
                client.send(MAIL + b".\r\n")
                await inbox.begun.wait()
            async with talking_to(port, verb="LHLO") as another:  # by now the server knows
                assert await is_in_step(another)
            inbox.may_end.set()
        assert [recipients for _, recipients, _, _ in inbox.mails] == [(to,) for to in THREE]

    run(scene)


@each_row(
    "mail",
    [b"a: b\n.\n\r\n", b"a: b\r.\r\r\n", b"a: b\r\n.\n\r\n", b"a: \0\r\n", b"a\rFrom: x\r\n"],
)
def test_promise_11_only_crlf_dot_crlf_ends_a_mail_by_lmtp_too(mail: bytes) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox) as client:
            await client.until_data(*THREE)
            client.send(mail + b".\r\n")
            for reply in await replies(client, 3):
                assert reply.startswith("550 5.6.0 ")
            assert await is_in_step(client)
            assert inbox.mails == []

    run(scene)


@pytest.mark.parametrize(
    ("mail", "code"),
    [(b"x" * 76 + b"\r\n", "552 5.3.4 "), (b"x" * 70_000 + b"\r\n", "500 5.5.2 ")],
)
def test_promise_15_what_is_too_large_is_told_to_each(mail: bytes, code: str) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox) as client:
            await client.until_data(*THREE)
            client.send(mail * (20_000 if code.startswith("552") else 1) + b".\r\n")
            for reply in await replies(client, 3):
                assert reply.startswith(code)
            assert await is_in_step(client)
            assert inbox.mails == []

    run(scene)


def test_promise_15_connections_are_capped_by_lmtp_too() -> None:
    async def scene() -> None:
        options: Any = {"trusted_peers": (), "limits": ListenerLimits(connections_per_peer=1)}
        async with conversation(Inbox(), **options) as client:
            port = client.writer.get_extra_info("peername")[1]
            async with talking_to(port, hello=False) as second:
                assert (await second.reply()).startswith("421 4.7.0 ")
                assert await second.reply() == ""
            assert await is_in_step(client)

    run(scene)


def test_promise_15_a_mail_by_lmtp_has_its_time() -> None:
    async def scene() -> None:
        limits = ListenerLimits(data_seconds=0.05)
        async with conversation(Inbox(), limits=limits) as client:
            await client.until_data(*THREE)
            client.send(b"Subject: it does not en")
            assert (await client.reply()).startswith("421 4.4.2 ")
            assert await client.reply() == ""

    run(scene)


def test_a_mail_through_a_local_socket(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"

    async def scene() -> None:
        inbox = Inbox()
        doorway = Doorway(path=str(path), is_lmtp=True)
        async with listening(inbox, doorway=doorway, trusted_peers=()):
            assert stat.S_IMODE(path.stat().st_mode) == 0o666
            async with talking_to(0, verb="LHLO", path=str(path)) as client:
                assert await client.send_mail() == KEPT
        assert [caller.peer for _, _, _, caller in inbox.mails] == [""]
        assert not path.exists()

    run(scene)


def test_a_killed_servers_socket_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    assert path.is_socket()

    async def scene() -> None:
        doorway = Doorway(path=str(path), is_lmtp=True)
        async with (
            listening(Inbox(), doorway=doorway),
            talking_to(0, verb="LHLO", path=str(path)) as client,
        ):
            assert await client.send_mail() == KEPT

    run(scene)
    assert not path.exists()


def test_a_living_servers_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"

    async def scene() -> None:
        doorway = Doorway(path=str(path), is_lmtp=True)
        async with listening(Inbox(), doorway=doorway):
            second = Listener(Handler(hostname="x", accept_recipient=accept_all, keep=Inbox().keep))
            with pytest.raises(OperatorError, match="another server does"):
                await second.start([doorway])
            async with talking_to(0, verb="LHLO", path=str(path)) as client:
                assert await client.send_mail() == KEPT

    run(scene)


@pytest.mark.parametrize(
    ("name", "words"), [("file", "something else has that name"), ("no/lmtp", "there is no folder")]
)
def test_what_is_in_a_sockets_way(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").write_text("precious")

    async def scene() -> None:
        listener = Listener(Handler(hostname="x", accept_recipient=accept_all, keep=Inbox().keep))
        doorway = Doorway(path=str(tmp_path / name), is_lmtp=True)
        with pytest.raises(OperatorError, match=words):
            await listener.start([LMTP, doorway])
        assert listener.bound == ()

    run(scene)
    assert (tmp_path / "file").read_text() == "precious"


def test_a_socket_that_somebody_has_put_in_our_place_stays(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"

    async def scene() -> None:
        async with listening(Inbox(), doorway=Doorway(path=str(path), is_lmtp=True)):
            path.rename(tmp_path / "ours")
            path.write_text("somebody else's")

    run(scene)
    assert path.read_text() == "somebody else's"
