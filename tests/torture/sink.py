"""The next server, which keeps what it is sent, and fails as it is told to."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.torture.trouble import ABOUT_US, IN_THE_MAIL, REFUSE, STAY, Trouble

_SLOW = 0.002  # seconds for each byte of an answer in a tarpit
_AWAY = 0.2  # seconds at most in which no connection is taken
_ANSWERS = {
    "connect": b"220 sink.example\r\n",
    "EHLO": b"250-sink.example\r\n250 8BITMIME\r\n",
    "DATA": b"354 go on\r\n",
    "QUIT": b"221 bye\r\n",
}
_PIPELINING = b"250-sink.example\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
_AT_ONCE = 0.7  # of the connections on which commands may come at once
_OK = b"250 ok\r\n"
_NOT_BEGUN = b"503 5.5.1 no mail was begun\r\n"
_SAID = {
    "say 421": b"421 4.3.2 closing\r\n",
    "say 451": b"451 4.3.0 not now\r\n",
    ABOUT_US: b"554 5.7.1 not from you\r\n",
    "say nonsense": b"what is that?\r\n",
    "half an answer": b"25",
}
_LAST = ("drop", "reset", "say 421", "half an answer")  # after these the connection ends


@dataclass
class Sink:
    """Listens on a loopback port; `keep` is told each reader and the bytes of each mail."""

    keep: Callable[[str, bytes], None]
    trouble: Trouble = field(default_factory=lambda: Trouble(random.Random(0)))
    port: int = 0
    _server: asyncio.Server | None = None
    _coming_back: asyncio.TimerHandle | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Where a smarthost is to be found."""
        return f"smtp://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Sink"]:
        """Listen on `port`, or on any free one."""
        await self._listen()
        try:
            yield self
        finally:
            if self._coming_back:
                self._coming_back.cancel()
            if self._server:
                self._server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self.port, limit=1 << 20
        )
        self.port = self._server.sockets[0].getsockname()[1]

    def _refuse_for_a_while(self) -> None:
        """Take no connections for a moment, which is the failure itself."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        seconds = self.trouble.dice.random() * _AWAY
        loop = asyncio.get_running_loop()
        self._coming_back = loop.call_later(seconds, lambda: self._start(self._listen()))

    def _start(self, work: "asyncio._CoroutineLike[None]") -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._start(_Conversation(self, reader, writer).run())

    def at(self, step: str) -> str:
        """What happens at a step."""
        what = self.trouble.at(step)
        if what == REFUSE:
            self._refuse_for_a_while()
            return "reset"
        return what


class _EndError(Exception):
    """This connection is over."""


@dataclass
class _Conversation:
    sink: Sink
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    recipient: str = ""
    is_begun: bool = False  # MAIL and RCPT were taken
    has_said_all: bool = False

    async def run(self) -> None:
        """Converse until the other side leaves, or this one fails."""
        try:
            await self._answer("connect")
            while True:
                await self._obey(await self.reader.readuntil(b"\r\n"))
        except (_EndError, OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writer.close()

    async def _obey(self, line: bytes) -> None:
        verb = line[:4].decode("ascii").upper()
        if verb in ("RCPT", "DATA") and not self.is_begun:
            await self._do(STAY, _NOT_BEGUN)  # the commands of a mail may come all at once
            return
        answered = await self._answer(verb)
        if verb == "RCPT":
            self.recipient = line.partition(b"<")[2].partition(b">")[0].decode("ascii")
        self.is_begun = answered and verb in ("MAIL", "RCPT")
        if verb == "QUIT":
            raise _EndError
        if verb == "DATA" and answered:
            await self._take_mail()

    async def _take_mail(self) -> None:
        if self.sink.at("mail") == IN_THE_MAIL:
            await self.reader.readline()
            raise _EndError
        raw = await self.reader.readuntil(b"\r\n.\r\n")
        what = self.sink.at("dot")
        if what.startswith("keep") or what in (STAY, "tarpit", "half-close"):
            self.sink.keep(self.recipient, raw[:-3])
        await self._do(what.removeprefix("keep and ").removeprefix("keep, "), _OK)

    async def _answer(self, step: str) -> bool:
        """Answer as the dice say; whether that was what a healthy server says."""
        what = self.sink.at(step)
        at_once = step == "EHLO" and self.sink.trouble.dice.random() < _AT_ONCE
        await self._do(what, _PIPELINING if at_once else _ANSWERS.get(step, _OK))
        return what in (STAY, "tarpit", "half-close")

    async def _do(self, what: str, answer: bytes) -> None:
        if self.has_said_all:
            return
        if what == "tarpit":
            for byte in answer:
                self.writer.write(bytes([byte]))
                await asyncio.sleep(_SLOW)
            return
        if what == "reset":
            self.writer.transport.abort()
            raise _EndError
        if what != "drop":
            self.writer.write(_SAID.get(what, answer))
            await self.writer.drain()
        if what == "half-close":
            self.writer.write_eof()
            self.has_said_all = True
        if what in _LAST or what == "answer and drop":
            raise _EndError
