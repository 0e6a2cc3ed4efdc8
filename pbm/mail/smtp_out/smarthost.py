"""Sends mail through one relay server, over connections kept open."""

import base64
import ipaddress
import re
import ssl
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote, urlsplit

import aiosmtplib

from pbm.errors import OperatorError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.connection import (
    TROUBLE,
    Connection,
    ConnectionPool,
    DeadConnectionError,
    Timeouts,
)
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent, presentable

_NO_SUCH_COMMAND = (500, 501, 502, 504)
_DEFAULT_PORTS = {"smtp": 25, "smtps": 465}
_FORM = "It must look like smtp://host:25 or smtps://user:password@host:465."


class SmarthostError(OperatorError):
    """The URL is unusable; ``str()`` says why, without the URL's user and password."""


@dataclass(frozen=True)
class Smarthost:
    host: str
    port: int
    tls: bool  # True for `smtps://`: then TLS begins with the first byte
    user: str | None = None
    password: str = field(default="", repr=False)

    @property
    def is_loopback(self) -> bool:
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


class NoConnectionError(Exception):
    """The smarthost is unreachable or refuses our login; ``str()`` is a sentence."""


async def _say_hello(client: aiosmtplib.SMTP) -> None:
    try:
        await client.ehlo()
    except aiosmtplib.SMTPHeloError as error:
        if error.code not in _NO_SUCH_COMMAND:
            raise
        await client.helo()


async def _log_in(client: aiosmtplib.SMTP, host: Smarthost, user: str) -> None:
    encrypted = client.get_transport_info("sslcontext") is not None
    if not encrypted and not host.is_loopback:
        raise NoConnectionError(
            "The smarthost offers no encryption, and the password is not sent without."
        )
    try:
        await client.login(user, host.password)
    except aiosmtplib.SMTPAuthenticationError as error:
        # The server's own words may repeat our command.
        raise NoConnectionError(f"The smarthost refused our login ({error.code}).") from None


_CLOSING = 421
_TOO_BIG = 552
# Bad syntax, bad sequence, and logins: these errors concern all our mails.
_OUR_CONFIGURATION = frozenset({500, 501, 502, 503, 504, 521, 530, 534, 535, 538})
_STATUS = re.compile(r"([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)", re.ASCII)


class SmarthostTransport:
    """Delivers mail through another server. A remote server's TLS certificate is verified."""

    def __init__(
        self,
        url: str,
        *,
        helo: str = "localhost",
        pool_size: int = 4,
        idle_seconds: float = 30,
        timeouts: Timeouts | None = None,
    ) -> None:
        """Parse the URL; `helo` is our name in EHLO. Raises SmarthostError."""
        self._host = parse_smarthost(url)
        self._helo = helo
        self._timeouts = timeouts or Timeouts()
        self._pool = ConnectionPool(self._connect, pool_size, idle_seconds)

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Deliver one mail; if the reply to its final dot is lost, it may arrive twice."""
        try:
            sender = parse_address(envelope_sender) if envelope_sender else ""
            to = parse_address(recipient)
            return await self._pool.use(lambda it: self._send(it, sender, to, raw))
        except AddressError as error:
            return Failed(str(error))
        except NoConnectionError as error:
            return Deferred(str(error))

    async def close(self) -> None:
        await self._pool.close()

    async def check(self) -> str:
        """Connect, log in, and quit; return the encryption, in words. Raises NoConnectionError."""
        connection = await self._connect()
        offered = "STARTTLS" if connection.is_encrypted else "not encrypted"
        await connection.quit()
        return "TLS" if self._host.tls else offered

    async def _connect(self) -> Connection:
        """Connect, use STARTTLS if it is offered, and log in. Raises NoConnectionError."""
        host = self._host
        try:
            client = aiosmtplib.SMTP(
                hostname=host.host,
                port=host.port,
                local_hostname=self._helo,
                timeout=self._timeouts.connect,
                use_tls=host.tls,
                start_tls=False,
                tls_context=self._tls if host.tls else None,
            )
            try:
                await client.connect()
                await _say_hello(client)
                if not host.tls and client.supports_extension("starttls"):
                    await client.starttls(tls_context=self._tls)
                    await _say_hello(client)
                if host.user is not None:
                    await _log_in(client, host, host.user)
            except BaseException:
                client.close()
                raise
            return Connection(client, self._timeouts)
        except TROUBLE as error:
            raise NoConnectionError(f"No connection to the smarthost: {self._why(error)}") from None

    @cached_property
    def _tls(self) -> ssl.SSLContext:  # loads the certificates of all authorities, which is slow
        context = ssl.create_default_context()
        if self._host.is_loopback:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    async def _send(
        self, connection: Connection, sender: str, recipient: str, raw: bytes
    ) -> Delivery:
        was_used = connection.was_used
        trouble = await connection.send(sender, recipient, raw)
        if isinstance(trouble, str):
            return Sent(_presentable(trouble, self._host))
        verb, why = trouble
        code = getattr(why, "code", None)
        if verb == "MAIL" and was_used and code in (None, _CLOSING):
            raise DeadConnectionError
        # A refusal of our sender concerns all our mails; one for the size concerns this mail only.
        # For a recipient this code means "too many", and is temporary (RFC 5321, section
        # 4.5.3.1.10).
        final = {"MAIL": code == _TOO_BIG, "RCPT": code != _TOO_BIG}.get(verb, True)
        outcome = self._refused(connection, verb, why, final=final)
        if connection.is_open:
            await connection.reset()
        return outcome

    def _refused(
        self, connection: Connection, verb: str, error: Exception, *, final: bool
    ) -> Deferred | Failed:
        reason = f"{verb}: {self._why(error)}"
        code = max(0, getattr(error, "code", 0))  # aiosmtplib uses -1 for a malformed reply
        if code == _CLOSING or not 400 <= code < 600:
            connection.hang_up()  # it is closing, or out of sync
        if final and 500 <= code < 600 and code not in _OUR_CONFIGURATION:
            return Failed(reason, _recipient_status(error) if verb == "RCPT" else "", code)
        refused_for_now = verb == "RCPT" and code < 500
        return Deferred(reason, _recipient_status(error) if refused_for_now else "", code)

    def _why(self, error: Exception) -> str:
        """Describe an error for the operator, without passwords, address tags and line breaks."""
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
    """Return the status code (RFC 3463) of a refusal. It is 5.0.0 for a bare reply code 550."""
    if not isinstance(error, aiosmtplib.SMTPResponseException) or error.code == _CLOSING:
        return ""
    found = _STATUS.match(error.message)
    kind = str(error.code)[:1]
    return found[1] if found and found[1].startswith(kind) else f"{kind}.0.0"


def _presentable(text: str, host: Smarthost) -> str:
    """Convert the server's text to one line for our logs, with our password masked."""
    if host.password:
        login = f"\0{host.user}\0{host.password}"
        encoded = (base64.b64encode(each.encode()).decode() for each in (host.password, login))
        for secret in (host.password, *encoded):
            text = text.replace(secret, "***")
    return presentable(text)
