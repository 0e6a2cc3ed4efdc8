"""What can be done to a board, by a player's command or by the operator."""

from collections.abc import Sequence
from datetime import datetime

from pbm import rules
from pbm.commands.subjects import board_subject
from pbm.errors import Refusal
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player


def start_board(work: UnitOfWork, layout: str, seated: Sequence[Player], now: datetime) -> Board:
    """Put a new board on the server, seats in the order given."""
    position = rules.start(layout, len(seated))
    subject = board_subject([player.handle for player in seated])
    return work.boards.add(layout, position, [player.id for player in seated], subject, now)


def check_move(board: Board, text: str) -> rules.Move:
    """Read a move for the seat whose turn it is. Raises Refusal."""
    try:
        return rules.parse_move(text, board.position)
    except rules.RulesError as error:
        raise Refusal("illegal-move", text=str(error), number=board.id) from error


def play_move(work: UnitOfWork, board: Board, text: str, now: datetime) -> Board:
    """Play a move for the seat whose turn it is. Raises Refusal."""
    played = rules.play(board.position, check_move(board, text))
    return work.boards.add_ply(board, played, now)


def leave_board(
    work: UnitOfWork, board: Board, seats: Sequence[int], how: str, now: datetime
) -> Board:
    """Take seats out of the game; what stands on the board stays."""
    for seat in seats:
        if board.playing and seat not in board.position.out:
            board = work.boards.add_departure(board, seat, how, now)
    return board


def decline_board(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Board | None:
    """Close a board that a player won't play; those still in start a new one, if two."""
    work.boards.close(board, "closed", "declined", now)
    staying = [
        seat.player_id
        for seat in board.seats
        if seat.player_id != player.id and seat.seat not in board.position.out
    ]
    others = [work.players.get(player_id) for player_id in staying]
    if len(others) < min(rules.BOARDS[board.layout]):
        return None
    return start_board(work, board.layout, others, now)
