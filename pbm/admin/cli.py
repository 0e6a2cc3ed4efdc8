"""`pbm-admin`: the operator's tool. Every subcommand calls one service function."""

import click

from pbm import __version__
from pbm.admin.console import Console, Sentences, login_name, pass_session
from pbm.admin.games import games
from pbm.admin.keys import keys
from pbm.admin.players import players
from pbm.admin.printing import print_journal, print_reports
from pbm.admin.queue import queue
from pbm.admin.server import backup, check, doctor, migrate, read, restore, send, verify
from pbm.app.opening import owner_only
from pbm.service.operator.operator_session import OperatorSession


@click.group(cls=Sentences)
@click.version_option(__version__, prog_name="pbm-admin")
@click.option("--who", default=login_name, metavar="NAME", help="Whose hand it is in the journal.")
@click.pass_context
def main(context: click.Context, who: str) -> None:
    """Look after a pbm server, while it runs.

    Run it in the server's folder and with its settings: PBM_... variables, else ./pbm.toml.
    """
    context.with_resource(owner_only())
    context.obj = Console(who)


@main.command()
@click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True)
@pass_session
def journal(session: OperatorSession, most: int) -> None:
    """Print the newest changes that were made here, the newest last."""
    changes = session.newest_changes(most)
    print_journal(changes, of_all=True)
    if not changes:
        click.echo("The journal is empty: nothing was changed here yet.")


@main.command()
@click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True)
@pass_session
def reports(session: OperatorSession, most: int) -> None:
    """Print what players have reported, the newest last."""
    found = session.newest_reports(most)
    print_reports(found)
    if not found:
        click.echo("Nobody has reported anything.")


for command in (players, games, queue, keys, verify, migrate, backup, restore, check, doctor):
    main.add_command(command)
main.add_command(send)
main.add_command(read)
