"""The loops of the process roles `turn`, `ticks` and `post`; new rows and due times wake a loop."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.service.post.post import Post
from pbm.service.running.heartbeat import ClockWatch
from pbm.service.running.writer import InThread, Writer
from pbm.service.ticks.jobs import Ticks
from pbm.service.trouble.masking import traceback_of
from pbm.service.turns.inbox_worker import InboxWorker, Preparation, TurnFailedError
from pbm.slow_work import WorkNeeded

LOOK_AGAIN = 5.0  # seconds, in case a notification is lost (docs/adr/processes.md)
BLOCKED_PAUSE = 1.0  # seconds to wait if a due row cannot be claimed yet
GATHER = 0.003  # seconds to wait while mails are being sent, so that new ones share a query
DATABASE_PAUSE = 1.0  # seconds to wait when the database is down
_T = TypeVar("_T")
Alive = Callable[[], object]
_EXPECTED = (WorkNeeded, TurnFailedError)
_log = structlog.get_logger("pbm.loops")


async def take(worker: InboxWorker, writer: Writer, most: int) -> bool:
    """Handle up to `most` mails; return whether others may wait. Raises DBAPIError."""
    preparations = worker.preparations
    ready = preparations.ready()[:most]
    turns = [
        *(writer.do(partial(worker.take_prepared, prepared=it), slow=it.is_long) for it in ready),
        *(writer.do(worker.take_next) for _ in range(most - len(ready))),
    ]
    outcomes = await asyncio.gather(*turns, return_exceptions=True)
    for prepared, outcome in zip(ready, outcomes, strict=False):
        if outcome is True and not prepared.needed:
            preparations.forget(prepared.mail.id)
    failed = list(worker.failed.values())
    for each in failed:
        await writer.do(partial(worker.count_failed, failed=each))
        del worker.failed[each.mail.id]
    for outcome in outcomes:
        # The next round delays a mail that needs work, and repeats a turn that failed.
        if isinstance(outcome, BaseException) and not isinstance(outcome, _EXPECTED):
            raise outcome
    return bool(failed) or False not in outcomes


async def rounds(
    a_round: Callable[[], Awaitable[float | None]], event: asyncio.Event, alive: Alive, waiting: str
) -> None:
    """Call `alive` and `a_round` in turn, for ever; go on after a pause if the database is down.

    `a_round` returns the seconds to wait for `event`, None for no wait. `waiting` is for the log.
    """

    async def living() -> float | None:
        alive()
        event.clear()
        return await a_round()

    while True:
        seconds = await until_done(living, waiting)
        if seconds is not None:
            await woken(event, seconds)


async def take_turns(
    worker: InboxWorker, writer: Writer, in_thread: InThread, mail_kept: asyncio.Event, alive: Alive
) -> None:
    preparations = worker.preparations

    async def work_out(preparation: Preparation) -> None:
        await in_thread(partial(worker.work_out, preparation))
        mail_kept.set()

    async def a_round() -> float | None:
        try:
            more = await take(worker, writer, worker.most_together)
        finally:
            for preparation in preparations.to_do():
                apart.create_task(work_out(preparation))
        # Several workers share the event, so another may have cleared it.
        return None if more or preparations.ready() else LOOK_AGAIN

    async with asyncio.TaskGroup() as apart:
        await rounds(a_round, mail_kept, alive, "turns wait")


async def until_done(work: Callable[[], Awaitable[_T]], waiting: str) -> _T:
    """Do the work; retry while the database is down. `waiting` is for the log."""
    while True:
        try:
            return await work()
        except DBAPIError as error:
            _log.warning(f"database away, {waiting}", error=str(error.orig))
            await asyncio.sleep(DATABASE_PAUSE)


async def tick(ticks: Ticks, writer: Writer, most: int) -> bool:
    """Run up to `most` timers; return whether any was due. Raises DBAPIError."""
    return any(await asyncio.gather(*(writer.do(ticks.take_next) for _ in range(most))))


async def keep_time(
    ticks: Ticks,
    in_thread: InThread,
    writer: Writer,
    timer_set: asyncio.Event,
    alive: Alive,
) -> None:
    """Run timers when they are due, for ever."""
    watch = ClockWatch(ticks.clock)

    async def a_round() -> float | None:
        await watch.mend(writer, lambda work, now: work.timers.bring_forward(now))
        due_at = await in_thread(ticks.next_due_at)
        is_due = due_at is not None and due_at <= ticks.clock()
        done = await tick(ticks, writer, ticks.most_together if is_due else 0)
        if slow := ticks.slow_work():
            await in_thread(slow)
        return None if done else until(due_at, ticks.clock)

    await rounds(a_round, timer_set, alive, "what is due waits")


async def send_post(
    post: Post, in_thread: InThread, writer: Writer, mail_written: asyncio.Event, alive: Alive
) -> None:
    """Send the outbox for ever; when cancelled, finish the mails under way."""
    under_way: set[asyncio.Task[None]] = set()
    watch = ClockWatch(post.clock)

    async def a_round() -> float | None:
        try:
            await watch.mend(writer, lambda work, now: work.outbox.bring_forward(now))
            look = await post.look(in_thread)
        except DBAPIError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not stop the post
            _log.error("post failed", exception=traceback_of(error))
            await asyncio.sleep(DATABASE_PAUSE)
            return None
        for mail, written in look.mails:
            sending = asyncio.create_task(post.send(mail, written, writer))
            under_way.add(sending)
            sending.add_done_callback(under_way.discard)
            sending.add_done_callback(lambda _: mail_written.set())
        if not look.more:
            await woken(mail_written, until(look.next_due_at, post.clock))
        if under_way:
            await asyncio.sleep(GATHER)
        return None

    try:
        await rounds(a_round, mail_written, alive, "post waits")
    finally:
        if under_way:
            await asyncio.wait(under_way)


def until(due_at: datetime | None, clock: Clock) -> float:
    """Return how many seconds to wait until `due_at`, if any, but at most `LOOK_AGAIN`.

    If `due_at` has passed, the row could not be claimed yet, so the wait is `BLOCKED_PAUSE`.
    """
    wait = (due_at - clock()).total_seconds() if due_at else LOOK_AGAIN
    if wait <= 0:
        return BLOCKED_PAUSE
    return min(max(wait, 0.05), LOOK_AGAIN)


async def woken(event: asyncio.Event, seconds: float) -> None:
    # asyncio.wait_for loses a cancellation before Python 3.12 if the event comes first.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
