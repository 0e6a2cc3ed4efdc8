"""Backup and restore: a snapshot of the database with the keys, in one file.

The file is an archive of mode 0600, with checksums.
"""

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock, system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.files import open_file, sync_folder, write_new
from pbm.mail.keys import load_keys, parse_keys
from pbm.service.health.figures import note_backup
from pbm.service.health.processes import refuse_processes
from pbm.service.intake.upstream_mta import forget_front
from pbm.service.operator import copies
from pbm.service.operator.correspondence import greeting_at
from pbm.service.operator.keys import open_keyring, unlearn_keys
from pbm.service.operator.operator_turn import hand_of
from pbm.service.operator.progress import CountedReader
from pbm.service.running.hold import begin_hold
from pbm.store.db import Database
from pbm.store.id_sequences import highest_given, skip_after_restore
from pbm.store.migrate import current_version, is_known_version, migrate, newest_version
from pbm.store.sql.driver import parse_url
from pbm.version import version

FORMAT = 1
DATABASE = "database"
KEYS = "secret.key"
FROM_FILE, FROM_SETTING = "file", "setting"
_MANIFEST = "manifest.json"
_LONGEST_MANIFEST = 100_000
_LONGEST_KEYS = 1 << 20
_BLOCK = 10_240
_BETWEEN = 8 * _BLOCK  # bytes of headers, padding and read-ahead
_ALWAYS_ALLOWED = 256 << 20  # bytes that a database may have, however small the archive
_MOST_PACKED = 50  # largest compression ratio; our databases have about 5


@dataclass(frozen=True)
class Manifest:
    format: int
    made: str
    program: str
    kind: str
    schema: str  # version of the tables
    address: str
    keys: str  # `FROM_FILE` or `FROM_SETTING`
    files: dict[str, str]  # the SHA-256 digest of each file


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pack(manifest: Manifest, parts: Sequence[Path], file: Path) -> None:
    """Write an archive atomically and sync it to disk; `file` must not exist."""
    draft = parts[0].with_name("archive")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as stream:
            with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=6) as archive:
                head = parts[0].with_name(_MANIFEST)
                head.write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
                for part in (head, *parts):
                    info = _owned_by_nobody(archive.gettarinfo(part, part.name))
                    with part.open("rb") as whole:
                        archive.addfile(info, CountedReader(whole, info.size, "packing"))
            stream.flush()
            os.fsync(stream.fileno())
        os.link(draft, file)  # never over another file
        sync_folder(file.parent)
    except FileExistsError:
        raise OperatorError(f"{file} is there already; name another file.") from None
    except OSError as error:
        raise OperatorError(f"{file} cannot be written: {error.strerror}.") from error


def unpack(file: Path, folder: Path, most: int | None = None) -> Manifest:
    """Unpack an archive; refuse a database of more than `most` bytes."""
    try:
        with open_file(file) as packed, gzip.open(packed) as unpacked:
            most = most or max(_ALWAYS_ALLOWED, _MOST_PACKED * os.fstat(packed.fileno()).st_size)
            bounded = _Bounded(unpacked)
            with tarfile.open(fileobj=bounded, mode="r|", bufsize=_BLOCK) as archive:
                manifest = _manifest(_next(archive, bounded, _MANIFEST, _LONGEST_MANIFEST), file)
                for name, digest in manifest.files.items():
                    part = _next(archive, bounded, name, _LONGEST_KEYS if name == KEYS else most)
                    with part, (folder / name).open("xb") as copy:
                        shutil.copyfileobj(CountedReader(part, bounded.size, "unpacking"), copy)
                    if digest_of(folder / name) != digest:
                        raise OperatorError(f"{file} is damaged: {name} is not what was backed up.")
    except (OSError, tarfile.TarError, zlib.error, EOFError) as error:
        raise OperatorError(f"{file} cannot be read as a backup: {error}.") from error
    return manifest


class _Bounded(BufferedIOBase):
    """A stream with a byte limit, against decompression bombs."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self.left, self.size = _BETWEEN, 0  # bytes that may come, and those of this member

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= self.left:
            raise tarfile.TarError("what it unpacks to is larger than it says")
        found = self._stream.read(size)
        self.left -= len(found)
        return found


def _next(archive: tarfile.TarFile, bounded: _Bounded, name: str, most: int) -> IO[bytes]:
    member = archive.next()
    if member is None or member.name != name or not member.isreg():
        raise tarfile.TarError(f"it holds no {name} where one belongs")
    if member.size > most:
        size, allowed = (f"{-(-count // (1 << 20))} MB" for count in (member.size, most))
        raise tarfile.TarError(
            f"its {name} unpacks to {size}, and {allowed} are allowed. If that is right, say --most"
        )
    bounded.left, bounded.size = member.size + _BETWEEN, member.size
    stream = archive.extractfile(member)
    assert stream is not None  # it is a plain file
    return stream


def _manifest(stream: IO[bytes], file: Path) -> Manifest:
    try:
        found = json.load(stream)
        if found["format"] != FORMAT:
            raise OperatorError(f"{file} was made by another version of pbm.")
        manifest = Manifest(**{field.name: found[field.name] for field in fields(Manifest)})
        words = (manifest.made, manifest.program, manifest.kind, manifest.schema, manifest.address)
        if not all(isinstance(word, str) for word in words):
            raise TypeError("text is expected")
        if manifest.keys not in (FROM_FILE, FROM_SETTING):
            raise ValueError("the keys come from elsewhere")
        if not isinstance(manifest.files, dict) or list(manifest.files) != [DATABASE, KEYS]:
            raise ValueError("the database or the keys are missing")
        datetime.fromisoformat(manifest.made)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OperatorError(f"{file} is no backup of pbm: its manifest cannot be read.") from error
    return manifest


def _owned_by_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


@dataclass(frozen=True)
class Restored:
    made: str  # when the backup was made
    counts: dict[str, int]
    old_keys: Path | None  # where the key file is that was replaced
    next_numbers: dict[str, int]  # of new rows, by table


def backup(settings: Settings, file: Path) -> Manifest:
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
    who: str = "",
    clock: Clock = system_clock,
    only_look: bool = False,
) -> Restored:
    """Replace the database and the key file by a backup; the server must be stopped.

    It is held then. `who` is named in the journal. With `only_look` all is read, nothing replaced.
    """
    with closing(Database(settings.database_url)) as database:
        _check_stopped(settings, database, clock)
        url, given = database.engine.url, dict[str, int]()
        with tempfile.TemporaryDirectory(prefix="pbm-restore-") as folder:
            copy = Path(folder) / DATABASE
            manifest = unpack(file, Path(folder), most)
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
            keys = keys_to_write(settings, manifest, Path(folder) / KEYS, force=force)
            if not force and copies.holds_data(database):
                raise OperatorError(
                    "The database holds data already. To lose that and restore, add --force."
                )
            if only_look:
                return Restored(manifest.made, {}, None, {})
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
            now, by, made = clock(), hand_of(who), datetime.fromisoformat(manifest.made)
            why = f"restored as of {made:%Y-%m-%d %H:%M} UTC"
            begin_hold(work, now, by, why, made)
            details = {"file": file.name}
            work.changes.add(who=by, why=why, what="restore", now=now, details=details)
        # Mails sent after the backup may name numbers that would be given out again.
        next_numbers = skip_after_restore(database, given)
        return Restored(manifest.made, copies.counts(database), old, next_numbers)


def _bring_up_to_date(copy: Path, manifest: Manifest, file: Path) -> None:
    try:
        with closing(Database(f"sqlite:///{copy}")) as database:
            if current_version(database) != manifest.schema:
                raise OperatorError(f"{file} is no backup of pbm: its database is something else.")
            migrate(database)
            copies.counts(database)
    except DBAPIError as error:
        raise OperatorError(f"{file} holds a database that cannot be migrated.") from error


def _write(settings: Settings, database: Database, folder: Path, file: Path) -> Manifest:
    schema, now = current_version(database), system_clock()
    if schema is None:
        raise OperatorError("The database has no tables yet, so there is nothing to back up.")
    copy, keys = folder / DATABASE, folder / KEYS
    copies.copy_out(database.engine.url, copy)
    if schema == newest_version():
        with database.reading() as work:
            open_keyring(work, settings, now)  # creates the keys if there are none yet
    elif not settings.secret_key and not settings.key_file.exists():
        raise OperatorError(f"There is no key file {settings.key_file.absolute()} to be kept.")
    text = settings.secret_key.encode("utf-8", "surrogateescape")
    keys.write_bytes(text or settings.key_file.read_bytes())
    manifest = Manifest(
        format=FORMAT,
        made=now.isoformat(timespec="seconds"),
        program=version(),
        kind=database.engine.url.get_backend_name(),
        schema=schema,
        address=settings.address,
        keys=FROM_SETTING if settings.secret_key else FROM_FILE,
        files={part.name: digest_of(part) for part in (copy, keys)},
    )
    pack(manifest, (copy, keys), file)
    if schema == newest_version():
        with database.transaction() as work:
            note_backup(work, str(file.absolute()), now)
    return manifest


def _check_stopped(settings: Settings, database: Database, clock: Clock) -> None:
    for doorway in settings.doorways:
        if greeting_at(doorway):
            raise OperatorError(f"A server is running on {doorway}. Stop it before restoring.")
    refuse_processes(database, clock)


def keys_to_write(
    settings: Settings, manifest: Manifest, file: Path, *, force: bool
) -> bytes | None:
    """Return the new content of the key file; None if PBM_SECRET_KEY replaces that file."""
    content = file.read_bytes()
    if manifest.keys == FROM_SETTING:
        kept = load_keys(Path(KEYS), content.decode("utf-8", "surrogateescape"))
    else:
        kept = parse_keys(content.decode("ascii", "replace"), "The key file in the backup")
    if settings.secret_key:
        if kept[0] not in load_keys(settings.key_file, settings.secret_key) and not force:
            raise OperatorError(
                "PBM_SECRET_KEY does not hold the key of this backup, so no earlier mail could "
                "be answered. Unset it, or add --force."
            )
        return None
    if manifest.keys == FROM_FILE:
        return content
    lines = b"".join(b"%s %s\n" % (key.id.encode("ascii"), key.secret) for key in kept)
    try:
        parse_keys(lines.decode("ascii"), "PBM_SECRET_KEY")
    except (UnicodeDecodeError, OperatorError):
        raise OperatorError(
            "This backup was made with PBM_SECRET_KEY set, to a text that no key file can "
            f"hold. Set it again before restoring: tar -xzOf BACKUP {KEYS}"
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
