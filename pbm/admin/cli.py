"""`pbm-admin`, the operator's command line tool; `pbm/service/operator` does the work."""

from contextlib import closing
from pathlib import Path

import click

from pbm.admin.console import (
    Console,
    Sentences,
    cell,
    login_name,
    make_sure,
    pass_console,
    pass_session,
    print_journal,
    why_for_the_journal,
    yes_option,
)
from pbm.admin.games import games
from pbm.admin.players import players
from pbm.admin.queue import queue
from pbm.admin.state import check, print_results, status
from pbm.admin.trace import trace
from pbm.app.cli import version_option
from pbm.app.opening import owner_only
from pbm.clock import system_clock
from pbm.service.operator import backup as backups
from pbm.service.operator import broadcasting, correspondence
from pbm.service.operator import keys as keyring
from pbm.service.operator.checks import database_state
from pbm.service.operator.copies import bring_up_to_date, refuse_old_processes
from pbm.service.operator.doctor import ARRIVAL_SECONDS, examine_front
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.trial import try_backup
from pbm.service.operator.verify import verify as verify_boards
from pbm.service.trouble.masking import printable
from pbm.store.db import Database
from pbm.store.migrate import newest_version


@click.group(cls=Sentences)
@version_option("pbm-admin")
@click.option("--who", default=login_name, metavar="NAME", help="Whose hand it is in the journal.")
@click.pass_context
def main(context: click.Context, who: str) -> None:
    """Look after a pbm server, while it runs.

    Run it in the server's folder and with its settings: PBM_... variables, else ./pbm.toml.
    """
    context.with_resource(owner_only())
    context.obj = Console(who)


_how_many = click.option("-n", "most", type=click.IntRange(min=1), default=20, show_default=True)


@main.command()
@_how_many
@pass_session
def journal(session: OperatorSession, most: int) -> None:
    """Print the newest changes by operators, the newest last."""
    with session.look() as work:
        changes = work.changes.newest(most)
    print_journal(changes, of_all=True)
    if not changes:
        click.echo("The journal is empty: nothing was changed here yet.")


@main.command()
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


@main.command()
@click.argument("numbers", type=click.IntRange(min=1), nargs=-1, metavar="[N]...")
@pass_session
def verify(session: OperatorSession, numbers: tuple[int, ...]) -> None:
    """Replay games and compare with what is stored.

    All games, or the games with the given numbers. Ends with status 1 if any game differs.
    """
    boards = wrong = 0
    for verdict in verify_boards(session, numbers):
        boards += 1
        wrong += bool(verdict.problems)
        for problem in verdict.problems:
            click.echo(f"board {verdict.number}: {problem}")
    click.echo(f"{boards} {'board' if boards == 1 else 'boards'} replayed, {wrong} wrong.")
    if wrong:
        raise SystemExit(1)


@main.command()
@pass_console
def migrate(console: Console) -> None:
    """Bring the tables to the version that this program needs."""
    with closing(Database(console.settings.database_url)) as database:
        refuse_old_processes(database, system_clock)
        before, copy = bring_up_to_date(database)
    after = newest_version()
    if before == after:
        click.echo(f"Nothing to do: the tables have version {after}.")
    else:
        click.echo(f"The tables had version {before or 'none'} and have version {after} now.")
    if copy:
        click.echo(f"{copy} is the database as it was. Remove it when all is well.")


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--verify", "tries", is_flag=True, help="Restore it on trial, and replay boards.")
@pass_console
def backup(console: Console, file: Path, tries: bool) -> None:
    """Copy database and keys into FILE; the server may run.

    Whoever has FILE can read all mail addresses and write as any player: keep it safe. With
    --verify, FILE is restored into a scratch database, where the boards of the last day and some
    others are replayed.
    """
    manifest = backups.backup(console.settings, file)
    click.echo(f"{file} holds the {manifest.kind} database and the keys, as of {manifest.made}.")
    if tries:
        click.echo(f"It was {try_backup(console.settings, file, file.parent)}.")


@main.command()
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
    """Restore the database and the keys from a backup.

    The server must be stopped. The database named by the settings must be empty, unless --force
    is given.
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


def _host_port(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise click.BadParameter("it is not host:port, such as mx.example.org:25.")
    return host.strip("[]"), int(port)


@main.command()
@click.option(
    "--front",
    required=True,
    metavar="HOST:PORT",
    callback=_host_port,
    help="Where your mail server takes mail from the world.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=ARRIVAL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long the probe may be on its way.",
)
@pass_console
def doctor(console: Console, front: tuple[str, int], wait: float) -> None:
    """Test whether your server's Authentication-Results can be trusted.

    Sends a mail with forged Authentication-Results through your mail server to the running pbm.
    The forged results must not arrive. The results of the server PBM_AUTHSERV_ID count only if
    this test is passed. Ends with status 1 on a FAIL; no result of that server counts then.
    """
    with console.session() as session:
        print_results(examine_front(console.settings, session, *front, wait))


@main.command()
@click.option("--as", "sender", required=True, metavar="ADDRESS", help="Whose mail it is.")
@click.option("--new", is_flag=True, help="Write a new mail, with TEXT as its subject.")
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=correspondence.ANSWER_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for something to arrive at ADDRESS.",
)
@click.argument("text")
@pass_console
def send(console: Console, sender: str, new: bool, wait: float, text: str) -> None:
    """Mail TEXT to the server as a player would.

    TEXT answers the newest mail to ADDRESS. With --new, or if there is no mail to ADDRESS yet, TEXT
    is the subject of a new mail instead. Mails to ADDRESS are looked for in PBM_MAILDIR, where they
    land while PBM_SMARTHOST is not set.
    """
    click.echo(correspondence.send(console.settings, sender, text, new=new, wait=wait))


@main.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True)
@click.argument("address")
@pass_console
def read(console: Console, address: str, count: int) -> None:
    """Print the newest mails to ADDRESS, the newest last."""
    mails = correspondence.newest(console.settings, address, count)
    shown = (f"Subject: {subject}\n\n{text.rstrip()}\n" for subject, text in mails)
    click.echo(f"\n{'-' * 76}\n\n".join(shown), nl=False)


@main.command()
@click.argument("text")
@click.option("--dry-run", is_flag=True, help="Say who would get it, show the mail, send nothing.")
@why_for_the_journal
@pass_session
def broadcast(session: OperatorSession, text: str, dry_run: bool, why: str) -> None:
    """Write TEXT to all players, sixty a minute.

    TEXT can be the name of a file that holds the words. Players who say "set broadcasts off"
    get none.
    """
    planned = broadcasting.broadcast(session, text, why, only_plan=dry_run)
    if dry_run:
        click.echo(f"{planned.mail}\n")
    will = "Players who would get it" if dry_run else "Players who get it"
    click.echo(f"{will}: {planned.readers}. Minutes that this takes: {planned.minutes}.")
    for reason, count in sorted(planned.others.items()):
        click.echo(f"Those who {reason}: {count}.")


@main.group()
def keys() -> None:
    """Look after the keys that sign all reply addresses.

    A running server uses the changed keys by itself.
    """


@keys.command("list")
@pass_console
def list_(console: Console) -> None:
    """List the keys by their ids, never the keys themselves."""
    first, *others = keyring.list_keys(console.settings)
    click.echo(f"{cell(first, 4)}  signs new mails, and answers to those are good")
    for key_id in others:
        click.echo(
            f"{cell(key_id, 4)}  signs nothing any more, but answers to older mails are good"
        )


@keys.command()
@pass_console
def rotate(console: Console) -> None:
    """Add a key that signs from now on; the older ones still verify."""
    with console.session() as session:
        key_id = keyring.rotate_keys(console.settings, session)
    click.echo(f"Key {key_id} signs from now on. Mails sent before can still be answered.")


@keys.command()
@click.argument("key_id", metavar="ID")
@why_for_the_journal
@yes_option
@pass_console
def drop(console: Console, key_id: str, why: str, yes: bool) -> None:
    """Invalidate every reply address that key ID has signed.

    You are asked to confirm.
    """
    question = f"Drop key {key_id} for good? No mail that it has signed can then be answered."
    make_sure(question, yes=yes)
    with console.session() as session:
        keyring.drop_old_key(console.settings, session, key_id, why)
    click.echo(f"Key {key_id} is dropped. Mails that it has signed cannot be answered any more.")


@keys.command()
@why_for_the_journal
@yes_option
@pass_console
def forget(console: Console, why: str, yes: bool) -> None:
    """Give up keys that are lost.

    This cannot be undone: replies to mails signed with those keys are never accepted again. If no
    key is left, the server makes a new key when it starts. You are asked to confirm.
    """
    question = "Forget the keys that are not here? No mail signed with them can then be answered."
    make_sure(question, yes=yes)
    database_state(console.settings)
    lost = keyring.forget_keys(console.settings, system_clock, console.who, why)
    which = f" ({', '.join(lost)})" if lost else ""
    click.echo(f"Keys that are not here are forgotten{which}. Start the server again.")


for command in (check, status, players, games, queue, trace):
    main.add_command(command)
