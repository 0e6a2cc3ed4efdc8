"""The commands `pbm-admin journal` and `reports`: what operators did, what players report."""

import click

from pbm.admin.console import pass_session, print_journal
from pbm.admin.listing import json_option, limit_option, print_json
from pbm.service.operator.operator_session import OperatorSession, find_board, find_player

MOST_NUMBER = 999_999_999


@click.command()
@click.option("--about", metavar="WHAT", help="Only what concerns a handle or a board's number.")
@limit_option(20)
@json_option
@pass_session
def journal(session: OperatorSession, about: str | None, most: int, as_json: bool) -> None:
    """Print the newest changes by operators, the newest last."""
    with session.look() as work:
        only = {}
        if about and about.isascii() and about.isdigit():
            only = {"board_id": find_board(work, min(int(about), MOST_NUMBER)).id}
        elif about:
            only = {"player_id": find_player(work, about).id}
        changes = work.changes.newest(most, **only)
    if as_json:
        print_json(changes)
        return
    print_journal(changes, of_all=True)
    if not changes:
        click.echo("The journal is empty: nothing was changed here yet.")


@click.command()
@limit_option(20)
@json_option
@pass_session
def reports(session: OperatorSession, most: int, as_json: bool) -> None:
    """Print what players have reported, the newest last."""
    with session.look() as work:
        found = work.reports.newest(most)
    if as_json:
        print_json(found)
        return
    from pbm.service.trouble.masking import printable  # takes long to import

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
