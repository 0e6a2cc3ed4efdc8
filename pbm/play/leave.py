"""A player leaves a game: resigns, is removed, leaves the server altogether."""

from datetime import datetime

from pbm.events import Event, PlayerLeft
from pbm.play.absence import is_spared
from pbm.play.boards import take_out
from pbm.play.ending import settle_end
from pbm.play.offers import after_leaving
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_EVERY = 1_000_000  # boards of one player; nobody has as many


def leave_board(
    work: UnitOfWork, board: Board, player: Player, how: str, now: datetime
) -> list[Event]:
    """Take a player out of a game, at all seats; what stands on the board stays.

    It settles what was asked for by, or only waited for, that player, and may end the game.
    """
    seats = [seat.seat for seat in board.seats_of(player.id)]
    spared = how == "forfeited" and is_spared(work, board, player.id, now)
    after = take_out(work, board, seats, how, now, spared=spared)
    return [
        PlayerLeft(board.id, player.handle, how),
        *after_leaving(work, after, now),
        *settle_end(work, board, after, now),
    ]


def boards_played(work: UnitOfWork, player: Player, *, lock: bool = True) -> list[Board]:
    """The boards that a player still plays on, the lowest number first.

    On those whose game is not installed nothing can be done.
    """
    found = work.boards.of_player(player.id, playing=True, most=_EVERY)[::-1]
    boards = [work.boards.get(board.id, lock=True) for board in found] if lock else found
    played = (board for board in boards if board.playing and board.is_installed)
    return [board for board in played if player.id in board.still_in]
