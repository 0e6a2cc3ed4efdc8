"""One SMTP conversation, from the greeting to QUIT (RFC 5321, sections 3 and 4).

aiosmtpd runs the connection. docs/adr/smtp.md gives the reason for each verb that is implemented
here. LMTP (RFC 2033) is SMTP with a reply for each recipient, for a client that has a queue.
"""

import asyncio
from typing import cast

from aiosmtpd.smtp import SMTP

from pbm.mail.reading.mime import has_longer_line
from pbm.mail.smtp_in.client_input import (
    BLOCK,
    NOT_ASCII,
    ClientLeftError,
    FloodError,
    LineReader,
    RefusedError,
    check_mail_parameters,
    parse_path,
    too_large,
)
from pbm.mail.smtp_in.connection_limits import (
    FULL,
    Caller,
    ConnectionLimits,
    Peer,
    forwarded_address,
    peer_of,
)
from pbm.mail.smtp_in.handler import OWN_FAULT, QUIT, Handler, Session

_COMMANDS_IN_A_ROW = 32
_MAIL_FORM = "MAIL FROM:<name@example.org>"
_RCPT_FORM = "RCPT TO:<name@example.org>"
_BEGUN = "503 5.5.1 A mail is begun already; RSET drops it."
_IDLE = "421 4.4.2 Nothing was said for too long; goodbye."
_DATA_TOO_SLOW = (
    "421 4.4.2 The mail did not end in time; its end is a dot between two line ends of CRLF."
)
GOING_DOWN = "421 4.3.2 This server is going down for a moment; please try again soon."
_CRASHED = "421 4.3.0 Something broke on our side, not on yours. Please try again later."
_TOO_MUCH = "421 4.7.0 That was too much; goodbye."


_REPLIES = {
    "NOOP": "250 2.0.0 Nothing done.",
    "QUIT": "221 2.0.0 Goodbye.",
    "HELP": "214 2.0.0 Games are played by mail here; send a mail with help as its subject.",
    "VRFY": "252 2.1.5 Who plays here is not told; send the mail and see.",
    "EXPN": "252 2.1.5 Who plays here is not told; send the mail and see.",
}
_VERBS = frozenset({*_REPLIES, "MAIL", "RCPT", "DATA", "RSET", "XFORWARD", "STARTTLS"})


class Conversation(SMTP):
    """One client's connection; each `smtp_VERB` sends a command's reply, or raises RefusedError."""

    line_length_limit = BLOCK  # bytes read ahead before the client has to wait

    def __init__(
        self,
        handler: Handler,
        connections: ConnectionLimits,
        conversations: "set[Conversation]",
        *,
        is_lmtp: bool,
    ) -> None:
        """Prepare a conversation, which is in the set `conversations` while it is connected."""
        loop, seconds = asyncio.get_running_loop(), handler.limits.idle_seconds
        super().__init__(None, hostname=handler.hostname, timeout=seconds, loop=loop)
        self.is_committing = False
        self._handler = handler
        self._connections = connections
        self._conversations = conversations
        self._limits = handler.limits
        self._is_lmtp = is_lmtp
        self._protocol = "LMTP" if is_lmtp else "ESMTP"
        self._hello = "LHLO" if is_lmtp else "EHLO"
        self._verbs = _VERBS | {self._hello} | (set() if is_lmtp else {"HELO"})
        self._on_timeout = _IDLE
        self._is_greeted = self._is_shaking_hands = False
        self._line = b""  # the command that is being answered
        self._why_refused = ""  # for the operator
        self._replies_owed = 1
        self._since_mail = 0
        self._quiet_since = loop.time()
        self._unknown = 0
        self._forget_mail()

    def _forget_mail(self) -> None:
        self._mail_from: str | None = None
        self._recipients: list[str] = []
        self._forwarded: Peer | None = None

    def __dir__(self) -> list[str]:
        """Return no names; aiosmtpd would search them for commands at each new connection."""
        return []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._peer = peer_of(transport.get_extra_info("peername"))
        self._is_trusted = self._connections.is_trusted(self._peer)
        self._refusal = self._connections.enter(self._peer)
        self._record = Session(str(self._peer or ""), self._protocol, self._is_trusted)
        self._conversations.add(self)
        super().connection_made(transport)
        self._lines = LineReader(self._reader, self._limits)
        assert self._handler_coroutine is not None
        self.answering = self._handler_coroutine
        self.answering.add_done_callback(self._ended)

    def eof_received(self) -> bool:
        # A client may close its sending half right after the dot, and still read our answer.
        # aiosmtpd would stop working on its mail. TLS has no half-close.
        asyncio.StreamReaderProtocol.eof_received(self)
        return not self._record.is_encrypted

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._go_out()

    def _go_out(self) -> None:
        if self in self._conversations:
            self._conversations.remove(self)
            self._connections.leave(self._peer)
            if self.is_committing:
                self._record.end = "the client left before the reply to its mail"
            self._handler.report_session(self._record)

    def _timeout_cb(self) -> None:
        if self.is_committing or self._is_shaking_hands:
            return  # each command has its own limit
        self.hang_up(self._on_timeout)
        self._record.end = f"timed out, told {self._on_timeout}"

    async def _handle_client(self) -> None:
        try:
            await self._converse()
        except ClientLeftError:
            self.hang_up()
        except FloodError:
            self.hang_up(_TOO_MUCH)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._handler.report_fault(fault)
            self.hang_up(_CRASHED)

    async def _converse(self) -> None:
        if self._refusal == FULL and await self._finds_room():
            self._refusal = None
        if self._refusal is not None:
            self.hang_up(self._refusal)
            return
        await self.push(f"220 {self.hostname} {self._protocol}")
        while not self._is_hung_up():
            self._reset_timeout()
            self._line = await self._lines.line()
            await self._answer()
            if self._handler.is_closing:
                self.hang_up(GOING_DOWN)

    async def _finds_room(self) -> bool:
        """Return whether this client may come in beyond the limit, or in place of a quiet one."""
        is_known, network = self._handler.is_known, self._caller().network
        if is_known and self._connections.has_reserve() and await is_known(network):
            return True
        quiet = [each for each in self._conversations if each.can_make_room()]
        if quiet:  # one of the network with the most connections goes
            most = self._connections.of_network
            max(quiet, key=lambda each: (most(each._caller().network), -each._quiet_since)).hang_up(
                FULL
            )
        return bool(quiet)

    def can_make_room(self) -> bool:
        bears = self._limits.crowded_seconds * (1 if self._on_timeout == _IDLE else 6)
        is_quiet = self.loop.time() - self._quiet_since >= bears
        return is_quiet and not (self._is_trusted or self.is_committing or self._is_hung_up())

    async def push(self, status: str | bytes) -> None:
        """Send a reply; 421 and 221 end the conversation. Raises ClientLeftError."""
        reply = status if isinstance(status, str) else status.decode("ascii")
        self._record.note(self._line, reply, self._why_refused)
        if reply.startswith(("421", "221")):
            self.hang_up(reply)
            return
        try:
            await super().push(reply)
        except OSError:
            raise ClientLeftError from None

    def hang_up(self, reply: str = "") -> None:
        """Send a last reply and close, without waiting for a client that does not read."""
        if self._is_hung_up():
            return
        if reply:
            self._record.end = QUIT if reply.startswith("221") else f"told {reply}"
        transport = cast(asyncio.Transport, self.transport)
        if reply and not self._is_shaking_hands:
            transport.write(f"{reply}\r\n".encode("ascii"))
        if transport.get_write_buffer_size():
            transport.abort()
        else:
            transport.close()

    def _is_hung_up(self) -> bool:
        return self.transport is None or self.transport.is_closing()

    async def _answer(self) -> None:
        """Execute the command line. Raises only ClientLeftError and FloodError."""
        self._why_refused = ""
        self._replies_owed = 1
        self._since_mail += 1
        if self._since_mail % _COMMANDS_IN_A_ROW == 0:
            await asyncio.sleep(0)  # a client with a thousand commands must not block others
        if self._since_mail > self._limits.commands and not self._is_trusted:
            await self.push(_TOO_MUCH)
            return
        try:
            await self._obey()
        except RefusedError as error:
            await self.push(str(error))
        except (ClientLeftError, FloodError):
            raise
        except Exception as fault:  # noqa: BLE001 - the listener is a boundary: our fault is a 451
            self._handler.report_fault(fault)
            await self.push(self._to_each(OWN_FAULT))

    def _to_each(self, reply: str) -> str:
        """Repeat a reply to a mail for each recipient, as a client that speaks LMTP expects."""
        return "\r\n".join([reply] * self._replies_owed)

    async def _obey(self) -> None:
        line = self._line
        if len(line) > self._limits.command_bytes:
            raise RefusedError("500 5.5.2 That command line is too long.")
        if not line.endswith(b"\r\n") or b"\r" in line[:-2] or b"\0" in line:
            raise RefusedError("500 5.5.2 Lines must end in CRLF and hold nothing but text.")
        word, _, argument = line[:-2].decode("ascii", "replace").partition(" ")
        verb = word.upper()
        if verb not in self._verbs or (verb == "STARTTLS" and self._handler.tls is None):
            raise self._unknown_command()
        if not line.isascii():
            raise RefusedError(NOT_ASCII)
        if verb in _REPLIES:
            await self.push(_REPLIES[verb])
        else:
            await getattr(self, f"smtp_{verb}")(argument.strip(" "))

    def _unknown_command(self) -> RefusedError:
        self._unknown += 1
        if self._unknown > self._limits.unknown_commands:
            return RefusedError(_TOO_MUCH)
        return RefusedError(
            "500 5.5.1 That is no command of this server; HELP says what it is for."
        )

    async def smtp_EHLO(self, hostname: str) -> None:
        self._greet(hostname, self._hello)
        extensions = [f"SIZE {self._limits.mail_bytes}", "8BITMIME", "PIPELINING"]
        extensions.append("ENHANCEDSTATUSCODES")
        if self._handler.tls is not None and not self._record.is_encrypted:
            extensions.append("STARTTLS")
        if self._is_trusted:
            extensions.append("XFORWARD ADDR")
        lines = (f"250-{line}" for line in (self.hostname, *extensions))
        await self.push("\r\n".join([*lines, "250 HELP"]))

    smtp_LHLO = smtp_EHLO  # RFC 2033, section 4.1

    async def smtp_HELO(self, hostname: str) -> None:
        self._greet(hostname, "HELO")
        await self.push(f"250 {self.hostname}")

    def _greet(self, hostname: str, verb: str) -> None:
        if not hostname:
            raise RefusedError(f"501 5.5.4 That command is written {verb} your.host.name.")
        self._is_greeted = True
        self._forget_mail()

    async def smtp_RSET(self, arg: str) -> None:  # noqa: ARG002 - an argument is ignored
        self._forget_mail()
        await self.push("250 2.0.0 Forgotten.")

    async def smtp_STARTTLS(self, arg: str) -> None:
        """Start TLS, and forget all earlier state (RFC 3207)."""
        if arg:
            raise RefusedError("501 5.5.4 That command is written STARTTLS, and nothing behind it.")
        if self._record.is_encrypted:
            raise RefusedError("503 5.5.1 This connection is encrypted already.")
        cast(asyncio.Transport, self.transport).pause_reading()
        await self.push("220 2.0.0 Go on in TLS.")
        await self._shake_hands()
        self._is_greeted = False
        self._forget_mail()

    async def _shake_hands(self) -> None:
        """Begin TLS with the client. Raises ClientLeftError if the handshake fails."""
        # Pipelined plaintext commands may be injected by somebody else.
        self._lines.drop_what_came()
        assert self._handler.tls is not None
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
            # An SSLError has a reason, such as NO_SHARED_CIPHER.
            why = getattr(error, "reason", None) or error.strerror or type(error).__name__
            self._record.end = f"TLS failed: {why.lower().replace('_', ' ')}"
        finally:
            self._is_shaking_hands = False
        if encrypted is None:
            self._go_out()  # asyncio reports no lost connection during a handshake
            raise ClientLeftError
        self._plain_writer = plain  # at its end it would close the transport below TLS
        self._writer = asyncio.StreamWriter(encrypted, self, self._reader, loop)
        self.transport = encrypted
        self._record.is_encrypted = True

    def _caller(self) -> Caller:
        return self._connections.caller(self._peer, self._forwarded)

    async def smtp_XFORWARD(self, arg: str) -> None:
        """Note for which client a trusted peer relays a mail (Postfix, XFORWARD_README)."""
        if not self._is_trusted:
            raise self._unknown_command()
        if self._mail_from is not None:
            raise RefusedError(_BEGUN)
        try:
            peer = forwarded_address(arg)
        except ValueError:
            raise RefusedError(
                "501 5.5.4 That command is written XFORWARD ADDR=192.0.2.1."
            ) from None
        self._forwarded = peer or self._forwarded
        await self.push("250 2.0.0 Go on.")

    async def smtp_MAIL(self, arg: str | None) -> None:
        if not self._is_greeted:
            raise RefusedError(f"503 5.5.1 Say {self._hello} first.")
        if self._mail_from is not None:
            raise RefusedError(_BEGUN)
        sender, parameters = parse_path("FROM:", arg or "", _MAIL_FORM)
        check_mail_parameters(parameters, self._limits.mail_bytes)
        self._mail_from = self._record.sender = sender
        await self.push("250 2.1.0 Go on.")

    async def smtp_RCPT(self, arg: str | None) -> None:
        sender, recipients = self._sender(), self._recipients
        recipient, parameters = parse_path("TO:", arg or "", _RCPT_FORM)
        if not recipient:
            raise RefusedError(f"501 5.1.3 That command is written {_RCPT_FORM}.")
        if parameters:
            raise RefusedError("555 5.5.4 That parameter of RCPT TO is not known here.")
        if recipient not in recipients:
            if len(set(recipients)) >= self._limits.recipients:
                most = self._limits.recipients
                raise RefusedError(
                    f"452 4.5.3 One mail may have {most} recipients; send it again to the rest."
                )
            refusal = await self._handler.accept_recipient(recipient, sender, self._caller())
            if refusal is not None:
                self._why_refused = refusal.why
                raise RefusedError(self._handler.reply_to(refusal))
        if self._is_lmtp or recipient not in recipients:  # RFC 2033, section 4.2
            recipients.append(recipient)
        await self.push("250 2.1.5 Go on.")

    def _sender(self) -> str:
        if self._mail_from is None:
            raise RefusedError("503 5.5.1 Say MAIL FROM first.")
        return self._mail_from

    async def smtp_DATA(self, arg: str) -> None:
        sender = self._sender()
        if not self._recipients:
            code = 503 if self._is_lmtp else 554
            raise RefusedError(
                f"{code} 5.5.1 None of the recipients was taken, so there is nobody to send it to."
            )
        if arg:
            raise RefusedError("501 5.5.4 That command is written DATA, and nothing behind it.")
        try:
            await self.push("354 Send the mail; a dot between two line ends of CRLF ends it.")
            self._replies_owed = len(self._recipients) if self._is_lmtp else 1
            self._on_timeout = _DATA_TOO_SLOW
            self._reset_timeout(self._limits.data_seconds)
            mail = await self._lines.mail()
            self._on_timeout = _IDLE
            reply = await self._take(mail, sender)
        finally:
            self._forget_mail()
        await self.push(reply)

    async def _take(self, mail: bytes | None, sender: str) -> str:
        if mail is None:
            return self._to_each(too_large(self._limits.mail_bytes))
        if has_longer_line(mail, self._limits.line_bytes):
            return self._to_each("500 5.5.2 A line of the mail is too long.")
        self.is_committing = True
        try:
            reply = await self._hand_in(sender, mail)
        finally:
            self.is_committing = False
        if any(line.startswith("250") for line in reply.split("\r\n")):
            self._since_mail, self._quiet_since = 0, self.loop.time()
        return reply

    async def _hand_in(self, sender: str, mail: bytes) -> str:
        caller, recipients = self._caller(), tuple(self._recipients)
        if not self._is_lmtp:
            return await self._handler.hand_in(sender, recipients, mail, caller)
        names = tuple(dict.fromkeys(recipients))
        replies = await asyncio.gather(
            *(self._handler.hand_in(sender, (name,), mail, caller) for name in names)
        )
        reply_for = dict(zip(names, replies, strict=True))
        return "\r\n".join(reply_for[name] for name in recipients)
