"""Checks of what the database holds: processes, queues, robots, the upstream mail server."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from pbm.clock import Clock
from pbm.errors import OperatorError
from pbm.rules.robots import ROBOTS
from pbm.service.health.figures import backup_result
from pbm.service.health.processes import clocks_state, role_results
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.service.intake.upstream_mta import known_front, why_doubted
from pbm.service.running.hold import hold_of
from pbm.service.trouble.masking import masked, one_line
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxStatus, OutboxMail, OutboxStatus, incoming

_LATE_POST = timedelta(hours=1)
_LATE_TURN = timedelta(minutes=5)
_LATE_THOUGHT = timedelta(minutes=30)
_QUEUE = "See: pbm-admin queue list"
_HELD = (
    "Mail is accepted and waits; nothing else is done, and no clock runs. To let the server go on: "
    "pbm-admin release"
)
_MINUTE = "%Y-%m-%d %H:%M"


def stored_results(
    work: UnitOfWork, clock: Clock, front: str, *, backs_up: bool = False
) -> Iterator[CheckResult]:
    """Yield the results of all checks that need only the database.

    `front` is the authserv-id of the upstream mail server, "" if its results do not count.
    `backs_up` says that each day is to have a backup, whatever the server knows of it.
    """
    yield from role_results(work, clock)
    yield checked("clocks", partial(clocks_state, work, clock))
    yield checked("queue", partial(_queue, work))
    hold = hold_of(work)
    if hold:
        yield CheckResult(True, "hold", f"{hold}. {_HELD}", warning=True)

    def worked() -> datetime:  # what was due later is not late
        return (hold.made or hold.since) if hold else clock()

    yield checked("inbox", partial(_inbox, work, worked))
    yield checked("outbox", partial(_outbox, work, worked))
    yield checked("robots", partial(_robots, work, worked))
    if front:
        yield checked("front", partial(_front, work, front))
    yield backup_result(work, clock(), backs_up)


def _queue(work: UnitOfWork) -> str:
    stuck, failed = work.inbox.count(InboxStatus.STUCK), work.outbox.count(OutboxStatus.FAILED)
    timers, unreachable = work.timers.count(stuck=True), work.outbox.failed_of_unreachable()
    if stuck or failed > unreachable:
        raise OperatorError(
            f"Stuck incoming mails: {stuck}; failed outgoing mails: {failed}. "
            f"{_why_failed(work)}{_QUEUE}. Once it is mended: pbm-admin queue retry --all"
        )
    if timers:
        raise OperatorError(
            f"Timers that are stuck: {timers}. The log has why (`timer failed`). They are tried "
            "again when the server is started the next time."
        )
    if failed:
        return f"nothing stuck; {failed} failed, all to players who cannot be reached"
    return "nothing stuck or failed"


def _why_failed(work: UnitOfWork) -> str:
    failed = work.outbox.last_failed()
    return f"The last one: {_said(failed)} " if failed else ""


def _said(mail: OutboxMail) -> str:
    """Return why a mail was not sent, as a sentence."""
    return f"{masked(one_line(mail.last_error or '?')).removesuffix('.')}."


def _inbox(work: UnitOfWork, clock: Clock) -> str:
    longest, waiting = work.inbox.longest_waiting(), work.inbox.count(InboxStatus.NEW)
    if longest is None:
        return "no mail waits for its turn"
    number, since = longest
    if since < clock() - _LATE_TURN:
        raise OperatorError(
            f"Mail {incoming(number)} has waited for its turn since {since:%Y-%m-%d %H:%M} UTC. "
            "Is there a process with the role turn, and what does its log say?"
        )
    return f"{waiting} waiting, mail {incoming(number)} since {since:%H:%M:%S} UTC"


def _outbox(work: UnitOfWork, clock: Clock) -> str:
    due_at, waiting = work.outbox.next_due_at(), work.outbox.count(OutboxStatus.DUE)
    if due_at is not None and due_at < clock() - _LATE_POST:
        raise OperatorError(
            f"Mail was due at {due_at:%Y-%m-%d %H:%M} UTC and is not sent. {_QUEUE}"
        )
    put_off, sent_at = work.outbox.put_off(), work.outbox.last_sent()
    # A mail that was put off while later ones left is a matter of its own mailbox.
    since_then = work.outbox.put_off(since=sent_at) if sent_at else put_off
    if since_then and since_then[0].written_at < clock() - _LATE_POST:
        since = f"since {sent_at:{_MINUTE}} UTC" if sent_at else "yet"
        raise OperatorError(
            f"No mail has left {since}, and {waiting} wait. The next server says: "
            f"{_said(since_then[0])} They are tried again each hour. {_QUEUE}"
        )
    tried = f", {len(put_off)} of them tried in vain" if put_off else ""
    return f"{waiting} waiting{tried}" if waiting else "no mail waits to be sent"


def _robots(work: UnitOfWork, clock: Clock) -> str:
    longest, waiting = work.search_jobs.longest_waiting(), work.search_jobs.count()
    stuck, absent = work.search_jobs.count(stuck=True), list(_missing_robots(work))
    if longest is not None and longest[1] < clock() - _LATE_THOUGHT:
        raise OperatorError(
            f"Board {longest[0]} has waited for a robot since {longest[1]:%Y-%m-%d %H:%M} UTC. "
            "Is there a process with the role robots, and what does its log say?"
        )
    if stuck:
        raise OperatorError(
            f"Moves of robots that are stuck: {stuck}. The log has why (`thinking failed`). They "
            "are tried again when the server is started the next time."
        )
    if len(absent) == len(ROBOTS):
        return "none yet; they are there when the server has started"
    if absent:
        raise DubiousError(
            f"No robots here: {', '.join(absent)}. People have these handles, or had "
            "them before, and keep them."
        )
    return f"{waiting} moves to think about" if waiting else "no board waits for them"


def _front(work: UnitOfWork, name: str) -> str:
    if front := known_front(work, name):
        return f"{front.authserv_id} removes forged results, so its own count"
    if doubted := why_doubted(work, name):
        why, at = doubted
        raise OperatorError(
            f"The last try, at {at:%Y-%m-%d %H:%M} UTC, has not found {name} in "
            f"order, so its results do not count. {why} Then try again: pbm-admin doctor --front "
            "HOST:PORT"
        )
    raise DubiousError(
        f"Nobody has tried yet, or not since a restore, whether {name} removes forged results, "
        "so its own do not count. Run: pbm-admin doctor --front HOST:PORT"
    )


def _missing_robots(work: UnitOfWork) -> Iterator[str]:
    """Yield the names of the robots that are not registered."""
    for name in ROBOTS:
        player = work.players.by_handle(name)
        if player is None or player.robot != name:
            yield name
