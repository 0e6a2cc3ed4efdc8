"""Mails sent as fast as a server takes them, by processes of their own, as cheap as can be."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

_PROCESSES = 2  # one alone would be what is measured, beside a server that does nothing


@dataclass(frozen=True)
class Letter:
    """A mail to be sent: envelope and bytes, dots and line ends as on the wire."""

    sender: bytes
    recipient: bytes
    raw: bytes


@dataclass(frozen=True)
class Shape:
    """How a load comes in: over so many connections at once, each for one mail or for many."""

    name: str
    senders: int
    keep_open: bool


SHAPES = (
    Shape("10 senders, a connection a mail", 10, False),
    Shape("50 open connections", 50, True),
)


@dataclass(frozen=True)
class Sent:
    """When a mail was sent, the moment of its final dot, and of the reply to that."""

    sender: bytes
    dot: float
    reply: float


class Load:
    """Processes that send."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def send(
        self, port: int, letters: Sequence[Letter], shape: Shape, *, a_second: float = 0.0
    ) -> list[Sent]:
        """Send mails in the shape of a load; as fast as they are taken, or so many a second."""
        parts = [letters[first::_PROCESSES] for first in range(_PROCESSES)]
        senders = shape.senders // _PROCESSES
        sending = [
            self._pool.submit(
                _send_all, port, part, senders, shape.keep_open, a_second / _PROCESSES
            )
            for part in parts
        ]
        return [sent for part in sending for sent in part.result()]


@contextmanager
def load() -> Iterator[Load]:
    """The processes, started before anything is measured."""
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        for waiting in [pool.submit(time.time) for _ in range(_PROCESSES)]:
            waiting.result()
        yield Load(pool)


def _send_all(
    port: int, letters: Sequence[Letter], senders: int, keep_open: bool, a_second: float
) -> list[Sent]:
    return asyncio.run(_Sending(port, letters, keep_open, a_second).run(senders))


class _Sending:
    """The work of one process."""

    def __init__(
        self, port: int, letters: Sequence[Letter], keep_open: bool, a_second: float
    ) -> None:
        self._port = port
        self._keep_open = keep_open
        self._pause = 1 / a_second if a_second else 0.0
        self._waiting = list(reversed(letters))
        self._sent: list[Sent] = []
        self._begun = time.time()
        self._taken = 0

    async def run(self, senders: int) -> list[Sent]:
        """Send everything over so many connections at once."""
        await asyncio.gather(*(self._connections() for _ in range(senders)))
        return self._sent

    async def _connections(self) -> None:
        while self._waiting:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            await _expect(reader, b"220")
            await _say(reader, writer, b"EHLO load.example\r\n", b"250")
            while self._waiting:
                letter = self._waiting.pop()
                await self._its_time()
                self._sent.append(await _send(reader, writer, letter))
                if not self._keep_open:
                    break
            await _say(reader, writer, b"QUIT\r\n", b"221")
            writer.close()

    async def _its_time(self) -> None:
        """Keep the pace of all connections together."""
        self._taken += 1
        due = self._begun + self._taken * self._pause
        if due > time.time():
            await asyncio.sleep(due - time.time())


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, letter: Letter) -> Sent:
    await _say(reader, writer, b"MAIL FROM:<%s>\r\n" % letter.sender, b"250")
    await _say(reader, writer, b"RCPT TO:<%s>\r\n" % letter.recipient, b"250")
    await _say(reader, writer, b"DATA\r\n", b"354")
    dot = time.time()
    await _say(reader, writer, letter.raw + b".\r\n", b"250")
    return Sent(letter.sender, dot, time.time())


async def _say(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes, wanted: bytes
) -> None:
    writer.write(line)
    await _expect(reader, wanted)


async def _expect(reader: asyncio.StreamReader, wanted: bytes) -> None:
    while True:
        line = await reader.readline()
        if line[3:4] != b"-":
            break
    if not line.startswith(wanted):
        raise ConnectionError(f"the server said {line!r}")
