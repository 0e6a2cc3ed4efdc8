"""`pbm-admin`: what keeps the server itself in order."""

from collections.abc import Iterable
from pathlib import Path

import click

from pbm.admin.console import Console, pass_console
from pbm.clock import system_clock
from pbm.service.operator import backup as backups
from pbm.service.operator.checks import check as check_all
from pbm.service.operator.finding import Finding
from pbm.service.operator.upkeep import migrate_here
from pbm.service.operator.verify import verify as verify_boards
from pbm.store.migrate import newest_version


@click.command()
@click.argument("numbers", type=click.IntRange(min=1), nargs=-1, metavar="[N]...")
@pass_console
def verify(console: Console, numbers: tuple[int, ...]) -> None:
    """Replay games and compare with what is stored.

    All games, or those named. Ends with status 1 if anything differs.
    """
    boards = wrong = 0
    with console.office() as office:
        for verdict in verify_boards(office, numbers):
            boards += 1
            wrong += bool(verdict.problems)
            for problem in verdict.problems:
                click.echo(f"board {verdict.number}: {problem}")
    click.echo(f"{boards} {'board' if boards == 1 else 'boards'} replayed, {wrong} wrong.")
    if wrong:
        raise SystemExit(1)


@click.command()
@pass_console
def migrate(console: Console) -> None:
    """Bring the tables to the version that this program needs."""
    before, copy = migrate_here(console.settings)
    after = newest_version()
    if before == after:
        click.echo(f"Nothing to do: the tables have version {after}.")
    else:
        click.echo(f"The tables had version {before or 'none'} and have version {after} now.")
    if copy:
        click.echo(f"{copy} is the database as it was. Remove it when all is well.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@pass_console
def backup(console: Console, file: Path) -> None:
    """Copy database and keys into FILE; the server may run.

    Whoever has FILE can read all mail addresses and write as any player: keep it safe.
    """
    manifest = backups.backup(console.settings, file)
    click.echo(f"{file} holds the {manifest.kind} database and the keys, as of {manifest.made}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Also over a database that holds data: it is lost.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="MB",
    help="How large its database may be unpacked, where that is unusually large.",
)
@pass_console
def restore(console: Console, file: Path, force: bool, most: int | None) -> None:
    """Bring the database and the keys of a backup back.

    The server must be stopped. The database named by the settings has to be empty, unless
    --force is given.
    """
    restored = backups.restore(console.settings, file, force=force, most=most and most << 20)
    held = ", ".join(f"{count} {what}" for what, count in restored.counts.items())
    click.echo(f"Restored as of {restored.made}: {held}.")
    if restored.old_keys:
        click.echo(f"The key file that was here is {restored.old_keys} now.")
    click.echo(
        f"New boards are numbered from {restored.next_numbers['boards']} and new players from "
        f"{restored.next_numbers['players']}, so that no mail from after the backup fits them."
    )
    click.echo("Run pbm-admin verify before you start the server.")


@click.command()
@pass_console
def check(console: Console) -> None:
    """Look whether the server has what it needs.

    Says what to do where not. Ends with status 1 on a FAIL, not on a warn. It changes nothing.
    """
    print_findings(check_all(console.settings, system_clock))


def print_findings(findings: Iterable[Finding]) -> None:
    """Print what was found, a line each; end with status 1 where something is wrong."""
    failed = False
    for finding in findings:
        failed |= not finding.good
        word = ("warn" if finding.warning else "ok") if finding.good else "FAIL"
        click.echo(f"{word:4}  {finding.what}: {finding.text}")
    if failed:
        raise SystemExit(1)
