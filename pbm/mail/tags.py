"""Signs our reply addresses, bounce addresses and passwords to be confirmed; makes random tokens.

A tag proves that this server issued an address. It is a key's id and 80 bits of an HMAC-SHA256, as
16 letters of lower-case base32. If a player's epoch, a number, is raised, the player's earlier
reply tags become invalid. A stolen database contains no key.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from pbm.mail.keyfile import Key, KeyFileError, load_keys, parse_keys, read_text
from pbm.passwords import PasswordHash, SealedPassword

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
