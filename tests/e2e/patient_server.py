"""`pbm serve` that keeps no mail before so many are there: `python patient_server.py MANY`.

The first mail is kept alone. What then happens at once is the same on every machine: no turn is
cut short because the last one took long, and nobody else writes. No heart beats after the first
time, before the door opens, and of the roles only those run whose syncs are counted: who keeps
mails, and who takes turns.
"""

import asyncio
import sys
from typing import Any

from pbm.app.cli import main
from pbm.app.server import Server
from pbm.mail.smtp_in.handler import Handler
from pbm.service.running import heartbeat, writer


def gathers(many: int) -> None:
    """Let the mails after the first wait for each other."""
    original = Handler.hand_in
    arrived = 0
    all_are_there = asyncio.Event()

    async def gathering(self: Handler, *args: Any) -> str:
        nonlocal arrived
        arrived += 1
        if arrived > many:
            all_are_there.set()
        if arrived > 1:
            await all_are_there.wait()
        return await original(self, *args)

    Handler.hand_in = gathering  # type: ignore[method-assign]


async def never(_: Server) -> None:
    """What a role does that is left out."""
    await asyncio.Event().wait()


if __name__ == "__main__":
    gathers(int(sys.argv[1]))
    writer.SLICE = float("inf")
    heartbeat.BEAT_EVERY = float("inf")
    # They write where they begin, which is at their own time.
    for loop in (Server._keep_time, Server._run_robots, Server._send_post):
        setattr(Server, loop.__name__, never)
    main(["serve"])
