"""Games that are played on by mail, whoever's turn it is."""

import re
from collections.abc import Iterable
from random import Random

from pbm.play.actions import play_move
from pbm.rules import abalone as rules
from tests.conversations.greedy import greedy_move
from tests.table import Mail, Person, Table

MOST_PLIES = 600


def handle(person: Person) -> str:
    """The handle of somebody who joined under the name of their address."""
    return person.address.split("@")[0]


def mirrored(move: str) -> str:
    """The same move where left and right are exchanged."""

    def other(cell: re.Match[str]) -> str:
        row, column = "abcdefghi".index(cell[1]) - 4, int(cell[2]) - 5
        return f"{cell[1]}{row - column + 5}"

    return re.sub(r"([a-i])([1-9])", other, move)


def board_mail(person: Person, number: int) -> Mail:
    """Somebody's newest mail about a board."""
    return person.mail(f"Abalone Board {number}:")


def plays(table: Table, people: list[Person], number: int = 1, *, plies: int = 1) -> None:
    """Play some moves, each in answer to the mover's newest mail of that board."""

    def play() -> None:
        for _ in range(plies):
            move = table.board(number).position.legal_moves()[0]
            mover = _mover(table, people, number)
            mover.says(str(move), answering=board_mail(mover, number))

    named = " ".join(map(handle, people))
    table.opens(f"{named}: {plies} moves on board {number}", play)


def plays_silently(table: Table, number: int, moves: Iterable[str]) -> None:
    """Play moves without a mail, where there would be hundreds."""
    with table.database.transaction() as work:
        for move in moves:
            play_move(work, work.boards.get(number, lock=True), move, table.clock())


def plays_on(table: Table, number: int, plies: int) -> None:
    """Play some moves without a mail, of which none pushes anything off."""
    with table.database.transaction() as work:
        for _ in range(plies):
            board = work.boards.get(number, lock=True)
            moves = board.position.legal_moves()
            quiet = next(move for move in moves if _is_quiet(board.position, move))
            play_move(work, board, str(quiet), table.clock())


def _is_quiet(position: rules.AbalonePosition, move: rules.LineMove) -> bool:
    return position.play(move).position.quiet > 0


def plays_out(
    table: Table,
    people: list[Person],
    number: int,
    chance: Random,
    *,
    until: int = MOST_PLIES,
    minutes: float = 0,
) -> None:
    """Play a game to its end or a ply; everybody who is in it gets one mail of the board for each
    move, and of the end who has left it, too. With `minutes` between moves of many players others
    bring nobody too many mails at a time."""
    while table.board(number).ply < until:
        if not table.board(number).playing:
            return
        move = greedy_move(table.board(number).position, chance)
        mover = _mover(table, people, number)
        before = [len(_about(person, number)) for person in people]
        table.clock.passes(minutes=minutes)
        mover.says(str(move), answering=board_mail(mover, number))
        board = table.board(number)
        still_in = {board.handle_of(player_id) for player_id in board.still_in}
        told = [handle(person) in still_in or not board.playing for person in people]
        after = [count + hears for count, hears in zip(before, told, strict=True)]
        assert [len(_about(person, number)) for person in people] == after
    assert until < MOST_PLIES, f"board {number} is still being played"


def _about(person: Person, number: int) -> list[Mail]:
    return [mail for mail in person.mails if mail["X-PBM-Board"] == str(number)]


def _mover(table: Table, people: list[Person], number: int) -> Person:
    seat = table.board(number).to_move
    assert seat is not None
    return next(person for person in people if handle(person) == seat.handle)
