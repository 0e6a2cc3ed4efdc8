"""Password hashing, and other slow work that is done outside transactions.

Passwords are stored only as Argon2id hashes (RFC 9106). Hashing takes some 25 ms of a processor and
19 MB: too much for the event loop or an open transaction.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Self, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

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
_MOST_TIMES = 32  # restarts of one mail's turn; rates allow fewer
T = TypeVar("T")


class WorkNeeded(Exception):  # noqa: N818 - no error: the turn begins anew after `work_out`
    """A transaction needs the outcome of slow work, which is not done yet.

    The caller rolls back, calls `work_out` in a thread, and restarts with the same `Apart`.
    """

    def __init__(self, work_out: Callable[[], None]) -> None:
        super().__init__()
        self.work_out = work_out


class Apart:
    """A cache for the outcomes of slow work, which a mail's restarted transaction uses again."""

    def __init__(self) -> None:
        self._outcomes: dict[Hashable, Any] = {}
        self._failed: Exception | None = None
        self._times = 0

    def outcome(self, of: Hashable, work: Callable[[], T]) -> T:
        """Return the outcome of `work` that is cached under `of`. Raises WorkNeeded without one."""
        if of not in self._outcomes:
            self.need(lambda: self._outcomes.update({of: work()}))
        found: T = self._outcomes[of]
        return found

    def need(self, work: Callable[[], None]) -> None:
        """Raise WorkNeeded, so that `work` gets done. If earlier work failed, raise its error."""
        if self._failed:
            raise self._failed
        self._times += 1
        if self._times > _MOST_TIMES:
            raise RuntimeError("a turn that needs ever more worked out")

        def work_out() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the turn raises it
                self._failed = error

        raise WorkNeeded(work_out)


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


class PasswordWork(Apart):
    """A cache of the results of password hashing while one mail is handled.

    If `known` is given, `hash_of` does not hash. It returns `known`, or raises it if it is a
    Refusal. For example, `known` is the hash of a new password that this mail confirms.
    """

    def __init__(self, known: PasswordHash | Refusal | None = None) -> None:
        super().__init__()
        self._known = known

    def hash_of(self, password: str) -> PasswordHash:
        """Hash a new password. Raises WorkNeeded, or Refusal if it is too short or too long."""
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
        """Return for each pair whether the password matches the hash. Raises WorkNeeded."""
        possible = [one for one in tries if len(one[1]) <= LONGEST]
        unknown = [one for one in possible if one not in self._outcomes]
        if unknown:
            self.need(lambda: self._outcomes.update({one: check_password(*one) for one in unknown}))
        return [self._outcomes.get(one, False) for one in tries]


def hash_password(password: str) -> PasswordHash:
    return PasswordHash(_hasher().hash(_normal(password)))


def check_password(kept: PasswordHash, password: str) -> bool:
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
def _hasher() -> PasswordHasher:
    return PasswordHasher(_ROUNDS, _KIBIBYTES, _LANES, _HASH_BYTES, _SALT_BYTES)
