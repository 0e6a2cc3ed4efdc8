"""A password that comes with `signup`, as older servers wanted it: only its hash is kept."""

from datetime import timedelta

from pbm.commands.account import SignUp
from pbm.commands.declare import Command
from pbm.errors import Refusal
from pbm.mail.address import address_key
from pbm.mail.tags import Keyring
from pbm.passwords import PasswordHash, SealedPassword
from pbm.play.turn import Turn
from pbm.store.values.questions import Question

_MOST, _WITHIN = (
    60,
    timedelta(hours=1),
)  # from all strangers together: each costs some 25 ms


def hash_of_first(turn: Turn, command: Command | None) -> PasswordHash | None:
    """The hash of the password that a `signup` brings, None where it brings none.

    Raises Refusal for one that is too short, and where too many come at a time; HashingNeeded.
    """
    if not isinstance(command, SignUp) or command.password is None:
        return None
    if not turn.work.buckets.take("signup-passwords", _MOST, _WITHIN, turn.now):
        raise Refusal("password-not-kept")
    return turn.passwords.hash_of(command.password.value)


def sealed_for(keyring: Keyring, kept: PasswordHash | None, address: str) -> SealedPassword | None:
    """The hash as it waits with the question to an address, None where there is none."""
    return keyring.seal_password(kept, _owner(address)) if kept else None


def asked_with(keyring: Keyring, question: Question) -> PasswordHash | None:
    """The hash that waits with a question, None where there is none that we wrote."""
    if question.password is None:
        return None
    return keyring.open_password(question.password, _owner(question.address))


def _owner(address: str) -> str:
    return f"address {address_key(address)}"
