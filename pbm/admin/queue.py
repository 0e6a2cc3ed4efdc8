"""`pbm-admin queue`."""

import click

from pbm.admin.desk import Desk, pass_desk, why_option
from pbm.service.operator import queue as service


@click.group()
def queue() -> None:
    """Look after mails that wait.

    i12 is an incoming one, o12 one on its way out.
    """


@queue.command("list")
@pass_desk
def list_(desk: Desk) -> None:
    """List the mails that wait, are stuck or have failed."""
    with desk.office() as office:
        waiting = service.list_queue(office)
    if not waiting.mails:
        click.echo("The queue is empty.")
    for mail in waiting.mails:
        _print_line(mail)
    if waiting.more:
        click.echo(f"... and {waiting.more} more.")


@queue.command()
@click.argument("name", metavar="N")
@pass_desk
def show(desk: Desk, name: str) -> None:
    """Show mail N decoded.

    Passwords, reply tags and question tokens are masked.
    """
    with desk.office() as office:
        mail, text = service.show_mail(office, name)
    _print_line(mail)
    click.echo()
    click.echo(text.rstrip())


@queue.command()
@click.argument("name", metavar="N")
@pass_desk
def retry(desk: Desk, name: str) -> None:
    """Try mail N again.

    A stuck one after the mend, one on its way out at once.
    """
    with desk.office() as office:
        click.echo(f"Mail {service.retry(office, name)} will be tried again now.")


@queue.command()
@click.argument("name", metavar="N")
@why_option
@pass_desk
def drop(desk: Desk, name: str, why: str) -> None:
    """Give mail N up, and tell the player whose mail it is."""
    with desk.office() as office:
        click.echo(f"Mail {service.drop(office, name, why)} is dropped.")


def _print_line(mail: service.Waiting) -> None:
    tries = f", {mail.tries} {'try' if mail.tries == 1 else 'tries'}" if mail.tries else ""
    click.echo(f"{mail.name:>6}  {mail.status:6}  {mail.since:%Y-%m-%d %H:%M}  {mail.about}{tries}")
    if mail.trouble:
        click.echo(f"        {mail.trouble}")
