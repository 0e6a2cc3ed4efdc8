"""The commands of `pbm-admin` for the whole database; what each needs is imported there."""

from contextlib import closing
from pathlib import Path

import click

from pbm.admin.console import Console, dry_run_option, pass_console, pass_session
from pbm.clock import system_clock
from pbm.service.operator.operator_session import OperatorSession


@click.command()
@click.argument("numbers", type=click.IntRange(min=1), nargs=-1, metavar="[N]...")
@pass_session
def verify(session: OperatorSession, numbers: tuple[int, ...]) -> None:
    """Replay games and compare with what is stored.

    All games, or the games with the given numbers. Ends with status 1 if any game differs.
    """
    from pbm.service.operator.verify import verify as verify_boards

    boards = wrong = 0
    for verdict in verify_boards(session, numbers):
        boards += 1
        wrong += bool(verdict.problems)
        for problem in verdict.problems:
            click.echo(f"board {verdict.number}: {problem}")
    click.echo(f"{boards} {'board' if boards == 1 else 'boards'} replayed, {wrong} wrong.")
    if wrong:
        raise SystemExit(1)


@click.command()
@dry_run_option
@pass_console
def migrate(console: Console, dry_run: bool) -> None:
    """Bring the tables to the version that this program needs."""
    from pbm.service.operator.copies import bring_up_to_date, refuse_old_processes
    from pbm.store.db import Database
    from pbm.store.migrate import current_version, is_current, newest_version

    with closing(Database(console.settings.database_url)) as database:
        refuse_old_processes(database, system_clock)
        if dry_run:
            known = "none" if is_current(database) else current_version(database) or "no tables"
            click.echo(f"Tables to bring to version {newest_version()}: {known}.")
            return
        before, copy = bring_up_to_date(database)
    after = newest_version()
    if before == after:
        click.echo(f"Nothing to do: the tables have version {after}.")
    else:
        click.echo(f"The tables had version {before or 'none'} and have version {after} now.")
    if copy:
        click.echo(f"{copy} is the database as it was. Remove it when all is well.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--verify", "tries", is_flag=True, help="Restore it on trial, and replay boards.")
@pass_console
def backup(console: Console, file: Path, tries: bool) -> None:
    """Copy database and keys into FILE; the server may run.

    Whoever has FILE can read all mail addresses and write as any player: keep it safe. With
    --verify, FILE is restored into a scratch database, where the boards of the last day and some
    others are replayed.
    """
    from pbm.service.operator import backup as backups

    manifest = backups.backup(console.settings, file)
    click.echo(f"{file} holds the {manifest.kind} database and the keys, as of {manifest.made}.")
    if tries:
        from pbm.service.operator.trial import try_backup

        click.echo(f"It was {try_backup(console.settings, file, file.parent)}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Also over a database that holds data: it is lost.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="MB",
    help="How large its database may be unpacked, where that is unusually large.",
)
@dry_run_option
@pass_console
def restore(console: Console, file: Path, force: bool, most: int | None, dry_run: bool) -> None:
    """Restore the database and the keys from a backup.

    The server must be stopped. The database named by the settings must be empty, unless --force
    is given. The restored server is held until `pbm-admin release`.
    """
    from pbm.service.operator import backup as backups

    bytes_, who = most and most << 20, console.who
    restored = backups.restore(
        console.settings, file, force=force, most=bytes_, who=who, only_look=dry_run
    )
    if dry_run:
        lost = " What is in the database here would be lost." if force else ""
        click.echo(f"{file} is sound, as of {restored.made}, and can be restored.{lost}")
        return
    held = ", ".join(f"{count} {what}" for what, count in restored.counts.items())
    click.echo(f"Restored as of {restored.made}: {held}.")
    if restored.old_keys:
        click.echo(f"The key file that was here is {restored.old_keys} now.")
    click.echo(
        f"New boards are numbered from {restored.next_numbers['boards']} and new players from "
        f"{restored.next_numbers['players']}, so that no mail from after the backup fits them."
    )
    click.echo("The server is held: once started it accepts mail, and does nothing else.")
    click.echo("Run pbm-admin verify, start the server, look at pbm-admin release --dry-run, and")
    click.echo("then run pbm-admin release, which tells each player what to send again.")
    if console.settings.front_name:
        click.echo("Then run pbm-admin doctor: your mail server counts as untried after a restore.")


@click.command()
@click.argument("from_url")
@click.argument("to_url")
@pass_console
def copy_database(console: Console, from_url: str, to_url: str) -> None:
    """Copy a database into an empty one, SQLite or PostgreSQL.

    The server must be stopped. All boards are verified before and after. The URLs are as in
    PBM_DATABASE_URL. The keys are not in the database: the server needs them as before.
    """
    from pbm.service.operator.moving import copy_database as copy_rows

    copied = copy_rows(console.settings, from_url, to_url, system_clock)
    rows, boards = sum(copied.values()), copied["boards"]
    click.echo(f"Copied and verified: {rows} rows; boards among them: {boards}.")
    click.echo("Let PBM_DATABASE_URL name the copy, keep the keys, and start the server.")
