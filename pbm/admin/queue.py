"""The commands of `pbm-admin queue`, for mails that wait."""

from collections.abc import Sequence

import click

from pbm.admin.console import cell, pass_acting, pass_session, why_option
from pbm.service.operator import queue as service
from pbm.service.operator.operator_session import OperatorSession


@click.group()
def queue() -> None:
    """Look after mails that wait.

    i12 is an incoming mail, o12 a mail on its way out.
    """


@queue.command("list")
@pass_session
def list_(session: OperatorSession) -> None:
    """List the mails that wait, are stuck or have failed."""
    mails, more = service.list_queue(session)
    if not mails:
        click.echo("The queue is empty.")
    for mail in mails:
        _print_line(mail)
    if more:
        click.echo(f"... and {more} more.")


@queue.command()
@click.argument("name", metavar="N")
@pass_session
def show(session: OperatorSession, name: str) -> None:
    """Show mail N decoded.

    Passwords, reply tags and question tokens are masked.
    """
    mail, text = service.show_mail(session, name)
    _print_line(mail)
    click.echo()
    click.echo(text.rstrip())


_names = click.argument("names", metavar="[N]...", nargs=-1)
_all = click.option("--all", "all_", is_flag=True, help="All that are stuck or have failed.")
_address = click.option("--address", metavar="ADDRESS", help="With --all: from or to ADDRESS only.")


@queue.command()
@_names
@_all
@_address
@pass_acting
def retry(
    session: OperatorSession, names: tuple[str, ...], all_: bool, address: str | None
) -> None:
    """Try mails again, by their numbers or --all.

    Retry a stuck mail after its trouble is mended. For an outgoing mail, all mails that must go
    out before it are tried again too.
    """
    for name in _meant(session, names, all_, address):
        retried, *ahead = service.retry(session, name)
        order = "mails to one reader about one board go out in their order"
        after = f", after {', '.join(ahead)}: {order}" if ahead else ""
        click.echo(f"Mail {retried} will be tried again now{after}.")


@queue.command()
@_names
@_all
@_address
@why_option
@pass_acting
def drop(
    session: OperatorSession, names: tuple[str, ...], all_: bool, address: str | None, why: str
) -> None:
    """Give mails up, by their numbers or --all, and tell their players."""
    for name in _meant(session, names, all_, address):
        click.echo(f"Mail {service.drop(session, name, why)} is dropped.")


def _meant(
    session: OperatorSession, names: tuple[str, ...], all_: bool, address: str | None
) -> Sequence[str]:
    if bool(names) == all_ or (address and not all_):
        raise click.UsageError("Give the numbers of mails, or --all, perhaps with --address.")
    found = service.in_trouble(session, address) if all_ else names
    if not found:
        click.echo("No mail is stuck or has failed.")
    return found


def _print_line(mail: service.MailInQueue) -> None:
    tries = f", {mail.tries} {'try' if mail.tries == 1 else 'tries'}" if mail.tries else ""
    until = f", waits until {mail.until:%Y-%m-%d %H:%M}" if mail.until else ""
    since = f"{mail.since:%Y-%m-%d %H:%M}"
    click.echo(f"{mail.name:>7}  {cell(mail.status, 6)}  {since}  {mail.about}{tries}{until}")
    if mail.trouble:
        click.echo(f"         {mail.trouble}")
