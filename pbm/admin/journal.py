"""How the journal is printed."""

from collections.abc import Iterable
from typing import Any

import click

from pbm.store.values import Change


def print_journal(changes: Iterable[Change]) -> None:
    """Print what the operator has changed, oldest first: when, who, what, why."""
    for change in changes:
        why = f": {change.why}" if change.why else ""
        what = " ".join([change.what, *_told(change.details)])
        click.echo(f"{change.at:%Y-%m-%d %H:%M} UTC  {change.who}  {what}{why}")


def _told(details: dict[str, Any]) -> list[str]:
    named = [(name.replace("_", " "), value) for name, value in sorted(details.items())]
    shown = [f"{name} {_listed(value)}" for name, value in named if value not in (None, [])]
    return [f"({', '.join(shown)})"] if shown else []


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
