"""Passwords of players: kept as Argon2id hashes (RFC 9106), never as they are.

A check costs some 25 ms of a processor and 19 MB for that time, so whoever asks for one takes a
token of a rate first. A hash holds what it was made with, so that other costs can be chosen.
"""

import unicodedata
from dataclasses import dataclass, field
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pbm.commands.words import SecretText
from pbm.errors import Refusal

_NONE = "none"
_SEAL = "argon2id:"  # before the hash of one that waits to be confirmed
SHORTEST = 8  # characters; ten tries an hour find shorter ones too soon
_ROUNDS, _KIBIBYTES, _LANES = 2, 19_456, 1


def hash_password(password: str) -> str:
    """What is kept instead of a password. Raises Refusal for one that is too short."""
    if len(password) < SHORTEST:
        raise Refusal("short-password", least=SHORTEST)
    return _hasher().hash(_normal(password))


def check_password(password_hash: str, password: str) -> bool:
    """Whether this is the password that a hash was made from."""
    try:
        return _hasher().verify(password_hash, _normal(password))
    except (VerificationError, InvalidHashError):
        return False


def _normal(password: str) -> bytes:
    """One spelling for what looks the same; mail programs differ in how they send an umlaut."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")


@dataclass(frozen=True)
class NewPassword:
    """A password that somebody chose; `hash` is None for none at all.

    `sealed` is a word that means the same, and can wait without being known to its readers.
    """

    hash: str | None = field(repr=False)

    @property
    def sealed(self) -> str:
        """The word to write in the place of the password."""
        return _NONE if self.hash is None else _SEAL + self.hash


def read_password(word: SecretText) -> NewPassword:
    """Read what somebody wrote as a new password, sealed or not. Raises Refusal."""
    if word.value == _NONE:
        return NewPassword(None)
    if word.value.startswith(_SEAL):
        return NewPassword(word.value.removeprefix(_SEAL))
    return NewPassword(hash_password(word.value))


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES)
