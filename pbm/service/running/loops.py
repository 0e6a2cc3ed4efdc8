"""The roles as loops: whoever writes a row wakes the loop that waits for it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.passwords import HashingNeeded
from pbm.service.post.post import Post
from pbm.service.running.clock_watch import ClockWatch
from pbm.service.running.writer import InThread, Writer
from pbm.service.turns.preparation import Preparation
from pbm.service.turns.trouble import traceback_of
from pbm.service.turns.turn import Taken, TurnFailedError, Turns

LOOK_AGAIN = 5.0  # seconds; rows that another process wrote wake nobody here
BLOCKED_PAUSE = 1.0  # seconds; what is due waits for another mail of its board
GATHER = 0.01  # seconds; while mails are under way, what comes meanwhile shares a look
DATABASE_PAUSE = 1.0  # seconds to wait when the database is away
Alive = Callable[[], object]
_log = structlog.get_logger("pbm.loops")


def _nobody_asks() -> None:
    pass


async def take_turns(
    turns: Turns,
    writer: Writer,
    mail_kept: asyncio.Event,
    mail_written: asyncio.Event,
    *,
    most_together: int,
    read_in_thread: InThread,
    hash_in_thread: InThread,
    alive: Alive = _nobody_asks,
) -> None:
    """Obey the inbox for ever, several mails in one commit while many wait.

    Long mails are read, and passwords hashed, in a thread each, while other turns go on. `alive`
    is called whenever the loop goes on.
    """
    together = 1
    uncounted: TurnFailedError | None = None
    async with asyncio.TaskGroup() as apart:
        while True:
            alive()
            mail_kept.clear()
            taken = Taken(0, more=True)
            try:
                if uncounted:
                    await writer.do(partial(turns.count_in, failed=uncounted))
                    uncounted = None
                taken = await writer.do(partial(turns.take_some, most=together))
            except DBAPIError as error:
                _log.warning("database away, turns wait", error=str(error.orig))
                await asyncio.sleep(DATABASE_PAUSE)
            except TurnFailedError as failed:
                uncounted = failed if together == 1 else None
            except HashingNeeded:
                pass  # the next turns put that mail aside
            for preparation in turns.preparations.to_do():
                in_thread = hash_in_thread if preparation.is_hashing else read_in_thread
                apart.create_task(_work_out(turns, preparation, in_thread, mail_kept))
            if taken.mails:
                mail_written.set()
            together = min(most_together, together * 2) if taken.mails == together else 1
            if not taken.more:
                await _woken(mail_kept, LOOK_AGAIN)


async def _work_out(
    turns: Turns, preparation: Preparation, in_thread: InThread, mail_kept: asyncio.Event
) -> None:
    await in_thread(partial(turns.work_out, preparation))
    mail_kept.set()


async def begin_turns(turns: Turns, in_thread: InThread) -> None:
    """Do what the turns begin with, as soon as the database is there."""
    while True:
        try:
            await in_thread(turns.begin)
        except DBAPIError as error:
            _log.warning("database away, turns wait", error=str(error.orig))
            await asyncio.sleep(DATABASE_PAUSE)
        else:
            return


async def send_post(
    post: Post,
    clock: Clock,
    in_thread: InThread,
    writer: Writer,
    mail_written: asyncio.Event,
    alive: Alive = _nobody_asks,
) -> None:
    """Send the outbox for ever; what is under way when this is cancelled is finished.

    `alive` is called whenever the loop goes on.
    """
    under_way: set[asyncio.Task[None]] = set()
    watch, went_back = ClockWatch(clock), False
    try:
        while True:
            alive()
            mail_written.clear()
            try:
                went_back = went_back or watch.went_back()
                if went_back:
                    await writer.do(post.bring_forward)
                    went_back = False
                look = await post.look(in_thread)
            except DBAPIError as error:
                _log.warning("database away, post waits", error=str(error.orig))
                await asyncio.sleep(DATABASE_PAUSE)
                continue
            except Exception as error:  # noqa: BLE001 - the post goes on, whatever it was
                _log.error("post failed", exception=traceback_of(error))
                await asyncio.sleep(DATABASE_PAUSE)
                continue
            for mail, written in look.mails:
                sending = asyncio.create_task(post.send(mail, written, writer))
                under_way.add(sending)
                sending.add_done_callback(under_way.discard)
                sending.add_done_callback(lambda _: mail_written.set())
            if not look.more:
                # What is under way may be what is due next, and wakes us when it ends.
                known = None if under_way else look.next_due_at
                await _woken(mail_written, _until(known, clock))
            if under_way:
                await asyncio.sleep(GATHER)
    finally:
        if under_way:
            await asyncio.wait(under_way)


def _until(due_at: datetime | None, clock: Clock) -> float:
    """Seconds until the next mail is due, as far as is known."""
    wait = (due_at - clock()).total_seconds() if due_at else LOOK_AGAIN
    if wait <= 0:
        return BLOCKED_PAUSE
    return min(max(wait, 0.05), LOOK_AGAIN)


async def _woken(event: asyncio.Event, seconds: float) -> None:
    # Not wait_for: before Python 3.12 it forgets that it was cancelled if the event comes first.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
