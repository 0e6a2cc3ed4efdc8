"""How `pbm-admin` prints lists, the journal and reports."""

from collections.abc import Iterable
from typing import Any

import click

from pbm.store.values.players import Report
from pbm.store.values.queues import Change

_CUT = "..."


def cell(text: object, width: int) -> str:
    """The text, padded or cut to the width of a column.

    >>> cell("bob", 5), cell("alexander", 7)
    ('bob  ', 'alex...')
    """
    shown = str(text)
    if len(shown) > width:
        shown = f"{shown[: width - len(_CUT)]}{_CUT}"
    return shown.ljust(width)


def print_journal(changes: Iterable[Change], *, of_all: bool = False) -> None:
    """Print the operator's changes, oldest first: when, who, what, why.

    With `of_all` each line names its player or board.
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


def print_reports(reports: Iterable[Report]) -> None:
    """Print players' reports: author, time, board, text, and the words said on that board."""
    for report in reports:
        click.echo(
            f"{report.reported_at:%Y-%m-%d %H:%M} UTC  {report.handle}, board {report.board_id}"
        )
        for line in report.lines:
            click.echo(f"  {_plain(line)}")
        for said in report.words:
            click.echo(f"  {said['handle']} wrote there, {said['at'][:10]}:")
            for line in said["lines"]:
                click.echo(f"    {_plain(line)}")


def _plain(line: str) -> str:
    """The line with control characters replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
