"""`pbm-admin check`: whether everything that a server needs is there, and what to do if not."""

import asyncio
import os
import smtplib
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, ServerAddress, parse_address
from pbm.mail.keyfile import load_keys
from pbm.mail.smarthost import SmarthostTransport
from pbm.service.operator.office import Office
from pbm.service.operator.queue import list_queue
from pbm.store.db import Database
from pbm.store.migrate import current_version, newest_version

_SECONDS = 10


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `trouble` is empty where it is well, else says what to do."""

    what: str
    found: str
    trouble: str = ""


def check(settings: Settings, open_office: Callable[[], Office]) -> Iterator[Finding]:
    """Look at settings, keys, database, port, the way out, and the queue."""
    yield _settings(settings)
    yield _keys(settings)
    yield _database(settings)
    yield from (_port(host, port) for host, port in settings.listen_addresses)
    yield _smarthost(settings) if settings.smarthost else _maildir(settings)
    yield _queue(open_office)


def _settings(settings: Settings) -> Finding:
    try:
        ServerAddress(settings.address)
        if settings.operator:
            parse_address(settings.operator)
    except AddressError as error:
        return Finding("settings", "", str(error))
    if not settings.operator:
        return Finding(
            "settings",
            f"{settings.address}; PBM_OPERATOR is not set, so nobody is told of stuck mails",
        )
    return Finding("settings", f"{settings.address}, operator {settings.operator}")


def _keys(settings: Settings) -> Finding:
    try:
        load_keys(settings.key_file, settings.secret_key or None)
    except OperatorError as error:
        return Finding("keys", "", str(error))
    if settings.secret_key:
        return Finding("keys", "PBM_SECRET_KEY")
    mode = stat.S_IMODE(settings.key_file.stat().st_mode)
    return Finding("keys", f"{settings.key_file}, mode {mode:04o}")


def _database(settings: Settings) -> Finding:
    database = Database(settings.database_url)
    shown = database.engine.url.render_as_string(hide_password=True)
    try:
        version = current_version(database)
    except SQLAlchemyError as error:
        return Finding("database", "", f"{shown} cannot be opened: {_first_line(error)}")
    finally:
        database.close()
    if version != newest_version():
        return Finding("database", "", f"{shown} is behind. Run: pbm-admin migrate")
    return Finding("database", f"{shown}, schema {version}")


def _port(host: str, port: int) -> Finding:
    what = f"port {host}:{port}"
    try:
        with smtplib.SMTP(host, port, timeout=_SECONDS) as smtp:
            code, text = smtp.ehlo()
    except (OSError, smtplib.SMTPException) as error:
        return Finding(what, "", f"nobody answers ({error}). Start the server: pbm serve")
    if code != 250:
        return Finding(what, "", f"it answers {code} {text.decode('ascii', 'replace')}")
    return Finding(what, f"{text.decode('ascii', 'replace').split()[0]} answers")


def _smarthost(settings: Settings) -> Finding:
    shown = settings.smarthost.rpartition("@")[2].removeprefix("smtp://").removeprefix("smtps://")
    try:
        transport = SmarthostTransport(
            settings.smarthost, helo=ServerAddress(settings.address).domain
        )
        trouble = asyncio.run(transport.check())
    except (OperatorError, AddressError) as error:
        return Finding("smarthost", "", str(error))
    return Finding("smarthost", f"{shown} takes mail", trouble or "")


def _maildir(settings: Settings) -> Finding:
    folder = Path(settings.maildir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding(
            "maildir", "", f"{folder} cannot be written: {os.strerror(error.errno or 0)}"
        )
    return Finding("maildir", f"{folder}; no smarthost is set, so no mail leaves this machine")


def _queue(open_office: Callable[[], Office]) -> Finding:
    try:
        waiting = list_queue(open_office())
    except (OperatorError, SQLAlchemyError) as error:
        return Finding("queue", "", _first_line(error))
    troubled = [mail.name for mail in waiting if mail.status in ("stuck", "failed")]
    if troubled:
        names = ", ".join(troubled[:10])
        return Finding("queue", "", f"stuck or failed: {names}. See: pbm-admin queue list")
    return Finding("queue", f"{len(waiting)} waiting, none stuck")


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
