"""Splits the input of an SMTP client into command lines and mails, within bounds."""

import asyncio
import io

from pbm.mail.smtp_in.connection_limits import ListenerLimits

BLOCK = 65_536
_TERMINATOR = b"\r\n.\r\n"
_OVERLAP = len(_TERMINATOR) - 1


class ClientLeftError(Exception):
    """The connection is closed, or the client timed out."""


class FloodError(Exception):
    """The client sends more than we read before a refusal."""


class LineReader:
    """Reads from a connection. Bytes beyond the result of a call are kept for the next one."""

    def __init__(self, reader: asyncio.StreamReader, limits: ListenerLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._ahead = io.BytesIO()

    def drop_what_came(self) -> None:
        """Drop all bytes that have arrived and were not read."""
        self._ahead = io.BytesIO()
        # StreamReader has no public way to read only the bytes that have arrived.
        self._reader._buffer.clear()  # type: ignore[attr-defined]

    async def line(self) -> bytes:
        """The next command line, with its line end of any kind.

        Raises ClientLeftError, and FloodError for a line without an end.
        """
        line = self._ahead.readline()
        if line.endswith(b"\n"):
            return line
        try:
            return line + await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            raise FloodError from None
        except (asyncio.IncompleteReadError, OSError):
            raise ClientLeftError from None

    async def mail(self) -> bytes | None:
        """The mail up to CRLF.CRLF, with dot-stuffing removed; None if it is too large to hold.

        Nothing else ends a mail (RFC 5321, section 4.1.1.4), and the rest of it is unchanged.
        Raises ClientLeftError, and FloodError for a mail beyond ``surplus_bytes``.
        """
        held = bytearray(b"\r\n")  # so that a dot in the first line ends the mail, too
        dropped = 0
        block = self._ahead.read()
        while True:
            start = max(0, len(held) - _OVERLAP)
            held += block
            end = held.find(_TERMINATOR, start)
            if end >= 0:
                break
            if dropped or len(held) > self._limits.mail_bytes + len(_TERMINATOR):
                dropped += len(held) - _OVERLAP
                del held[:-_OVERLAP]
            if dropped > self._limits.surplus_bytes:
                raise FloodError
            block = await self._block()
        self._ahead = io.BytesIO(held[end + len(_TERMINATOR) :])
        if dropped:
            return None
        # RFC 5321, section 4.5.2: a line that starts with a dot was sent with one more.
        mail = bytes(held[: end + 2].replace(b"\r\n.", b"\r\n"))[2:]
        return mail if len(mail) <= self._limits.mail_bytes else None

    async def _block(self) -> bytes:
        try:
            block = await self._reader.read(BLOCK)
        except OSError:
            raise ClientLeftError from None
        if not block:
            raise ClientLeftError
        return block


def has_longer_line(mail: bytes, most: int) -> bool:
    """Whether a line has more than ``most`` bytes; reads only a few places."""
    start = 0
    while len(mail) - start > most:
        end = mail.rfind(b"\n", start, start + most + 2)
        if end < 0:
            return True
        start = end + 1
    return False
