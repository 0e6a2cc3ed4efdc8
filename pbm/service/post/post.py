"""The outbox worker: claims due mails, renders them, and hands them to the next server.

Delivery is at least once, in order for each board and recipient. A mail whose outcome was not
recorded is sent again with the same bytes and Message-ID.
"""

import asyncio
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.commands.turn import Turn
from pbm.mail.site import Site
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent, Transport
from pbm.mail.writing.compose import OutgoingMail, compose
from pbm.mail.writing.render import Renderer
from pbm.play.clocks.waits import wait_of
from pbm.service.post.bounces import is_beyond_help, note_refusal
from pbm.service.running.heartbeat import ClockWatch
from pbm.service.running.rounds import Alive, rounds, until, woken
from pbm.service.running.writer import InThread, Writer, Yielding
from pbm.service.trouble.masking import in_a_line, masked, traceback_of
from pbm.service.trouble.notices import tell_of_failed
from pbm.store.db import Database, UnitOfWork
from pbm.store.processes.locks import AdvisoryLocks
from pbm.store.queues.outbox import LONGEST_PAUSE
from pbm.store.queues.queue import ScanFloor
from pbm.store.sql.driver import is_away, lost_a_race
from pbm.store.values.mails import Kind, OutboxMail, OutboxStatus, named
from pbm.store.values.queues import TimerKind

MOST_AT_ONCE = 64  # mails under way
MOST_TO_WRITE = 32  # mails rendered before the first is sent
PAUSE = 1.0  # seconds to wait after a bug, or if an outcome could not be recorded
FIRST_DELAY = timedelta(minutes=1)
GIVE_UP_AFTER = timedelta(days=5)
FEWEST_ATTEMPTS = 24  # most of a day
ENOUGH = 32  # outcomes of a full batch
GATHER = 0.03  # seconds to wait for more outcomes; a crash meanwhile sends their mails twice
_GATHER_MAILS = 0.003  # seconds while mails are being sent, so that new ones share a query
_SECOND = "%Y-%m-%d %H:%M:%S"
_TRUE_FOR = timedelta(hours=1)  # of a reminder, which promises a full day from its sending
_log = structlog.get_logger("pbm.post")
Written = bytes | Deferred | Failed  # a composed mail, or why that failed for now or for good


def is_outdated(mail: OutboxMail, now: datetime) -> bool:
    """Return whether a reminder waited so long that what it says of clocks may be false."""
    return bool(_boards(mail)) and now - mail.written_at > _TRUE_FOR


def remind_anew(turn: Turn, mail: OutboxMail) -> None:
    """Drop a reminder, and schedule a new one at once for each of its boards."""
    work = turn.work
    boards = [work.boards.get(number, lock=True) for number in _boards(mail)]
    waiting = [
        board
        for board in boards
        if board.to_move is not None and board.to_move.player_id == mail.player_id
    ]
    if not waiting and any(item["is_first"] for item in _reminded_boards(mail)):
        work.outbox.change(mail.id, written_at=turn.now)
        return
    work.outbox.finish([mail.id], OutboxStatus.DROPPED, turn.now, "its dates are not true any more")
    for board in waiting:
        wait = wait_of(work, board, turn.now)
        if wait and not wait.is_over:
            work.boards.set(board, reminded=0)
    abouts = [str(board.id) for board in waiting]
    work.timers.advance(TimerKind.CLOCK, abouts, turn.now, turn.now)


def _boards(mail: OutboxMail) -> list[int]:
    """Return the numbers of boards whose clocks a reminder is about; none for other mails."""
    if mail.kind == Kind.REMINDER and mail.board_id:
        return [mail.board_id]
    return sorted(item["number"] for item in _reminded_boards(mail) if not item["is_first"])


def _reminded_boards(mail: OutboxMail) -> list[dict[str, Any]]:
    if mail.kind != Kind.REMINDERS:
        return []
    return [item for section in mail.params["sections"] for item in section.get("awaited", ())]


Outcome = tuple[OutboxMail, Delivery | None]  # None for an outdated reminder, which is not sent


class Recording:
    """Records outcomes of deliveries: sent mails in batches, others singly to avoid deadlocks."""

    def __init__(
        self,
        record: Callable[[UnitOfWork, Sequence[Outcome]], None],
        more_come: Callable[[], bool] = lambda: False,
    ) -> None:
        """While `more_come` says that other mails are being sent, a batch waits for their end."""
        self._record = record
        self._more_come = more_come
        self._writing = asyncio.Lock()
        self._sent: list[Outcome] = []  # of the next batch
        self._batch: asyncio.Task[dict[int, Exception]] | None = None

    async def note(self, outcome: Outcome, writer: Writer) -> None:
        """Record an outcome and wait for its commit. Raises DBAPIError and what `record` raises."""
        if isinstance(outcome[1], Sent):
            self._sent.append(outcome)
            if self._batch is None:
                self._is_time = asyncio.Event()
                self._batch = asyncio.create_task(self._write_batch(writer))
            if len(self._sent) >= ENOUGH or not self._more_come():
                self._is_time.set()
            failed = await asyncio.shield(self._batch)
            if outcome[0].id in failed:
                raise failed[outcome[0].id]
        else:
            async with self._writing:
                await writer.do(partial(self._record_one, outcome))

    def _record_one(self, outcome: Outcome, work: UnitOfWork) -> None:
        self._record(work, [outcome])

    async def _write_batch(self, writer: Writer) -> dict[int, Exception]:
        """Record the batch, or each outcome alone if that fails. Return errors by mail number."""
        with suppress(TimeoutError):  # a full batch ends the wait early
            async with asyncio.timeout(GATHER):
                await self._is_time.wait()
        failed: dict[int, Exception] = {}
        async with self._writing:
            sent, self._sent, self._batch = self._sent, [], None
            try:
                await writer.do(lambda work: self._record(work, sent))
            except Exception as error:
                if is_away(error) and not lost_a_race(error):
                    raise
                for outcome in sent:  # also those whose callers were cancelled meanwhile
                    try:
                        await writer.do(partial(self._record_one, outcome))
                    except Exception as its_own:  # noqa: BLE001 - its caller raises it
                        failed[outcome[0].id] = its_own
        return failed


class Composer:
    """Composes mails; loads all templates at the start, since an upgrade may replace the files."""

    def __init__(self, from_address: str) -> None:
        self._from_address = from_address
        self._renderer = Renderer()
        self._renderer.load()

    async def write(self, mails: Sequence[OutboxMail]) -> list[Written]:
        """Compose mails, yielding to other tasks; a broken template fails only its own mail."""
        written: list[Written] = []
        yielding = Yielding()
        for mail in mails:
            try:
                written.append(raw_mail(mail, self._from_address, self._renderer))
            except Exception as error:  # noqa: BLE001 - a bug stops one mail, not the post
                trouble = traceback_of(error)
                _log.error("mail cannot be rendered", **_named(mail, exception=trouble))
                passes = isinstance(error, OSError | MemoryError)
                written.append((Deferred if passes else Failed)(in_a_line(error)))
            await yielding.let_others_in()
        return written


def raw_mail(mail: OutboxMail, from_address: str, renderer: Renderer) -> bytes:
    """Return the mail as bytes, which are the same at every call."""
    if mail.template == "raw":
        return b64decode(mail.params["raw"])
    headers = mail.headers
    reply = (headers["reply_to"] or from_address, headers.get("subject"))
    rendered = renderer.render(mail.template, mail.params, mail.message_id, reply)
    return compose(
        OutgoingMail(
            from_address=from_address,
            to=mail.recipient,
            message_id=mail.message_id,
            date=mail.written_at,
            text=rendered.text,
            html=rendered.html,
            pictures=rendered.pictures,
            **{**headers, "subject": rendered.subject},  # named like the fields
        )
    )


@dataclass(frozen=True)
class DueMails:
    mails: Sequence[tuple[OutboxMail, Written]]
    next_due_at: datetime | None  # when the next mail is due, if none is due now
    more: bool  # whether other mails may be due now, too


@dataclass
class Post:
    database: Database
    site: Site
    clock: Clock
    transport: Transport
    composer: Composer
    _under_way: set[int] = field(default_factory=set)
    _being_sent: int = 0
    _ended: deque[int] = field(default_factory=deque)
    _floor: ScanFloor = field(default_factory=ScanFloor)

    def __post_init__(self) -> None:
        self.holds = AdvisoryLocks(self.database)
        self._recording = Recording(self.record, more_come=lambda: self._being_sent > 0)

    async def look(self, in_thread: InThread) -> DueMails:
        """Claim due mails and render them; `in_thread` runs the queries. Raises DBAPIError."""
        if due := await in_thread(self.claim):
            written = zip(due, await self.composer.write(due), strict=True)
            return DueMails(list(written), None, len(due) == MOST_TO_WRITE)
        # If mails are under way, the caller looks again when one of them is sent.
        next_due_at = None if self._under_way else await in_thread(self.next_due_at)
        return DueMails([], next_due_at, False)

    def claim(self) -> list[OutboxMail]:
        self.holds.let_go([self._ended.popleft() for _ in range(len(self._ended))])
        room = min(MOST_TO_WRITE, MOST_AT_ONCE - len(self._under_way))
        if room <= 0:
            return []
        now, passing_over = self.clock(), sorted(self._under_way)
        since = self._floor.since(now)
        with self.database.glance() as work:
            found = work.outbox.claim_due(now, most=room, passing_over=passing_over, since=since)
        self._floor.found((mail.due_at for mail in found), now)
        if found and not self.database.embedded:
            found = self._held(found)
        self._under_way.update(mail.id for mail in found)
        return found

    def _held(self, found: list[OutboxMail]) -> list[OutboxMail]:
        """Lock the found mails that no other process has locked; return those still due."""
        held = self.holds.take([mail.id for mail in found])
        mine: frozenset[int] = frozenset()
        try:
            with self.database.glance() as work:
                mine = work.outbox.still_due(sorted(held), self.clock())
        finally:
            self.holds.let_go(held - mine)
        return [mail for mail in found if mail.id in mine]

    async def send(self, mail: OutboxMail, written: Written, writer: Writer) -> None:
        try:
            outcome = await self._hand_on(mail, written)
            await self._recording.note((mail, outcome), writer)
        except Exception as error:  # noqa: BLE001 - a bug stops one mail, not the post
            # Without a recorded outcome the mail is sent again, under the same Message-ID.
            _log.error("sending not recorded", **_named(mail, error=type(error).__name__))
            await asyncio.sleep(PAUSE)
        finally:
            self._ended.append(mail.id)
            self._under_way.discard(mail.id)

    async def _hand_on(self, mail: OutboxMail, written: Written) -> Delivery | None:
        if is_outdated(mail, self.clock()):
            return None
        if not isinstance(written, bytes):
            return written
        self._being_sent += 1
        try:
            return await self.transport.deliver(mail.sender, mail.recipient, written)
        except Exception as error:  # noqa: BLE001 - a bug defers one mail
            trouble = traceback_of(error)
            _log.error("mail cannot be handed on", **_named(mail, exception=trouble))
            return Deferred(type(error).__name__)
        finally:
            self._being_sent -= 1

    def record(self, work: UnitOfWork, outcomes: Sequence[Outcome]) -> None:
        """Record delivery outcomes; notify the operator of failures; count refusals as bounces."""
        now, outbox = self.clock(), work.outbox
        turn = Turn(work=work, site=self.site, now=now)
        sent = {mail.id: outcome.reply for mail, outcome in outcomes if isinstance(outcome, Sent)}
        outbox.finish([*sent], OutboxStatus.SENT, now, replies=sent)
        for mail, outcome in outcomes:
            is_old = now - mail.written_at >= GIVE_UP_AFTER and mail.attempts >= FEWEST_ATTEMPTS
            match outcome:
                case Sent(reply):
                    _log.info("mail sent", **_named(mail, reply=reply))
                case None:
                    remind_anew(turn, mail)
                    _log.info("reminder given up, it is written anew", **_named(mail))
                case Deferred(reason, status) if not is_old:
                    due_at = now + delay(mail.attempts, mail.id)
                    outbox.defer(mail.id, reason, due_at)
                    if status and is_outdated(mail, due_at):
                        # A rewritten reminder never gets old, so each attempt counts as a bounce.
                        note_refusal(turn, mail, status)
                    _log_not_sent("mail put off", mail, outcome, again_at=f"{due_at:{_SECOND}} UTC")
                case Deferred(reason, status) | Failed(reason, status):
                    if is_beyond_help(turn, mail, status):
                        outbox.finish([mail.id], OutboxStatus.DROPPED, now, reason)
                    else:
                        outbox.fail(mail.id, reason, now)
                        tell_of_failed(turn, mail, reason)
                    if status:  # the recipient was refused
                        note_refusal(turn, mail, status)
                    _log_not_sent("mail failed", mail, outcome)

    def next_due_at(self) -> datetime | None:
        with self.database.glance() as work:
            return work.outbox.next_due_at(since=self._floor.since(self.clock()))


def _named(mail: OutboxMail, **more: Any) -> dict[str, Any]:
    """Return the fields of a log line about a mail."""
    told = {"player": mail.handle, "message_id": mail.message_id, **more}
    return named(mail.inbox_id, mail.id, mail.board_id, **told)


def _log_not_sent(event: str, mail: OutboxMail, outcome: Deferred | Failed, **more: str) -> None:
    told = {"code": outcome.code or None, "reason": masked(outcome.reason)}
    _log.warning(event, **_named(mail, **told, **more))


def delay(attempts: int, number: int) -> timedelta:
    """Return the backoff after this many attempts: a minute, doubling up to an hour.

    After the first one it is up to a quarter longer, by the mail's number, so that mails that were
    put off together are not retried together.
    """
    jitter = 1 + number * attempts * 61 % 100 / 400
    return min(LONGEST_PAUSE, FIRST_DELAY * (1 << min(attempts, 10)) * jitter)


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
            await asyncio.sleep(PAUSE)
            return None
        for mail, written in look.mails:
            sending = asyncio.create_task(post.send(mail, written, writer))
            under_way.add(sending)
            sending.add_done_callback(under_way.discard)
            sending.add_done_callback(lambda _: mail_written.set())
        if not look.more:
            await woken(mail_written, until(look.next_due_at, post.clock))
        if under_way:
            await asyncio.sleep(_GATHER_MAILS)
        return None

    try:
        await rounds(a_round, mail_written, alive, "post waits")
    finally:
        if under_way:
            await asyncio.wait(under_way)
