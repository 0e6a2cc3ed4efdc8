"""Mail out through one server that carries it further, over connections kept open."""

import asyncio
import base64
import re
import ssl
from collections import deque

import aiosmtplib

from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.mail.smtp_out.foreign import presentable
from pbm.mail.smtp_out.pipelining import Lent, Timeouts, Trouble, hand_over
from pbm.mail.smtp_out.slots import Handover, Slots
from pbm.mail.smtp_out.smarthost_url import Smarthost, parse_smarthost

__all__ = ["SmarthostTransport", "Timeouts"]

_CLOSING = 421
_TOO_BIG = 552
_DISTRUST_SECONDS = 3600.0
_NO_SUCH_COMMAND = (500, 501, 502, 504)
# Bad syntax, bad sequence, and logins: what is wrong here is wrong for every mail we have.
_OUR_CONFIGURATION = frozenset({500, 501, 502, 503, 504, 521, 530, 534, 535, 538})
_STATUS = re.compile(r"([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)", re.ASCII)
_TROUBLE = (aiosmtplib.SMTPException, OSError, ValueError)


class _TroubleError(Exception):
    """No connection that could take a mail; ``str()`` is the reason to defer with."""


class _KeptOneIsDeadError(Exception):
    """A connection used before proved closed before it took anything of the mail."""


class SmarthostTransport:
    """Delivers through the server of an ``smtp://`` or ``smtps://`` URL.

    STARTTLS is used where the server offers it; certificates are verified, except of a
    server on this machine. A password never goes out unencrypted, except to this machine.
    ``pool_size`` is how many connections there may be at once, and how many wait open for the
    next mail. While mails wait for one, each goes out together with the commands of the next.
    """

    def __init__(
        self,
        url: str,
        *,
        helo: str = "localhost",
        pool_size: int = 2,
        idle_seconds: float = 30,
        timeouts: Timeouts | None = None,
        verify: bool | None = None,
    ) -> None:
        """``helo`` is the name we give ourselves; ``idle_seconds`` how long an open connection
        is trusted; ``verify`` overrides whose certificates are checked.

        Raises SmarthostError.
        """
        self._host = parse_smarthost(url)
        self._helo = helo
        self._slots = Slots(pool_size)
        self._one_at_a_time_until = 0.0
        self._idle_seconds = idle_seconds
        self._timeouts = timeouts or Timeouts()
        self._verify = not self._host.is_loopback if verify is None else verify
        self._tls: ssl.SSLContext | None = None
        self._idle: deque[tuple[aiosmtplib.SMTP, float]] = deque()

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Hand over one mail; every kind of trouble with the network or the server is an answer.

        A connection that drops between the final dot and its reply defers the mail, which
        may then arrive twice, with the same Message-ID.
        """
        try:
            sender = parse_address(envelope_sender) if envelope_sender else ""
            to = parse_address(recipient)
        except AddressError as error:
            return Failed(str(error))
        handover = Handover(sender, to, raw)
        await self._slots.begin(handover)
        try:
            return await self._deliver(handover)
        except _TroubleError as trouble:
            return Deferred(str(trouble))
        finally:
            self._slots.end(handover)

    async def close(self) -> None:
        """Say goodbye on the connections that wait; those at work finish their mail."""
        while self._idle:
            client, _ = self._idle.popleft()
            try:
                await client.quit(timeout=self._timeouts.quit)
            except _TROUBLE:
                pass
            finally:
                client.close()

    async def check(self) -> str | None:
        """Connect, say hello, log in, and part: what is wrong, or None. For the operator."""
        try:
            client = await self._connect()
        except _TroubleError as trouble:
            return str(trouble)
        self._keep_open(client)
        await self.close()
        return None

    async def _deliver(self, handover: Handover) -> Delivery:
        if handover.lent is not None and handover.lent.is_closed:
            handover.lent = None
        used = handover.lent.client if handover.lent else self._kept_open()
        if used is not None:
            try:
                return await self._hand_over(used, handover, was_used=True)
            except _KeptOneIsDeadError:
                handover.lent = None
        fresh = await self._connect()
        return await self._hand_over(fresh, handover, was_used=False)

    def _kept_open(self) -> aiosmtplib.SMTP | None:
        """The connection used last, if it is still good; old ones are let go."""
        now = asyncio.get_running_loop().time()
        while self._idle:
            client, since = self._idle.pop()
            if client.is_connected and now - since < self._idle_seconds:
                return client
            client.close()
        return None

    def _keep_open(self, client: aiosmtplib.SMTP) -> None:
        self._idle.append((client, asyncio.get_running_loop().time()))

    async def _connect(self) -> aiosmtplib.SMTP:
        """A connection that is greeted, encrypted where possible, and logged in."""
        client = aiosmtplib.SMTP(
            hostname=self._host.host,
            port=self._host.port,
            local_hostname=self._helo,
            timeout=self._timeouts.connect,
            use_tls=self._host.tls,
            start_tls=False,
            tls_context=self._tls_context(),
        )
        try:
            await client.connect()
            await _say_hello(client)
            if not self._host.tls and client.supports_extension("starttls"):
                await client.starttls()
                await _say_hello(client)
            await self._log_in(client)
        except _TROUBLE as error:
            client.close()
            raise _TroubleError(f"No connection to the smarthost: {self._why(error)}") from None
        except BaseException:
            client.close()
            raise
        return client

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            if not self._verify:
                self._tls.check_hostname = False
                self._tls.verify_mode = ssl.CERT_NONE
        return self._tls

    async def _log_in(self, client: aiosmtplib.SMTP) -> None:
        if self._host.user is None:
            return
        encrypted = client.get_transport_info("sslcontext") is not None
        if not encrypted and not self._host.is_loopback:
            raise _TroubleError(
                "The smarthost offers no encryption, and the password is not sent without."
            )
        try:
            await client.login(self._host.user, self._host.password)
        except aiosmtplib.SMTPAuthenticationError as error:
            # The server's own words may repeat what we sent.
            raise _TroubleError(f"The smarthost refused our login ({error.code}).") from None

    async def _hand_over(
        self, client: aiosmtplib.SMTP, handover: Handover, *, was_used: bool
    ) -> Delivery:
        """One mail over one connection, which is kept where it is still of use."""
        reusable = False
        try:
            outcome = await self._transaction(client, handover, was_used)
            # Content that was refused leaves nothing to reset, and the next mail has begun.
            in_use = isinstance(outcome, Sent) or handover.next is not None
            reusable = in_use or await self._reset(client)
        finally:
            if not reusable or not client.is_connected:
                _hang_up(client)
            elif handover.next is None:
                self._keep_open(client)
        return outcome

    async def _transaction(
        self, client: aiosmtplib.SMTP, handover: Handover, was_used: bool
    ) -> Delivery:
        say = self._say_at_once if client.supports_extension("pipelining") else self._say_in_turn
        trouble = await say(client, handover)
        if trouble is None:
            return Sent()
        verb, why = trouble
        code = getattr(why, "code", None)
        if verb == "MAIL" and was_used and code in (None, _CLOSING):
            raise _KeptOneIsDeadError
        # What the server has against our sender it has against all our mails; the size is the
        # mail's own. Against a recipient this code means "too many", and passes (RFC 5321,
        # section 4.5.3.1.10).
        final = {"MAIL": code == _TOO_BIG, "RCPT": code != _TOO_BIG}.get(verb, True)
        return self._refused(client, verb, why, final=final)

    async def _say_in_turn(self, client: aiosmtplib.SMTP, handover: Handover) -> Trouble | None:
        """Each command after the reply to the one before; where it went wrong, if it did."""
        seconds = self._timeouts.command
        verb = "MAIL"
        try:
            await client.mail(
                handover.sender, options=_options(client, handover.raw), timeout=seconds
            )
            verb = "RCPT"
            await client.rcpt(handover.recipient, timeout=seconds)
            verb = "DATA"
            await client.data(handover.raw, timeout=self._timeouts.data)
        except _TROUBLE as error:
            return verb, error
        return None

    async def _say_at_once(self, client: aiosmtplib.SMTP, handover: Handover) -> Trouble | None:
        """All commands, unless they went out ahead, and then their replies; where it went wrong,
        if it did."""
        commands = b"" if handover.lent else _commands(client, handover)
        try:
            lent = handover.lent or Lent(client)
        except aiosmtplib.SMTPServerDisconnected as error:
            return "MAIL", error

        try:
            trouble = await hand_over(
                lent, commands, handover.raw, self._timeouts, lambda: self._ahead(handover, lent)
            )
        finally:
            if handover.next is None:
                lent.give_back()
        if not commands and trouble and isinstance(trouble[1], aiosmtplib.SMTPTimeoutError):
            # It may have thrown away what came with the content of the mail before.
            self._one_at_a_time_until = asyncio.get_running_loop().time() + _DISTRUST_SECONDS
        return trouble

    def _ahead(self, handover: Handover, lent: Lent) -> bytes:
        """The commands of the mail that waits longest, which has the connection next."""
        if asyncio.get_running_loop().time() < self._one_at_a_time_until:
            return b""
        following = self._slots.take_along(handover, lent)
        return _commands(lent.client, following) if following else b""

    async def _reset(self, client: aiosmtplib.SMTP) -> bool:
        """Whether the connection is ready for another mail after a refusal."""
        if not client.is_connected:
            return False
        try:
            await client.rset(timeout=self._timeouts.command)
        except _TROUBLE:
            return False
        return True

    def _refused(
        self, client: aiosmtplib.SMTP, verb: str, error: Exception, *, final: bool = True
    ) -> Deferred | Failed:
        reason = f"{verb}: {self._why(error)}"
        code = max(0, getattr(error, "code", 0))  # aiosmtplib says -1 of what is no reply
        if code == _CLOSING or not 400 <= code < 600:
            _hang_up(client)  # it is going, or the two of us are out of step
        if final and 500 <= code < 600 and code not in _OUR_CONFIGURATION:
            return Failed(reason, _recipient_status(error) if verb == "RCPT" else "", code)
        refused_for_now = verb == "RCPT" and code < 500
        return Deferred(reason, _recipient_status(error) if refused_for_now else "", code)

    def _why(self, error: Exception) -> str:
        """What happened, for the operator: no password, no tag, no line break."""
        if isinstance(error, aiosmtplib.SMTPResponseException):
            return f"{error.code} {_presentable(error.message, self._host)}".rstrip()
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate is not good ({error.verify_message})."
        if isinstance(error, aiosmtplib.SMTPException):
            return _presentable(str(error.message), self._host)
        if isinstance(error, OSError) and error.strerror:
            return _presentable(error.strerror, self._host)
        return type(error).__name__


def _recipient_status(error: Exception) -> str:
    """What a refusal of the recipient says in an enhanced code (RFC 3463), if it has one that
    fits its reply code; else what the reply code alone says."""
    if not isinstance(error, aiosmtplib.SMTPResponseException) or error.code == _CLOSING:
        return ""
    found = _STATUS.match(error.message)
    kind = str(error.code)[:1]
    return found[1] if found and found[1].startswith(kind) else f"{kind}.0.0"


async def _say_hello(client: aiosmtplib.SMTP) -> None:
    try:
        await client.ehlo()
    except aiosmtplib.SMTPHeloError as error:
        if error.code not in _NO_SUCH_COMMAND:
            raise
        await client.helo()


def _hang_up(client: aiosmtplib.SMTP) -> None:
    """End a connection at once; what the server has not read by now it is not to get."""
    transport = client.transport
    client.close()
    if isinstance(transport, asyncio.Transport):
        transport.abort()


def _commands(client: aiosmtplib.SMTP, handover: Handover) -> bytes:
    options = "".join(f" {option}" for option in _options(client, handover.raw))
    lines = f"MAIL FROM:<{handover.sender}>{options}\r\nRCPT TO:<{handover.recipient}>\r\nDATA\r\n"
    return lines.encode("ascii")


def _options(client: aiosmtplib.SMTP, raw: bytes) -> list[str]:
    options = []
    if client.supports_extension("size"):
        options.append(f"SIZE={len(raw)}")
    if client.supports_extension("8bitmime") and not raw.isascii():
        options.append("BODY=8BITMIME")
    return options


def _presentable(text: str, host: Smarthost) -> str:
    """Foreign text for our logs, our secrets masked."""
    for secret in _secrets(host):
        text = text.replace(secret, "***")
    return presentable(text)


def _secrets(host: Smarthost) -> list[str]:
    if not host.password:
        return []
    plain = host.password.encode("utf-8")
    login = f"\0{host.user}\0{host.password}".encode()
    return [host.password, *(base64.b64encode(octets).decode() for octets in (plain, login))]
