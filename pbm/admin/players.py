"""The commands of `pbm-admin players`; what changes players is imported when it is called for."""

from collections.abc import Callable
from typing import Any

import click

from pbm.admin.console import (
    make_sure,
    pass_acting,
    pass_session,
    print_journal,
    why_option,
    yes_option,
)
from pbm.admin.listing import json_option, limit_option, print_json, print_list
from pbm.service.operator.operator_session import OperatorSession, find_player
from pbm.store.values.players import Player

_EVERY = 1_000_000  # boards of one player; nobody has as many
_MOST_OVER = 20


@click.group()
def players() -> None:
    """Look at players and change them.

    Every change is kept and told to them.
    """


@players.command("list")
@click.option("--search", default="", metavar="TEXT", help="Only with this in handle or address.")
@limit_option(1000)
@json_option
@pass_session
def list_(session: OperatorSession, search: str, most: int, as_json: bool) -> None:
    """List players, the newest last."""
    with session.look() as work:
        rows = list(map(_row, work.players.newest(most, search)))
    print_list(rows, ("handle", "status", "mail"), as_json=as_json, most=most)


@players.command()
@click.argument("handle")
@json_option
@pass_session
def show(session: OperatorSession, handle: str, as_json: bool) -> None:
    """Show one player: addresses, boards, journal."""
    with session.look() as work:
        player = find_player(work, handle)
        playing = work.boards.of_player(player.id, playing=True, most=_EVERY)
        over = work.boards.of_player(player.id, playing=False, most=_MOST_OVER)
        to_move, changes = work.boards.to_move(player.id), work.changes.about(player_id=player.id)
    if as_json:
        on = [{"board": it.id, "ply": it.ply, "to_move": it.id in to_move} for it in playing]
        ended = [{"board": it.id, "status": it.status, "ended_by": it.ended_by} for it in over]
        print_json(_row(player) | {"playing": on, "over": ended, "journal": changes})
        return
    click.echo(f"{player.handle}, {player.status}, since {player.joined_at:%Y-%m-%d}")
    click.echo(f"addresses: {_mail_of(player) or 'none'}{_comes_back(player)}")
    if player.bounces and player.bounced_at and not player.unreachable_since:
        click.echo(f"mail came back for now, last on {player.bounced_at:%Y-%m-%d}")
    for board in playing:
        turn = "to move" if board.id in to_move else "waits"
        click.echo(f"board {board.id}: {turn}, ply {board.ply}")
    for board in over:
        click.echo(f"board {board.id}: {board.status} ({board.ended_by})")
    print_journal(changes)


def _change(function: Callable[..., None]) -> click.Command:
    """Declare a command that changes the player HANDLE, for a reason that the player reads."""
    return players.command()(click.argument("handle")(why_option(pass_acting(function))))


@_change
@click.argument("address")
def set_address(session: OperatorSession, handle: str, address: str, why: str) -> None:
    """Give a player another address.

    All earlier reply addresses become invalid.
    """
    from pbm.service.operator import players as service

    player = service.set_address(session, handle, address, why)
    click.echo(f"{player.handle} gets mail at {player.address} now.")


@_change
def suspend(session: OperatorSession, handle: str, why: str) -> None:
    """Ignore a player's mails until the suspension is lifted."""
    from pbm.service.operator import players as service

    click.echo(f"{service.suspend(session, handle, why).handle} is suspended.")


@_change
def unsuspend(session: OperatorSession, handle: str, why: str) -> None:
    """Lift a suspension."""
    from pbm.service.operator import players as service

    click.echo(f"{service.unsuspend(session, handle, why).handle} is active again.")


@_change
def reachable(session: OperatorSession, handle: str, why: str) -> None:
    """Send mail again to a player whose mail came back."""
    from pbm.service.operator import players as service

    player = service.reachable(session, handle, why)
    click.echo(f"{player.handle} gets mail at {player.address} again.")


@_change
@yes_option
def remove(session: OperatorSession, handle: str, why: str, yes: bool) -> None:
    """Remove a player from all boards and delete their addresses.

    You are asked to confirm.
    """
    from pbm.service.operator import players as service

    with session.look() as work:
        player_id = find_player(work, handle).id
        playing = work.boards.of_player(player_id, playing=True, most=_EVERY)
    boards = ", ".join(str(board.id) for board in playing) or "none"
    make_sure(f"Remove {handle} for good? Boards given up: {boards}.", yes=yes)
    click.echo(f"{service.remove(session, handle, why).handle} is removed.")


@players.command()
@click.argument("handle", metavar="FROM")
@click.argument("new_handle", metavar="INTO")
@why_option
@yes_option
@pass_acting
def merge(session: OperatorSession, handle: str, new_handle: str, why: str, yes: bool) -> None:
    """Merge FROM into INTO: two accounts of one person.

    INTO gets the addresses of FROM, the seats on boards in progress, and blocks, notes and watches.
    Games that are over and ratings stay FROM's, and so does the handle. Pending challenges, plans,
    settings, vacations and the password of FROM end. You are asked to confirm.
    """
    from pbm.service.operator import merging

    plan = merging.look(session, handle, new_handle)
    boards = ", ".join(str(board.id) for board in plan.boards) or "none"
    given = f"{plan.old.handle}'s addresses: {_mail_of(plan.old) or 'none'}; boards: {boards}"
    make_sure(f"Give to {plan.new.handle}, for good: {given}?", yes=yes)
    merging.merge(session, handle, new_handle, why)
    click.echo(f"{plan.new.handle} has {given}.")


def _row(player: Player) -> dict[str, Any]:
    names = ("handle", "status", "addresses", "robot", "joined_at", "unreachable_since")
    told = {"mail": f"{_mail_of(player)}{_comes_back(player)}"}
    return {name: getattr(player, name) for name in names} | told


def _mail_of(player: Player) -> str:
    return "none, a robot" if player.robot else ", ".join(player.addresses)


def _comes_back(player: Player) -> str:
    since = player.unreachable_since
    return f" (mail comes back since {since:%Y-%m-%d})" if since else ""
