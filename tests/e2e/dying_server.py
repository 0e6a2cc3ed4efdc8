"""`pbm serve`, made to die or to fail at one step: `dying-server STEP` of `tests.preloaded`.

Nothing of this is in the server itself; its methods are wrapped from outside.
"""

import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Any

from pbm.app import cli
from pbm.commands.families.play import Resign
from pbm.mail.smtp_out.smarthost import SmarthostTransport
from pbm.service.intake.keeping import Intake
from pbm.service.running.writer import Writer
from pbm.service.ticks.jobs import Ticks
from pbm.service.trouble import failures
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.queues.inbox import Inbox
from pbm.store.queues.outbox import Outbox
from pbm.store.queues.timers import Timers
from pbm.store.repositories.plies import Playing


def die() -> None:
    """Be killed, with no chance to clean up."""
    os.kill(os.getpid(), signal.SIGKILL)


def dies_after(owner: type, method: str) -> None:
    """Make a method end the process once it has done its work, if it did any."""
    original: Callable[..., Any] = getattr(owner, method)

    def dying(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if result not in (False, (), 0):
            die()
        return result

    setattr(owner, method, dying)


def dies_after_the_commit_of(owner: type, method: str) -> None:
    """Make the process end right after the commit of a group in which a method did its work."""
    original: Callable[..., Any] = getattr(owner, method)
    commit = Writer._do_transaction
    did_something = False

    def noting(*args: Any, **kwargs: Any) -> Any:
        nonlocal did_something
        result = original(*args, **kwargs)
        did_something = did_something or result not in (False, 0)
        return result

    async def dying(*args: Any) -> None:
        await commit(*args)
        if did_something:
            die()

    setattr(owner, method, noting)
    Writer._do_transaction = dying  # type: ignore[method-assign]


def dies_after_sending() -> None:
    """Make the transport end the process once the next server has taken a mail."""
    original = SmarthostTransport.deliver

    async def dying(self: SmarthostTransport, *args: Any) -> Any:
        outcome = await original(self, *args)
        die()
        return outcome

    SmarthostTransport.deliver = dying  # type: ignore[method-assign]


def fails() -> None:
    """Plant a bug in one command."""

    def run(*_: object) -> Any:
        raise ZeroDivisionError("a planted bug")

    Resign.run = run  # type: ignore[method-assign]


def hangs() -> None:
    """Let one command never end; other threads can still look on."""

    def run(*_: object) -> Any:
        failures.DEADLINE = 0.1  # for this turn only, however slow the machine is
        while True:
            pass

    Resign.run = run  # type: ignore[method-assign]


def hangs_alone() -> None:
    """Let one command never end, and keep Python's lock: no thread can look on."""

    def run(*_: object) -> Any:
        signal.setitimer(signal.ITIMER_REAL, 0.1)  # as above: it runs already, for longer
        return re.match("(a|a)*b", "a" * 100)

    Resign.run = run  # type: ignore[method-assign]


STEPS: dict[str, Callable[[], None]] = {
    "in-the-transaction-that-keeps-the-mail": lambda: dies_after(Inbox, "keep"),
    "between-that-commit-and-the-250": lambda: dies_after_the_commit_of(Intake, "keep_arrived"),
    "after-claiming-the-mail": lambda: dies_after(Inbox, "claim"),
    "after-playing-the-ply": lambda: dies_after(Playing, "add_ply"),
    "after-writing-a-mail-down": lambda: dies_after(Outbox, "add"),
    "before-the-commit-of-the-turn": lambda: dies_after(Inbox, "finish"),
    "between-the-turn-and-the-post": lambda: dies_after_the_commit_of(InboxWorker, "_take"),
    "after-claiming-mails-to-send": lambda: dies_after(Outbox, "claim_due"),
    "between-the-sending-and-its-record": dies_after_sending,
    "in-the-transaction-that-records-it": lambda: dies_after(Outbox, "finish"),
    "planted-bug": fails,
    "hangs": hangs,
    "hangs-alone": hangs_alone,
}

TICK_STEPS: dict[str, Callable[[], None]] = {
    "after-claiming-what-is-due": lambda: dies_after(Timers, "claim"),
    "after-closing-a-board-in-time": lambda: dies_after(Playing, "set_progress"),
    "before-the-commit-of-the-tick": lambda: dies_after(Timers, "done"),
    "between-the-tick-and-the-post": lambda: dies_after_the_commit_of(Ticks, "_do"),
}


def main() -> None:
    """Be that server."""
    {**STEPS, **TICK_STEPS}[sys.argv[1]]()
    cli.main(["serve"])
