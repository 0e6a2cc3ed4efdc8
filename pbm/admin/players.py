"""`pbm-admin players`."""

import click

from pbm.admin.columns import cell
from pbm.admin.console import Console, make_sure, pass_console, why_option, yes_option
from pbm.admin.journal import print_journal
from pbm.service.operator import players as service
from pbm.store.values.players import Player


@click.group()
def players() -> None:
    """Look at players and change them.

    Every change is kept and told to them.
    """


@players.command("list")
@pass_console
def list_(console: Console) -> None:
    """List all players."""
    with console.office() as office:
        for player in service.list_players(office):
            who = f"{cell(player.handle, 16)}  {cell(player.status, 9)}"
            click.echo(f"{who}  {', '.join(player.addresses)}{_comes_back(player)}")


@players.command()
@click.argument("handle")
@pass_console
def show(console: Console, handle: str) -> None:
    """Show one player: addresses, boards, journal."""
    with console.office() as office:
        file = service.show_player(office, handle)
    player = file.player
    click.echo(f"{player.handle}, {player.status}, since {player.joined_at:%Y-%m-%d}")
    click.echo(f"addresses: {', '.join(player.addresses) or 'none'}{_comes_back(player)}")
    if player.bounces and player.bounced_at and not player.unreachable_since:
        click.echo(f"mail came back for now, last on {player.bounced_at:%Y-%m-%d}")
    for board in file.playing:
        turn = "to move" if board.id in file.to_move else "waits"
        click.echo(f"board {board.id}: {turn}, ply {board.ply}")
    for board in file.over:
        click.echo(f"board {board.id}: {board.status} ({board.ended_by})")
    print_journal(file.changes)


@players.command("set-address")
@click.argument("handle")
@click.argument("address")
@why_option
@pass_console
def set_address(console: Console, handle: str, address: str, why: str) -> None:
    """Give a player another address.

    All earlier reply addresses end.
    """
    with console.office() as office:
        player = service.set_address(office, handle, address, why)
    click.echo(f"{player.handle} gets mail at {player.address} now.")


@players.command()
@click.argument("handle")
@why_option
@pass_console
def suspend(console: Console, handle: str, why: str) -> None:
    """Let nothing that a player sends be done, until it is lifted."""
    with console.office() as office:
        click.echo(f"{service.suspend(office, handle, why).handle} is suspended.")


@players.command()
@click.argument("handle")
@why_option
@pass_console
def unsuspend(console: Console, handle: str, why: str) -> None:
    """Lift a suspension."""
    with console.office() as office:
        click.echo(f"{service.unsuspend(office, handle, why).handle} is active again.")


@players.command()
@click.argument("handle")
@why_option
@pass_console
def reachable(console: Console, handle: str, why: str) -> None:
    """Send mail to a player again at once, although it came back."""
    with console.office() as office:
        player = service.reachable(office, handle, why)
    click.echo(f"{player.handle} gets mail at {player.address} again.")


@players.command()
@click.argument("handle")
@why_option
@yes_option
@pass_console
def remove(console: Console, handle: str, why: str, yes: bool) -> None:
    """Take a player out of all boards and forget the addresses.

    It is asked about first.
    """
    with console.office() as office:
        playing = service.show_player(office, handle).playing
        boards = ", ".join(str(board.id) for board in playing) or "none"
        make_sure(f"Remove {handle} for good? Boards given up: {boards}.", yes=yes)
        click.echo(f"{service.remove(office, handle, why).handle} is removed.")


def _comes_back(player: Player) -> str:
    since = player.unreachable_since
    return f" (mail comes back since {since:%Y-%m-%d})" if since else ""
