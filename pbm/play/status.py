"""The status card: in a few lines what a player of a board may have lost sight of."""

from datetime import datetime
from typing import Any

from pbm.play.clocks.view import clock_for
from pbm.play.clocks.waits import terms_of
from pbm.play.ratings import ratings_now
from pbm.play.views import board_view
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player


def card_of(work: UnitOfWork, board: Board, now: datetime) -> dict[str, Any]:
    """Return what the card tells beyond a board's view."""
    return {"ratings": ratings_now(work, board, now), "each": terms_of(board).each}


def status_view(work: UnitOfWork, board: Board, player: Player, now: datetime) -> dict[str, Any]:
    return {
        **board_view(work, board, player_id=player.id, picture=player.settings.picture),
        "clock": clock_for(work, board, now, player),
        "card": card_of(work, board, now),
    }
