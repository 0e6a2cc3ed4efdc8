"""Work on the event loop that lets others in before they have waited for long."""

import asyncio
import time

LONGEST = 0.005  # seconds, as long as a thread keeps Python's lock


class Yielding:
    """Asked between two steps, it lets others in if it is time for that.

    To do so after every step would cost as much as a short step itself.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def let_others_in(self) -> None:
        """Let whoever waits go first, where work has gone on for long enough."""
        if time.monotonic() - self._since > LONGEST:
            await asyncio.sleep(0)
            self._since = time.monotonic()
