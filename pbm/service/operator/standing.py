"""How a board stands, in some words."""

from pbm.rules.contract import RulesError
from pbm.store.values.boards import Board


def standing(board: Board) -> str:
    """Say whose turn it is, or how the board ended and who won."""
    if board.playing:
        try:
            told = f"{board.to_move.handle} to move" if board.to_move else "nobody to move"
        except RulesError:
            return "its position cannot be read"
        since = board.paused_since
        return f"{told}, paused since {since:%Y-%m-%d}" if since else told
    if board.winners is None:
        return f"closed, {board.ended_by}"
    handles = [board.seats[seat - 1].handle for seat in board.winners]
    won = f"{' and '.join(handles)} {'win' if len(handles) > 1 else 'wins'}"
    return f"{won if handles else 'a draw'} ({board.ended_by})"
