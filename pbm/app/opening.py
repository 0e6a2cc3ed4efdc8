"""Opens what the settings name: the database, the keys, the transport of mails.

Raises OperatorError or GamesError if one of them cannot be used.
"""

import time
from pathlib import Path

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.mail.address import AddressError, ServerAddress, parse_address
from pbm.mail.site import Site, own_address
from pbm.mail.smtp_out.delivery import Transport
from pbm.rules.registry import prefer
from pbm.service.operator.copies import bring_up_to_date
from pbm.service.operator.keys import note_keys, open_keyring
from pbm.store.connecting import comes_back, refuse_lent_sessions, why_unusable
from pbm.store.db import Database
from pbm.store.migrate import is_current, newest_version
from pbm.store.sql.driver import shown_url

DATABASE_PAUSE = 2.0  # seconds between tries to reach the database
_log = structlog.get_logger("pbm.app")


def open_site(settings: Settings, database: Database) -> Site:
    address, operator = _named(settings)
    with database.reading() as work:
        keyring = open_keyring(work, settings, system_clock())
    return Site(
        address,
        keyring,
        operator,
        authserv_id=settings.front_name,
        trusted_networks=settings.trusted_networks,
        robot_seconds=settings.seconds_for_robots,
        thought_seconds=settings.seconds_of_thought,
        page_url=settings.page_url,
    )


def open_to_serve(settings: Settings, database: Database) -> Site:
    """Make the database ready, waiting while it is down. Return what all mails have in common."""
    _named(settings)  # fail on a bad setting before waiting
    while True:
        try:
            ready_database(database)
            site = open_site(settings, database)
            with database.transaction() as work:
                note_keys(work, site.keyring.keys, system_clock())
            return site
        except DBAPIError as error:
            if not comes_back(database, error):
                raise OperatorError(why_unusable(error)) from error
            _log.warning("database away, waiting for it", reason=why_unusable(error))
            time.sleep(DATABASE_PAUSE)


def _named(settings: Settings) -> tuple[ServerAddress, str]:
    """Return the server's address and the operator's ("" for none). Also set the default game."""
    address = own_address(settings)
    prefer(settings.game)
    try:
        operator = parse_address(settings.operator) if settings.operator else ""
    except AddressError as error:
        raise OperatorError(f"PBM_OPERATOR: {error}") from error
    return address, operator


def open_transport(settings: Settings) -> Transport:
    from pbm.mail.smtp_out.maildir import MaildirTransport, check_folders
    from pbm.mail.smtp_out.smarthost import SmarthostTransport

    if settings.smarthost:
        return SmarthostTransport(settings.smarthost, helo=own_address(settings).domain)
    root = Path(settings.maildir)
    try:
        entries = list(root.iterdir()) if root.is_dir() else []
        check_folders(root, *(each for each in entries if each.is_symlink() or each.is_dir()))
    except OSError as error:
        raise OperatorError(f"PBM_MAILDIR: {trouble(root, error)}") from error
    return MaildirTransport(root)


def ready_database(database: Database) -> None:
    """Make sure that the database has the tables that this program needs. Raises DBAPIError.

    A SQLite database is migrated. An outdated PostgreSQL database raises OperatorError.
    """
    refuse_lent_sessions(database)
    if is_current(database):
        return
    if not database.embedded:
        raise OperatorError("The database is behind this program. Run: pbm-admin migrate")
    before, copy = bring_up_to_date(database)
    if before:
        _log.info("database migrated", before=before, now=newest_version(), copy=str(copy))
    else:
        _log.warning("new database", url=shown_url(database.engine.url))
