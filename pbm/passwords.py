"""Passwords of players: stored only as Argon2id hashes (RFC 9106).

Hashing takes some 25 ms of a processor and 19 MB: too much for the event loop or an open
transaction. So a turn asks a `PasswordWork`. An unknown hash ends the turn, is computed in a
thread, and the turn restarts.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Self

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from pbm.apart import Apart
from pbm.errors import Refusal

SHORTEST = 8  # characters; ten tries an hour find shorter ones too soon
LONGEST = 512  # characters; a line that may be a command is shorter
_ROUNDS, _KIBIBYTES, _LANES = 2, 19_456, 1
_SALT_BYTES, _HASH_BYTES = 16, 32
_OURS = re.compile(
    rf"\$argon2id\$v=19\$m={_KIBIBYTES},t={_ROUNDS},p={_LANES}"
    r"\$[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]",  # 16 and 32 bytes
    re.ASCII,
)


@dataclass(frozen=True)
class PasswordHash:
    """A password's hash with our own costs, which bound the time of a check.

    `text` is in the PHC string format. Raises ValueError for any other text.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if not _OURS.fullmatch(self.text):
            raise ValueError("a hash of another form, or of other costs, than ours")

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Parse a hash; None if it is not one of ours."""
        return cls(text) if text and _OURS.fullmatch(text) else None


@dataclass(frozen=True)
class SealedPassword:
    """A hash stored until a `yes` arrives, with a seal of `Keyring` that proves we wrote it."""

    text: str = field(repr=False)
    seal: str = field(repr=False)


class PasswordWork(Apart):
    """The outcomes so far of hashing for one mail.

    `known` is the hash of any new password, or the refusal of all.
    """

    def __init__(self, known: PasswordHash | Refusal | None = None) -> None:
        super().__init__()
        self._known = known
        self._right: dict[tuple[PasswordHash, str], bool] = {}

    def hash_of(self, password: str) -> PasswordHash:
        """The hash of a new password. Raises Refusal for a bad length, and WorkNeeded."""
        if isinstance(self._known, Refusal):
            raise self._known
        if self._known:
            return self._known
        if len(password) < SHORTEST:
            raise Refusal("short-password", least=SHORTEST)
        if len(password) > LONGEST:
            raise Refusal("long-password", most=LONGEST)
        return self.outcome(password, lambda: hash_password(password))

    def are_right(self, tries: Sequence[tuple[PasswordHash, str]]) -> list[bool]:
        """Whether each password matches its hash. Raises WorkNeeded."""
        possible = [one for one in tries if len(one[1]) <= LONGEST]
        unknown = [one for one in possible if one not in self._right]
        if unknown:
            self.need(lambda: self._right.update({one: check_password(*one) for one in unknown}))
        return [self._right.get(one, False) for one in tries]


def hash_password(password: str) -> PasswordHash:
    """Hash a password; slow."""
    return PasswordHash(_hasher().hash(_normal(password)))


def check_password(kept: PasswordHash, password: str) -> bool:
    """Whether a password matches a hash; slow."""
    try:
        return _hasher().verify(kept.text, _normal(password))
    except VerifyMismatchError:
        return False


def hash_of_nobody(name: str) -> PasswordHash:
    """A hash that matches no password, to be checked in place of a missing one at the same cost."""
    salt = b64encode(sha256(name.encode("utf-8", "replace")).digest()[:_SALT_BYTES])
    costs = f"$argon2id$v=19$m={_KIBIBYTES},t={_ROUNDS},p={_LANES}"
    return PasswordHash(f"{costs}${salt.decode().rstrip('=')}${'A' * 43}")


def _normal(password: str) -> bytes:
    """Normalise to NFC, as mail programs differ in how they send an umlaut."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES, _HASH_BYTES, _SALT_BYTES)
