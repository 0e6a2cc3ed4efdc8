"""Settings become what a server needs, and `pbm-admin` too: database, keys, and the way out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm.config import Settings, load_settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.site import Site
from pbm.mail.smtp_out.delivery import Transport
from pbm.mail.smtp_out.maildir import MaildirTransport, check_folders
from pbm.mail.smtp_out.smarthost import SmarthostTransport
from pbm.mail.tags import load_keyring
from pbm.rules.registry import GamesError, prefer
from pbm.service.own_address import own_address
from pbm.store.db import Database, why_unusable
from pbm.store.migrate import is_current, migrate
from pbm.store.pooling import refuse_lent_sessions

SETTINGS_FILE = Path("pbm.toml")


def settings_from_here() -> Settings:
    """Read the settings of this process's environment and folder. Raises OperatorError."""
    return load_settings(os.environ, SETTINGS_FILE)


def open_site(settings: Settings) -> tuple[Database, Site]:
    """Open the database and the keys. Raises OperatorError for a setting that cannot work."""
    address = own_address(settings)
    try:
        prefer(settings.game)
    except GamesError as error:
        raise OperatorError(str(error)) from error
    try:
        operator = parse_address(settings.operator) if settings.operator else ""
    except AddressError as error:
        raise OperatorError(f"PBM_OPERATOR: {error}") from error
    keyring = load_keyring(settings.key_file, settings.secret_key or None)
    site = Site(
        address,
        keyring,
        operator,
        authserv_id=settings.front_name,
        trusted_networks=settings.trusted_networks,
        robot_seconds=settings.seconds_for_robots,
    )
    return Database(settings.database_url), site


def open_transport(settings: Settings) -> Transport:
    """Open the way out: the smarthost, or Maildirs while there is none. Raises OperatorError."""
    if settings.smarthost:
        helo = own_address(settings).domain
        return SmarthostTransport(settings.smarthost, helo=helo)
    root = Path(settings.maildir)
    try:
        entries = list(root.iterdir()) if root.is_dir() else []
        check_folders(root, *(each for each in entries if each.is_symlink() or each.is_dir()))
    except OSError as error:
        raise OperatorError(f"PBM_MAILDIR: {error.strerror}.") from error
    return MaildirTransport(root)


def ready_database(database: Database) -> None:
    """Migrate an embedded database; refuse a shared one that is behind, or behind a pooler that
    lends its sessions. Raises OperatorError."""
    refuse_lent_sessions(database)
    try:
        if is_current(database):
            return
        if not database.embedded:
            raise OperatorError("The database is behind this program. Run: pbm-admin migrate")
        migrate(database)
    except DBAPIError as error:
        raise OperatorError(why_unusable(error)) from error


@contextmanager
def owner_only() -> Iterator[None]:
    """Let files and folders that are made meanwhile be for this process's user alone.

    Mails, addresses and keys are in them. It holds for the whole process.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
