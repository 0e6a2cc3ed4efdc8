"""The plain form in which events of boards are stored: numbers of players, and no handles.

Rows are readable for ever. Who changes the fields of an event counts up its `version`, and gives
`_OLDER` a function that makes today's fields of the older ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final

from pbm.events import BoardEvent, event_name
from pbm.plain import from_plain, to_plain

_OLDER: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}


def kind_of(event: type[BoardEvent]) -> str:
    """Return the name of an event's kind in the database, with its version but for the first.

    >>> from pbm.events import Commented
    >>> kind_of(Commented)
    'commented'
    """
    name = event_name(event)
    return name if event.version == 1 else f"{name}.{event.version}"


def to_fields(event: BoardEvent) -> dict[str, Any]:
    """Return the fields that are stored: those that differ from their defaults.

    >>> from pbm.events import Commented
    >>> to_fields(Commented(1, 7, ("Hello",), words=12))
    {'player': 7, 'words': 12}
    """
    left_out = {"board_id", *event.for_sender_only}
    return {
        field.name: to_plain(value)
        for field in fields(event)
        if field.name not in left_out
        and (value := getattr(event, field.name)) != field.default
        and field.default_factory is MISSING
    }


def from_fields(kind: str, stored: dict[str, Any], board_id: int) -> BoardEvent:
    """Return the event of a row. Raises KeyError for the kind of a later version of pbm."""
    name, _, _ = kind.partition(".")
    of = kinds()[name]
    now = stored if kind == kind_of(of) else _OLDER[kind](stored)
    return from_plain(of, {"board_id": board_id, **now})


@cache
def kinds() -> Mapping[str, type[BoardEvent]]:
    """Return all kinds of events that are stored, by name."""
    return {event_name(kind): kind for kind in _below(BoardEvent) if kind.is_kept}


def _below(kind: type[BoardEvent]) -> list[type[BoardEvent]]:
    """Return the events derived from `kind`; a name with an underscore is none itself."""
    import pbm.events.by_operator  # noqa: F401 - it declares some

    found = [kind] if not kind.__subclasses__() else []
    return found + [each for under in kind.__subclasses__() for each in _below(under)]
