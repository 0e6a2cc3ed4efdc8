"""The commands `pbm-admin send`, `read` and `broadcast`, for mails by hand."""

import click

from pbm.admin.console import Console, pass_acting, pass_console, why_for_the_journal
from pbm.service.operator import broadcasting, correspondence
from pbm.service.operator.operator_session import OperatorSession


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

    TEXT answers the newest mail to ADDRESS. With --new, or if there is no mail to ADDRESS yet, TEXT
    is the subject of a new mail instead. Mails to ADDRESS are looked for in PBM_MAILDIR, where they
    land while PBM_SMARTHOST is not set.
    """
    held = correspondence.why_held(console.settings)
    wait = 0 if held else wait
    click.echo(correspondence.send(console.settings, sender, text, new=new, wait=wait))
    if held:
        click.echo(f"The server is {held}. It answers once you run: pbm-admin release")


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True)
@click.argument("address")
@pass_console
def read(console: Console, address: str, count: int) -> None:
    """Print the newest mails to ADDRESS, the newest last."""
    mails = correspondence.newest(console.settings, address, count)
    shown = (f"Subject: {subject}\n\n{text.rstrip()}\n" for subject, text in mails)
    click.echo(f"\n{'-' * 76}\n\n".join(shown), nl=False)


@click.command()
@click.argument("text")
@why_for_the_journal
@pass_acting
def broadcast(session: OperatorSession, text: str, why: str) -> None:
    """Write TEXT to all players, sixty a minute.

    TEXT can be the name of a file that holds the words. Players who say "set broadcasts off"
    get none.
    """
    planned = broadcasting.broadcast(session, text, why)
    if session.is_dry:
        click.echo(f"{planned.mail}\n")
    click.echo(
        f"Players who get it: {planned.readers}. Minutes that this takes: {planned.minutes}."
    )
    for reason, count in sorted(planned.others.items()):
        click.echo(f"Those who {reason}: {count}.")
