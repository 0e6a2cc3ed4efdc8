"""A listener on a free port, and a client that says exactly what a test wants it to say."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pbm.config import Doorway
from pbm.mail.smtp_in.connection_limits import LOOPBACK, Caller
from pbm.mail.smtp_in.handler import Handler, Rejection
from pbm.mail.smtp_in.listener import Listener
from tests.polling import PATIENCE

GUARD_SECONDS = PATIENCE
BY_SMTP = Doorway("127.0.0.1", 0)
MAIL = b"From: alice@example.org\r\nSubject: move\r\n\r\na1-c3\r\n"
OWN_FAULT = "451 4.3.0 Something broke on our side, not on yours. Please send it again later."

_REFUSAL = re.compile(r"[45][0-9]{2} [45]\.[0-9]{1,3}\.[0-9]{1,3} [A-Z][ -~]+\.")


class Inbox:
    """Keeps mails in memory, when a test lets it; `faults` are those reported to the server."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, tuple[str, ...], bytes, Caller]] = []
        self.faults: list[BaseException] = []
        self.answer: Any = "2.0.0 Kept as 1."
        self.error: BaseException | None = None
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.ended = asyncio.Event()
        self.may_end.set()

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> Any:
        self.begun.set()
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        self.mails.append((sender, recipients, raw, caller))
        self.ended.set()
        return self.answer

    @property
    def raws(self) -> list[bytes]:
        return [raw for _, _, raw, _ in self.mails]


async def accept_all(*_: object) -> Rejection | None:
    return None


class Client:
    """Speaks SMTP by hand. Every refusal that it hears must be a sentence for people."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, octets: bytes) -> None:
        self.writer.write(octets)

    async def reply(self) -> str:
        """The next whole reply, its lines joined by LF; empty at the connection's end."""
        lines: list[str] = []
        async with asyncio.timeout(GUARD_SECONDS):
            while not lines or lines[-1][3:4] == "-":
                line = await self.reader.readline()
                if not line:
                    return "\n".join(lines)
                assert line.endswith(b"\r\n")
                lines.append(line.decode("ascii").removesuffix("\r\n"))
        reply = "\n".join(lines)
        if reply[0] in "45":
            assert _REFUSAL.fullmatch(reply), reply
        return reply

    async def say(self, line: str) -> str:
        self.send(f"{line}\r\n".encode())
        return await self.reply()

    async def say_all(self, *lines: str) -> list[str]:
        return [await self.say(line) for line in lines]

    async def until_data(self, *recipients: str) -> None:
        """Everything up to the mail itself."""
        assert (await self.say("MAIL FROM:<alice@example.org>")).startswith("250")
        for recipient in recipients or ("pbm@localhost",):
            assert (await self.say(f"RCPT TO:<{recipient}>")).startswith("250")
        assert (await self.say("DATA")).startswith("354")

    async def send_mail(self, raw: bytes = MAIL) -> str:
        await self.until_data()
        self.send(raw + b".\r\n")
        return await self.reply()

    def leave(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def talking_to(
    port: int, *, hello: bool = True, verb: str = "EHLO", path: str = ""
) -> AsyncIterator[Client]:
    connect = asyncio.open_unix_connection(path) if path else None
    client = Client(*await (connect or asyncio.open_connection("127.0.0.1", port)))
    try:
        if hello:
            assert (await client.reply()).startswith("220")
            assert (await client.say(f"{verb} client.example")).startswith("250")
        yield client
    finally:
        client.leave()


@asynccontextmanager
async def listening(
    inbox: Inbox, *, doorway: Doorway = BY_SMTP, **options: Any
) -> AsyncIterator[int]:
    """A listener's port, 0 where it has none. Errors that asyncio would only log fail the test."""
    troubles: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: troubles.append(context))
    trusted = options.pop("trusted_peers", LOOPBACK)
    handler = Handler(
        **{
            "hostname": "mx.example",
            "accept_recipient": accept_all,
            "keep": inbox.keep,
            "report_fault": inbox.faults.append,
            **options,
        }
    )
    listener = Listener(handler, trusted)
    await listener.start([doorway])
    try:
        yield listener.bound[0][1] if listener.bound else 0
    finally:
        inbox.may_end.set()
        await listener.stop(GUARD_SECONDS)
    assert not troubles


def run(scene: Callable[[], Any]) -> None:
    """Play a scene in an event loop of its own, with a limit for what would hang for ever."""

    async def guarded() -> None:
        async with asyncio.timeout(4 * GUARD_SECONDS):
            await scene()

    asyncio.run(guarded())
