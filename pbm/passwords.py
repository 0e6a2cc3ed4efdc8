"""Password hashing.

Passwords are stored only as Argon2id hashes (RFC 9106). Hashing takes some 25 ms of a processor and
19 MB: too much for the event loop or an open transaction.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from pbm.errors import Refusal
from pbm.slow_work import SlowWork

if TYPE_CHECKING:
    from argon2 import PasswordHasher

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
    """An Argon2id hash in PHC format with fixed costs. Raises ValueError for any other text."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if not _OURS.fullmatch(self.text):
            raise ValueError("a hash of another form, or of other costs, than ours")

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        return cls(text) if text and _OURS.fullmatch(text) else None


@dataclass(frozen=True)
class SealedPassword:
    """The hash of a password that its owner has yet to confirm; `seal` is our signature."""

    text: str = field(repr=False)
    seal: str = field(repr=False)


def hash_of(slow: SlowWork, password: str) -> PasswordHash:
    """Hash a new password. Raises WorkNeeded, or Refusal if it is too short or too long."""
    if len(password) < SHORTEST:
        raise Refusal("short-password", least=SHORTEST)
    if len(password) > LONGEST:
        raise Refusal("long-password", most=LONGEST)
    return slow.outcome(("hash", password), lambda: hash_password(password))


def are_right(slow: SlowWork, tries: Sequence[tuple[PasswordHash, str]]) -> list[bool]:
    """Return for each pair whether the password matches the hash. Raises WorkNeeded."""
    right = slow.outcomes(
        {one: partial(check_password, *one) for one in tries if len(one[1]) <= LONGEST}
    )
    return [right.get(one, False) for one in tries]


def hash_password(password: str) -> PasswordHash:
    return PasswordHash(_hasher().hash(_normal(password)))


def check_password(kept: PasswordHash, password: str) -> bool:
    from argon2.exceptions import VerifyMismatchError

    try:
        return _hasher().verify(kept.text, _normal(password))
    except VerifyMismatchError:
        return False


def dummy_hash(name: str) -> PasswordHash:
    """Return a hash that matches no password. Checking it takes as long as a real check."""
    salt = b64encode(sha256(name.encode("utf-8", "replace")).digest()[:_SALT_BYTES])
    costs = f"$argon2id$v=19$m={_KIBIBYTES},t={_ROUNDS},p={_LANES}"
    return PasswordHash(f"{costs}${salt.decode().rstrip('=')}${'A' * 43}")


def _normal(password: str) -> bytes:
    """Normalise to NFC, as mail programs differ in how they send an umlaut."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES, _HASH_BYTES, _SALT_BYTES)
