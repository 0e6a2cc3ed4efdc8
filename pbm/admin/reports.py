"""How reports are printed."""

from collections.abc import Iterable

import click

from pbm.store.values.talk import Report


def print_reports(reports: Iterable[Report]) -> None:
    """Print what players have reported: who, when and about which board, and the words there."""
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
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
