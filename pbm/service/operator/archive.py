"""The archive file of a backup, mode 0600, with checksums."""

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from pbm.errors import OperatorError
from pbm.files import open_file, sync_folder

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
                    archive.add(part, arcname=part.name, filter=_owned_by_nobody)
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
                        shutil.copyfileobj(part, copy)
                    if digest_of(folder / name) != digest:
                        raise OperatorError(f"{file} is damaged: {name} is not what was backed up.")
    except (OSError, tarfile.TarError, zlib.error, EOFError) as error:
        raise OperatorError(f"{file} cannot be read as a backup: {error}.") from error
    return manifest


class _Bounded(BufferedIOBase):
    """A stream with a byte limit, against decompression bombs."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self.left = _BETWEEN

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
    bounded.left = member.size + _BETWEEN
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
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OperatorError(f"{file} is no backup of pbm: its manifest cannot be read.") from error
    return manifest


def _owned_by_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member
