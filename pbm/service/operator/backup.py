"""Backups: the database as it is at one moment, with the keys, in one file.

The file is a tar archive of `manifest.json`, `database` (a SQLite file, or PostgreSQL's
custom dump format) and `secret.key`.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL, make_url

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keyfile import parse_keys
from pbm.store.db import Database
from pbm.store.migrate import current_version

_FORMAT = 1
_KEY_NAME = "secret.key"
_DATABASE_NAME = "database"
_MANIFEST_NAME = "manifest.json"
_KEY_IS_A_SETTING = "# The key was in PBM_SECRET_KEY; keep that setting with this backup.\n"


@dataclass(frozen=True)
class _Target:
    """What is backed up or restored: a database by URL, and where its keys are."""

    url: URL
    key_file: Path

    @property
    def kind(self) -> str:
        return self.url.get_backend_name()


def backup(settings: Settings, database: Database, file: Path) -> None:
    """Write a backup while the server runs. Raises OperatorError."""
    if file.exists():
        raise OperatorError(f"{file} is there already; name another file.")
    target = _target(settings)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        parts = Path(folder)
        manifest = {
            "format": _FORMAT,
            "kind": target.kind,
            "schema": current_version(database),
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "address": settings.address,
        }
        (parts / _MANIFEST_NAME).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        _dump(target.url, parts / _DATABASE_NAME)
        (parts / _KEY_NAME).write_text(_keys_text(settings), encoding="utf-8")
        _pack(parts, parts / "whole", file)


def restore(settings: Settings, file: Path, *, force: bool = False) -> str:
    """Bring a backup back into the database and the key file of `settings`.

    The server must not be running. Returns when the backup was made. Raises OperatorError,
    also where there is data already and `force` is not given.
    """
    target = _target(settings)
    if not force and _holds_data(target):
        raise OperatorError("There is a database already. To overwrite it, add --force.")
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder)
        manifest = _unpack(file, parts, target.kind)
        keys = (parts / _KEY_NAME).read_text(encoding="utf-8")
        if keys != _KEY_IS_A_SETTING:
            parse_keys(keys, str(file))
        elif not settings.secret_key:
            raise OperatorError("Set PBM_SECRET_KEY as it was when this backup was made.")
        _load(target.url, parts / _DATABASE_NAME)
        if not settings.secret_key:
            _write_key(target.key_file, keys.encode())
    return str(manifest["made"])


def _target(settings: Settings) -> _Target:
    return _Target(make_url(settings.database_url), settings.key_file)


def _keys_text(settings: Settings) -> str:
    if settings.secret_key:
        return _KEY_IS_A_SETTING
    return settings.key_file.read_text(encoding="utf-8")


def _dump(url: URL, file: Path) -> None:
    if url.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(_path(url))) as source, closing(sqlite3.connect(file)) as copy:
            source.backup(copy)
        return
    _run_postgres("pg_dump", url, "--format=custom", "--no-owner", f"--file={file}")


def _load(url: URL, file: Path) -> None:
    if url.get_backend_name() == "sqlite":
        path = Path(_path(url))
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)
        return
    options = ("--clean", "--if-exists", "--no-owner", "--single-transaction", "--exit-on-error")
    _run_postgres("pg_restore", url, *options, str(file))


def _path(url: URL) -> str:
    if not url.database:
        raise OperatorError("PBM_DATABASE_URL names no file, so there is nothing to back up.")
    return url.database


def _run_postgres(program: str, url: URL, *options: str) -> None:
    found = shutil.which(program)
    if found is None:
        raise OperatorError(f"{program} is missing; install the package postgresql-client.")
    plain = url.set(drivername="postgresql", password=None)
    environment = {**os.environ, **({"PGPASSWORD": url.password} if url.password else {})}
    command = [found, f"--dbname={plain.render_as_string(hide_password=False)}", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OperatorError(f"{program} failed: {done.stderr.strip()}")


def _holds_data(target: _Target) -> bool:
    if target.kind == "sqlite":
        return Path(_path(target.url)).exists()
    database = Database(target.url.render_as_string(hide_password=False))
    try:
        return current_version(database) is not None
    finally:
        database.close()


def _pack(parts: Path, whole: Path, file: Path) -> None:
    """Archive the parts; the file appears under its name only when it is whole and synced."""
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name in (_MANIFEST_NAME, _DATABASE_NAME, _KEY_NAME):
                archive.add(parts / name, arcname=name)
        stream.flush()
        os.fsync(stream.fileno())
    os.link(whole, file)


def _unpack(file: Path, folder: Path, kind: str) -> dict[str, Any]:
    try:
        with tarfile.open(file) as archive:
            archive.extractall(folder, filter="data")
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST_NAME).read_text("utf-8"))
    except (OSError, tarfile.TarError, ValueError) as error:
        raise OperatorError(f"{file} is not a backup of pbm: {error}.") from error
    if manifest.get("format") != _FORMAT:
        raise OperatorError(f"{file} is a backup of another version of pbm.")
    if manifest.get("kind") != kind:
        raise OperatorError(
            f"{file} was made from {manifest.get('kind')}, but PBM_DATABASE_URL is {kind}."
        )
    return manifest


def _write_key(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.restored")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
