"""`pbm-admin check`: finds faults of a server's setup, and says how to mend each. Read-only."""

import asyncio
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.config import Doorway, Settings
from pbm.errors import OperatorError
from pbm.files import existing, trouble
from pbm.mail.address import AddressError, parse_address
from pbm.mail.keys import load_keys
from pbm.mail.site import own_address
from pbm.mail.smtp_out.connection import Timeouts
from pbm.mail.smtp_out.maildir import check_folders
from pbm.mail.smtp_out.smarthost import NoConnectionError, SmarthostTransport, parse_smarthost
from pbm.mail.writing.render import Renderer
from pbm.rules.contract import MayLack, has
from pbm.rules.registry import games, left_out
from pbm.rules.robots import ROBOTS
from pbm.service.intake.upstream_mta import known_front, why_doubted
from pbm.service.operator.copies import sqlite_path
from pbm.service.operator.correspondence import certificate_state, greeting_at
from pbm.service.operator.heartbeat_checks import (
    CheckResult,
    DubiousError,
    checked,
    clocks_state,
    role_results,
)
from pbm.service.operator.keys import refuse_other_keys
from pbm.service.robots.jobs import missing
from pbm.service.running.disks import Disk, disks
from pbm.service.trouble.masking import masked, one_line
from pbm.store.connecting import refuse_lent_sessions, why_unusable
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import current_version, is_current, newest_version
from pbm.store.sql.driver import parse_url, shown_url
from pbm.store.values.mails import InboxStatus, OutboxStatus, incoming
from pbm.version import version

_SECONDS = 10
_LATE_POST = timedelta(hours=1)
_LATE_TURN = timedelta(minutes=5)
_LATE_THOUGHT = timedelta(minutes=30)
_T = TypeVar("_T")
_QUEUE = "See: pbm-admin queue list"
_MINUTE = "%Y-%m-%d %H:%M"
_LOCKED_SECONDS = 3


def check(settings: Settings, clock: Clock) -> Iterator[CheckResult]:
    yield CheckResult(
        True, "program", f"pbm {version()}, for version {newest_version()} of the tables"
    )
    yield checked("address", lambda: own_address(settings).plain)
    yield checked("operator", lambda: _operator(settings))
    database = checked("database", lambda: _database(settings))
    yield checked("keys", lambda: _keys(settings, clock, database))
    yield database
    with suppress(OperatorError):  # the database check reports it
        for disk in disks(settings):
            yield checked("disk", partial(_disk, disk))
    if database.good:
        yield from reading(settings, lambda work: role_results(work, clock))
        yield checked("clocks", partial(reading, settings, clocks_state, clock))
        yield checked("queue", partial(reading, settings, _queue))
        yield checked("inbox", partial(reading, settings, _inbox, clock))
        yield checked("outbox", partial(reading, settings, _outbox, clock))
        yield checked("robots", partial(reading, settings, _robots, clock))
        if settings.authserv_id:
            yield checked("front", partial(reading, settings, _front, settings.front_name))
    domain = settings.address.rpartition("@")[2].lower()
    for doorway in settings.doorways:
        name = f"socket {doorway}" if doorway.path else f"port {doorway.port} on {doorway.host}"
        yield checked(name, partial(_greeting, doorway, domain))
    if settings.tls_cert or settings.tls_key:
        yield checked("certificate", lambda: certificate_state(settings, clock))
    yield from _games()
    yield checked("templates", _templates)
    if settings.smarthost:
        yield checked("smarthost", lambda: _smarthost(settings))
    else:
        yield checked("maildir", lambda: _maildir(settings))


def database_state(settings: Settings) -> str:
    """Return the database and its version. Raises OperatorError if missing or not up to date."""
    url = parse_url(settings.database_url)
    shown = shown_url(url)
    if url.get_backend_name() == "sqlite" and not sqlite_path(url).exists():
        raise OperatorError(
            f"There is no database at {sqlite_path(url).absolute()} yet. `pbm serve` makes it; "
            "or is this the wrong folder, or PBM_DATABASE_URL not set here?"
        )
    newest = newest_version()
    try:
        with closing(Database(settings.database_url)) as database:
            refuse_lent_sessions(database)
            if not is_current(database):
                version = current_version(database)
                lag = f"is behind: it has version {version} of the tables, and {newest} is needed"
                lag = lag if version else "has no tables yet"
                raise OperatorError(f"{shown} {lag}. Run: pbm-admin migrate")
    except DBAPIError as error:
        raise OperatorError(f"{shown}: {why_unusable(error)}") from error
    return f"{shown}, version {newest} of the tables"


def _operator(settings: Settings) -> str:
    if not settings.operator:
        raise DubiousError(
            "PBM_OPERATOR is not set: nobody is told of stuck mails, and mail to postmaster "
            "stays in the queue. Set it to your own address."
        )
    try:
        operator = parse_address(settings.operator)
    except AddressError as error:
        raise OperatorError(f"PBM_OPERATOR: {error}") from error
    if operator.lower() == settings.address.lower():
        raise OperatorError("PBM_OPERATOR is the server's own address; name a person's.")
    return operator


def _database(settings: Settings) -> str:
    url = parse_url(settings.database_url)
    if url.get_backend_name() != "sqlite":
        return database_state(settings)
    _refuse_lock(sqlite_path(url))
    state = database_state(settings)
    path, here = sqlite_path(url), Path.cwd()
    file = path.absolute()
    folders = [folder for folder in file.parents if here in (folder, *folder.parents)]
    modes = [folder.stat().st_mode for folder in folders or [file.parent]]
    group, others = stat.S_IRGRP, stat.S_IROTH
    for may_read, may_enter in ((group, stat.S_IXGRP | stat.S_IXOTH), (others, stat.S_IXOTH)):
        if file.stat().st_mode & may_read and all(mode & may_enter for mode in modes):
            raise DubiousError(
                f"{state}; other users of this machine can read it, with everybody's mail "
                f"address. Run: chmod go= {path}*"
            )
    return state


def _refuse_lock(path: Path) -> None:
    """Raise OperatorError if another program has the SQLite file locked for good."""
    if not path.exists():
        return
    address = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_LOCKED_SECONDS)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:  # the check that follows tells any other
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise OperatorError(
                f"{path} is locked by another program, so nothing can be read or written. "
                f"Find it: fuser -v {path}"
            ) from error


def _templates() -> str:
    Renderer().load()
    return "all can be read"


def _games() -> Iterator[CheckResult]:
    for name, why in left_out().items():
        waits = "" if name in games() else " Boards of that game wait until it is fit."
        yield CheckResult(False, f"game {name}", f"{why}{waits}")
    for name, game in games().items():
        if has(game, MayLack):
            lacking = game.lacks()
            text = lacking or "nothing is missing"
            yield CheckResult(True, f"game {name}", text, warning=bool(lacking))


def _keys(settings: Settings, clock: Clock, database: CheckResult) -> str:
    if database.good:
        reading(settings, refuse_other_keys, settings, clock())
    if settings.secret_key:
        held = len(load_keys(settings.key_file, settings.secret_key))
        return "from PBM_SECRET_KEY" if held == 1 else f"{held} from PBM_SECRET_KEY"
    if not settings.key_file.exists():
        return f"none yet; {settings.key_file} is made when the server starts"
    count = len(load_keys(settings.key_file))
    mode = stat.S_IMODE(settings.key_file.stat().st_mode)
    return f"{count} in {settings.key_file}, mode {mode:04o}"


def reading(settings: Settings, look: Callable[..., _T], *given: object) -> _T:
    """Return `look(work, *given)`; `work` is a read-only transaction. Raises DBAPIError."""
    with closing(Database(settings.database_url)) as database, database.reading() as work:
        return look(work, *given)


def _disk(disk: Disk) -> str:
    if disk.is_short:
        raise OperatorError(f"{disk}. Mails are refused where nothing can be written: make room.")
    if disk.is_little:
        raise DubiousError(f"{disk}. Make room before it is full: mails are refused then.")
    return str(disk)


def _queue(work: UnitOfWork) -> str:
    stuck, failed = work.inbox.count(InboxStatus.STUCK), work.outbox.count(OutboxStatus.FAILED)
    timers, unreachable = work.timers.count(stuck=True), work.outbox.failed_of_unreachable()
    if stuck or failed > unreachable:
        raise OperatorError(
            f"Stuck incoming mails: {stuck}; failed outgoing mails: {failed}. {_QUEUE}"
        )
    if timers:
        raise OperatorError(
            f"Timers that are stuck: {timers}. The log has why (`timer failed`). They are tried "
            "again when the server is started the next time."
        )
    if failed:
        return f"nothing stuck; {failed} failed, all to players who cannot be reached"
    return "nothing stuck or failed"


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
    put_off, late = work.outbox.put_off(), clock() - _LATE_POST
    if put_off and put_off[0].written_at < late:
        sent_at = work.outbox.last_sent()
        if sent_at is None or sent_at < late:
            since = f"since {sent_at:{_MINUTE}} UTC" if sent_at else "yet"
            raise OperatorError(
                f"No mail has left {since}, and {waiting} wait. The next server says: "
                f"{masked(put_off[0].last_error or '')} {_QUEUE}"
            )
    tried = f", {len(put_off)} of them tried in vain" if put_off else ""
    return f"{waiting} waiting{tried}" if waiting else "no mail waits to be sent"


def _robots(work: UnitOfWork, clock: Clock) -> str:
    longest, waiting = work.search_jobs.longest_waiting(), work.search_jobs.count()
    stuck, absent = work.search_jobs.count(stuck=True), list(missing(work))
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
    raise OperatorError(
        f"Nobody has tried yet whether {name} removes forged results, so its "
        "own do not count. Run: pbm-admin doctor --front HOST:PORT"
    )


def _greeting(doorway: Doorway, domain: str) -> str:
    greeting = greeting_at(doorway)
    if not greeting:
        raise OperatorError(
            "No mail server answers. Start it with: pbm serve. If it runs elsewhere, set "
            "PBM_LISTEN to what it has there."
        )
    if greeting.lower().split()[:2] != ["220", domain]:
        raise OperatorError(
            f"Somebody else answers: {one_line(greeting)}. Stop that, or change PBM_LISTEN."
        )
    return f"answers: {one_line(greeting)}"


def _smarthost(settings: Settings) -> str:
    host, helo = parse_smarthost(settings.smarthost), own_address(settings).domain
    timeouts = Timeouts(connect=_SECONDS, command=_SECONDS)
    transport = SmarthostTransport(settings.smarthost, helo=helo, timeouts=timeouts)
    try:
        encryption = asyncio.run(transport.check())
    except NoConnectionError as error:
        told = str(error).removesuffix(".")
        raise OperatorError(f"{told}. Look at {host.host} itself. Check PBM_SMARTHOST.") from error
    login = f", logged in as {host.user}" if host.user else ""
    return f"{host.host} port {host.port} takes mail, {encryption}{login}"


def _maildir(settings: Settings) -> str:
    folder = Path(settings.maildir)
    try:
        check_folders(folder)
    except OSError as error:
        raise OperatorError(f"PBM_MAILDIR: {trouble(folder, error)}") from error
    parent = existing(folder)
    try:
        with tempfile.NamedTemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise OperatorError(f"{parent} cannot be written to: {trouble(parent, error)}") from error
    return f"{folder} can be written to; no smarthost is set, so no mail leaves this machine"
