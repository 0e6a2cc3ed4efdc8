"""The commands `pbm-admin hold` and `release`: the server stops to work, and goes on."""

import click

from pbm.admin.console import pass_acting, why_for_the_journal
from pbm.service.operator import holding
from pbm.service.operator.operator_session import OperatorSession

_MOST_NAMED = 100  # boards


@click.command()
@why_for_the_journal
@pass_acting
def hold(session: OperatorSession, why: str) -> None:
    """Hold the server: it accepts mail, and does nothing else.

    No mail is obeyed or sent, no robot moves, and no clock runs. What had begun ends within
    seconds: a turn, and mails that are on their way.
    """
    holding.hold(session, why)
    click.echo("The server is held: mail is accepted and waits, nothing else is done.")
    click.echo("To let it go on: pbm-admin release")


@click.command()
@click.option("--send-waiting", is_flag=True, help="After a restore, give up no mail that waits.")
@pass_acting
def release(session: OperatorSession, send_waiting: bool) -> None:
    """Let a held server go on, and give all clocks the time back.

    After a restore each player of a board in progress is mailed how their boards stand, and what
    to send again. Waiting mails that tell the same are given up, as they may have been sent.
    """
    found = holding.release(session, sends_waiting=send_waiting)
    click.echo(f"The server was {found.hold}.")
    if found.clocks_since:
        click.echo(f"All clocks get the time since {found.clocks_since:%Y-%m-%d %H:%M} UTC back.")
    if found.hold.made:
        _print_restored(found)
    click.echo("The server goes on within five seconds.")


def _print_restored(found: holding.Release) -> None:
    boards, more = found.boards, len(found.boards) - _MOST_NAMED
    named = ", ".join(map(str, boards[:_MOST_NAMED])) or "none"
    others = f" and {more} more, see: pbm-admin games list --status playing" if more > 0 else ""
    click.echo(
        f"Boards in progress that may have lost moves, {len(boards)}: {named}{others}\n"
        f"Players who are mailed how their boards stand, five a second: {found.readers}.\n"
        f"Waiting mails that tell the same and are given up: {found.given_up}.\n"
        f"Other waiting mails: {found.sent_again}. Those that went out after the backup come "
        "twice, with the same Message-ID."
    )
