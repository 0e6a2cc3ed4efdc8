"""What the server's loops do, done here and now: the same code, but nothing runs beside it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NoReturn, Protocol, TypeVar

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.keeping import Intake
from pbm.service.robots.jobs import LeasedJob, RobotJobs
from pbm.service.running.writer import Writer, here
from pbm.service.ticks.jobs import Ticks
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import Database, UnitOfWork

T = TypeVar("T")


def keeping(
    intake: Intake, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
) -> Callable[[UnitOfWork], str | Rejection]:
    """A piece of work for a writer: keep a mail that is handed in."""
    mail = intake.look_at(sender, recipients, raw, caller)
    return lambda work: intake.keep_arrived(work, mail)


def _run(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, which makes an event loop for each mail; this thread keeps one."""
    runner = getattr(_KEPT, "runner", None)
    if runner is None:
        runner = _KEPT.runner = asyncio.Runner()
        runner.get_loop().set_exception_handler(_tell_unless_killed)
    try:
        outcome: T = runner.get_loop().run_until_complete(work)
        return outcome
    finally:
        if asyncio.all_tasks(runner.get_loop()):
            del _KEPT.runner
            runner.close()  # as a server that has died: what was begun is not gone on with


def _tell_unless_killed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Tell of what a task raised and nobody asked for, but not of a test's own interruption.

    Such a task is told of when it is collected, maybe while a test parses sources: a traceback
    formatted then parses too, and Python 3.11 cannot do the one within the other (SystemError).
    """
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)


async def _done(writer: Writer, piece: Callable[[UnitOfWork], T]) -> T:
    return await writer.do(piece)


_KEPT = threading.local()


class Server(Protocol):
    """What takes mails in: a table, say."""

    database: Database
    intake: Intake


def keep(
    server: Server,
    sender: str,
    recipients: tuple[str, ...],
    raw: bytes,
    peer: str = "127.0.0.1",
    network: str = "",
) -> Any:
    """Keep a mail that is handed in; return the reply."""
    piece = keeping(server.intake, sender, recipients, raw, Caller(peer, network))
    return _run(_done(Writer(server.database, here), piece))


def take_next(turns: InboxWorker) -> bool:
    """Obey the next mail, or do what it needs first; False if there is none."""
    return _run(_take(turns))


def tick_next(ticks: Ticks, most: int = 1) -> bool:
    """Do what is due next, in one transaction; False if nothing is."""
    writer = Writer(ticks.database, here)
    ticks.claims.most = most
    return _run(ticks.take(writer, here, most))


def think_next(robots: RobotJobs) -> bool:
    """Let a robot think about what is next, in this process; False if there is nothing."""
    due_at = robots.next_due_at()
    if due_at is None or due_at > robots.clock():
        return False
    writer = Writer(robots.database, here)
    tasks = _run(_done(writer, partial(robots.claim, most=1)))
    for task in tasks:
        _run(_done(writer, _thought_of(robots, task)))
    return True


def _thought_of(robots: RobotJobs, task: LeasedJob) -> Callable[[UnitOfWork], None]:
    if task.computation is None:
        return partial(robots.finish, leased=task)
    try:
        answer = task.computation()
    except Exception as error:  # noqa: BLE001 - what happens to it is what is tried
        return partial(robots.fail, leased=task, error=error)
    return partial(robots.finish, leased=task, result=answer)


async def _take(turns: InboxWorker) -> bool:
    taken = await turns.take(Writer(turns.database, here), 1)
    for preparation in turns.to_start():
        turns.work_out(preparation)
    return taken


def broken(*_: object, **__: object) -> NoReturn:
    """Fail as a bug does, in place of any function."""
    raise ZeroDivisionError("a planted bug")
