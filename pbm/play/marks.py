"""Marks of positions: short texts by which a position is found again, for claims."""

from hashlib import blake2b

from pbm.rules.contract import Game, Position, TellsClaims, has
from pbm.store.values.boards import Board
from pbm.store.values.plies import MARK


def mark(game: Game, position: Position) -> str | None:
    """The same for positions that a claim takes for the same; None in games that tell of none."""
    if not has(game, TellsClaims):
        return None
    return blake2b(game.sameness(position).encode(), digest_size=MARK // 2).hexdigest()


def counted_from(board: Board, position: Position, ply: int) -> dict[str, int]:
    """Among which plies, and from what number up, to count how often a position has stood.

    It has been reached by `ply` on a board. What stood there at the start is no ply.
    """
    game = board.rules
    if not has(game, TellsClaims):
        return {}
    since = ply - game.reversible(position)
    from_start = since <= 0 and game.sameness(position) == game.sameness(board.start)
    return {"since": since, "first": 2 if from_start else 1}
