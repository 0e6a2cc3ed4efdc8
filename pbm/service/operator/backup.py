"""Backup and restore: a snapshot of the database with the keys, in one file."""

import os
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm import __version__
from pbm.clock import Clock, system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.files import write_new
from pbm.mail.keyfile import load_keys, parse_keys
from pbm.service.intake.upstream_mta import forget_front
from pbm.service.operator import archive, copies
from pbm.service.operator.correspondence import greeting_at
from pbm.service.operator.heartbeat_checks import seen_by, those_beating
from pbm.service.operator.keys import open_keyring, unlearn_keys
from pbm.store.db import Database
from pbm.store.id_sequences import highest_given, skip_after_restore
from pbm.store.migrate import current_version, is_known_version, migrate, newest_version
from pbm.store.sql.driver import parse_url


@dataclass(frozen=True)
class Restored:
    made: str  # when the backup was made
    counts: dict[str, int]
    old_keys: Path | None  # where the key file is that was replaced
    next_numbers: dict[str, int]  # of new rows, by table


def backup(settings: Settings, file: Path) -> archive.Manifest:
    """Write a backup; the server may be running."""
    if file.exists():
        raise OperatorError(f"{file} is there already; name another file.")
    url = parse_url(settings.database_url)
    if url.get_backend_name() == "sqlite" and not copies.sqlite_path(url).exists():
        raise OperatorError(f"There is no database at {copies.sqlite_path(url).absolute()}.")
    try:
        with (
            closing(Database(settings.database_url)) as database,
            tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder,
        ):
            return _write(settings, database, Path(folder), file)
    except OSError as error:
        raise OperatorError(f"{file} cannot be written: {error.strerror}.") from error


def restore(
    settings: Settings,
    file: Path,
    *,
    force: bool = False,  # even if data or keys are lost by it
    most: int | None = None,  # bytes of the unpacked database
    clock: Clock = system_clock,
) -> Restored:
    """Replace the database and the key file by a backup; the server must be stopped."""
    with closing(Database(settings.database_url)) as database:
        _check_stopped(settings, database, clock)
        url, given = database.engine.url, dict[str, int]()
        with tempfile.TemporaryDirectory(prefix="pbm-restore-") as folder:
            copy = Path(folder) / archive.DATABASE
            manifest = archive.unpack(file, Path(folder), most)
            if manifest.kind != url.get_backend_name():
                raise OperatorError(
                    f"{file} was made of {manifest.kind}, but PBM_DATABASE_URL is "
                    f"{url.get_backend_name()}. Let it name the {manifest.kind} database that is "
                    "to hold the backup."
                )
            if not is_known_version(manifest.schema):
                raise OperatorError(
                    f"{file} was made by pbm {manifest.program}, which is newer than this one."
                )
            copies.check_copy(url, copy)
            if manifest.kind == "sqlite":
                _bring_up_to_date(copy, manifest, file)
            keys = _keys_to_write(settings, manifest, Path(folder) / archive.KEYS, force=force)
            if not force and copies.holds_data(database):
                raise OperatorError(
                    "The database holds data already. To lose that and restore, add --force."
                )
            with suppress(DBAPIError):  # the database may be unreadable
                given = highest_given(database)
            database.close()
            copies.copy_in(url, copy)
            old = _write_keys(settings.key_file, keys) if keys else None
        migrate(database)
        with database.transaction() as work:
            forget_front(work)  # the mail server in front may be another one
            work.heartbeats.forget_all()  # of processes at the time of the backup
            unlearn_keys(work)  # `force` may keep other keys
        # Mails sent after the backup may name numbers that would be given out again.
        next_numbers = skip_after_restore(database, given)
        return Restored(manifest.made, copies.counts(database), old, next_numbers)


def _bring_up_to_date(copy: Path, manifest: archive.Manifest, file: Path) -> None:
    try:
        with closing(Database(f"sqlite:///{copy}")) as database:
            if current_version(database) != manifest.schema:
                raise OperatorError(f"{file} is no backup of pbm: its database is something else.")
            migrate(database)
            copies.counts(database)
    except DBAPIError as error:
        raise OperatorError(f"{file} holds a database that cannot be migrated.") from error


def _write(settings: Settings, database: Database, folder: Path, file: Path) -> archive.Manifest:
    schema, now = current_version(database), system_clock()
    if schema is None:
        raise OperatorError("The database has no tables yet, so there is nothing to back up.")
    copy, keys = folder / archive.DATABASE, folder / archive.KEYS
    copies.copy_out(database.engine.url, copy)
    if schema == newest_version():
        with database.reading() as work:
            open_keyring(work, settings, now)  # creates the keys if there are none yet
    elif not settings.secret_key and not settings.key_file.exists():
        raise OperatorError(f"There is no key file {settings.key_file.absolute()} to be kept.")
    text = settings.secret_key.encode("utf-8", "surrogateescape")
    keys.write_bytes(text or settings.key_file.read_bytes())
    manifest = archive.Manifest(
        format=archive.FORMAT,
        made=now.isoformat(timespec="seconds"),
        program=__version__,
        kind=database.engine.url.get_backend_name(),
        schema=schema,
        address=settings.address,
        keys=archive.FROM_SETTING if settings.secret_key else archive.FROM_FILE,
        files={part.name: archive.digest_of(part) for part in (copy, keys)},
    )
    archive.pack(manifest, (copy, keys), file)
    return manifest


def _check_stopped(settings: Settings, database: Database, clock: Clock) -> None:
    for doorway in settings.doorways:
        if greeting_at(doorway):
            raise OperatorError(f"A server is running on {doorway}. Stop it before restoring.")
    if database.embedded:
        return  # its only process listens
    try:
        with database.reading() as work:
            beating = those_beating(seen_by(work, clock), clock())
    except DBAPIError:
        return  # there are no tables, or broken ones
    if beating:
        raise OperatorError(
            f"The database is used by {beating}. Stop all processes of the server before "
            "restoring. One that was killed counts as running for a minute."
        )


def _keys_to_write(
    settings: Settings, manifest: archive.Manifest, file: Path, *, force: bool
) -> bytes | None:
    """Return the new content of the key file; None if PBM_SECRET_KEY replaces that file."""
    content = file.read_bytes()
    if manifest.keys == archive.FROM_SETTING:
        kept = load_keys(Path(archive.KEYS), content.decode("utf-8", "surrogateescape"))
    else:
        kept = parse_keys(content.decode("ascii", "replace"), "The key file in the backup")
    if settings.secret_key:
        if kept[0] not in load_keys(settings.key_file, settings.secret_key) and not force:
            raise OperatorError(
                "PBM_SECRET_KEY does not hold the key of this backup, so no earlier mail could "
                "be answered. Unset it, or add --force."
            )
        return None
    if manifest.keys == archive.FROM_FILE:
        return content
    lines = b"".join(b"%s %s\n" % (key.id.encode("ascii"), key.secret) for key in kept)
    try:
        parse_keys(lines.decode("ascii"), "PBM_SECRET_KEY")
    except (UnicodeDecodeError, OperatorError):
        raise OperatorError(
            "This backup was made with PBM_SECRET_KEY set, to a text that no key file can "
            f"hold. Set it again before restoring: tar -xzOf BACKUP {archive.KEYS}"
        ) from None
    return lines


def _write_keys(path: Path, content: bytes) -> Path | None:
    """Write the key file, mode 0600. If an old file differs, rename it and return its new path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    old: Path | None = None
    if path.exists() and path.read_bytes() != content:
        old = path.with_name(f"{path.name}.replaced")
        old.unlink(missing_ok=True)
        os.link(path, old)
    draft = path.with_name(f".{path.name}.restored")
    draft.unlink(missing_ok=True)
    write_new(draft, content)
    draft.replace(path)
    return old
