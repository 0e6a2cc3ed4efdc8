"""Passwords of players: kept as Argon2id hashes (RFC 9106), never as they are.

A check costs about a tenth of a second of a processor and 64 MB for that time, so whoever
asks for one takes a token of a rate first.
"""

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from pbm.errors import Refusal

SHORTEST = 8  # characters; ten tries an hour find shorter ones too soon


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


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()
