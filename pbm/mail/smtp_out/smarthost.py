"""Sends mail through one relay server, over connections kept open."""

import asyncio
import base64
import re
import ssl
from collections import deque
from collections.abc import Awaitable, Callable
from functools import cached_property
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
    """A kept connection proved closed before any part of a mail was accepted."""


class ConnectionPool:
    """Connection pool; if none is free, callers wait in the order of arrival."""

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], size: int, idle_seconds: float
    ) -> None:
        """`size` limits the connections at once, `idle_seconds` the idle time of a kept one."""
        self._connect = connect
        self._free = asyncio.Semaphore(size)
        self._idle_seconds = idle_seconds
        self._idle: deque[tuple[Connection, float]] = deque()

    async def use(self, work: Callable[[Connection], Awaitable[_Result]]) -> _Result:
        """Call `work` with the connection used last, or else with a new one.

        If a kept one proves dead, `work` is retried with a new one. Afterwards the connection is
        kept if it is still open; after an exception it is aborted. Raises the errors of `connect`
        and `work`.
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
        """Close the idle connections; the others finish their mail."""
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


_CLOSING = 421
_TOO_BIG = 552
# Bad syntax, bad sequence, and logins: these errors concern all our mails.
_OUR_CONFIGURATION = frozenset({500, 501, 502, 503, 504, 521, 530, 534, 535, 538})
_STATUS = re.compile(r"([245]\.[0-9]{1,3}\.[0-9]{1,3})(?: |$)", re.ASCII)


class _TroubleError(Exception):
    """No usable connection; ``str()`` is the reason to defer with."""


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
        """``helo`` is our name in EHLO; ``idle_seconds`` is the longest idle time of a connection.

        ``verify`` overrides whether certificates are checked. Raises SmarthostError.
        """
        self._host = parse_smarthost(url)
        self._helo = helo
        self._timeouts = timeouts or Timeouts()
        self._verify = not self._host.is_loopback if verify is None else verify
        self._pool = ConnectionPool(self._connect, pool_size, idle_seconds)

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Deliver one mail; every error of the network or the server is returned as a result.

        A connection that drops between the final dot and its reply defers the mail, which may then
        arrive twice, with the same Message-ID.
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
        """Close the idle connections; busy ones finish their mails."""
        await self._pool.close()

    async def check(self) -> str | None:
        """Connect, log in, and quit; the error for the operator, or None."""
        try:
            connection = await self._connect()
        except _TroubleError as trouble:
            return str(trouble)
        await connection.quit()
        return None

    async def _connect(self) -> Connection:
        try:
            return await connect(self._host, self._helo, self._timeouts, self._tls)
        except LoginError as error:
            raise _TroubleError(str(error)) from None
        except TROUBLE as error:
            raise _TroubleError(f"No connection to the smarthost: {self._why(error)}") from None

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if not self._verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    async def _send(self, connection: Connection, mail: Mail) -> Delivery:
        was_used = connection.was_used
        trouble = await connection.send(mail)
        if trouble is None:
            return Sent()
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
        """The error for the operator: without passwords, tags and line breaks."""
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
    """The enhanced code (RFC 3463) of a refused recipient, if it fits the reply code.

    Else the code that follows from the reply code alone.
    """
    if not isinstance(error, aiosmtplib.SMTPResponseException) or error.code == _CLOSING:
        return ""
    found = _STATUS.match(error.message)
    kind = str(error.code)[:1]
    return found[1] if found and found[1].startswith(kind) else f"{kind}.0.0"


def _presentable(text: str, host: Smarthost) -> str:
    """External text for our logs, with our secrets masked."""
    if host.password:
        login = f"\0{host.user}\0{host.password}"
        encoded = (base64.b64encode(each.encode()).decode() for each in (host.password, login))
        for secret in (host.password, *encoded):
            text = text.replace(secret, "***")
    return presentable(text)
