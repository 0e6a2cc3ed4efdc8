"""The handler of a listener, which converts results of its callbacks to SMTP replies."""

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from pbm.mail.reading.mime import check_wire
from pbm.mail.smtp_in.connection_limits import Caller, ListenerLimits

OWN_FAULT = "451 4.3.0 Something broke on our side, not on yours. Please send it again later."
QUIT = "the client said QUIT"
_KEPT = "250 2.0.0 Kept."
_LONGEST_TEXT = 500  # RFC 5321, section 4.5.3.1.5: 512 with code and CRLF
_PRINTABLE = re.compile(r"[ -~]+", re.ASCII)
_MOST_TOLD = 5  # of accepted commands, and of refused ones
_LONGEST = 300  # characters of each
_log = structlog.get_logger(__name__)
_TELLING = ("MAIL", "RCPT")  # their lines are informative, and hold no password


@dataclass
class Session:
    peer: str  # empty for a local socket
    protocol: str
    is_trusted: bool
    is_encrypted: bool = False
    sender: str = ""
    kept: int = 0
    refused: int = 0
    told: list[str] = field(default_factory=list)  # may contain secret reply tags
    end: str = "the client left"

    @property
    def is_uneventful(self) -> bool:
        return not (self.kept or self.refused) and self.end in (Session.end, QUIT)

    def note(self, line: bytes, reply: str, why: str = "") -> None:
        verb = line[:4].decode("ascii", "replace").upper()
        for answer in reply.split("\r\n"):
            if answer.startswith("250") and verb == "DATA":
                self.kept += 1
                self._tell(self.kept, answer)
            elif answer.startswith(("4", "5")):
                self.refused += 1
                asked = line.decode("ascii", "replace").strip() if verb in _TELLING else verb
                self._tell(self.refused, f"{asked}: {answer}" + (f" ({why})" if why else ""))

    def _tell(self, count: int, what: str) -> None:
        if count <= _MOST_TOLD:
            self.told.append(what[:_LONGEST])


@dataclass(frozen=True)
class Rejection:
    code: int  # from 400 to 599
    text: str  # an enhanced code, such as `5.1.1`, and a sentence
    why: str = ""  # for the operator, where the client is told less


@dataclass(eq=False, kw_only=True)
class Handler:
    """The handler of all conversations of a listener.

    `accept_recipient(address, sender, caller)` returns None to accept. `sender` may be empty.
    `keep(sender, recipients, raw, caller)` stores a mail. It returns a Rejection, or the text after
    `250` once the mail is durable. If one of these functions fails, the client gets the reply 451.
    `is_known(network)` returns whether players have written from a network, such as 192.0.2.0/24.
    """

    hostname: str
    accept_recipient: Callable[[str, str, Caller], Awaitable[Rejection | None]]
    keep: Callable[[str, tuple[str, ...], bytes, Caller], Awaitable[str | Rejection]]
    limits: ListenerLimits = field(default_factory=ListenerLimits)
    report_fault: Callable[[BaseException], None] = lambda fault: _log.error(
        "listener-fault", exc_info=fault
    )
    is_known: Callable[[str], Awaitable[bool]] | None = None
    tls: ssl.SSLContext | None = None
    report_session: Callable[[Session], None] = lambda _: None
    is_closing: bool = False
    _keeping: set[asyncio.Future[str | Rejection]] = field(default_factory=set)

    async def hand_in(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str:
        """Pass a mail to `keep`, and return the reply. If this is cancelled, `keep` continues."""
        sentence = check_wire(raw)
        if sentence is not None:
            return f"550 5.6.0 {sentence}"
        keeping = asyncio.ensure_future(self.keep(sender, recipients, raw, caller))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._finished)
        await asyncio.wait({keeping}, timeout=self.limits.commit_seconds)
        if not keeping.done() or keeping.cancelled() or keeping.exception() is not None:
            return OWN_FAULT
        return self.reply_to(keeping.result())

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` until running calls of ``keep`` end, then cancel the others."""
        if self._keeping:
            await asyncio.wait(self._keeping, timeout=seconds)
        abandoned = set(self._keeping)
        for keeping in abandoned:
            keeping.cancel()
        await asyncio.gather(*abandoned, return_exceptions=True)

    def _finished(self, keeping: asyncio.Future[str | Rejection]) -> None:
        self._keeping.discard(keeping)
        if not keeping.cancelled() and (fault := keeping.exception()) is not None:
            self.report_fault(fault)

    def reply_to(self, answer: object) -> str:
        """Convert a callback's answer, a Rejection or the text after 250, to an SMTP reply."""
        match answer:
            case Rejection(code, text) if 400 <= code <= 599 and _PRINTABLE.fullmatch(text):
                return f"{code} {text[:_LONGEST_TEXT]}"
            case str(text) if _PRINTABLE.fullmatch(text):
                return f"250 {text[:_LONGEST_TEXT]}"
            case str(text) if text:
                return _KEPT  # it is kept, although its reply was malformed
        self.report_fault(TypeError(f"no answer that a client can be told: {type(answer)}"))
        return OWN_FAULT
