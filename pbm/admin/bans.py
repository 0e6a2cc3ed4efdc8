"""The commands `pbm-admin ban`, `unban` and `bans`."""

import click

from pbm.admin.console import make_sure, pass_acting, pass_session, why_option, yes_option
from pbm.admin.listing import json_option, print_list
from pbm.service.operator.operator_session import OperatorSession

_SHOWN = 10  # handles


@click.command()
@click.argument("what")
@why_option
@yes_option
@pass_acting
def ban(session: OperatorSession, what: str, why: str, yes: bool) -> None:
    """Take no mail from a player, an address, a domain or a network.

    WHAT is bob, eve@example.net, @example.net (with what is below it), or 203.0.113.0/24. A banned
    player is suspended, too. For a domain or a network with players you are asked to confirm. It
    counts within ten seconds. Mail to postmaster is still taken.
    """
    from pbm.service.operator import bans as service

    hit = service.look(session, what)
    more = "" if len(hit.players) <= _SHOWN else f" and {len(hit.players) - _SHOWN} more"
    whom = f"{', '.join(hit.players[:_SHOWN]) or 'nobody'}{more}"
    told = f"{hit.what}: players: {whom}; mails in the last 31 days: {hit.mails}."
    click.echo(told)
    is_wide = hit.what.startswith("@") or "/" in hit.what
    if hit.players and is_wide:
        make_sure("They could not write, and their clocks go on. Ban it?", yes=yes)
    click.echo(f"{service.ban(session, what, why)} is banned.")


@click.command()
@click.argument("what")
@why_option
@pass_acting
def unban(session: OperatorSession, what: str, why: str) -> None:
    """Lift a ban; a player's suspension is lifted, too."""
    from pbm.service.operator import bans as service

    click.echo(f"{service.unban(session, what, why)} is not banned any more.")


@click.command()
@json_option
@pass_session
def bans(session: OperatorSession, as_json: bool) -> None:
    """List who is banned, the newest last."""
    with session.look() as work:
        rows = list(map(vars, work.bans.all()))
    print_list(rows, ("at", "who", "what", "why"), as_json=as_json, empty="Nobody is banned.")
