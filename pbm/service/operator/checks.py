"""`pbm-admin check`: finds faults of a server's setup, and says how to mend each. Read-only."""

import asyncio
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
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
from pbm.service.health.figures import figure_results
from pbm.service.health.machine import Machine
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.service.health.stored import stored_results
from pbm.service.operator.copies import sqlite_path
from pbm.service.operator.correspondence import greeting_at, refuse_other_certificate
from pbm.service.operator.database_state import database_state
from pbm.service.operator.keys import refuse_other_keys
from pbm.service.trouble.masking import one_line
from pbm.store.connecting import why_unusable
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import newest_version
from pbm.store.sql.driver import parse_url
from pbm.version import version

_SECONDS = 10
_T = TypeVar("_T")
_LOCKED_SECONDS = 3


def check(settings: Settings, clock: Clock, *, asks_others: bool = True) -> Iterator[CheckResult]:
    """Look at everything; without `asks_others`, at nothing that another server has to answer."""
    yield CheckResult(
        True, "program", f"pbm {version()}, for version {newest_version()} of the tables"
    )
    yield checked("address", lambda: own_address(settings).plain)
    yield checked("operator", lambda: _operator(settings))
    database = checked("database", lambda: _database(settings))
    yield checked("keys", lambda: _keys(settings, clock, database))
    yield database
    machine = Machine(settings, clock())
    yield from machine.disk_results()
    if database.good:
        yield from _stored(settings, clock)
    domain = settings.address.rpartition("@")[2].lower()
    for doorway in settings.doorways if asks_others else ():
        name = f"socket {doorway}" if doorway.path else f"port {doorway.port} on {doorway.host}"
        yield checked(name, partial(_greeting, doorway, domain))
    if settings.tls_cert or settings.tls_key:
        yield checked("certificate", lambda: _certificate(settings, machine, asks_others))
    yield from _games()
    yield checked("templates", _templates)
    if settings.smarthost and asks_others:
        yield checked("smarthost", lambda: _smarthost(settings))
    if not settings.smarthost:
        yield checked("maildir", lambda: _maildir(settings))


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
    """Raise OperatorError if another program keeps the SQLite file locked."""
    if not path.exists():
        return
    address = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_LOCKED_SECONDS)) as connection:
            connection.execute("BEGIN IMMEDIATE")  # which writes nothing
    except sqlite3.Error as error:  # the check that follows tells any other
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise OperatorError(
                f"{path} is locked by another program, so nothing can be written. "
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


def _stored(settings: Settings, clock: Clock) -> Iterator[CheckResult]:
    found, backs_up = list[CheckResult](), settings.backup_folder is not None

    def look(work: UnitOfWork) -> None:
        found.extend(stored_results(work, clock, settings.front_name, backs_up=backs_up))
        found.extend(figure_results(work, clock()))

    tables = checked("tables", lambda: reading(settings, look) or "")
    yield from found if tables.good else (*found, tables)


def reading(settings: Settings, look: Callable[..., _T], *given: object) -> _T:
    """Return `look(work, *given)`; `work` is a transaction that may read for some seconds.

    Raises OperatorError.
    """
    url = settings.database_url
    try:
        with closing(Database(url, reads_only=True)) as database, database.reading() as work:
            return look(work, *given)
    except DBAPIError as error:
        raise OperatorError(why_unusable(error)) from error


def _certificate(settings: Settings, machine: Machine, asks_others: bool) -> str:
    state = machine.certificate_state()
    if asks_others:
        refuse_other_certificate(settings)
    return state


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
