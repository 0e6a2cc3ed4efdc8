"""A player leaves a board before the first move, without a trace."""

from datetime import datetime

from pbm.events import Event
from pbm.events.board import BoardDeclined, BoardStarted, FirstMoveMissed
from pbm.play.boards import close_board, setup_of, start_board
from pbm.play.ending import settle_end
from pbm.rules.sides import teams
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player


def decline_board(
    work: UnitOfWork,
    board: Board,
    player: Player,
    now: datetime,
    told_as: type[BoardDeclined | FirstMoveMissed] = BoardDeclined,
) -> list[Event]:
    """Close a board that a player won't play; those still in start a new one, if they can.

    `told_as` is the fact that they read: the player said so, or made no first move in time.
    """
    closed = close_board(work, board, "declined", now)
    successor = _successor(work, board, player, now)
    events: list[Event] = [
        told_as(board.id, player.handle, successor.id if successor else None),
        *settle_end(work, board, closed, now, begins_anew=successor is not None),
    ]
    if successor:
        events.append(BoardStarted(successor.id, player.handle))
    return events


def _successor(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Board | None:
    """The board on which the others begin anew.

    They cannot where the board is not for so few, where it was a game in teams, or where only
    robots are left. In a match that goes on they don't: it is the match that ends, with what was
    reached in it.
    """
    others = [work.players.get(player_id) for player_id in board.still_in if player_id != player.id]
    setup = setup_of(board)
    if board.round and board.round.number > 1:
        return None
    is_alone = all(other.robot for other in others)
    if is_alone or teams(board.start) or not setup.is_for(len(others)):
        return None
    return start_board(work, setup, others, now)
