"""How the journal is printed."""

from collections.abc import Iterable
from typing import Any

import click

from pbm.admin.columns import cell
from pbm.store.values.running import Change


def print_journal(changes: Iterable[Change], *, of_all: bool = False) -> None:
    """Print what the operator has changed, oldest first: when, who, what, why.

    In the journal `of_all` each line names the player or the board that it is about.
    """
    for change in changes:
        why = f": {change.why}" if change.why else ""
        what = " ".join([*_about(change, of_all), change.what, *_told(change.details)])
        click.echo(f"{change.at:%Y-%m-%d %H:%M} UTC  {cell(change.who, 12)}  {what}{why}")


def _about(change: Change, of_all: bool) -> list[str]:
    if not of_all:
        return []
    board = f"board {change.board_id}" if change.board_id else None
    named = " ".join(name for name in (change.handle, board) if name)
    return [f"{named}:"] if named else []


def _told(details: dict[str, Any]) -> list[str]:
    named = [(name.replace("_", " "), value) for name, value in sorted(details.items())]
    shown = [f"{name} {_listed(value)}" for name, value in named if value not in (None, [])]
    return [f"({', '.join(shown)})"] if shown else []


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
