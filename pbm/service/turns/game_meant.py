"""Which game a mail is about, before anything in it has been read."""

from collections.abc import Sequence

from pbm.rules.contract import Game
from pbm.rules.registry import default_game, games
from pbm.store.db import UnitOfWork


def game_meant(work: UnitOfWork, hints: Sequence[int]) -> Game:
    """The game of the board that a mail points at first, else the usual one."""
    if len(games()) > 1 and hints:
        return games().get(work.boards.game_of(hints[0]) or "", default_game())
    return default_game()
