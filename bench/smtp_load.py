"""SMTP on both sides of a server, as cheap as can be, so that the server is what is measured."""

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

_END = b"\r\n.\r\n"
_SENDER = b"MAIL FROM:<%s>\r\n"


@dataclass(frozen=True)
class Letter:
    """A mail to be sent: envelope and bytes, dots and line ends as on the wire."""

    sender: bytes
    recipient: bytes
    raw: bytes


class Sink(asyncio.Protocol):
    """The next server: takes everything, and notes when each mail had arrived."""

    arrived: ClassVar[list[tuple[float, bytes]]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._held = b""
        self._in_data = False
        self._recipient = b""
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        """Answer commands, and the end of each mail."""
        self._held += data
        answers = []
        while True:
            if self._in_data:
                end = self._held.find(_END)
                if end < 0:
                    break
                self._held = self._held[end + len(_END) :]
                self._in_data = False
                self.arrived.append((time.time(), self._recipient))
                answers.append(b"250 ok\r\n")
                continue
            line, found, rest = self._held.partition(b"\r\n")
            if not found:
                break
            self._held = rest
            answers.append(self._answer(line))
        if answers:
            self._transport.write(b"".join(answers))

    def _answer(self, line: bytes) -> bytes:
        verb = line[:4].upper()
        if verb == b"EHLO":
            return b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
        if verb == b"RCPT":
            self._recipient = line
        if verb == b"DATA":
            self._in_data = True
            return b"354 go on\r\n"
        if verb == b"QUIT":
            return b"221 bye\r\n"
        return b"250 ok\r\n"


async def serve_sink(port: int) -> None:
    """Run the sink; a line on standard input asks how many mails have arrived, and when last."""
    loop = asyncio.get_running_loop()
    await loop.create_server(Sink, "127.0.0.1", port)
    print("ready", flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        last = Sink.arrived[-1][0] if Sink.arrived else 0.0
        print(len(Sink.arrived), last, flush=True)


async def send_all(
    port: int, letters: Sequence[Letter], *, senders: int, keep_open: bool
) -> list[float]:
    """Send mails over some connections at once; return when each was acknowledged.

    With `keep_open` a connection carries many mails, else one.
    """
    waiting = list(reversed(letters))
    acknowledged: list[float] = []

    async def sender() -> None:
        while waiting:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await _expect(reader, b"220")
            await _say(reader, writer, b"EHLO load.example\r\n", b"250")
            while waiting:
                await _send(reader, writer, waiting.pop())
                acknowledged.append(time.time())
                if not keep_open:
                    break
            await _say(reader, writer, b"QUIT\r\n", b"221")
            writer.close()

    await asyncio.gather(*(sender() for _ in range(senders)))
    return acknowledged


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, letter: Letter) -> None:
    await _say(reader, writer, _SENDER % letter.sender, b"250")
    await _say(reader, writer, b"RCPT TO:<%s>\r\n" % letter.recipient, b"250")
    await _say(reader, writer, b"DATA\r\n", b"354")
    await _say(reader, writer, letter.raw + b".\r\n", b"250")


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


if __name__ == "__main__":
    asyncio.run(serve_sink(int(sys.argv[1])))
