"""A milter as DMARC checkers are: it puts one field into every mail, and removes forged ones.

Only what of the protocol (Sendmail's, version 6) that needs; the mail server speaks first, always.
"""

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_VERSION = 6
_MAY_ADD, _MAY_CHANGE = 0x01, 0x10
# No word about connection, greeting, sender, recipients, body, end of header, odd commands, DATA.
_NOT_ASKED = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0x100 | 0x200
_NAME = "Authentication-Results"


@dataclass
class Milter:
    """What it writes, and where; 0 is the top, and 1 below the `Received` of Postfix."""

    authserv_id: str
    says: str = "dmarc=none"
    removes: bool = True
    index: int = 1
    port: int = 0


class _Conversation(socketserver.StreamRequestHandler):
    milter: Milter

    def handle(self) -> None:
        """Answer until the mail server leaves."""
        found: list[str] = []
        while head := self.rfile.read(4):
            packet = self.rfile.read(*struct.unpack("!I", head))
            command, data = packet[:1], packet[1:]
            if command == b"O":
                offered = struct.unpack("!III", data[:12])[2]
                told = struct.pack("!III", _VERSION, _MAY_ADD | _MAY_CHANGE, _NOT_ASKED & offered)
                self._say(b"O", told)
            elif command == b"L":
                name, value = data.split(b"\0")[:2]
                if name.decode("latin-1").lower() == _NAME.lower():
                    found.append(value.decode("latin-1"))
                self._say(b"c")
            elif command == b"E":
                self._change(found)
                found = []
                self._say(b"c")
            elif command == b"A":
                found = []
            elif command in b"QK":
                return
            elif command != b"D":
                self._say(b"c")

    def _change(self, found: list[str]) -> None:
        for number in range(len(found), 0, -1):  # the last first: the others keep their numbers
            first = found[number - 1].replace("(", " ").replace(";", " ").split()[0]
            if self.milter.removes and first.lower() == self.milter.authserv_id:
                self._say(b"m", struct.pack("!I", number) + f"{_NAME}\0\0".encode())
        if self.milter.says:
            value = f"{self.milter.authserv_id}; {self.milter.says}"
            field = f"{_NAME}\0{value}\0".encode()
            self._say(b"i", struct.pack("!I", self.milter.index) + field)

    def _say(self, command: bytes, data: bytes = b"") -> None:
        self.wfile.write(struct.pack("!I", len(data) + 1) + command + data)
        self.wfile.flush()


@contextmanager
def running_milter(authserv_id: str) -> Iterator[Milter]:
    """Run one on a free loopback port."""
    milter = Milter(authserv_id)
    handler = type("Conversation", (_Conversation,), {"milter": milter})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        milter.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield milter
        finally:
            server.shutdown()
