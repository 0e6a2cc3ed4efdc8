"""Claims: a game without progress is a draw once a player claims it (rules, section 5)."""

from collections.abc import Sequence
from datetime import datetime

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events.board import DrawClaimed
from pbm.play.game_words import why
from pbm.play.offers import draw_board
from pbm.play.positions import positions_since
from pbm.rules.contract import ClaimError, Claims, TellsClaims, has
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Departure, Ply
from pbm.store.values.players import Player


def claim_draw(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """End a game as a draw if a player may claim one. Raises Refusal."""
    claimed = DrawClaimed(board.id, player.handle, _reason_to_claim(work, board))
    return [claimed, *draw_board(work, board, "claimed", now)]


def claimable(
    work: UnitOfWork, board: Board, plies: Sequence[Ply], departures: Sequence[Departure]
) -> str | None:
    """The game's reason why a draw may be claimed now, else None.

    `plies` are the latest ones. The cost does not grow with the length of the game. After plies of
    a version that did not count positions, a claim is offered later than it is allowed.
    """
    game = board.rules
    if not board.playing or not has(game, TellsClaims):
        return None

    def moves(latest: int) -> dict[int, int]:
        return work.plies.by_seat(board.id, since=board.ply - latest)

    is_new = not plies or any(item.after_ply == board.ply for item in departures)
    return game.claimable(board.position, 1 if is_new else plies[-1].times or 1, moves)


def _reason_to_claim(work: UnitOfWork, board: Board) -> str:
    """The game's reason for claiming a draw now. Raises Refusal."""
    game = board.rules
    if not has(game, Claims):
        raise Refusal("no-claims", number=board.id)
    since = max(0, board.ply - game.reversible(board.position))
    positions = positions_since(work, board, since)
    moves = work.plies.by_seat(board.id, since=since)
    try:
        return game.claim(positions, moves)
    except ClaimError as error:
        raise Refusal("nothing-to-claim", number=board.id, **why(board.rules, error)) from error
