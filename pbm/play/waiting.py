"""Several boards that wait for one player, shown in one mail."""

from dataclasses import dataclass
from datetime import datetime

from pbm.play.clocks.view import clock_view
from pbm.play.limits import MOST_TOGETHER
from pbm.play.views import ViewData, board_views, recent_since
from pbm.rules.contract import View
from pbm.rules.registry import games
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Ply
from pbm.store.values.players import Player

_MOST_CHARACTERS = 20_000  # of drawings in letters: a phone should show the mail whole


@dataclass(frozen=True)
class BoardsWaiting:
    """The boards that wait for a player, as plain values, longest wait first; `more` counts
    those left out."""

    boards: tuple[ViewData, ...]
    more: int

    @property
    def count(self) -> int:
        """Number of boards that wait, shown or not."""
        return len(self.boards) + self.more


def boards_waiting(work: UnitOfWork, player: Player, now: datetime) -> BoardsWaiting:
    """The boards on which it is a player's move, as many as one mail can hold."""
    waiting = work.boards.waiting_for(player.id, games())
    boards = work.boards.get_many(waiting[:MOST_TOGETHER])
    plies = work.plies.of_many({board.id: recent_since(board) for board in boards})
    shown, room = list[ViewData](), _MOST_CHARACTERS
    for board in boards:
        room -= sum(map(len, (*board.position.diagram(View()), board.state)))
        if shown and room < 0:
            break
        shown.append(_told(work, board, player, plies[board.id], now))
    return BoardsWaiting(tuple(shown), len(waiting) - len(shown))


def _told(
    work: UnitOfWork, board: Board, player: Player, recent: tuple[Ply, ...], now: datetime
) -> ViewData:
    """The view of one board, with its clock but without the list of moves."""
    plain = () if player.settings.picture else (player.id,)
    view = board_views(work, board, [player.id], plain=plain, recent=recent)[player.id]
    clock = clock_view(work, board, now, [player])
    timed = clock.for_reader(player.settings.timezone) if clock else None
    return {**view, "rounds": [], "clock": timed}
