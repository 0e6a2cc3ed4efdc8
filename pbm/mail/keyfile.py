"""The file of signing keys: made once, readable by its owner only.

One key a line, ``id secret``; the first signs, all verify. Blank lines and lines that start
with ``#`` are comments.
"""

import base64
import errno
import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from pbm.errors import OperatorError

_MIN_SECRET = 32
_KEY_LINE = re.compile(r"([a-z0-9]{1,2})[ \t]+([!-~]+)", re.ASCII)
_HEADER = (
    "# The keys behind the reply addresses, one a line: id, then secret.\n"
    "# The first signs, all verify. Whoever reads this can forge reply addresses.\n"
)


@dataclass(frozen=True)
class Key:
    """One signing key: an id of one or two characters a-z0-9, and the secret."""

    id: str
    secret: bytes = field(repr=False)


class KeyFileError(OperatorError):
    """The keys can't be used; ``str()`` says why and what to do, and holds no secret."""


def load_keys(path: Path, env_value: str | None = None) -> tuple[Key, ...]:
    """The keys of ``PBM_SECRET_KEY`` where it is set, else of the file, which is made if missing.

    Of several processes that start at once on an empty disk all end with the same key.
    Raises KeyFileError.
    """
    if env_value:
        return (_key_of_environment(env_value),)
    try:
        text = _read(path)
    except FileNotFoundError:
        _make(path)
        text = _read(path)
    return parse_keys(text, str(path))


def parse_keys(text: str, source: str) -> tuple[Key, ...]:
    """Read the text of a key file; ``source`` names it in errors. Raises KeyFileError."""
    keys: list[Key] = []
    for number, line in enumerate(text.split("\n"), start=1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        found = _KEY_LINE.fullmatch(entry)
        if found is None:
            raise KeyFileError(
                f"Line {number} of {source} is no key: it must be an id of one or two "
                "characters a-z0-9, a blank, and the secret without blanks."
            )
        if len(found[2]) < _MIN_SECRET:
            raise KeyFileError(
                f"The secret in line {number} of {source} is too short: "
                f"it needs {_MIN_SECRET} characters at least."
            )
        if found[1] in {key.id for key in keys}:
            raise KeyFileError(f"Line {number} of {source} repeats the id of an earlier key.")
        keys.append(Key(found[1], found[2].encode("ascii")))
    if not keys:
        raise KeyFileError(f"{source} holds no key. Restore it from a backup, or remove the file.")
    return tuple(keys)


def _key_of_environment(value: str) -> Key:
    secret = value.strip()
    if len(secret) < _MIN_SECRET:
        raise KeyFileError(
            f"PBM_SECRET_KEY is too short: it needs {_MIN_SECRET} characters at least, "
            "for instance those of `openssl rand -hex 32`."
        )
    return Key(_derived_id(secret), secret.encode("utf-8", "surrogateescape"))


def _derived_id(secret: str) -> str:
    digest = hashlib.sha256(b"pbm key id\n" + secret.encode("utf-8", "surrogateescape")).digest()
    return base64.b32encode(digest)[:2].decode("ascii").lower()


def _read(path: Path) -> str:
    """Raises FileNotFoundError; other trouble as KeyFileError."""
    try:
        with open(path, "rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyFileError(f"The key file {path} can't be read: {error.strerror}.") from None
    if mode & 0o077:
        raise KeyFileError(
            f"The key file {path} is open to other users (mode {mode:04o}). "
            f"Close it with: chmod 600 {path}"
        )
    try:
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise KeyFileError(f"The key file {path} holds more than plain ASCII text.") from None


def _make(path: Path) -> None:
    """Make the file whole, under another name, and link it: nobody ever reads half a key."""
    secret = secrets.token_urlsafe(32)
    content = f"{_HEADER}{_derived_id(secret)} {secret}\n".encode("ascii")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write_new(draft, content)
            os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except FileExistsError:
        return  # another process was first, and its key is ours
    except OSError as error:
        reason = error.strerror or errno.errorcode.get(error.errno or 0, "unknown trouble")
        raise KeyFileError(f"The key file {path} can't be made: {reason}.") from None


def _write_new(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
