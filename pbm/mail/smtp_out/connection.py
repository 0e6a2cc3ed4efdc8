"""Connections to the next mail server: their pool, and the sending of mails over a connection.

aiosmtplib opens a connection, encrypts it and logs in. But it waits for each reply before the next
command, which takes most of a mail's time. So we write the commands of a mail ourselves, pipelined
if the server allows it (RFC 2920), and parse the replies.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Container
from contextlib import suppress
from dataclasses import dataclass

import aiosmtplib

from pbm.mail.smtp_out.delivery import Delivery

TROUBLE = (aiosmtplib.SMTPException, OSError, ValueError)
_MOST_BYTES = 32_768  # of an unfinished reply
_REPLY = re.compile(rb"(?:[0-9]{3}-[^\n]*\n)*([0-9]{3})(?:[ \t][^\n]*)?\r?\n")
_BEGINS_WELL = re.compile(rb"(?:[0-9]{3}-[^\n]*\n)*[0-9]{0,3}(?:[ \t-][^\n]*)?\r?")
_DONE = range(200, 300)  # the first digit counts (RFC 5321, section 4.2)
_GO_ON = (354,)
_LONE_END = re.compile(rb"\r(?!\n)|(?<!\r)\n")

Trouble = tuple[str, Exception]  # the verb that failed, and why
Reply = tuple[int, bytes]  # the code, and all lines as received
_Step = tuple[str, bytes, Container[int], float]  # verb, bytes to send, good codes, timeout


@dataclass(frozen=True)
class Timeouts:
    """Timeouts in seconds; `data` is for the replies to DATA and to a mail (RFC 5321, 4.5.3.2)."""

    connect: float = 30
    command: float = 60
    data: float = 600
    quit: float = 2


class _Replies(asyncio.Protocol):
    """An asyncio protocol that parses a server's replies."""

    def __init__(self, owner: asyncio.BaseProtocol) -> None:
        self._owner = owner
        self._held = b""
        self._said: deque[Reply] = deque()
        self._trouble: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def are_left(self) -> bool:
        """Whether the connection has ended, or some part of a reply is still to be read."""
        return bool(self._said or self._held or self._trouble)

    async def next(self, seconds: float) -> Reply:
        """Wait at most `seconds` for the next reply. Raises SMTPException if it does not come."""
        if not self._said and self._trouble is None:
            self._changed.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                self._end(aiosmtplib.SMTPReadTimeoutError("The server did not answer in time"))
        if self._said:
            return self._said.popleft()
        raise self._trouble or aiosmtplib.SMTPServerDisconnected("Connection lost")

    def data_received(self, data: bytes) -> None:
        self._held += data
        at = 0
        while found := _REPLY.match(self._held, at):
            at = found.end()
            self._said.append((int(found[1]), found[0]))
        self._held = self._held[at:]
        if len(self._held) > _MOST_BYTES or not _BEGINS_WELL.fullmatch(self._held):
            self._end(aiosmtplib.SMTPResponseException(-1, "The server's reply makes no sense"))
        if self._said:
            self._changed.set()

    def eof_received(self) -> bool:
        self._end(aiosmtplib.SMTPServerDisconnected("Connection lost"))
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._end(aiosmtplib.SMTPServerDisconnected("Connection lost"))
        self._owner.connection_lost(error)

    def _end(self, trouble: Exception) -> None:
        self._trouble = self._trouble or trouble
        self._changed.set()


async def _send(
    client: aiosmtplib.SMTP, mail: str, rcpt: str, raw: bytes, seconds: Timeouts
) -> Trouble | str:
    """Send the commands `mail` and `rcpt`, DATA, and the content.

    Return the first error, or else the reply to the content.
    """
    transport, owner = client.transport, client.protocol
    if not isinstance(transport, asyncio.Transport) or owner is None or transport.is_closing():
        return "MAIL", aiosmtplib.SMTPServerDisconnected("Connection lost")
    commands: list[_Step] = [
        ("MAIL", f"{mail}\r\n".encode("ascii"), _DONE, seconds.command),
        ("RCPT", f"{rcpt}\r\n".encode("ascii"), _DONE, seconds.command),
        ("DATA", b"DATA\r\n", _GO_ON, seconds.data),
    ]
    content: _Step = ("DATA", as_data(raw), _DONE, seconds.data)
    is_pipelined = client.supports_extension("pipelining")
    batches = [commands] if is_pipelined else [[command] for command in commands]
    replies = _Replies(owner)
    transport.set_protocol(replies)
    try:
        for batch in (*batches, [content]):
            if replies.are_left:  # the next reply would not belong to this batch
                early = aiosmtplib.SMTPServerDisconnected("It answered before it was asked")
                return batch[0][0], early
            transport.write(b"".join([sent for _, sent, _, _ in batch]))
            heard = [await _heard(replies, verb, good, late) for verb, _, good, late in batch]
            if troubles := [trouble for trouble in heard if not isinstance(trouble, str)]:
                if isinstance(heard[-1], str):
                    transport.abort()  # the server waits for content, and would get an empty mail
                return troubles[0]
        return str(heard[-1])
    finally:
        if replies.are_left:
            transport.abort()  # else aiosmtplib would take them for replies to its own commands
        transport.set_protocol(owner)


async def _heard(
    replies: _Replies, verb: str, good: Container[int], seconds: float
) -> Trouble | str:
    """Return the next reply if its code is in `good`, or else the failed command and its error."""
    try:
        code, reply = await replies.next(seconds)
    except aiosmtplib.SMTPException as error:
        return verb, error
    lines = b"\n".join(line[4:].strip() for line in reply.split(b"\n")[:-1])
    text = lines.decode("utf-8", "surrogateescape")
    if code in good:
        return f"{code} {text}"
    return verb, aiosmtplib.SMTPResponseException(code, text)


def as_data(raw: bytes) -> bytes:
    """Convert a mail to CRLF, dot-stuff it and add the final dot (RFC 5321, section 4.5.2)."""
    pairs = raw.count(b"\r\n")
    if raw.count(b"\n") != pairs or raw.count(b"\r") != pairs:
        raw = _LONE_END.sub(b"\r\n", raw)
    if not raw.endswith(b"\r\n"):
        raw += b"\r\n"
    if raw.startswith(b"."):
        raw = b"." + raw
    return raw.replace(b"\r\n.", b"\r\n..") + b".\r\n"


class Connection:
    """A connection that is greeted, encrypted if possible, and logged in."""

    def __init__(self, client: aiosmtplib.SMTP, timeouts: Timeouts) -> None:
        self.was_used = False
        self._client = client
        self._timeouts = timeouts

    @property
    def is_open(self) -> bool:
        return self._client.is_connected

    @property
    def is_encrypted(self) -> bool:
        return self._client.get_transport_info("sslcontext") is not None

    async def send(self, sender: str, recipient: str, raw: bytes) -> Trouble | str:
        """Send a mail, pipelined if possible (RFC 2920); return the first error, or the reply."""
        options = []
        if self._client.supports_extension("size"):
            options.append(f"SIZE={len(raw)}")
        if self._client.supports_extension("8bitmime") and not raw.isascii():
            options.append("BODY=8BITMIME")
        mail = " ".join([f"MAIL FROM:<{sender}>", *options])
        rcpt = f"RCPT TO:<{recipient}>"
        trouble = await _send(self._client, mail, rcpt, raw, self._timeouts)
        self.was_used = True
        return trouble

    async def reset(self) -> None:
        """Send RSET, to make way for another mail; hang up if that fails."""
        try:
            await self._client.rset(timeout=self._timeouts.command)
        except TROUBLE:
            self.hang_up()

    async def quit(self) -> None:
        try:
            with suppress(*TROUBLE):
                await self._client.quit(timeout=self._timeouts.quit)
        finally:
            self._client.close()

    def hang_up(self) -> None:
        """Close at once; unsent bytes are dropped."""
        transport = self._client.transport
        self._client.close()
        if isinstance(transport, asyncio.Transport):
            transport.abort()


class DeadConnectionError(Exception):
    """A kept connection was closed before it accepted any part of a mail, so a retry is safe."""


_Work = Callable[[Connection], Awaitable[Delivery]]


class ConnectionPool:
    """A pool of connections. If none is free, callers wait in the order of arrival."""

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], size: int, idle_seconds: float
    ) -> None:
        """Make a pool of connections. One that was idle for `idle_seconds` is not used again."""
        self._connect = connect
        self._free = asyncio.Semaphore(size)
        self._idle_seconds = idle_seconds
        self._idle: deque[tuple[Connection, float]] = deque()

    async def use(self, work: _Work) -> Delivery:
        """Call `work` with an idle or a new connection, which is closed if `work` fails."""
        async with self._free:
            kept = self._take_idle()
            if kept is not None:
                with suppress(DeadConnectionError):
                    return await self._use(kept, work)
            return await self._use(await self._connect(), work)

    async def close(self) -> None:
        """Close the idle connections; the others finish their mail."""
        while self._idle:
            connection, _ = self._idle.popleft()
            await connection.quit()

    async def _use(self, connection: Connection, work: _Work) -> Delivery:
        try:
            result = await work(connection)
        except BaseException:
            connection.hang_up()
            raise
        if connection.is_open:
            self._idle.append((connection, asyncio.get_running_loop().time()))
        return result

    def _take_idle(self) -> Connection | None:
        now = asyncio.get_running_loop().time()
        while self._idle:
            connection, since = self._idle.pop()
            if connection.is_open and now - since < self._idle_seconds:
                return connection
            connection.hang_up()
        return None
