"""One SMTP conversation, from the greeting to the goodbye (RFC 5321, sections 3 and 4).

aiosmtpd's protocol class carries the connection. What it would say and do is said and done
here instead, since its own way breaks promises: it stops working on a mail when the client
hangs up, tells the client the text of our exceptions, logs every address, and collects a line
without an end in memory.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from aiosmtpd.smtp import SMTP

from pbm.mail.smtp_in.caller import Caller, Peer, forwarded_address
from pbm.mail.smtp_in.connection_limits import ConnectionLimits, peer_of
from pbm.mail.smtp_in.grammar import (
    NOT_ASCII,
    ArgumentError,
    check_mail_parameters,
    parse_path,
    too_large,
)
from pbm.mail.smtp_in.handler import OWN_FAULT, Handler
from pbm.mail.smtp_in.line_reader import (
    BLOCK,
    ClientLeftError,
    FloodError,
    LineReader,
    has_longer_line,
)
from pbm.mail.smtp_in.session import QUIT, Session

_COMMANDS_IN_A_ROW = 32
_MAIL_FORM = "MAIL FROM:<name@example.org>"
_RCPT_FORM = "RCPT TO:<name@example.org>"
_XFORWARD_FORM = "XFORWARD ADDR=192.0.2.1"

_IDLE = "421 4.4.2 Nothing was said for too long; goodbye."
_DATA_TOO_SLOW = (
    "421 4.4.2 The mail did not end in time; its end is a dot between two line ends of CRLF."
)
GOING_DOWN = "421 4.3.2 This server is going down for a moment; please try again soon."
_CRASHED = "421 4.3.0 Something broke on our side, not on yours. Please try again later."
_TOO_MUCH = "421 4.7.0 That was too much; goodbye."


class Conversation(SMTP):
    """One client's connection, as asyncio calls it."""

    line_length_limit = BLOCK  # how much is read ahead before the client has to wait
    protocol_name = "ESMTP"
    hello = "EHLO"
    no_recipients = "554 5.5.1 None of the recipients was taken, so there is nobody to send it to."

    def __init__(
        self, handler: Handler, door: ConnectionLimits, everybody: "set[Conversation]"
    ) -> None:
        """The conversation puts itself into ``everybody``, and leaves it at its end."""
        super().__init__(
            None,
            hostname=handler.hostname,
            timeout=handler.limits.idle_seconds,
            loop=asyncio.get_running_loop(),
        )
        self.is_committing = False
        self._handler = handler
        self._door = door
        self._everybody = everybody
        self._limits = handler.limits
        self._on_timeout = _IDLE
        self._is_encrypted = False
        self._is_shaking_hands = False
        self._is_inside = False
        self._said_hello = False
        self._sender: str | None = None
        self._recipients: list[str] = []
        self._why_refused = ""  # the last command was; for the operator
        self._forwarded: Peer | None = None
        self._replies_owed = 1
        self._since_mail = 0
        self._unknown = 0
        self._verbs: dict[str, Callable[[str], Awaitable[str]]] = {
            self.hello: self._ehlo,
            "HELO": self._helo,
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": self._rset,
            "NOOP": self._noop,
            "QUIT": self._quit,
            "HELP": self._help,
            "VRFY": self._verify,
            "EXPN": self._verify,
            "XFORWARD": self._xforward,
        }
        if handler.tls is not None:
            self._verbs["STARTTLS"] = self._starttls

    # What asyncio and aiosmtpd call

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._peer = peer_of(transport.get_extra_info("peername"))
        self._is_trusted = self._door.is_trusted(self._peer)
        self._refusal = self._door.enter(self._peer)
        self._session = Session(str(self._peer or ""), self.protocol_name, self._is_trusted)
        self._everybody.add(self)
        self._is_inside = True
        super().connection_made(transport)
        self._inlet = LineReader(self._reader, self._limits)
        self.handler().add_done_callback(self._ended)

    def eof_received(self) -> bool:
        # A client may close its own half right after the dot, and still read our answer.
        # TLS has no halves.
        asyncio.StreamReaderProtocol.eof_received(self)
        return not self._is_encrypted

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._go_out()

    def _go_out(self) -> None:
        if self._is_inside:
            self._is_inside = False
            self._everybody.discard(self)
            self._door.leave(self._peer)
            if self.is_committing:
                self._session.end = "the client left before the reply to its mail"
            self._handler.report_session(self._session)

    def _timeout_cb(self) -> None:
        self.hang_up(self._on_timeout)
        self._session.end = f"timed out, told {self._on_timeout}"

    async def _handle_client(self) -> None:
        try:
            await self._converse()
        except ClientLeftError:
            self.hang_up()
        except FloodError:
            self.hang_up(_TOO_MUCH)

    def __dir__(self) -> tuple[str, ...]:
        # At every connection aiosmtpd looks through these, one by one, for verbs of its own.
        # Ours are in a table.
        return ()

    def handler(self) -> "asyncio.Task[None]":
        """The task in which the conversation runs."""
        assert self._handler_coroutine is not None
        return self._handler_coroutine

    def _ended(self, handler: "asyncio.Task[None]") -> None:
        if not handler.cancelled() and (fault := handler.exception()) is not None:
            self._handler.report_fault(fault)
            self.hang_up(_CRASHED)

    # The conversation

    async def _converse(self) -> None:
        if self._refusal is not None:
            self.hang_up(self._refusal)
            return
        await self.push(f"220 {self.hostname} {self.protocol_name}")
        while not self._is_hung_up():
            self._reset_timeout()
            line = await self._inlet.line()
            self._why_refused = ""
            reply = await self._answer(line)
            self._session.note(line, reply, self._why_refused)
            if reply:
                await self.push(reply)
            if self._handler.is_closing:
                self.hang_up(GOING_DOWN)

    async def push(self, status: str | bytes) -> None:
        """Say it; a reply of 421 or 221 is the last word. Raises ClientLeftError."""
        reply = status if isinstance(status, str) else status.decode("ascii")
        if reply.startswith(("421", "221")):
            self.hang_up(reply)
            return
        try:
            self._writer.write(f"{reply}\r\n".encode("ascii"))
            await self._writer.drain()
        except OSError:
            raise ClientLeftError from None

    def hang_up(self, reply: str = "") -> None:
        """Say a last word and close, without waiting for a client that doesn't listen."""
        if self._is_hung_up():
            return
        if reply:
            self._session.end = QUIT if reply.startswith("221") else f"told {reply}"
        transport = cast(asyncio.Transport, self.transport)
        if reply and not self._is_shaking_hands:
            transport.write(f"{reply}\r\n".encode("ascii"))
        if transport.get_write_buffer_size():
            transport.abort()
        else:
            transport.close()

    def _is_hung_up(self) -> bool:
        return self.transport is None or self.transport.is_closing()

    async def _answer(self, line: bytes) -> str:
        """The reply to a command. Raises ClientLeftError and FloodError, and nothing else."""
        self._replies_owed = 1
        self._since_mail += 1
        if self._since_mail % _COMMANDS_IN_A_ROW == 0:
            await asyncio.sleep(0)  # whoever sends a thousand commands at once lets others in
        if self._since_mail > self._limits.commands and not self._is_trusted:
            return _TOO_MUCH
        try:
            return await self._obey(line)
        except ArgumentError as error:
            return str(error)
        except (ClientLeftError, FloodError):
            raise
        except Exception as fault:  # noqa: BLE001 - the listener is a boundary: our fault is a 451
            self._handler.report_fault(fault)
            return self._to_each(OWN_FAULT)

    def _to_each(self, reply: str) -> str:
        """The reply as often as one is waited for."""
        return "\r\n".join([reply] * self._replies_owed)

    async def _obey(self, line: bytes) -> str:
        if len(line) > self._limits.command_bytes:
            return "500 5.5.2 That command line is too long."
        if not line.endswith(b"\r\n") or b"\r" in line[:-2] or b"\0" in line:
            return "500 5.5.2 Lines must end in CRLF and hold nothing but text."
        verb, _, argument = line[:-2].decode("ascii", "replace").partition(" ")
        obey = self._verbs.get(verb.upper())
        if obey is None:
            return self._not_known()
        if not line.isascii():
            return NOT_ASCII
        return await obey(argument.strip(" "))

    def _not_known(self) -> str:
        self._unknown += 1
        if self._unknown > self._limits.unknown_commands:
            return _TOO_MUCH
        return "500 5.5.1 That is no command of this server; HELP says what it is for."

    # The verbs: each returns its reply

    async def _ehlo(self, name: str) -> str:
        if not name:
            return f"501 5.5.4 That command is written {self.hello} your.host.name."
        self._begin()
        return "\r\n250-".join([f"250-{self.hostname}", *self._extensions()]) + "\r\n250 HELP"

    def _extensions(self) -> list[str]:
        extensions = [
            f"SIZE {self._limits.mail_bytes}",
            "8BITMIME",
            "PIPELINING",
            "ENHANCEDSTATUSCODES",
        ]
        if self._handler.tls is not None and not self._is_encrypted:
            extensions.append("STARTTLS")
        if self._is_trusted:
            extensions.append("XFORWARD ADDR")
        return extensions

    async def _helo(self, name: str) -> str:
        if not name:
            return "501 5.5.4 That command is written HELO your.host.name."
        self._begin()
        return f"250 {self.hostname}"

    async def _starttls(self, argument: str) -> str:
        """RFC 3207: whatever was said before counts as never said."""
        if argument:
            return "501 5.5.4 That command is written STARTTLS, and nothing behind it."
        if self._is_encrypted:
            return "503 5.5.1 This connection is encrypted already."
        cast(asyncio.Transport, self.transport).pause_reading()
        await self.push("220 2.0.0 Go on in TLS.")
        await self._shake_hands()
        self._said_hello = False
        self._forget_mail()
        return ""

    async def _shake_hands(self) -> None:
        """Raises ClientLeftError where the client can't or won't."""
        # Commands that came along in the clear may be another's than the client's.
        self._inlet.drop_what_came()
        assert self._handler.tls is not None
        assert self._timeout_handle is not None
        self._timeout_handle.cancel()
        self._is_shaking_hands = True
        loop, plain = asyncio.get_running_loop(), self._writer
        try:
            encrypted = await loop.start_tls(
                plain.transport,
                self,
                self._handler.tls,
                server_side=True,
                ssl_handshake_timeout=self._limits.handshake_seconds,
            )
        except OSError as error:
            encrypted = None
            self._session.end = f"TLS failed: {_why_no_tls(error)}"
        finally:
            self._is_shaking_hands = False
        if encrypted is None:
            self._go_out()  # during a handshake nobody tells us that the connection is lost
            raise ClientLeftError
        self._plain_writer = plain  # at its end it would close what is under the TLS
        self._writer = asyncio.StreamWriter(encrypted, self, self._reader, loop)
        self.transport = encrypted
        self._is_encrypted = self._session.is_encrypted = True

    def _begin(self) -> None:
        self._said_hello = True
        self._forget_mail()

    def _forget_mail(self) -> None:
        self._sender = None
        self._recipients = []
        self._forwarded = None

    @property
    def _caller(self) -> Caller:
        return self._door.caller(self._peer, self._forwarded)

    async def _xforward(self, argument: str) -> str:
        """Hear from a trusted peer for whom it speaks in its next mail.

        The extension is Postfix's (its XFORWARD_README).
        """
        if not self._is_trusted:
            return self._not_known()
        if self._sender is not None:
            return "503 5.5.1 A mail is begun already; RSET drops it."
        try:
            self._forwarded = forwarded_address(argument) or self._forwarded
        except ValueError:
            return f"501 5.5.4 That command is written {_XFORWARD_FORM}."
        return "250 2.0.0 Go on."

    async def _mail(self, argument: str) -> str:
        if not self._said_hello:
            return f"503 5.5.1 Say {self.hello} first."
        if self._sender is not None:
            return "503 5.5.1 A mail is begun already; RSET drops it."
        sender, parameters = parse_path("FROM:", argument, _MAIL_FORM)
        check_mail_parameters(parameters, self._limits.mail_bytes)
        self._sender = self._session.sender = sender
        return "250 2.1.0 Go on."

    async def _rcpt(self, argument: str) -> str:
        if self._sender is None:
            return "503 5.5.1 Say MAIL FROM first."
        recipient, parameters = parse_path("TO:", argument, _RCPT_FORM)
        if not recipient:
            return f"501 5.1.3 That command is written {_RCPT_FORM}."
        if parameters:
            return "555 5.5.4 That parameter of RCPT TO is not known here."
        if recipient not in self._recipients:
            if len(set(self._recipients)) >= self._limits.recipients:
                most = self._limits.recipients
                return f"452 4.5.3 One mail may have {most} recipients; send it again to the rest."
            refusal = await self._handler.refuse_recipient(recipient, self._sender, self._caller)
            if refusal is not None:
                reply, self._why_refused = refusal
                return reply
        self._add_recipient(recipient)
        return "250 2.1.5 Go on."

    async def _data(self, argument: str) -> str:
        if self._sender is None:
            return "503 5.5.1 Say MAIL FROM first."
        if not self._recipients:
            return self.no_recipients
        if argument:
            return "501 5.5.4 That command is written DATA, and nothing behind it."
        try:
            await self.push("354 Send the mail; a dot between two line ends of CRLF ends it.")
            self._replies_owed = self._replies_to_mail()
            return await self._take(await self._whole_mail(), self._sender)
        finally:
            self._forget_mail()

    async def _whole_mail(self) -> bytes | None:
        """The mail, in its time; afterwards no clock runs until the client's next turn."""
        self._on_timeout = _DATA_TOO_SLOW
        self._reset_timeout(self._limits.data_seconds)
        mail = await self._inlet.mail()
        self._on_timeout = _IDLE
        if self._timeout_handle is not None:
            self._timeout_handle.cancel()
        return mail

    async def _take(self, mail: bytes | None, sender: str) -> str:
        if mail is None:
            return self._to_each(too_large(self._limits.mail_bytes))
        if has_longer_line(mail, self._limits.line_bytes):
            return self._to_each("500 5.5.2 A line of the mail is too long.")
        self.is_committing = True
        try:
            reply = await self._hand_in(sender, mail, self._caller)
        finally:
            self.is_committing = False
        if any(line.startswith("250") for line in reply.split("\r\n")):
            self._since_mail = 0
        return reply

    # What LMTP does otherwise

    def _add_recipient(self, recipient: str) -> None:
        if recipient not in self._recipients:
            self._recipients.append(recipient)

    def _replies_to_mail(self) -> int:
        return 1

    async def _hand_in(self, sender: str, mail: bytes, caller: Caller) -> str:
        return await self._handler.hand_in(sender, tuple(self._recipients), mail, caller)

    async def _rset(self, argument: str) -> str:  # noqa: ARG002 - every verb has one
        self._forget_mail()
        return "250 2.0.0 Forgotten."

    async def _noop(self, argument: str) -> str:  # noqa: ARG002
        return "250 2.0.0 Nothing done."

    async def _quit(self, argument: str) -> str:  # noqa: ARG002
        return "221 2.0.0 Goodbye."

    async def _help(self, argument: str) -> str:  # noqa: ARG002
        return "214 2.0.0 Games are played by mail here; send a mail with help as its subject."

    async def _verify(self, argument: str) -> str:  # noqa: ARG002
        return "252 2.1.5 Who plays here is not told; send the mail and see."


def _why_no_tls(error: OSError) -> str:
    reason = getattr(error, "reason", None)  # of an SSLError, such as NO_SHARED_CIPHER
    return str(reason or error.strerror or type(error).__name__).lower().replace("_", " ")
