"""The commands of a mail in one write, where the server takes that (RFC 2920).

aiosmtplib opens the connection, says hello, encrypts and logs in; but it waits for the reply to
each command before it says the next, and most of the time that a mail takes is that waiting. Here
it lends us the connection for one mail, or for as many as wait: then the commands of the next go
out with the content of the one before.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass

import aiosmtplib

_MOST_BYTES = 32_768  # that no reply ends in
_REPLY = re.compile(rb"(?:[0-9]{3}-[^\n]*\n)*([0-9]{3})(?:[ \t][^\n]*)?\r?\n")
_BEGINS_WELL = re.compile(rb"(?:[0-9]{3}-[^\n]*\n)*[0-9]{0,3}(?:[ \t-][^\n]*)?\r?")
_DONE = range(200, 300)  # the first digit counts (RFC 5321, section 4.2)
_GO_ON = (354,)
_LONE_END = re.compile(rb"\r(?!\n)|(?<!\r)\n")

Trouble = tuple[str, Exception]
"""The verb that was answered, and how: as an SMTPResponseException, or why there is no answer."""


Reply = tuple[int, bytes]
"""Its code, and all its lines as they came."""


@dataclass(frozen=True)
class Timeouts:
    """In seconds. RFC 5321, section 4.5.3.2, gives the server ten minutes for the final dot."""

    connect: float = 30
    command: float = 60
    data: float = 600
    quit: float = 2


class Lent:
    """A connection of aiosmtplib's that is ours until we give it back."""

    def __init__(self, client: aiosmtplib.SMTP) -> None:
        """Raises SMTPServerDisconnected where there is no connection any more."""
        transport, owner = client.transport, client.protocol
        if not isinstance(transport, asyncio.Transport) or owner is None or transport.is_closing():
            raise aiosmtplib.SMTPServerDisconnected("Connection lost")
        self.client = client
        self._transport = transport
        self._owner = owner
        self._replies = _Replies(owner)
        transport.set_protocol(self._replies)

    def give_back(self) -> None:
        """Let aiosmtplib have it again, closed if it is out of step."""
        if self.is_out_of_step:
            self.give_up()
        self._transport.set_protocol(self._owner)

    @property
    def is_closed(self) -> bool:
        """Whether nothing can be sent any more; replies that came before may be left."""
        return self._transport.is_closing()

    @property
    def is_out_of_step(self) -> bool:
        """Whether the server has said more than it was asked, or has gone."""
        return self._replies.are_left

    def write(self, data: bytes) -> None:
        """Send something, unless the connection is closed: then `reply` says so."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def reply(self, seconds: float) -> Awaitable[Reply]:
        """The next reply.

        Raises SMTPServerDisconnected if none comes any more, SMTPReadTimeoutError if none comes in
        time, SMTPResponseException if what comes is none.
        """
        return self._replies.next(seconds)

    def give_up(self) -> None:
        """Break the connection off: what was begun on it is not to be ended."""
        self._transport.abort()


class _Replies(asyncio.Protocol):
    """What a server says, taken apart."""

    def __init__(self, owner: asyncio.BaseProtocol) -> None:
        self._owner = owner
        self._held = b""
        self._said: deque[Reply] = deque()
        self._trouble: Exception | None = None
        self._awaited: asyncio.Future[None] | None = None

    @property
    def are_left(self) -> bool:
        """Whether there is anything that nobody has asked for, be it the end."""
        return bool(self._said or self._held or self._trouble)

    async def next(self, seconds: float) -> Reply:
        """As `Lent.reply`."""
        if not self._said and self._trouble is None:
            loop = asyncio.get_running_loop()
            self._awaited = loop.create_future()
            late = loop.call_later(seconds, self._be_late)  # far cheaper than `asyncio.timeout`
            try:
                await self._awaited
            finally:
                late.cancel()
        if self._said:
            return self._said.popleft()
        raise self._trouble or aiosmtplib.SMTPServerDisconnected("Connection lost")

    def data_received(self, data: bytes) -> None:
        """Take a reply apart as soon as it is whole."""
        self._held += data
        at = 0
        while found := _REPLY.match(self._held, at):
            at = found.end()
            self._said.append((int(found[1]), found[0]))
        self._held = self._held[at:]
        if self._held and not self._may_become_a_reply():
            self._end(aiosmtplib.SMTPResponseException(-1, "The server's reply makes no sense"))
        if self._said:
            self._wake()

    def eof_received(self) -> bool:
        """The server has said its last word."""
        self._end(aiosmtplib.SMTPServerDisconnected("Connection lost"))
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone, for its owner, too."""
        self._end(aiosmtplib.SMTPServerDisconnected("Connection lost"))
        self._owner.connection_lost(error)

    def _may_become_a_reply(self) -> bool:
        return len(self._held) <= _MOST_BYTES and _BEGINS_WELL.fullmatch(self._held) is not None

    def _be_late(self) -> None:
        self._end(aiosmtplib.SMTPReadTimeoutError("The server did not answer in time"))

    def _end(self, trouble: Exception) -> None:
        self._trouble = self._trouble or trouble
        self._wake()

    def _wake(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)


async def hand_over(
    lent: Lent, commands: bytes, raw: bytes, seconds: Timeouts, ahead: Callable[[], bytes]
) -> Trouble | None:
    """Send the commands of a mail, and its content if they are taken; the first trouble, or None.

    `commands` are MAIL, RCPT and DATA; none where they went out with the content of the mail
    before. `ahead` is asked for those of the next mail, which go out with the content of this one
    (RFC 2920, section 3.1); whoever gave any sees to their replies.
    """
    if commands:
        if lent.is_out_of_step:
            lent.give_up()
            return "MAIL", aiosmtplib.SMTPServerDisconnected("It spoke before it was asked")
        lent.write(commands)
    refused = await _envelope_refused(lent, seconds)
    if refused:
        return refused
    if lent.is_out_of_step:
        lent.give_up()  # its next reply would not be to the content
        return "DATA", aiosmtplib.SMTPServerDisconnected("It answered before it was asked")
    lent.write(as_data(raw) + ahead())
    return await _heard(lent, "DATA", _DONE, seconds.data)


async def _envelope_refused(lent: Lent, seconds: Timeouts) -> Trouble | None:
    """The first trouble in the replies to MAIL, RCPT and DATA; all three are heard."""
    mail = await _heard(lent, "MAIL", _DONE, seconds.command)
    rcpt = await _heard(lent, "RCPT", _DONE, seconds.command)
    data = await _heard(lent, "DATA", _GO_ON, seconds.data)
    if (mail or rcpt) and not data:
        lent.give_up()  # it waits for content, and an empty mail would go out
    return mail or rcpt or data


async def _heard(lent: Lent, verb: str, good: Container[int], seconds: float) -> Trouble | None:
    """What is wrong with the next reply, None if it is good."""
    try:
        code, reply = await lent.reply(seconds)
    except aiosmtplib.SMTPException as error:
        return verb, error
    if code in good:
        return None
    return verb, aiosmtplib.SMTPResponseException(code, _text(reply))


def _text(reply: bytes) -> str:
    """What a reply says to people."""
    lines = (line[4:].strip() for line in reply.split(b"\n")[:-1])
    return b"\n".join(lines).decode("utf-8", "surrogateescape")


def as_data(raw: bytes) -> bytes:
    """A mail as it follows DATA: lines end in CRLF, their first dots are doubled, and a dot ends
    it (RFC 5321, section 4.5.2)."""
    pairs = raw.count(b"\r\n")
    if raw.count(b"\n") != pairs or raw.count(b"\r") != pairs:
        raw = _LONE_END.sub(b"\r\n", raw)
    if not raw.endswith(b"\r\n"):
        raw += b"\r\n"
    if raw.startswith(b"."):
        raw = b"." + raw
    return raw.replace(b"\r\n.", b"\r\n..") + b".\r\n"
