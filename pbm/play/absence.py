"""Absences: of all boards that run out in one absence, one costs rating (rules, section 6).

An absence begins with a reminder, and ends with the player's next mail, whatever it says.
"""

from datetime import datetime, timedelta

from pbm.play.ratings import got_somewhere
from pbm.play.results import scores_of
from pbm.rules.sides import partners
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

SPARED_EVERY = timedelta(days=180)


def show_life(work: UnitOfWork, player: Player) -> None:
    """End a player's absence after a mail from the player."""
    if player.absent_since is not None:
        work.players.end_absence(player.id)


def is_spared(work: UnitOfWork, board: Board, player_id: int, now: datetime) -> bool:
    """Whether a player who runs out of time on a board loses no rating by it.

    In one absence, once in `SPARED_EVERY`, only the first board costs rating, and boards on which
    the player is behind. The player's row is locked: two boards may run out at the same time.
    """
    work.players.lock(player_id)
    player = work.players.get(player_id)
    since, lapsed, spared = player.absent_since, player.lapsed_at, player.spared_at
    if since is None or not got_somewhere(work, board):
        return False
    if lapsed is None or lapsed < since:
        work.players.note_lapse(player_id, now, spared)
        return False
    if _is_behind(board, player_id) or (spared and since - SPARED_EVERY < spared < since):
        return False
    work.players.note_lapse(player_id, lapsed, since)
    return True


def _is_behind(board: Board, player_id: int) -> bool:
    """Whether another side has scored more."""
    seat, scores = board.seats_of(player_id)[0].seat, scores_of(board)
    own = {seat, *partners(board.position, seat)}
    return any(
        score > scores[seat - 1] for other, score in enumerate(scores, 1) if other not in own
    )
