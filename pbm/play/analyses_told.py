"""An analysis as its readers are told of it, and as it stands in a record."""

from typing import Any

from pbm.store.values.boards import Board
from pbm.store.values.thoughts import KeptAnalysis


def analysis_told(board: Board, kept: KeptAnalysis, player_id: int) -> dict[str, Any]:
    """What the section `analysis` says to a player."""
    own = [] if board.from_record else board.seats_of(player_id)
    return {
        "title": f"analysis of board {board.id}",
        "number": board.id,
        "game": board.game,
        "players": [{"handle": seat.handle} for seat in board.seats],
        "you": [{"seat": seat.seat} for seat in own],
        "plies": board.ply,
        **kept.found,
    }


def better_lines(kept: KeptAnalysis) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """The better moves by ply, as a record has them."""
    told = [*kept.found["mistakes"], kept.found["last"]]
    return tuple((item["ply"], tuple(item["line"])) for item in told if item and item["line"])
