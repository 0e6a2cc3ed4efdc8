"""Reports: a player's message to the operator about a board, with what others said there."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events import Reported
from pbm.play.limits import REPORTS
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

WORDS_KEPT = timedelta(days=30)
KEPT = timedelta(days=180)
_MOST_WORDS = 10  # messages of others
_MOST_LINES = 40
_LONGEST = 400  # characters of a line


def report(
    work: UnitOfWork, board: Board, player: Player, lines: Sequence[str], now: datetime
) -> Reported:
    """Store a report for the operator. Raises Refusal if there are too many."""
    if not REPORTS.take(work, now, player.id):
        raise Refusal("too-many-reports", most=REPORTS.most)
    said = work.words.of_others(board.id, player.id, most=_MOST_WORDS)
    words = [
        {"handle": item.handle, "at": item.said_at.isoformat(), "lines": _cut(item.lines)}
        for item in said
        if item.said_at > now - WORDS_KEPT
    ]
    told = _cut(lines)
    number = work.reports.add(player.id, board.id, told, words, now)
    return Reported(number, board.id, player.handle, tuple(told), tuple(words))


def _cut(lines: Sequence[str]) -> list[str]:
    """Somebody's words, cut to what the operator needs."""
    return [line[:_LONGEST] for line in lines[:_MOST_LINES]]
