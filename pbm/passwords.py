"""Passwords of players: kept as Argon2id hashes (RFC 9106), never as they are.

To hash takes some 25 ms of a processor and 19 MB for that time: more than anything may take on
the event loop or while a transaction is open. So a turn only asks for what it needs, of a
`PasswordWork`; what is not known yet ends the turn, is worked out apart, and the turn begins anew.
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

from pbm.apart import Apart, WorkNeeded
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
    """A password's hash with the costs that we chose, so that to check it takes no longer.

    `text` is in the PHC string format. Raises ValueError for any other text.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if not _OURS.fullmatch(self.text):
            raise ValueError("a hash of another form, or of other costs, than ours")

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """The hash that a text is, None where it is none of ours."""
        return cls(text) if text and _OURS.fullmatch(text) else None


@dataclass(frozen=True)
class SealedPassword:
    """A hash that was written down to wait for a `yes`, with what shows that we wrote it.

    Only `Keyring.seal_password` makes the seal, and only `Keyring.open_password` gives the hash
    back.
    """

    text: str = field(repr=False)
    seal: str = field(repr=False)


class HashingNeeded(WorkNeeded):
    """A turn needs a password hashed."""


class PasswordWork(Apart):
    """What the hashing for one mail has come to so far."""

    needed = HashingNeeded

    def __init__(self) -> None:
        super().__init__()
        self._right: dict[tuple[PasswordHash, str], bool] = {}

    def hash_of(self, password: str) -> PasswordHash:
        """What is kept instead of a new password.

        Raises Refusal for one that is too short or too long; HashingNeeded.
        """
        if len(password) < SHORTEST:
            raise Refusal("short-password", least=SHORTEST)
        if len(password) > LONGEST:
            raise Refusal("long-password", most=LONGEST)
        return self.outcome(password, lambda: hash_password(password))

    def are_right(self, tries: Sequence[tuple[PasswordHash, str]]) -> list[bool]:
        """Whether each of these passwords is the one of its hash. Raises HashingNeeded."""
        possible = [one for one in tries if len(one[1]) <= LONGEST]
        unknown = [one for one in possible if one not in self._right]
        if unknown:
            self.need(lambda: self._right.update({one: check_password(*one) for one in unknown}))
        return [self._right.get(one, False) for one in tries]


class ConfirmedPassword(PasswordWork):
    """For commands that waited for a yes: their new password was hashed before they did."""

    def __init__(self, kept: PasswordHash | None) -> None:
        """`kept` is what waited with them, None where nothing did that we wrote."""
        super().__init__()
        self._kept = kept

    def hash_of(self, password: str) -> PasswordHash:  # noqa: ARG002 - whatever the line says
        """What waited. Raises Refusal where nothing did."""
        if self._kept is None:
            raise Refusal("password-lapsed")
        return self._kept


class RefusedPasswords(PasswordWork):
    """For a player for whom no new password is hashed now; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self._refusal = refusal

    def hash_of(self, password: str) -> PasswordHash:  # noqa: ARG002 - none at all
        """Raise Refusal."""
        raise self._refusal


def hash_password(password: str) -> PasswordHash:
    """Hash a password; slow."""
    return PasswordHash(_hasher().hash(_normal(password)))


def check_password(kept: PasswordHash, password: str) -> bool:
    """Whether this is the password that a hash was made from; slow."""
    try:
        return _hasher().verify(kept.text, _normal(password))
    except VerifyMismatchError:
        return False


def hash_of_nobody(name: str) -> PasswordHash:
    """What a password is checked against where there is none: that costs the same, and is wrong.

    Each name has its own, so that several cost as much as those of several players.
    """
    salt = b64encode(sha256(name.encode("utf-8", "replace")).digest()[:_SALT_BYTES])
    costs = f"$argon2id$v=19$m={_KIBIBYTES},t={_ROUNDS},p={_LANES}"
    return PasswordHash(f"{costs}${salt.decode().rstrip('=')}${'A' * 43}")


def _normal(password: str) -> bytes:
    """One spelling for what looks the same; mail programs differ in how they send an umlaut."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES, _HASH_BYTES, _SALT_BYTES)
