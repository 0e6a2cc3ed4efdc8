"""`pbm-admin queue`."""

import click

from pbm.admin.desk import Desk, why_option
from pbm.service.operator import queue as service

pass_desk = click.make_pass_decorator(Desk)


@click.group()
def queue() -> None:
    """Look at mails that wait: incoming ones by number (12), outgoing ones with an o (o12)."""


@queue.command("list")
@pass_desk
def list_(desk: Desk) -> None:
    """List the mails that wait, are stuck or have failed."""
    with desk.office() as office:
        waiting = service.list_queue(office)
    if not waiting:
        click.echo("The queue is empty.")
    for mail in waiting:
        _print_line(mail)


@queue.command()
@click.argument("name")
@pass_desk
def show(desk: Desk, name: str) -> None:
    """Show one mail, with its secrets masked."""
    with desk.office() as office:
        mail, text = service.show_mail(office, name)
    _print_line(mail)
    click.echo()
    click.echo(text)


@queue.command()
@click.argument("name")
@pass_desk
def retry(desk: Desk, name: str) -> None:
    """Try a mail again, at once."""
    with desk.office() as office:
        click.echo(service.retry(office, name))


@queue.command()
@click.argument("name")
@why_option
@pass_desk
def drop(desk: Desk, name: str, why: str) -> None:
    """Give a mail up; the player whose mail it is will be told."""
    with desk.office() as office:
        click.echo(service.drop(office, name, why))


def _print_line(mail: service.Waiting) -> None:
    trouble = f" [{mail.trouble}]" if mail.trouble else ""
    tries = f", {mail.tries} tries" if mail.tries else ""
    click.echo(
        f"{mail.name:>6} {mail.status:6} {mail.since:%Y-%m-%d %H:%M}{tries} {mail.about}{trouble}"
    )
