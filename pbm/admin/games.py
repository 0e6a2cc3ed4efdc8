"""`pbm-admin games`."""

import click

from pbm import rules
from pbm.admin.desk import Desk, why_option
from pbm.admin.journal import print_journal
from pbm.service.operator import boards as service

pass_desk = click.make_pass_decorator(Desk)


@click.group()
def games() -> None:
    """Look at boards and change them; every change is kept and told to the players."""


@games.command("list")
@click.option("--status", type=click.Choice(service.STATUSES), help="Only boards with this status.")
@pass_desk
def list_(desk: Desk, status: str | None) -> None:
    """List boards."""
    with desk.office() as office:
        for board in service.list_boards(office, status):
            mover = f"{board.to_move.handle} to move" if board.to_move else board.ended_by
            handles = ", ".join(seat.handle for seat in board.seats)
            click.echo(f"{board.id:6} {board.status:8} ply {board.ply:4} {handles} ({mover})")


@games.command()
@click.argument("number", type=int)
@pass_desk
def show(desk: Desk, number: int) -> None:
    """Show one board: position, moves, journal."""
    with desk.office() as office:
        file = service.show_board(office, number)
    board = file.board
    click.echo(f"{board.subject} ({board.layout}, rules {board.rules_version}, {board.status})")
    for seat in board.seats:
        click.echo(f"{rules.symbol(len(board.seats), seat.seat)} {seat.handle}")
    click.echo(rules.diagram(board.position))
    for ply in file.plies:
        click.echo(f"{ply.ply:4} {board.seats[ply.seat - 1].handle:16} {ply.text}")
    for item in file.departures:
        click.echo(f"{board.seats[item.seat - 1].handle} {item.how} after ply {item.after_ply}")
    click.echo(f"State: {board.state}")
    print_journal(file.changes)


@games.command()
@click.argument("number", type=int)
@why_option
@pass_desk
def undo(desk: Desk, number: int, why: str) -> None:
    """Take the last ply back."""
    with desk.office() as office:
        ply = service.undo(office, number, why)
    click.echo(f"Ply {ply.ply}, {ply.text}, is taken back.")


@games.command()
@click.argument("number", type=int)
@click.option("--winner", "winners", multiple=True, metavar="HANDLE", help="Who has won.")
@click.option("--draw", is_flag=True, help="Nobody has won.")
@why_option
@pass_desk
def end(desk: Desk, number: int, winners: tuple[str, ...], draw: bool, why: str) -> None:
    """End a board: with a winner, with a draw, or else without a result."""
    if winners and draw:
        raise click.UsageError("A draw has no winner.")
    result = winners if winners or draw else None
    with desk.office() as office:
        board = service.end(office, number, why, result)
    click.echo(f"Board {board.id} is {board.status}.")


@games.command()
@click.argument("number", type=int)
@why_option
@pass_desk
def reopen(desk: Desk, number: int, why: str) -> None:
    """Let a board go on that the operator has ended."""
    with desk.office() as office:
        click.echo(f"Board {service.reopen(office, number, why).id} goes on.")


@games.command()
@click.argument("number", type=int)
@click.argument("handle")
@click.argument("new_handle")
@why_option
@pass_desk
def replace(desk: Desk, number: int, handle: str, new_handle: str, why: str) -> None:
    """Hand a player's seat over to another player."""
    with desk.office() as office:
        board = service.replace(office, number, handle, new_handle, why)
    click.echo(f"{new_handle} plays for {handle} on board {board.id} now.")


@games.command()
@click.argument("number", type=int)
@click.argument("handle", required=False)
@pass_desk
def resend(desk: Desk, number: int, handle: str | None) -> None:
    """Mail a board again, to all of its players or to one."""
    with desk.office() as office:
        sent = service.resend(office, number, handle)
    click.echo(f"Board {number} is on its way to {', '.join(sent)}.")
