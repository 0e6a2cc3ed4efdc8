"""`pbm-admin`: the operator's tool. Every subcommand calls one service function."""

from pathlib import Path

import click

from pbm.admin.desk import Desk, login_name, sentences
from pbm.admin.games import games
from pbm.admin.players import players
from pbm.admin.queue import queue
from pbm.app import open_house
from pbm.clock import system_clock
from pbm.service.operator import backup as backups
from pbm.service.operator import correspondence
from pbm.service.operator.checks import check as check_all
from pbm.service.operator.office import Office
from pbm.service.operator.verify import verify as verify_boards
from pbm.store.db import Database
from pbm.store.migrate import current_version
from pbm.store.migrate import migrate as migrate_database

pass_desk = click.make_pass_decorator(Desk)


@click.group()
@click.version_option(package_name="pbm")
@click.option("--who", default=login_name, help="Whose hand it is; your login name by default.")
@click.pass_context
def main(context: click.Context, who: str) -> None:
    """Keep a pbm server healthy, beside it while it runs."""
    context.obj = Desk(who)


main.add_command(players)
main.add_command(games)
main.add_command(queue)


@main.command()
@click.argument("numbers", type=int, nargs=-1)
@pass_desk
def verify(desk: Desk, numbers: tuple[int, ...]) -> None:
    """Replay boards (all of them, or those named) and compare with what is stored."""
    boards = wrong = 0
    with desk.office() as office:
        for verdict in verify_boards(office, numbers):
            boards += 1
            wrong += bool(verdict.problems)
            for problem in verdict.problems:
                click.echo(f"board {verdict.number}: {problem}")
    click.echo(f"{boards} replayed, {wrong} wrong.")
    if wrong:
        raise SystemExit(1)


@main.command()
@pass_desk
def migrate(desk: Desk) -> None:
    """Bring the database to the version that this program needs."""
    with desk.office(migrated=False) as office:
        before = current_version(office.database)
        migrate_database(office.database)
        click.echo(f"Schema {before or 'none'} -> {current_version(office.database)}.")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@pass_desk
def backup(desk: Desk, file: Path) -> None:
    """Copy database and keys into FILE, while the server runs. Keep it secret."""
    with desk.office(migrated=False) as office:
        backups.backup(desk.settings, office.database, file)
    click.echo(f"Written to {file}.")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--force", is_flag=True, help="Overwrite the database that is there.")
@pass_desk
def restore(desk: Desk, file: Path, force: bool) -> None:
    """Bring a backup back, while the server is stopped; then migrate it."""
    with sentences():
        made = backups.restore(desk.settings, file, force=force)
        database = Database(desk.settings.database_url)
        migrate_database(database)
        database.close()
    click.echo(f"The state of {made} is back. Run: pbm-admin verify")


@main.command()
@pass_desk
def check(desk: Desk) -> None:
    """Look at settings, keys, database, port, the way out, and the queue."""
    settings = desk.settings

    def office() -> Office:
        database, house = open_house(settings)
        return Office(database, house, system_clock, desk.who)

    troubled = False
    for finding in check_all(settings, office):
        troubled |= bool(finding.trouble)
        mark = "FAIL" if finding.trouble else "ok"
        click.echo(f"{mark:4} {finding.what}: {finding.trouble or finding.found}")
    if troubled:
        raise SystemExit(1)


@main.command()
@click.option("--as", "sender", required=True, metavar="ADDRESS", help="Whose mail it is.")
@click.option("--new", is_flag=True, help="Write a new mail: TEXT is its subject.")
@click.argument("text")
@pass_desk
def send(desk: Desk, sender: str, new: bool, text: str) -> None:
    """Mail TEXT as the answer to the newest mail of an address."""
    with sentences():
        click.echo(correspondence.send(desk.settings, sender, text, new=new))


@main.command()
@click.argument("address")
@click.option("-n", "count", default=1, show_default=True, help="How many mails.")
@pass_desk
def read(desk: Desk, address: str, count: int) -> None:
    """Print the newest mails to an address, the newest last."""
    with sentences():
        mails = correspondence.newest(desk.settings, address, count)
    if not mails:
        raise click.ClickException(f"There is no mail to {address} in {desk.settings.maildir}.")
    click.echo("\n\n".join(f"Subject: {subject}\n\n{text}".rstrip() for subject, text in mails))
