"""The commands of `pbm-admin queue`, for mails that wait."""

from collections.abc import Callable, Sequence
from functools import update_wrapper

import click

from pbm.admin.console import pass_acting, pass_session, why_option
from pbm.admin.listing import json_option, limit_option, print_json, print_list
from pbm.service.operator import queue as service
from pbm.service.operator.operator_session import OperatorSession

_COLUMNS = ("name", "status", "since", "tries", "until", "about", "trouble")


@click.group()
def queue() -> None:
    """Look after mails that wait.

    i12 is an incoming mail, o12 a mail on its way out.
    """


_status = click.option(
    "--status", type=click.Choice(service.STATUSES), help="Only mails with this status."
)
_address = click.option(
    "--address", metavar="ADDRESS", help="Only from or to ADDRESS, or @DOMAIN: all of a domain."
)


@queue.command("list")
@_status
@_address
@limit_option(service.MOST_LISTED)
@json_option
@pass_session
def list_(
    session: OperatorSession, status: str | None, address: str | None, most: int, as_json: bool
) -> None:
    """List the mails that wait, are stuck or have failed."""
    mails, more = service.list_queue(session, most=most, status=status, whose=address)
    empty = "The queue is empty." if not (status or address) else "There is no such mail."
    print_list(list(map(vars, mails)), _COLUMNS, as_json=as_json, empty=empty)
    if more and not as_json:
        click.echo(f"... and {more} more.")


@queue.command()
@click.argument("name", metavar="N")
@json_option
@pass_session
def show(session: OperatorSession, name: str, as_json: bool) -> None:
    """Show mail N decoded.

    Passwords, reply tags and question tokens are masked.
    """
    mail, text = service.show_mail(session, name)
    if as_json:
        print_json(vars(mail) | {"text": text})
        return
    print_list([vars(mail)], _COLUMNS, as_json=False)
    click.echo(f"\n{text.rstrip()}")


_names = click.argument("names", metavar="[N]...", nargs=-1)
_all = click.option("--all", "all_", is_flag=True, help="All that are stuck or have failed.")


def _change(function: Callable[..., None]) -> Callable[..., None]:
    """Declare a command on mails that are named, or all that are meant."""

    def change(
        session: OperatorSession,
        names: tuple[str, ...],
        all_: bool,
        status: str | None,
        address: str | None,
        **given: str,
    ) -> None:
        if bool(names) == all_ or ((address or status) and not all_):
            told = "Give the numbers of mails, or --all, perhaps with --address or --status."
            raise click.UsageError(told)
        found = service.in_trouble(session, address, status) if all_ else names
        if not found:
            click.echo("There is no such mail." if status else "No mail is stuck or has failed.")
        function(session, found, **given)

    for option in (_names, _all, _status, _address):
        function = option(function)
    return pass_acting(update_wrapper(change, function))


@queue.command()
@_change
def retry(session: OperatorSession, names: Sequence[str]) -> None:
    """Try mails again, by their numbers or --all.

    Retry a stuck mail after its trouble is mended. For an outgoing mail, all mails that must go
    out before it are tried again too.
    """
    for retried, *ahead in service.retry_all(session, names):
        order = "mails to one reader about one board go out in their order"
        after = f", after {', '.join(ahead)}: {order}" if ahead else ""
        click.echo(f"Mail {retried} will be tried again now{after}.")


@queue.command()
@_change
@why_option
def drop(session: OperatorSession, names: Sequence[str], why: str) -> None:
    """Give mails up, by their numbers or --all, and tell their players."""
    for dropped in service.drop_all(session, names, why):
        click.echo(f"Mail {dropped} is dropped.")
