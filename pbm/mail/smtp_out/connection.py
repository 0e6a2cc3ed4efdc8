"""One connection to the next mail server, which sends mails over it."""

import asyncio
import ipaddress
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import aiosmtplib

from pbm.errors import OperatorError
from pbm.mail.smtp_out.pipelining import Timeouts, Trouble, send_at_once

_DEFAULT_PORTS = {"smtp": 25, "smtps": 465}
_FORM = "It must look like smtp://host:25 or smtps://user:password@host:465."


class SmarthostError(OperatorError):
    """The URL is unusable; ``str()`` says why, and contains only its host."""


@dataclass(frozen=True)
class Smarthost:
    """The server to connect to. ``tls`` means TLS from the first byte, as in ``smtps://``."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str = field(default="", repr=False)

    @property
    def is_loopback(self) -> bool:
        """Whether the connection never leaves this machine."""
        if self.host.lower().rstrip(".") == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_smarthost(url: str) -> Smarthost:
    """Parse the URL; user and password are percent-encoded in it. Raises SmarthostError."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise SmarthostError(f"PBM_SMARTHOST has a bad port or host. {_FORM}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise SmarthostError(f"PBM_SMARTHOST must start with smtp:// or smtps://. {_FORM}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SmarthostError(
            "PBM_SMARTHOST has something behind the port; a slash, a question mark or a hash "
            f"in the password must be percent-encoded. {_FORM}"
        )
    host = parts.hostname or ""
    if not host or not host.isascii() or not host.isprintable() or " " in host or port == 0:
        raise SmarthostError(f"PBM_SMARTHOST names no host. {_FORM}")
    user, password = _credentials(parts.username, parts.password)
    is_tls = parts.scheme == "smtps"
    return Smarthost(host, port or _DEFAULT_PORTS[parts.scheme], is_tls, user, password)


def _credentials(user: str | None, password: str | None) -> tuple[str | None, str]:
    if user is None:
        return None, ""
    try:
        decoded = unquote(user, errors="strict"), unquote(password or "", errors="strict")
    except UnicodeDecodeError:
        raise SmarthostError("PBM_SMARTHOST: user or password is not UTF-8.") from None
    if not all(decoded):
        raise SmarthostError("PBM_SMARTHOST needs user and password, or neither.")
    if not all(map(str.isprintable, decoded)):
        raise SmarthostError("PBM_SMARTHOST: user or password holds a control character.")
    return decoded


TROUBLE = (aiosmtplib.SMTPException, OSError, ValueError)
_NO_SUCH_COMMAND = (500, 501, 502, 504)


class LoginError(Exception):
    """The password was not sent, or the server refused it; ``str()`` is a sentence."""


@dataclass(frozen=True)
class Mail:
    """A mail with its envelope; an empty `sender` is the null sender."""

    sender: str
    recipient: str
    raw: bytes


class Connection:
    """A connection after greeting, encryption if possible, and login."""

    def __init__(self, client: aiosmtplib.SMTP, timeouts: Timeouts) -> None:
        self.was_used = False
        self._client = client
        self._timeouts = timeouts

    @property
    def is_open(self) -> bool:
        """Whether another mail can be sent, as far as we know."""
        return self._client.is_connected

    async def send(self, mail: Mail) -> Trouble | None:
        """Send a mail; return the first error, or None.

        The commands are pipelined if the server offers that (RFC 2920).
        """
        if self._client.supports_extension("pipelining"):
            begin = " ".join([f"MAIL FROM:<{mail.sender}>", *self._options(mail)])
            commands = f"{begin}\r\nRCPT TO:<{mail.recipient}>\r\nDATA\r\n".encode("ascii")
            trouble = await send_at_once(self._client, commands, mail.raw, self._timeouts)
        else:
            trouble = await self._send_in_turn(mail)
        self.was_used = True
        return trouble

    async def reset(self) -> None:
        """Abort the refused mail, so that another can be sent; hang up if that fails."""
        try:
            await self._client.rset(timeout=self._timeouts.command)
        except TROUBLE:
            self.hang_up()

    async def quit(self) -> None:
        """Send QUIT."""
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

    async def _send_in_turn(self, mail: Mail) -> Trouble | None:
        """Send each command after the reply to the one before."""
        seconds = self._timeouts.command
        verb = "MAIL"
        try:
            await self._client.mail(mail.sender, options=self._options(mail), timeout=seconds)
            verb = "RCPT"
            await self._client.rcpt(mail.recipient, timeout=seconds)
            verb = "DATA"
            await self._client.data(mail.raw, timeout=self._timeouts.data)
        except TROUBLE as error:
            return verb, error
        return None

    def _options(self, mail: Mail) -> list[str]:
        options = []
        if self._client.supports_extension("size"):
            options.append(f"SIZE={len(mail.raw)}")
        if self._client.supports_extension("8bitmime") and not mail.raw.isascii():
            options.append("BODY=8BITMIME")
        return options


async def connect(
    host: Smarthost, helo: str, timeouts: Timeouts, tls: ssl.SSLContext
) -> Connection:
    """Open a connection: STARTTLS if the server offers it, and the login.

    A password is never sent unencrypted, except to this machine. Raises LoginError and the errors
    in `TROUBLE`.
    """
    client = aiosmtplib.SMTP(
        hostname=host.host,
        port=host.port,
        local_hostname=helo,
        timeout=timeouts.connect,
        use_tls=host.tls,
        start_tls=False,
        tls_context=tls,
    )
    try:
        await client.connect()
        await _say_hello(client)
        if not host.tls and client.supports_extension("starttls"):
            await client.starttls()
            await _say_hello(client)
        await _log_in(client, host)
    except BaseException:
        client.close()
        raise
    return Connection(client, timeouts)


async def _say_hello(client: aiosmtplib.SMTP) -> None:
    try:
        await client.ehlo()
    except aiosmtplib.SMTPHeloError as error:
        if error.code not in _NO_SUCH_COMMAND:
            raise
        await client.helo()


async def _log_in(client: aiosmtplib.SMTP, host: Smarthost) -> None:
    if host.user is None:
        return
    encrypted = client.get_transport_info("sslcontext") is not None
    if not encrypted and not host.is_loopback:
        raise LoginError(
            "The smarthost offers no encryption, and the password is not sent without."
        )
    try:
        await client.login(host.user, host.password)
    except aiosmtplib.SMTPAuthenticationError as error:
        # The server's own words may repeat our command.
        raise LoginError(f"The smarthost refused our login ({error.code}).") from None
