"""Whose turn it is at the few connections to a server.

Whoever waits is called by the one before, and may find that its commands were said already: they
went out with the content of the mail before, over the connection that is now its own.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from pbm.mail.pipelining import Lent


@dataclass(eq=False)
class Turn:
    """A mail, and what it has of a connection.

    `lent` is the connection on which its commands were said ahead, `next` the mail whose commands
    went out with its own content.
    """

    sender: str
    recipient: str
    raw: bytes
    lent: Lent | None = None
    next: "Turn | None" = None
    called: asyncio.Future[None] | None = field(default=None, init=False)

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.called is not None and self.called.cancelled()


class Turns:
    """So many at once; the others wait, first come first served."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[Turn] = deque()

    async def begin(self, turn: Turn) -> None:
        """Wait for the turn. Who was let in has to `end` it; who is cancelled has none."""
        if self._free:
            self._free -= 1
            return
        turn.called = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn.called
        except asyncio.CancelledError:
            if not turn.called.cancelled():  # called and cancelled in the same moment
                _give_up(turn)
                self.end(turn)
            raise

    def take_along(self, turn: Turn, lent: Lent) -> Turn | None:
        """The mail that waits longest, if any: the next to have this connection, once the turn
        ends. Its commands are to be said now."""
        turn.next = self._longest_waiting()
        if turn.next is not None:
            turn.next.lent = lent
        return turn.next

    def end(self, turn: Turn) -> None:
        """Let the next in: the mail that was taken along, or else whichever waits longest."""
        following = turn.next
        if following is None or following.is_cancelled:
            if following is not None:
                _give_up(following)
            following = self._longest_waiting()
        if following is None:
            self._free += 1
        else:
            assert following.called is not None
            following.called.set_result(None)

    def _longest_waiting(self) -> Turn | None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.is_cancelled:
                return turn
        return None


def _give_up(turn: Turn) -> None:
    """Nobody reads the replies to its commands, and what follows them would be its content."""
    if turn.lent is not None:
        turn.lent.give_up()
