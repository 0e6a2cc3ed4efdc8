"""Claims: a game that gets nowhere is a draw once a player says so (rules, section 5)."""

from datetime import datetime
from typing import Literal

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events.board import DrawClaimed
from pbm.play.offers import draw_board
from pbm.play.replay import positions_since
from pbm.rules import abalone as rules
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player


def claim_draw(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """End a game as a draw where a player may claim one. Raises Refusal."""
    why = _reason_to_claim(work, board)
    if why is None:
        times, moves = rules.TIMES_REPEATED, rules.QUIET_MOVES
        raise Refusal("nothing-to-claim", number=board.id, times=times, moves=moves)
    claimed = DrawClaimed(board.id, player.handle, why)
    return [claimed, *draw_board(work, board, "claimed", now)]


def _reason_to_claim(work: UnitOfWork, board: Board) -> Literal["repeated", "quiet"] | None:
    """Why a draw may be claimed now.

    Only what came after somebody scored last can repeat itself, or be quiet.
    """
    since = max(0, board.ply - board.position.quiet)
    if rules.is_repeated(positions_since(work, board, since)):
        return "repeated"
    moves = work.boards.moves_by_seat(board.id, since=since)
    return "quiet" if rules.is_quiet(board.position, moves) else None
