"""What the operator is told of a connection at its end."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pbm.config import Doorway
from pbm.mail.smtp_in.certificate import load_certificate
from pbm.mail.smtp_in.connection_limits import ListenerLimits
from pbm.mail.smtp_in.handler import QUIT, Rejection, Session
from tests.mail.wire.certificates import issue
from tests.mail.wire.talk import BY_SMTP, GUARD_SECONDS, Client, Inbox, listening, run, talking_to
from tests.rows import each_row

Scene = Callable[[Client], Awaitable[object]]


async def accept_none(*_: object) -> Rejection:
    return Rejection(550, "5.1.1 There is nobody of that name here.", "no such player")


def session_of(
    scene: Scene, doorway: Doorway = BY_SMTP, *, hello: bool = True, **options: Any
) -> Session:
    """The session of a client who comes, does something, and leaves."""
    sessions: list[Session] = []

    async def whole() -> None:
        ended = asyncio.Event()

        def report(session: Session) -> None:
            sessions.append(session)
            ended.set()

        inbox = options.pop("inbox", Inbox())
        async with listening(inbox, doorway=doorway, report_session=report, **options) as port:
            verb = "LHLO" if doorway.is_lmtp else "EHLO"
            async with talking_to(port, hello=hello, verb=verb) as client:
                await scene(client)
            async with asyncio.timeout(GUARD_SECONDS):
                await ended.wait()

    run(whole)
    (session,) = sessions
    return session


async def two_mails(client: Client) -> None:
    await client.send_mail()
    await client.send_mail()
    await client.say("QUIT")


async def nobody_there(client: Client) -> None:
    await client.say("MAIL FROM:<a@example.org>")
    await client.say("RCPT TO:<pbm+u7.secrettag@localhost>")


async def guesses(client: Client) -> None:
    await client.say("AUTH PLAIN c2VjcmV0")
    await client.say("MAIL FROM:<a@example.org> SIZE=9999999")


async def says_quit(client: Client) -> None:
    await client.say("QUIT")


async def says_nothing(client: Client) -> None:
    while await client.reply():
        pass


REFUSED = "550 5.1.1 There is nobody of that name here. (no such player)"
TOLD: dict[str, tuple[Scene, dict[str, Any], int, list[str], str]] = {
    "mails": (two_mails, {}, 2, ["250 2.0.0 Kept as 1."] * 2, QUIT),
    "recipient": (
        nobody_there,
        {"accept_recipient": accept_none},
        0,
        [f"RCPT TO:<pbm+u7.secrettag@localhost>: {REFUSED}"],
        Session.end,
    ),
    "no password": (guesses, {}, 0, ["AUTH: 500 5.5.1 ", "MAIL FROM:<a@ex"], Session.end),
    "looks": (says_quit, {}, 0, [], QUIT),
    "idle": (
        says_nothing,
        {"limits": ListenerLimits(idle_seconds=0.01), "hello": False},
        0,
        [],
        "timed out, told 421 4.4.2 Nothing was said for too long; goodbye.",
    ),
}


@each_row("name", TOLD)
def test_what_is_told(name: str) -> None:
    scene, options, kept, told, end = TOLD[name]
    session = session_of(scene, **options)
    assert (session.peer, session.protocol, session.is_trusted) == ("127.0.0.1", "ESMTP", True)
    assert (session.kept, session.refused) == (kept, len(told) - kept)
    assert len(session.told) == len(told)
    assert all(said.startswith(begin) for said, begin in zip(session.told, told, strict=True))
    assert session.end == end
    assert session.is_uneventful is (name == "looks")
    assert "c2VjcmV0" not in str(session)


def test_each_recipient_by_lmtp_and_few_of_many() -> None:
    async def seven(client: Client) -> None:
        await client.until_data(*(f"pbm+{number}@localhost" for number in range(7)))
        client.send(b"From: a@b\r\n\r\n.\r\n")
        for _ in range(7):
            await client.reply()

    session = session_of(seven, Doorway("127.0.0.1", 0, is_lmtp=True))
    assert (session.protocol, session.kept, len(session.told)) == ("LMTP", 7, 5)
    assert session.sender == "alice@example.org"


def test_who_leaves_while_the_mail_is_kept() -> None:
    inbox = Inbox()
    inbox.may_end.clear()

    async def leaves(client: Client) -> None:
        await client.until_data()
        client.send(b"From: a@b\r\n\r\n.\r\n")
        await inbox.begun.wait()
        connection = client.writer.get_extra_info("socket")
        # With a reset: a half that is closed in order may still read our reply.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    session = session_of(leaves, inbox=inbox)
    assert (session.kept, session.end) == (0, "the client left before the reply to its mail")


def test_why_tls_failed(tmp_path: Path) -> None:
    issued = issue(tmp_path)

    async def nonsense(client: Client) -> None:
        await client.say("STARTTLS")
        client.send(b"EHLO this is no TLS\r\n")
        await client.reader.read()

    tls = load_certificate(str(issued.certificate), str(issued.key))
    session = session_of(nonsense, tls=tls)
    assert session.end == "TLS failed: wrong version number"
    assert not session.is_uneventful
