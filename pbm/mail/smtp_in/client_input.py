"""Reads command lines and mails of an SMTP client within limits, and parses MAIL and RCPT.

An address in these commands is any word of printable ASCII; the handler validates it.
"""

import asyncio
import io
import re

from pbm.mail.smtp_in.connection_limits import ListenerLimits

BLOCK = 65_536
_TERMINATOR = b"\r\n.\r\n"  # nothing else ends a mail (RFC 5321, section 4.1.1.4)
_OVERLAP = len(_TERMINATOR) - 1


class ClientLeftError(Exception):
    """The connection is closed, or the client timed out."""


class FloodError(Exception):
    """The client sends an endless line, or exceeds the limit of a mail by `surplus_bytes`."""


class LineReader:
    """Reads command lines and mails from a connection; keeps bytes that were read ahead."""

    def __init__(self, reader: asyncio.StreamReader, limits: ListenerLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._ahead = io.BytesIO()

    def drop_what_came(self) -> None:
        self._ahead = io.BytesIO()
        # StreamReader has no public way to read only the bytes that have arrived.
        self._reader._buffer.clear()  # type: ignore[attr-defined]

    async def line(self) -> bytes:
        """Return the next command line with its line end. Raises ClientLeftError, FloodError."""
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
        """Read a mail, or return None if it is too large. Raises ClientLeftError, FloodError."""
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
            try:
                block = await self._reader.read(BLOCK)
            except OSError:
                raise ClientLeftError from None
            if not block:
                raise ClientLeftError
        self._ahead = io.BytesIO(held[end + len(_TERMINATOR) :])
        if dropped:
            return None
        # RFC 5321, section 4.5.2: a line that starts with a dot was sent with one more.
        mail = bytes(held[: end + 2].replace(b"\r\n.", b"\r\n"))[2:]
        return mail if len(mail) <= self._limits.mail_bytes else None


_LONGEST_PATH = 254
_BRACKETED = re.compile(r"<([!-;=?-~]*)>(?: +(.*))?", re.ASCII)
_BARE = re.compile(r"([!-;=?-~]+)(?: +(.*))?", re.ASCII)


class RefusedError(Exception):
    """A command is refused; ``str()`` is the whole reply."""


def parse_path(keyword: str, argument: str, form: str) -> tuple[str, list[str]]:
    """Parse the path and the parameters of a MAIL or RCPT command. Raises RefusedError.

    A source route (RFC 5321, app. C) is dropped from the path.
    """
    head, rest = argument[: len(keyword)], argument[len(keyword) :].strip(" ")
    found = _BRACKETED.fullmatch(rest) or _BARE.fullmatch(rest)
    if head.upper() != keyword or found is None:
        raise RefusedError(f"501 5.5.4 That command is written {form}.")
    path = found[1]
    if path.startswith("@") and ":" in path:
        path = path.partition(":")[2]
    if len(path) > _LONGEST_PATH:
        raise RefusedError("553 5.1.7 That mail address is too long.")
    return path, (found[2] or "").split()


def check_mail_parameters(parameters: list[str], mail_bytes: int) -> None:
    """Check SIZE (RFC 1870) and BODY (RFC 6152). Raises RefusedError."""
    for parameter in parameters:
        name, _, value = parameter.upper().partition("=")
        if name == "SIZE" and value.isdigit() and len(value) <= 20:
            if int(value) > mail_bytes:
                raise RefusedError(too_large(mail_bytes))
        elif name == "SMTPUTF8":
            raise RefusedError(NOT_ASCII)
        elif (name, value) not in (("BODY", "7BIT"), ("BODY", "8BITMIME")):
            raise RefusedError("555 5.5.4 That parameter of MAIL FROM is not known here.")


def too_large(mail_bytes: int) -> str:
    return (
        f"552 5.3.4 A mail to this server may have {mail_bytes // 1024} KB at most. "
        "Please send the text alone, without pictures and attachments."
    )


NOT_ASCII = "553 5.6.7 Only mail addresses of plain ASCII characters can be used here."
