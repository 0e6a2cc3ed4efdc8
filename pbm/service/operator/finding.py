"""What `pbm-admin check` and `doctor` find, a line for each thing that they look at."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.reaching import why_unusable


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `text` says what was found, or what is wrong and what to do.

    A `warning` is about what works, and yet wants a look.
    """

    good: bool
    what: str
    text: str
    warning: bool = False


class DoubtError(Exception):
    """What was looked at works, and yet wants a look; ``str()`` is for the operator."""


def look_at(what: str, look: Callable[[], str]) -> Finding:
    """Look at one thing: `look` says what it found, or raises DoubtError or OperatorError."""
    try:
        return Finding(True, what, look())
    except DoubtError as doubt:
        return Finding(True, what, str(doubt), warning=True)
    except OperatorError as error:
        return Finding(False, what, str(error))
    except DBAPIError as error:
        return Finding(False, what, why_unusable(error))
    except PermissionError as error:
        return Finding(False, what, f"{error.filename}: {trouble(Path(error.filename), error)}")
