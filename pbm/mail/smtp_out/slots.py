"""Which mail may use one of the few connections to a server.

Whoever waits is called by the one before, and may find that its commands were said already: they
went out with the content of the mail before, over the connection that is now its own.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from pbm.mail.smtp_out.pipelining import Lent


@dataclass(eq=False)
class Handover:
    """A mail, and what it has of a connection.

    `lent` is the connection on which its commands were said ahead, `next` the mail whose commands
    went out with its own content.
    """

    sender: str
    recipient: str
    raw: bytes
    lent: Lent | None = None
    next: "Handover | None" = None
    called: asyncio.Future[None] | None = field(default=None, init=False)

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.called is not None and self.called.cancelled()


class Slots:
    """So many at once; the others wait, first come first served."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[Handover] = deque()

    async def begin(self, handover: Handover) -> None:
        """Wait for a slot. Who was let in has to `end` it; who is cancelled has none."""
        if self._free:
            self._free -= 1
            return
        handover.called = asyncio.get_running_loop().create_future()
        self._waiting.append(handover)
        try:
            await handover.called
        except asyncio.CancelledError:
            if not handover.called.cancelled():  # called and cancelled in the same moment
                _give_up(handover)
                self.end(handover)
            raise

    def take_along(self, handover: Handover, lent: Lent) -> Handover | None:
        """The mail that waits longest, if any: the next to have this connection, once the handover
        ends. Its commands are to be said now."""
        handover.next = self._longest_waiting()
        if handover.next is not None:
            handover.next.lent = lent
        return handover.next

    def end(self, handover: Handover) -> None:
        """Let the next in: the mail that was taken along, or else whichever waits longest."""
        following = handover.next
        if following is None or following.is_cancelled:
            if following is not None:
                _give_up(following)
            following = self._longest_waiting()
        if following is None:
            self._free += 1
        else:
            assert following.called is not None
            following.called.set_result(None)

    def _longest_waiting(self) -> Handover | None:
        while self._waiting:
            handover = self._waiting.popleft()
            if not handover.is_cancelled:
                return handover
        return None


def _give_up(handover: Handover) -> None:
    """Nobody reads the replies to its commands, and what follows them would be its content."""
    if handover.lent is not None:
        handover.lent.give_up()
