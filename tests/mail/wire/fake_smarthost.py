"""A server for outgoing mail that behaves as a test tells it to, well or badly."""

import asyncio
import ssl
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pbm.mail.smtp_out.smarthost import SmarthostTransport, Timeouts
from tests.polling import PATIENCE

CERTIFICATE = Path(__file__).with_name("loopback.pem")

DROP = "drop"
HANG = "hang"
PAUSE = "pause"  # until it is released; then all is as usual
USUAL = {
    "CONNECT": "220 fake ESMTP",
    "EHLO": "250-fake\n250 SIZE 1000000",
    "MAIL": "250 2.1.0 fine",
    "RCPT": "250 2.1.5 fine",
    "DATA": "354 go on",
    "DATA-REFUSED": "503 5.5.1 nobody to send it to",
    "DOT": "250 2.0.0 queued",
    "RSET": "250 2.0.0 fine",
    "QUIT": "221 2.0.0 bye",
    "STARTTLS": "220 2.0.0 go on",
    "AUTH": "235 2.7.0 welcome",
}


class FakeSmarthost:
    """Replies by verb: first those scripted, one at a time, then the usual one."""

    def __init__(self) -> None:
        self.usual = dict(USUAL)
        self.scripted: dict[str, deque[str]] = defaultdict(deque)
        self.commands: list[str] = []
        self.mails: list[bytes] = []
        self.arrived: list[tuple[str, bytes]] = []  # the mails, with their recipients
        self.contents = 0  # read, whether or not it took them
        self.connections = 0
        self.open = 0
        self.most_open = 0
        self.encrypted = False
        self.port = 0
        self.lingers = False
        self.goes_on = False  # to take content, though it refused all that came before
        self.release = asyncio.Event()
        self.talks: set[asyncio.Task[None]] = set()

    def script(self, verb: str, *replies: str) -> None:
        self.scripted[verb].extend(replies)

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._serve(reader, writer))
        self.talks.add(talk)
        talk.add_done_callback(self.talks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await self._talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            self.open -= 1
            writer.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await self._reply("CONNECT", writer):
            return
        recipient = ""
        refused = False  # what belongs to the mail that is being begun
        while line := await reader.readline():
            command = line.decode().strip()
            self.commands.append(command)
            verb = command.split(" ")[0].upper()
            lost = verb == "DATA" and refused and not self.goes_on
            if not await self._reply("DATA-REFUSED" if lost else verb, writer):
                return
            if verb in ("MAIL", "RCPT", "RSET"):
                refused = not self.said.startswith("2") or (refused and verb == "RCPT")
            if verb == "RCPT" and not refused:
                recipient = command.partition("<")[2].rstrip(">")
            if verb == "STARTTLS":
                await writer.start_tls(server_context())
                self.encrypted = True
            if verb == "DATA" and self.said.startswith("354"):
                mail = await reader.readuntil(b"\r\n.\r\n")
                self.contents += 1
                if not await self._reply("DOT", writer):
                    return
                if self.said.startswith("250"):
                    self.mails.append(mail[:-3])
                    self.arrived.append((recipient, mail[:-3]))

    async def _reply(self, verb: str, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection goes on."""
        scripted = self.scripted[verb]
        self.said = scripted.popleft() if scripted else self.usual.get(verb, "502 5.5.1 what?")
        if self.said in (HANG, PAUSE):
            await self.release.wait()
        if self.said == PAUSE:
            self.said = self.usual[verb]
        if self.said in (DROP, HANG):
            return False
        writer.write(self.said.replace("\n", "\r\n").encode() + b"\r\n")
        await writer.drain()
        return self.lingers or not self.said.startswith(("421", "221"))


def server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def patient(url: str, **options: Any) -> SmarthostTransport:
    """A transport that gives nobody up for being slow, unless a test says so."""
    unhurried = Timeouts(connect=PATIENCE, command=PATIENCE)
    return SmarthostTransport(url, **{"timeouts": unhurried, **options})


@asynccontextmanager
async def fake_smarthost(*, tls: bool = False) -> AsyncIterator[FakeSmarthost]:
    fake = FakeSmarthost()
    server = await asyncio.start_server(
        fake.serve, "127.0.0.1", 0, ssl=server_context() if tls else None
    )
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        fake.release.set()
        server.close()
        for talk in set(fake.talks):
            talk.cancel()
        await asyncio.gather(*fake.talks, return_exceptions=True)
