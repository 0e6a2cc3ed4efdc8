"""Results of `pbm-admin check` and `doctor`, a line each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.connecting import why_unusable


@dataclass(frozen=True)
class CheckResult:
    """The result of one check: `text` is the state, or what is wrong and how to mend it.

    `warning`: what was checked works, but needs attention.
    """

    good: bool
    what: str
    text: str
    warning: bool = False


class DubiousError(Exception):
    """A check passed, but needs attention; ``str()`` is for the operator."""


def checked(what: str, look: Callable[[], str]) -> CheckResult:
    """Run a check, which returns the state, or raises DubiousError or OperatorError."""
    try:
        return CheckResult(True, what, look())
    except DubiousError as doubt:
        return CheckResult(True, what, str(doubt), warning=True)
    except OperatorError as error:
        return CheckResult(False, what, str(error))
    except DBAPIError as error:
        return CheckResult(False, what, why_unusable(error))
    except PermissionError as error:
        return CheckResult(False, what, f"{error.filename}: {trouble(Path(error.filename), error)}")
