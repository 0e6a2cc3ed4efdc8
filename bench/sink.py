"""The next server: takes everything, and tells when each mail had arrived. As cheap as can be."""

import asyncio
import json
import sys
import time
from typing import ClassVar

_END = b"\r\n.\r\n"


class Sink(asyncio.Protocol):
    """One connection; `arrived` are all mails, each the moment and the recipient."""

    arrived: ClassVar[list[tuple[float, str]]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._held = b""
        self._in_data = False
        self._recipient = ""
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        """Answer commands, and the end of each mail."""
        self._held += data
        answers = []
        while True:
            end = self._held.find(_END) if self._in_data else self._held.find(b"\r\n")
            if end < 0:
                break
            if self._in_data:
                self._held = self._held[end + len(_END) :]
                self._in_data = False
                self.arrived.append((time.time(), self._recipient))
                answers.append(b"250 ok\r\n")
            else:
                line, self._held = self._held[:end], self._held[end + 2 :]
                answers.append(self._answer(line))
        if answers:
            self._transport.write(b"".join(answers))

    def _answer(self, line: bytes) -> bytes:
        verb = line[:4].upper()
        if verb == b"EHLO":
            return b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
        if verb == b"RCPT":
            self._recipient = line.partition(b"<")[2].partition(b">")[0].decode()
        if verb == b"DATA":
            self._in_data = True
            return b"354 go on\r\n"
        if verb == b"QUIT":
            return b"221 bye\r\n"
        return b"250 ok\r\n"


async def serve(port: int) -> None:
    """Run it; a line on standard input is answered: `count`, or `take` for all since the last."""
    loop = asyncio.get_running_loop()
    await loop.create_server(Sink, "127.0.0.1", port)
    print("ready", flush=True)
    while asked := await loop.run_in_executor(None, sys.stdin.readline):
        if asked.strip() == "take":
            print(json.dumps(Sink.arrived), flush=True)
            Sink.arrived.clear()
        else:
            print(len(Sink.arrived), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
