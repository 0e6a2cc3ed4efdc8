"""A password that comes with `signup`, as older servers wanted it: only its hash is kept."""

from datetime import datetime, timedelta

from pbm.commands.account import SignUp
from pbm.commands.declare import Command
from pbm.commands.passwords import hash_password
from pbm.errors import Refusal
from pbm.store.db import UnitOfWork

_MOST, _WITHIN = (
    60,
    timedelta(hours=1),
)  # from all strangers together: each costs a tenth of a second


def hash_of_first(work: UnitOfWork, command: Command | None, now: datetime) -> str | None:
    """The hash of the password that a `signup` brings, None where it brings none.

    Raises Refusal for one that is too short, and where too many come at a time.
    """
    if not isinstance(command, SignUp) or command.password is None:
        return None
    if not work.buckets.take("signup-passwords", _MOST, _WITHIN, now):
        raise Refusal("password-not-kept")
    return hash_password(command.password.value)
