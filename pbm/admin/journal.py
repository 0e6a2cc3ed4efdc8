"""How the journal is printed."""

from collections.abc import Iterable

import click

from pbm.store.values import Change


def print_journal(changes: Iterable[Change]) -> None:
    """Print what the operator has changed, oldest first."""
    for change in changes:
        why = f": {change.why}" if change.why else ""
        click.echo(f"{change.at:%Y-%m-%d %H:%M} {change.who} {change.what}{why}")
