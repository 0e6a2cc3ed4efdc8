"""Argon2id at the least cost, for conversations: they are about what is hashed, and when.

What it costs in truth is held by `tests/commands/test_passwords.py`. A hash still tells our costs,
as one that tells others is refused; only what was hashed here is found right here.
"""

from argon2 import PasswordHasher

from pbm import passwords

_OURS = passwords.dummy_hash("").text.split("$")[3]
_LEAST = "m=8,t=1,p=1"


class QuickHasher:
    """Hashes as the program does, in a hundredth of the time."""

    def __init__(self) -> None:
        ours = passwords._hasher()
        self._hasher = PasswordHasher(1, 8, 1, ours.hash_len, ours.salt_len)

    def hash(self, password: bytes) -> str:
        """Hash a password; the costs in the text are not those that it took."""
        made = self._hasher.hash(password)
        assert _LEAST in made
        return made.replace(_LEAST, _OURS, 1)

    def verify(self, kept: str, password: bytes) -> bool:
        """Check a password against what was hashed here. Raises VerifyMismatchError."""
        assert _OURS in kept
        return self._hasher.verify(kept.replace(_OURS, _LEAST, 1), password)


QUICK = QuickHasher()
