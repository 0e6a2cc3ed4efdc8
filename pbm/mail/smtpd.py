"""The listener: SMTP on some ports.

It knows no database. Two awaitables do the server's part: one says whether a recipient is
ours, the other keeps a whole mail and returns once that is durable.
"""

import asyncio
from collections.abc import Iterable

import structlog

from pbm.errors import OperatorError
from pbm.mail.smtp_conversation import GOING_DOWN, Conversation
from pbm.mail.smtp_desk import (
    AcceptRecipient,
    Desk,
    Keep,
    ListenerLimits,
    Rejection,
    ReportFault,
)
from pbm.mail.smtp_door import LOOPBACK, Door, Network

__all__ = ["AcceptRecipient", "Keep", "Listener", "ListenerLimits", "Rejection"]

_BACKLOG = 511
_LAST_WORDS_SECONDS = 1.0

_log = structlog.get_logger(__name__)


class Listener:
    """Takes mail for the server: start it last, and stop it before the store is closed."""

    def __init__(
        self,
        *,
        hostname: str,
        accept_recipient: AcceptRecipient,
        keep: Keep,
        trusted_peers: Iterable[Network] = LOOPBACK,
        limits: ListenerLimits | None = None,
        report_fault: ReportFault | None = None,
    ) -> None:
        """``accept_recipient(address)`` gives None or a Rejection.

        ``keep(sender, recipients, raw, peer)`` gives the text behind ``250``, once the mail
        is durable, or a Rejection; it goes on when the client leaves. The sender is empty
        for the null sender, the peer empty for a local socket. Whatever either raises becomes
        one fixed 451, and goes to ``report_fault``, by default the log.
        """
        limits = limits or ListenerLimits()
        self._desk = Desk(hostname, limits, accept_recipient, keep, report_fault or _log_fault)
        self._door = Door(limits, trusted_peers)
        self._servers: list[asyncio.Server] = []
        self._conversations: set[Conversation] = set()

    async def start(self, addresses: Iterable[tuple[str, int]]) -> None:
        """Listen on each (host, port); port 0 takes a free one. Raises OperatorError."""
        for host, port in addresses:
            try:
                server = await asyncio.get_running_loop().create_server(
                    self._conversation, host, port, backlog=_BACKLOG
                )
            except OSError as error:
                await self.stop(0)
                reason = error.strerror or "no such host"
                raise OperatorError(f"Can't listen on {host} port {port}: {reason}.") from None
            self._servers.append(server)

    def _conversation(self) -> Conversation:
        return Conversation(self._desk, self._door, self._conversations)

    @property
    def bound(self) -> tuple[tuple[str, int], ...]:
        """The (host, port) pairs that it really listens on."""
        sockets = (socket for server in self._servers for socket in server.sockets)
        return tuple(socket.getsockname()[:2] for socket in sockets)

    async def stop(self, seconds: float = 10) -> None:
        """Take no more mail; a mail that came whole is still kept and answered, within
        ``seconds``."""
        self._desk.is_closing = True
        for server in self._servers:
            server.close()
        for conversation in set(self._conversations):
            if not conversation.is_committing:
                conversation.hang_up(GOING_DOWN)
        await self._desk.drain(seconds)
        answering = {conversation.handler() for conversation in self._conversations}
        if answering:
            await asyncio.wait(answering, timeout=_LAST_WORDS_SECONDS)
        for conversation in set(self._conversations):
            conversation.hang_up()
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()


def _log_fault(fault: BaseException) -> None:
    _log.error("listener-fault", exc_info=fault)
