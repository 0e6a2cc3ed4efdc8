"""The archive of a backup: one file, readable by its owner only, that can be checked."""

import hashlib
import json
import os
import tarfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO

from pbm.errors import OperatorError

FORMAT = 1
DATABASE = "database"
KEYS = "secret.key"
FROM_FILE, FROM_SETTING = "file", "setting"
_MANIFEST = "manifest.json"
_LONGEST_MANIFEST = 100_000
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """What an archive holds; `files` are names and SHA-256 digests.

    `kind` is `sqlite` or `postgresql`, `schema` the version of the tables, `keys` whether
    they came from the key `file` or were a `setting`.
    """

    format: int
    made: str
    program: str
    kind: str
    schema: str
    address: str
    keys: str
    files: dict[str, str]


def digest_of(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pack(manifest: Manifest, parts: Sequence[Path], file: Path) -> None:
    """Write an archive; it appears under its name only when it is whole and on the disk.

    Raises OperatorError where there is a file of that name, or where it cannot be written.
    """
    draft = parts[0].with_name("archive")
    try:
        with open(draft, "xb", opener=_private) as stream:
            with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=6) as archive:
                head = parts[0].with_name(_MANIFEST)
                head.write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
                for part in (head, *parts):
                    archive.add(part, arcname=part.name, filter=_owned_by_nobody)
            stream.flush()
            os.fsync(stream.fileno())
        os.link(draft, file)  # never over another file
        _sync_folder(file.parent)
    except FileExistsError:
        raise OperatorError(f"{file} is there already; name another file.") from None
    except OSError as error:
        raise OperatorError(f"{file} cannot be written: {error.strerror}.") from error


def unpack(file: Path, folder: Path) -> Manifest:
    """Read an archive into a folder and check every part. Raises OperatorError."""
    try:
        with tarfile.open(file, "r:gz") as archive:
            manifest = _manifest(archive, file)
            for name in manifest.files:
                with _member(archive, name) as source, (folder / name).open("xb") as target:
                    while chunk := source.read(_CHUNK):
                        target.write(chunk)
    except (OSError, tarfile.TarError, zlib.error, EOFError, KeyError) as error:
        raise OperatorError(f"{file} cannot be read as a backup: {error}.") from error
    for name, digest in manifest.files.items():
        if digest_of(folder / name) != digest:
            raise OperatorError(f"{file} is damaged: {name} is not what was backed up.")
    return manifest


def _manifest(archive: tarfile.TarFile, file: Path) -> Manifest:
    with _member(archive, _MANIFEST) as stream:
        text = stream.read(_LONGEST_MANIFEST)
    try:
        found = json.loads(text)
        if found["format"] != FORMAT:
            raise OperatorError(f"{file} was made by another version of pbm.")
        manifest = Manifest(**{field.name: found[field.name] for field in fields(Manifest)})
        _check(manifest)
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"{file} is no backup of pbm: its manifest cannot be read.") from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Raise ValueError or TypeError where a value can't be what we have written."""
    words = (manifest.made, manifest.program, manifest.kind, manifest.schema)
    if not all(isinstance(word, str) for word in words):
        raise TypeError("text is expected")
    if manifest.keys not in (FROM_FILE, FROM_SETTING):
        raise ValueError("the keys come from elsewhere")
    if set(manifest.files) != {DATABASE, KEYS}:
        raise ValueError("the database or the keys are missing")


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """A plain file in an archive. Raises KeyError."""
    stream = archive.extractfile(name)
    if stream is None:
        raise KeyError(name)
    return stream


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _owned_by_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
