"""`pbm-admin send` and `read`: playing without a mail program."""

import click

from pbm.admin.console import Console, pass_console
from pbm.service.operator import correspondence


@click.command()
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

    It answers the newest mail to ADDRESS. With --new, or while nothing has been mailed to
    ADDRESS, it is a new mail instead, and TEXT its subject. Mails are found in PBM_MAILDIR,
    where they land while PBM_SMARTHOST is not set.
    """
    click.echo(correspondence.send(console.settings, sender, text, new=new, wait=wait))


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True)
@click.argument("address")
@pass_console
def read(console: Console, address: str, count: int) -> None:
    """Print the newest mails to ADDRESS, the newest last."""
    mails = correspondence.newest(console.settings, address, count)
    shown = (f"Subject: {subject}\n\n{text.rstrip()}\n" for subject, text in mails)
    click.echo(f"\n{'-' * 76}\n\n".join(shown), nl=False)
