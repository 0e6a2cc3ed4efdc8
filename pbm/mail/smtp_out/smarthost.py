"""Mail out through one server that carries it further, over connections kept open."""

import asyncio
import base64
import re
import ssl
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiosmtplib

from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.connection import (
    TROUBLE,
    Connection,
    LoginError,
    Mail,
    Smarthost,
    connect,
    parse_smarthost,
)
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent, presentable
from pbm.mail.smtp_out.pipelining import Timeouts

_Result = TypeVar("_Result")


class DeadConnectionError(Exception):
    """A connection that was kept open proved closed before it took anything of a mail."""


class Pool:
    """Lends connections; who finds none free waits, first come first served."""

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], size: int, idle_seconds: float
    ) -> None:
        """`size` is how many there may be at once, `idle_seconds` how long one that nobody uses
        is trusted."""
        self._connect = connect
        self._free = asyncio.Semaphore(size)
        self._idle_seconds = idle_seconds
        self._idle: deque[tuple[Connection, float]] = deque()

    async def use(self, work: Callable[[Connection], Awaitable[_Result]]) -> _Result:
        """Do something with the connection that was used last, or else with a new one.

        Where a kept one proves dead, the work begins anew with a new one. Afterwards the connection
        is kept if it is still open; after an exception it is broken off. Raises what `connect` and
        the work raise.
        """
        async with self._free:
            kept = self._take_idle()
            if kept is not None:
                try:
                    return await self._use(kept, work)
                except DeadConnectionError:
                    pass
            return await self._use(await self._connect(), work)

    async def close(self) -> None:
        """Say goodbye on the connections that nobody uses; the others end their mail."""
        while self._idle:
            connection, _ = self._idle.popleft()
            await connection.quit()

    async def _use(
        self, connection: Connection, work: Callable[[Connection], Awaitable[_Result]]
    ) -> _Result:
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


__all__ = ["SmarthostTransport", "Timeouts"]

_CLOSING = 421
_TOO_BIG = 552
# Bad syntax, bad sequence, and logins: what is wrong here is wrong for every mail we have.
_OUR_CONFIGURATION = frozenset({500, 501, 502, 503, 504, 521, 530, 534, 535, 538})
_STATUS = re.compile(r"([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)", re.ASCII)


class _TroubleError(Exception):
    """No connection that could take a mail; ``str()`` is the reason to defer with."""


class SmarthostTransport:
    """Delivers through the server of an ``smtp://`` or ``smtps://`` URL.

    STARTTLS is used where the server offers it; certificates are verified, except of a
    server on this machine. A password never goes out unencrypted, except to this machine.
    ``pool_size`` is how many connections there may be at once; they are kept open for the next
    mail.
    """

    def __init__(
        self,
        url: str,
        *,
        helo: str = "localhost",
        pool_size: int = 4,
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
        self._timeouts = timeouts or Timeouts()
        self._verify = not self._host.is_loopback if verify is None else verify
        self._tls: ssl.SSLContext | None = None
        self._pool = Pool(self._connect, pool_size, idle_seconds)

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
        mail = Mail(sender, to, raw)
        try:
            return await self._pool.use(lambda connection: self._send(connection, mail))
        except _TroubleError as trouble:
            return Deferred(str(trouble))

    async def close(self) -> None:
        """Say goodbye on the connections that wait; those at work finish their mail."""
        await self._pool.close()

    async def check(self) -> str | None:
        """Connect, say hello, log in, and part: what is wrong, or None. For the operator."""
        try:
            connection = await self._connect()
        except _TroubleError as trouble:
            return str(trouble)
        await connection.quit()
        return None

    async def _connect(self) -> Connection:
        try:
            return await connect(self._host, self._helo, self._timeouts, self._tls_context())
        except LoginError as error:
            raise _TroubleError(str(error)) from None
        except TROUBLE as error:
            raise _TroubleError(f"No connection to the smarthost: {self._why(error)}") from None

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            if not self._verify:
                self._tls.check_hostname = False
                self._tls.verify_mode = ssl.CERT_NONE
        return self._tls

    async def _send(self, connection: Connection, mail: Mail) -> Delivery:
        was_used = connection.was_used
        trouble = await connection.send(mail)
        if trouble is None:
            return Sent()
        verb, why = trouble
        code = getattr(why, "code", None)
        if verb == "MAIL" and was_used and code in (None, _CLOSING):
            raise DeadConnectionError
        # What the server has against our sender it has against all our mails; the size is the
        # mail's own. Against a recipient this code means "too many", and passes (RFC 5321,
        # section 4.5.3.1.10).
        final = {"MAIL": code == _TOO_BIG, "RCPT": code != _TOO_BIG}.get(verb, True)
        outcome = self._refused(connection, verb, why, final=final)
        if connection.is_open:
            await connection.reset()
        return outcome

    def _refused(
        self, connection: Connection, verb: str, error: Exception, *, final: bool
    ) -> Deferred | Failed:
        reason = f"{verb}: {self._why(error)}"
        code = max(0, getattr(error, "code", 0))  # aiosmtplib says -1 of what is no reply
        if code == _CLOSING or not 400 <= code < 600:
            connection.hang_up()  # it is going, or the two of us are out of step
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
