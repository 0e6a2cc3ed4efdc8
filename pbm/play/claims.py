"""Claims: a game that gets nowhere is a draw once a player says so (rules, section 5)."""

from datetime import datetime

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events.board import DrawClaimed
from pbm.play.game_words import why
from pbm.play.offers import draw_board
from pbm.play.replay import positions_since
from pbm.rules.contract import ClaimError, Claims
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player


def claim_draw(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """End a game as a draw where a player may claim one. Raises Refusal."""
    claimed = DrawClaimed(board.id, player.handle, _reason_to_claim(work, board))
    return [claimed, *draw_board(work, board, "claimed", now)]


def _reason_to_claim(work: UnitOfWork, board: Board) -> str:
    """By what a draw may be claimed now, as the game puts it. Raises Refusal."""
    game = board.rules
    if not isinstance(game, Claims):
        raise Refusal("no-claims", number=board.id)
    since = max(0, board.ply - game.reversible(board.position))
    positions = positions_since(work, board, since)
    moves = work.boards.moves_by_seat(board.id, since=since)
    try:
        return game.claim(positions, moves)
    except ClaimError as error:
        raise Refusal("nothing-to-claim", number=board.id, **why(game, error)) from error
