"""Several boards that wait for one player, as one mail shows them."""

from dataclasses import dataclass, replace

from pbm.play.shown import BoardView
from pbm.play.view import board_views, recent_since
from pbm.rules.registry import games
from pbm.store.db import UnitOfWork
from pbm.store.values import Player

MOST_TOGETHER = 8  # boards; the Message-ID names each of them
_MOST_CHARACTERS = 20_000  # of drawings in letters: a phone should show the mail whole


@dataclass(frozen=True)
class BoardsWaiting:
    """The boards that wait for a player, the one that has waited longest first; `more` are not
    among them."""

    boards: tuple[BoardView, ...]
    more: int

    @property
    def count(self) -> int:
        """How many there are in all."""
        return len(self.boards) + self.more


def boards_waiting(work: UnitOfWork, player: Player) -> BoardsWaiting:
    """Show the boards on which it is a player's move, as many as one mail can hold."""
    waiting = work.boards.waiting_for(player.id, games())
    boards = work.boards.get_many(waiting[:MOST_TOGETHER])
    plies = work.boards.plies_of({board.id: recent_since(board) for board in boards})
    plain = () if player.settings.picture else (player.id,)
    views, room = list[BoardView](), _MOST_CHARACTERS
    for board in boards:
        recent = plies[board.id]
        view = board_views(work, board, [player.id], plain=plain, recent=recent)[player.id]
        room -= len(view.diagram) + len(view.state)
        if views and room < 0:
            break
        views.append(replace(view, rounds=()))
    return BoardsWaiting(tuple(views), len(waiting) - len(views))
