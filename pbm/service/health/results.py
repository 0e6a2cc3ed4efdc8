"""The result of a check: a state, a warning, or a fault with what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.rules.registry import GamesError
from pbm.store.connecting import why_unusable

_TOLD = (OperatorError, GamesError, PermissionError)
TROUBLES = (*_TOLD, DBAPIError)


@dataclass(frozen=True)
class CheckResult:
    """What a check has found: the state of `what`, or a fault and how to mend it."""

    good: bool
    what: str
    text: str
    warning: bool = False  # the state is good, but needs attention


class DubiousError(Exception):
    """A warning of a check; ``str()`` is a sentence for the operator."""


def checked(what: str, look: Callable[[], str]) -> CheckResult:
    """Run a check. `look` returns the state, or raises DubiousError, or an error that says why.

    Raises DBAPIError: after it nothing can be read in the same transaction.
    """
    try:
        return CheckResult(True, what, look())
    except DubiousError as doubt:
        return CheckResult(True, what, str(doubt), warning=True)
    except _TOLD as error:
        return CheckResult(False, what, sentence_of(error))


def sentence_of(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return f"{error.filename}: {trouble(Path(error.filename), error)}"
    return why_unusable(error) if isinstance(error, DBAPIError) else str(error)
