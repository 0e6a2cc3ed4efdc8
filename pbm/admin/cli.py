"""`pbm-admin`: the operator's tool. Every subcommand calls one service function."""

import click

from pbm import __version__
from pbm.admin.console import Console, Sentences, login_name, pass_console
from pbm.admin.doctor import doctor
from pbm.admin.games import games
from pbm.admin.journal import print_journal
from pbm.admin.keys import keys
from pbm.admin.players import players
from pbm.admin.queue import queue
from pbm.admin.reports import print_reports
from pbm.admin.trial import read, send
from pbm.admin.upkeep import backup, check, migrate, restore, verify
from pbm.app.opening import owner_only
from pbm.service.operator.journal import newest_changes
from pbm.service.operator.reports import newest_reports


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
@pass_console
def journal(console: Console, most: int) -> None:
    """Print the newest changes that were made here, the newest last."""
    with console.office() as office:
        changes = newest_changes(office, most)
    print_journal(changes, of_all=True)
    if not changes:
        click.echo("The journal is empty: nothing was changed here yet.")


@main.command()
@click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True)
@pass_console
def reports(console: Console, most: int) -> None:
    """Print what players have reported, the newest last."""
    with console.office() as office:
        found = newest_reports(office, most)
    print_reports(found)
    if not found:
        click.echo("Nobody has reported anything.")


for command in (
    players,
    games,
    queue,
    keys,
    verify,
    migrate,
    backup,
    restore,
    check,
    doctor,
    send,
    read,
):
    main.add_command(command)
