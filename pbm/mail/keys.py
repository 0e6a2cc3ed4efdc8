"""Signs our reply addresses, bounce addresses and passwords to be confirmed; makes random tokens.

A tag proves that this server issued an address. It is a key's id and 80 bits of an HMAC-SHA256, as
16 letters of lower-case base32. If a player's epoch, a number, is raised, the player's earlier
reply tags become invalid. A stolen database contains no key.

The key file has a line `id secret` for each key: the first key signs, every key verifies.
"""

import base64
import fcntl
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from pbm.errors import OperatorError
from pbm.files import open_file, sync_folder, trouble, write_new
from pbm.passwords import PasswordHash, SealedPassword

_MIN_SECRET = 32
_MOST_BYTES = 1 << 20
_KEY_LINE = re.compile(r"([a-z0-9]{1,2})[ \t]+([!-~]+)", re.ASCII)
_HEADER = (
    "# The keys behind the reply addresses, one a line: id, then secret.\n"
    "# The first signs, all verify. Whoever reads this can forge reply addresses.\n"
)


@dataclass(frozen=True)
class Key:
    """A signing key; its id has one or two characters a-z0-9."""

    id: str
    secret: bytes = field(repr=False)


class KeyFileError(OperatorError):
    """Unusable keys; `str()` says why and what to do, and contains no secret."""


def load_keys(path: Path, env_value: str | None = None) -> tuple[Key, ...]:
    """Return the keys in `env_value`, or if it is empty, the keys in a file. Raises KeyFileError.

    If the file does not exist, it is created with a new key.
    """
    if env_value:
        return _keys_of_environment(env_value)
    try:
        text = read_text(path)
    except FileNotFoundError:
        with _readable_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            content = f"{_HEADER}{_line(_new_key(()))}\n"
            with _temporary(path, content) as draft, suppress(FileExistsError):
                os.link(draft, path)  # fails if another process was first: its key counts
        text = read_text(path)
    return parse_keys(text, str(path))


def parse_keys(text: str, source: str) -> tuple[Key, ...]:
    """Parse the text of a key file. Raises KeyFileError; `source` names the file in its message."""
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


def add_key(path: Path) -> Key:
    """Add a key that signs from now on; the others still verify. Raises KeyFileError."""
    load_keys(path)  # created if missing
    with _locked(path) as text:
        key = _new_key({key.id for key in parse_keys(text, str(path))})
        lines = text.split("\n")
        at = next(number for number, entry in enumerate(lines) if _key_in(entry))
        _replace(path, "\n".join([*lines[:at], _line(key), *lines[at:]]))
    return key


def drop_key(path: Path, key_id: str, *, only_look: bool = False) -> None:
    """Delete a key from the file, unless `only_look`. Raises KeyFileError.

    Addresses signed by it become invalid.
    """
    with _locked(path) as text:
        ids = [key.id for key in parse_keys(text, str(path))]
        if key_id not in ids:
            raise KeyFileError(f"{path} holds no key {key_id}. Its keys: {', '.join(ids)}.")
        if key_id == ids[0]:
            raise KeyFileError(
                f"Key {key_id} signs the mails that go out now. Make another that does, with "
                "pbm-admin keys rotate, and then drop this one."
            )
        if not only_look:
            _replace(path, "\n".join(line for line in text.split("\n") if _key_in(line) != key_id))


def _keys_of_environment(value: str) -> tuple[Key, ...]:
    keys: list[Key] = []
    for secret in map(str.strip, value.split(",")):
        if len(secret) < _MIN_SECRET:
            raise KeyFileError(
                f"PBM_SECRET_KEY is too short: it needs {_MIN_SECRET} characters at least, "
                "for instance those of `openssl rand -hex 32`. Of several keys, with commas "
                "between them, each needs as many."
            )
        key = Key(_derived_id(secret), secret.encode("utf-8", "surrogateescape"))
        if key.id in {other.id for other in keys}:
            raise KeyFileError(
                "Two of the keys in PBM_SECRET_KEY are the same, or get the same id by chance: "
                "choose another one for the newest."
            )
        keys.append(key)
    return tuple(keys)


def _key_in(line: str) -> str | None:
    entry = line.strip()
    return None if not entry or entry.startswith("#") else entry.split()[0]


def _derived_id(secret: str) -> str:
    digest = hashlib.sha256(b"pbm key id\n" + secret.encode("utf-8", "surrogateescape")).digest()
    return base64.b32encode(digest)[:2].decode("ascii").lower()


def read_text(path: Path) -> str:
    """Read a key file. Raises FileNotFoundError, or KeyFileError for any other error."""
    try:
        with open_file(path) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise KeyFileError(f"The key file {path} can't be read: {trouble(path, error)}") from None
    except OperatorError:
        raise KeyFileError(f"The key file {path} can't be read: it is no file.") from None
    if len(content) > _MOST_BYTES:
        raise KeyFileError(f"The key file {path} is too large to be one.")
    if mode & 0o077:
        raise KeyFileError(
            f"The key file {path} is open to other users (mode {mode:04o}). "
            f"Close it with: chmod 600 {path}"
        )
    try:
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise KeyFileError(f"The key file {path} holds more than plain ASCII text.") from None


def _replace(path: Path, text: str) -> None:
    with _readable_errors(path), _temporary(path, text) as draft:
        owner = path.stat()
        if owner.st_uid != os.geteuid():  # run by root; keep the server's access
            os.chown(draft, owner.st_uid, owner.st_gid)
        draft.replace(path)


@contextmanager
def _temporary(path: Path, text: str) -> Iterator[Path]:
    """Yield a temporary file with a text, beside the key file `path`; the caller moves it there."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write_new(draft, text.encode("ascii"))
        yield draft
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def _new_key(taken: Collection[str]) -> Key:
    while True:
        secret = secrets.token_urlsafe(32)
        key = Key(_derived_id(secret), secret.encode("ascii"))
        if key.id not in taken:
            return key


def _line(key: Key) -> str:
    return f"{key.id} {key.secret.decode('ascii')}"


@contextmanager
def _locked(path: Path) -> Iterator[str]:
    """Lock the key file exclusively, and yield its text. Raises KeyFileError."""
    with _readable_errors(path):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        try:
            text = read_text(path)
        except FileNotFoundError:
            raise KeyFileError(f"There is no key file {path} yet; pbm serve makes it.") from None
        yield text
    finally:
        os.close(folder)


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KeyFileError(
            f"The key file {path} can't be written: {trouble(path, error)}"
        ) from None


_MAC_BYTES = 10
_MAC_CHARS = 16
_TOKEN_BYTES = 15
_log = structlog.get_logger("pbm.keys")


@dataclass(frozen=True)
class Keyring:
    """The signing keys. The first key signs new addresses, and all keys verify addresses."""

    keys: tuple[Key, ...]

    def __post_init__(self) -> None:
        ids = [key.id for key in self.keys]
        if not ids or len(set(ids)) != len(ids):
            raise ValueError("A keyring needs at least one key, and different ids.")

    def reply_tag(self, player_id: int, epoch: int, board_id: int | None = None) -> str:
        return self._tag("reply", player=player_id, board=board_id, epoch=epoch)

    def verify_reply_tag(
        self, tag: str, player_id: int, epoch: int, board_id: int | None = None
    ) -> bool:
        """Check, in constant time, whether one of our keys made the tag. Case does not matter."""
        return self._verify(tag, "reply", player=player_id, board=board_id, epoch=epoch)

    def tags_without_ids(
        self, player_id: int, epoch: int, board_ids: Sequence[int]
    ) -> frozenset[str]:
        """Return reply tags of a player, without the ids of keys.

        Each key makes one tag for each of these boards, and one for no board.
        """
        return frozenset(
            _mac(key, "reply", player=player_id, board=board, epoch=epoch)
            for key in self.keys
            for board in (None, *board_ids)
        )

    def bounce_tag(self, player_id: int, mail: str) -> str:
        """Return a bounce address's tag; `mail` is the `short_name` of the mail's Message-ID."""
        return self._tag("bounce", player=player_id, mail=mail)

    def verify_bounce_tag(self, tag: str, player_id: int, mail: str) -> bool:
        return self._verify(tag, "bounce", player=player_id, mail=mail)

    def unsubscribe_tag(self, player_id: int, what: str) -> str:
        """Return the tag of an address in `List-Unsubscribe`. It stays valid for ever."""
        return self._tag("unsubscribe", player=player_id, what=what)

    def verify_unsubscribe_tag(self, tag: str, player_id: int, what: str) -> bool:
        return self._verify(tag, "unsubscribe", player=player_id, what=what)

    def seal_password(self, kept: PasswordHash, owner: str) -> SealedPassword:
        """Sign the hash of a password that has yet to be confirmed. `owner` is printable ASCII."""
        return SealedPassword(kept.text, self._tag("password", owner=owner, hash=kept.text))

    def open_password(self, sealed: SealedPassword, owner: str) -> PasswordHash | None:
        """Return the password's hash if a current key sealed it for this owner, else None."""
        kept = PasswordHash.read(sealed.text)
        good = kept and self._verify(sealed.seal, "password", owner=owner, hash=kept.text)
        return kept if good else None

    def _tag(self, purpose: str, **fields: int | str | None) -> str:
        key = self.keys[0]
        return key.id + _mac(key, purpose, **fields)

    def _verify(self, tag: str, purpose: str, **fields: int | str | None) -> bool:
        given, key_id = tag.lower().encode("utf-8", "replace"), tag.lower()[:-_MAC_CHARS]
        expected = (key.id + _mac(key, purpose, **fields) for key in self.keys if key.id == key_id)
        return any(hmac.compare_digest(given, one.encode()) for one in expected)


def _mac(key: Key, purpose: str, **fields: int | str | None) -> str:
    # One field on a line, so that different fields never give the same text.
    lines = [f"pbm tag 1 {key.id} {purpose}"]
    lines += [f"{name} {'-' if value is None else value}" for name, value in fields.items()]
    digest = hmac.digest(key.secret, "\n".join(lines).encode("ascii"), "sha256")
    return base64.b32encode(digest[:_MAC_BYTES]).decode("ascii").lower()


class WatchedKeyring(Keyring):
    """The keys of a file, reloaded when the file changes; an invalid file is logged and ignored."""

    _path: Path
    _loaded: tuple[Key, ...]
    _seen: tuple[int, ...]

    def __init__(self, path: Path) -> None:
        """Load the keys; create a missing file. Raises KeyFileError."""
        load_keys(path)  # creates the file; its state is read first, so that no change is missed
        vars(self).update(_path=path, _seen=_look_of(path), _loaded=load_keys(path))

    @property
    def keys(self) -> tuple[Key, ...]:
        look = _look_of(self._path)
        if look != self._seen:
            vars(self)["_seen"] = look
            try:
                vars(self)["_loaded"] = parse_keys(read_text(self._path), str(self._path))
                _log.info("keys read again", keys=" ".join(key.id for key in self._loaded))
            except FileNotFoundError:
                _log.error("the key file is gone; the keys stay", file=str(self._path))
            except KeyFileError as error:
                _log.error("the keys stay", reason=str(error))
        return self._loaded


def _look_of(path: Path) -> tuple[int, ...]:
    """Return a file's inode, size and time, to notice changes. Return () if it is missing."""
    try:
        seen = path.stat()
    except OSError:
        return ()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def load_keyring(path: Path, env_value: str | None = None) -> Keyring:
    """Load the keys from PBM_SECRET_KEY's value, or else from `path`. Raises KeyFileError."""
    return Keyring(load_keys(path, env_value)) if env_value else WatchedKeyring(path)


def mark_of(key: Key) -> str:
    """Return a key's fingerprint, which does not reveal the secret."""
    return f"{key.id} {_mac(key, 'mark')}"


def new_token() -> str:
    """Return a random token of 120 bits, as 24 characters of lower-case base32."""
    return base64.b32encode(secrets.token_bytes(_TOKEN_BYTES)).decode("ascii").lower()


def token_digest(token: str) -> str:
    """Return a token's SHA-256 in hexadecimal; the token's case does not count."""
    return hashlib.sha256(token.lower().encode("utf-8", "replace")).hexdigest()
