"""The commands `pbm-admin journal` and `reports`: what operators did, what players report."""

import click

from pbm.admin.console import pass_session, print_journal
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.trouble.masking import printable

_how_many = click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True)


@click.command()
@_how_many
@pass_session
def journal(session: OperatorSession, most: int) -> None:
    """Print the newest changes by operators, the newest last."""
    with session.look() as work:
        changes = work.changes.newest(most)
    print_journal(changes, of_all=True)
    if not changes:
        click.echo("The journal is empty: nothing was changed here yet.")


@click.command()
@_how_many
@pass_session
def reports(session: OperatorSession, most: int) -> None:
    """Print what players have reported, the newest last."""
    with session.look() as work:
        found = work.reports.newest(most)
    for report in found:
        click.echo(
            f"{report.reported_at:%Y-%m-%d %H:%M} UTC  {report.handle}, board {report.board_id}"
        )
        for line in report.lines:
            click.echo(f"  {printable(line)}")
        for said in report.words:
            click.echo(f"  {said['handle']} wrote there, {said['at'][:10]}:")
            for line in said["lines"]:
                click.echo(f"    {printable(line)}")
    if not found:
        click.echo("Nobody has reported anything.")
