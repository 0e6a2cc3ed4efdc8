"""The subjects of our own mails: written here, and recognised here when they come back."""

import re
from collections.abc import Sequence

_BOARD = re.compile(r"Abalone Board (\d{1,9})\b", re.ASCII | re.IGNORECASE)
_OTHERS = ("please confirm:", "your games:", "pbm:", "welcome to pbm")
_NAMED = 2  # handles that a subject names before it counts the rest


def board_subject(handles: Sequence[str]) -> str:
    """Return the frozen subject of a board, with `{number}` where its number goes."""
    if len(handles) == _NAMED:
        return f"Abalone Board {{number}}: {handles[0]} v {handles[1]}"
    more = len(handles) - _NAMED
    return f"Abalone Board {{number}}: {', '.join(handles[:_NAMED])} +{more}"


def question_subject(what: str) -> str:
    """Return the subject of a question."""
    return f"Please confirm: {what}"


def answer_subject(what: str) -> str:
    """Return the subject of an answer that belongs to no board."""
    return f"pbm: {what}"


def is_own(subject: str) -> bool:
    """Tell whether a cleaned subject is one of ours, and so no command."""
    return bool(_BOARD.match(subject)) or subject.lower().startswith(_OTHERS)


def board_named(subject: str) -> int | None:
    """Return the number of the board that a cleaned subject of ours names."""
    found = _BOARD.match(subject)
    return int(found[1]) if found else None
