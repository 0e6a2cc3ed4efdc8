"""`pbm serve` with a clock that runs fast: `python fast_server.py SECONDS`.

Retry delays of minutes and hours pass in moments, so that nobody waits for them; what is due when
is decided as ever. The clock begins at that moment, in seconds since 1970. Between the mails the
garbage is collected, so that a task that nobody holds would be lost. Nothing of this is in the
server itself; it is put into it from outside.
"""

import gc
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pbm.app import cli, server
from pbm.service.post.post import Post
from pbm.service.running import rounds

SPEED = 1200  # a minute is 50 milliseconds
CLAIMS = 20  # the post looks so often between two collections


def fast_clock(begun: float) -> Callable[[], datetime]:
    """The clock that every part of the server is handed."""

    def clock() -> datetime:
        return datetime.fromtimestamp(begun + (time.time() - begun) * SPEED, UTC)

    return clock


def collect_garbage() -> None:
    """Collect it now and then, when the post looks for mails."""
    original: Callable[..., Any] = Post.claim
    claims = 0

    def claim(self: Post) -> Any:
        nonlocal claims
        claims += 1
        if claims % CLAIMS == 0:
            gc.collect()
        return original(self)

    Post.claim = claim  # type: ignore[method-assign]


if __name__ == "__main__":
    server.system_clock = fast_clock(float(sys.argv[1]))
    rounds.LOOK_AGAIN = 0.05
    collect_garbage()
    cli.main(["serve"])
