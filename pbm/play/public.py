"""What public pages may show: boards and players that anybody may follow.

Such a page is read without a login, and by machines. So it shows less than a mail to a stranger.
"""

from collections.abc import Collection, Sequence

from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, PlayerStatus


def is_public(player: Player) -> bool:
    """Return whether pages may name a player. Settings are erased when somebody leaves."""
    return player.settings.public and player.status != PlayerStatus.REMOVED


def public_among(work: UnitOfWork, player_ids: Collection[int]) -> frozenset[int]:
    return frozenset(one.id for one in work.players.some(player_ids) if is_public(one))


def public_boards(work: UnitOfWork, boards: Sequence[Board]) -> list[Board]:
    """Return those boards that pages may show: all who sit or sat there may be named.

    Imported records are left out, as their names are anybody's words.
    """
    open_to_all = [
        board
        for board in boards
        if board.is_open_to(None) and not board.from_record and board.is_readable
    ]
    people = work.boards.have_sat([board.id for board in open_to_all])
    named = public_among(work, set().union(*people.values()))
    return [board for board in open_to_all if people[board.id] <= named]
