"""The commands of `pbm-admin games`; what changes boards is imported when it is called for."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial, update_wrapper
from typing import Any, TextIO

import click

from pbm.admin.console import pass_acting, pass_session, print_journal, why_option
from pbm.admin.listing import json_option, limit_option, print_json, print_list
from pbm.errors import OperatorError
from pbm.rules import registry
from pbm.rules.contract import Game, Option, Options, RulesError
from pbm.rules.record import forms_of, readings_of
from pbm.service.operator.operator_session import OperatorSession, find_board, find_player
from pbm.service.operator.standing import standing
from pbm.store.values.boards import Board, BoardStatus

_COLUMNS = ("board", "status", "ply", "set_up", "players", "standing")
NUMBER = click.IntRange(min=1, max=999_999_999)


class GameCommand(click.Command):
    """A command that also has options of each installed game.

    `of` is a function that returns the options of a game.
    """

    def __init__(self, *given: Any, of: Callable[[Game], Sequence[Option]], **named: Any) -> None:
        super().__init__(*given, **named)
        self._of = of

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_declared(self._of)]


def chosen(given: dict[str, Any]) -> Options:
    return {name: value for name, value in given.items() if value}


def _declared(of: Callable[[Game], Sequence[Option]]) -> Iterable[click.Option]:
    found = {option.name: option for game in registry.games().values() for option in of(game)}
    for option in found.values():
        told = f"As -{option.name} in a mail."
        if option.is_flag:
            yield click.Option([f"--{option.name}"], is_flag=True, help=told)
        else:
            known = partial(_known, option)
            yield click.Option([f"--{option.name}"], metavar="NAME", callback=known, help=told)


def _known(option: Option, _: click.Context, __: click.Parameter, given: str | None) -> str | None:
    return option.find(given) or given if given else None


_STATUSES = [status.value for status in BoardStatus if status != BoardStatus.FORGOTTEN]


@click.group()
def games() -> None:
    """Look at boards and change them.

    Every change is kept and told to the players.
    """


@games.command("list")
@click.option("--status", type=click.Choice(_STATUSES), help="Only boards with this status.")
@click.option("--player", metavar="HANDLE", help="Only boards of this player.")
@limit_option(100)
@json_option
@pass_session
def list_(
    session: OperatorSession, status: str | None, player: str | None, most: int, as_json: bool
) -> None:
    """List the newest boards: whose turn it is, or how the board ended."""
    with session.look() as work:
        whose = find_player(work, player).id if player else None
        only = BoardStatus(status) if status else None
        numbers = work.boards.numbers(status=only, player_id=whose, most=most)
        rows = list(map(_row, work.boards.get_many(numbers)))
    print_list(rows, _COLUMNS, as_json=as_json, most=most)


@games.command()
@click.argument("number", type=NUMBER, metavar="N")
@json_option
@pass_session
def show(session: OperatorSession, number: int, as_json: bool) -> None:
    """Show board N: players, position, moves, what was changed."""
    from pbm.play.views import seats_data

    with session.look() as work:
        board = find_board(work, number)
        plies, departures = work.plies.of(number), work.plies.departures(number)
        changes = work.changes.about(board_id=number)
    if as_json:
        moves = [vars(ply) | {"handle": board.seats[ply.seat - 1].handle} for ply in plies]
        more = {"state": board.state, "moves": moves, "left": departures, "journal": changes}
        print_json(_row(board) | more)
        return
    diagram, signs = "", [str(seat.seat) for seat in board.seats]
    with suppress(RulesError):
        diagram = "\n".join(board.position.diagram())
        signs = [told["symbol"] for told in seats_data(board, board.position)]
    click.echo(
        f"{board.subject} ({_set_up(board)} board, version {board.rules_version} of the rules)"
    )
    click.echo(f"{board.status}, {board.ply} plies: {standing(board)}")
    for sign, seat in zip(signs, board.seats, strict=True):
        click.echo(f"  {sign} {seat.handle}")
    if diagram:
        click.echo(f"\n{diagram}\n")
    for ply in plies:
        handle = board.seats[ply.seat - 1].handle
        click.echo(f"{ply.ply:>5}  {ply.played_at:%Y-%m-%d %H:%M}  {handle:16}  {ply.text}")
    for item in departures:
        click.echo(f"{board.seats[item.seat - 1].handle} {item.how} after ply {item.after_ply}")
    click.echo(f"State: {board.state}")
    print_journal(changes)


def _change(function: Callable[..., None]) -> click.Command:
    """Declare a command that changes board N, for a reason that the players read."""
    number = click.argument("number", type=NUMBER, metavar="N")
    return games.command()(number(why_option(pass_acting(function))))


@_change
def undo(session: OperatorSession, number: int, why: str) -> None:
    """Take the last ply of board N back.

    Resignations after that ply are undone, too. A game that had ended by that ply goes on.
    """
    from pbm.service.operator import boards as service

    ply = service.undo(session, number, why)
    click.echo(f"Ply {ply.ply}, {ply.text}, is taken back.")


@_change
@click.option(
    "--winner", "winners", multiple=True, metavar="HANDLE", help="Who wins; may be given twice."
)
@click.option("--draw", is_flag=True, help="Nobody wins.")
def end(
    session: OperatorSession, number: int, winners: tuple[str, ...], draw: bool, why: str
) -> None:
    """End board N, with a winner, as a draw, or without a result."""
    from pbm.service.operator import boards as service

    if winners and draw:
        raise click.UsageError("A draw has no winner: give --winner or --draw.")
    result = winners if winners or draw else None
    board = service.end(session, number, why, result)
    click.echo(f"Board {board.id} is {board.status}: {standing(board)}.")


@_change
def reopen(session: OperatorSession, number: int, why: str) -> None:
    """Reopen board N, ended by the operator, by agreement or by time."""
    from pbm.service.operator import boards as service

    click.echo(f"Board {service.reopen(session, number, why).id} goes on.")


def _change_each(function: Callable[..., str]) -> click.Command:
    """Declare a command that changes each of some boards, for a reason that the players read.

    The function changes one board and returns what to print. If that fails, the others are changed.
    """

    def change(session: OperatorSession, numbers: tuple[int, ...], **given: Any) -> None:
        wrong = []
        for number in dict.fromkeys(numbers):
            try:
                click.echo(function(session, number, **given))
            except OperatorError as error:
                wrong.append(str(error))
        if wrong:
            raise OperatorError("\n".join(wrong))

    numbers = click.argument("numbers", type=NUMBER, metavar="N...", nargs=-1, required=True)
    return games.command()(numbers(why_option(pass_acting(update_wrapper(change, function)))))


@_change_each
def pause(session: OperatorSession, number: int, why: str) -> str:
    """Stop the clocks of boards, for 90 days at most.

    Nobody is reminded, and nobody runs out of time. Moves can still be made.
    """
    from pbm.service.operator import boards as service

    return f"Board {service.pause(session, number, why).id} is paused."


@_change_each
def resume(session: OperatorSession, number: int, why: str) -> str:
    """Let the clocks of paused boards run again.

    The time of the pause does not count.
    """
    from pbm.service.operator import boards as service

    return f"The clocks of board {service.resume(session, number, why).id} run again."


@_change_each
@click.option("--days", type=click.IntRange(1, 365), metavar="DAYS", help="How much time.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day for the move, UTC.")
def extend(
    session: OperatorSession, number: int, days: int | None, until: datetime | None, why: str
) -> str:
    """Give the player to move on board N more time.

    If that player's time for all moves together is limited, it grows by as much.
    """
    from pbm.service.operator import boards as service

    if (days is None) == (until is None):
        raise click.UsageError("Say how much time: give --days or --until.")
    by = timedelta(days=days) if days else until.date() if until else None
    assert by is not None
    return f"{service.extend(session, number, why, by)} has more time on board {number}."


@_change
@click.argument("handle")
@click.argument("new_handle")
def replace(session: OperatorSession, number: int, handle: str, new_handle: str, why: str) -> None:
    """Hand HANDLE's seat on board N over to NEW_HANDLE."""
    from pbm.service.operator import boards as service

    board = service.replace(session, number, handle, new_handle, why)
    click.echo(f"{new_handle} plays for {handle} on board {board.id} now.")


@games.command()
@click.argument("number", type=NUMBER, metavar="N")
@click.argument("handle", required=False)
@click.option("--why", metavar="TEXT", help="A reason, if the players should read one.")
@pass_acting
def resend(session: OperatorSession, number: int, handle: str | None, why: str | None) -> None:
    """Mail board N once more, to HANDLE or to all its players."""
    from pbm.service.operator import boards as service

    sent = service.resend(session, number, handle, why)
    click.echo(f"Board {number} is on its way to {', '.join(sent)}.")


@games.command(cls=GameCommand, of=forms_of)
@click.argument("number", type=NUMBER, metavar="N")
@click.option("--form", metavar="NAME", help="The form, in one word.")
@pass_session
def export(session: OperatorSession, /, number: int, form: str | None, **given: bool) -> None:
    """Print board N as a record.

    That is text that other programs, or `games import`, can read.
    """
    from pbm.service.operator import boards as service

    forms = {form: True} if form else {}
    click.echo(service.export(session, number, {**chosen(given), **forms}), nl=False)


@games.command("import", cls=GameCommand, of=readings_of)
@click.argument("file", type=click.File("r", encoding="utf-8"))
@click.option("--for", "owner", metavar="HANDLE", help="Keep it as a record of this player's.")
@click.option(
    "--player", "players", multiple=True, metavar="HANDLE", help="Who plays on, in seat order."
)
@click.option("--game", "name", metavar="GAME", help="Which game it is, if not the usual one.")
@why_option
@pass_acting
def import_(
    session: OperatorSession,
    /,
    file: TextIO,
    owner: str | None,
    players: tuple[str, ...],
    name: str | None,
    why: str,
    **given: str | bool | None,
) -> None:
    """Bring in the game in FILE, or - for standard input.

    The game goes on with the players that --player names, or else the players whom the record
    names; with --for the game is kept as a record.
    """
    from pbm.service.operator import boards as service

    if owner and players:
        raise click.UsageError("A record has no players: give --for or --player.")
    try:
        text = file.read(service.MOST_BYTES + 1)
    except UnicodeDecodeError as error:
        raise OperatorError(f"{file.name} is no text in UTF-8.") from error
    game = service.game_of(name)
    record = service.parse(text, game, chosen(given))
    if owner:
        board = service.keep_for(session, game, record, owner, why)
        click.echo(f"Kept as board {board.id}, a record of {owner}'s.")
    else:
        board = service.take_over(session, game, record, players, why)
        click.echo(f"It goes on as board {board.id}: {_handles(board)}.")


def _row(board: Board) -> dict[str, Any]:
    return {
        "board": board.id,
        "game": board.game,
        "status": board.status,
        "ply": board.ply,
        "set_up": _set_up(board),
        "options": board.options,
        "players": [seat.handle for seat in board.seats],
        "standing": standing(board),
    }


def _set_up(board: Board) -> str:
    return " ".join(str(value) for value in board.options.values() if value is not True)


def _handles(board: Board) -> str:
    return ", ".join(seat.handle for seat in board.seats)
