"""The boards a game can start from, kept as pictures (rules, section 2)."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pbm.rules.board import CELLS
from pbm.rules.errors import SetupError
from pbm.rules.position import Position

_PICTURES = {
    ("standard", 2): """
            1 1 1 1 1
           1 1 1 1 1 1
          . . 1 1 1 . .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . . 2 2 2 . .
           2 2 2 2 2 2
            2 2 2 2 2
    """,
    ("standard", 3): """
            1 1 1 1 1
           1 1 1 1 1 1
          . . . . . . .
         3 . . . . . . 2
        3 3 . . . . . 2 2
         3 3 . . . . 2 2
          3 3 . . . 2 2
           3 3 . . 2 2
            3 3 . 2 2
    """,
    ("standard", 4): """
            1 1 1 1 .
           1 1 1 1 . 2
          . . . . . 2 2
         4 . . . . . 2 2
        4 4 . . . . . 2 2
         4 4 . . . . . 2
          4 4 . . . . .
           4 . 3 3 3 3
            . 3 3 3 3
    """,
    ("standard", 5): """
            1 1 1 1 .
           1 1 1 1 . 2
          . . . . . 2 2
         4 . . 5 5 . 2 2
        4 4 . 5 5 5 . 2 2
         4 4 . 5 5 . . 2
          4 4 . . . . .
           4 . 3 3 3 3
            . 3 3 3 3
    """,
    ("standard", 6): """
            . 1 1 1 .
           6 . 1 1 . 2
          6 6 . 1 . 2 2
         6 6 6 . . 2 2 2
        . . . . . . . . .
         5 5 5 . . 3 3 3
          5 5 . 4 . 3 3
           5 . 4 4 . 3
            . 4 4 4 .
    """,
    ("bowl", 2): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 1 . 2 2 .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . 2 2 . 1 1 .
           2 2 2 1 1 1
            2 2 . 1 1
    """,
    ("bowl", 3): """
            1 1 . 2 2
           1 1 . . 2 2
          . . 1 . 2 . .
         3 . . . . . . 3
        3 3 3 . . . 3 3 3
         3 . . . . . . 3
          . . 2 . 1 . .
           2 2 . . 1 1
            2 2 . 1 1
    """,
    ("bowl", 4): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 1 . 2 2 .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . 3 3 . 4 4 .
           3 3 3 4 4 4
            3 3 . 4 4
    """,
    ("bowl", 5): """
            4 4 . 3 3
           4 4 4 3 3 3
          . 4 4 . 3 3 .
         . . . . . . 1 1
        . . . . . . 1 1 1
         . . . . . . 1 1
          . 5 5 . 2 2 .
           5 5 5 2 2 2
            5 5 . 2 2
    """,
    ("bowl", 6): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 . . . 2 .
         6 6 . . . . 3 3
        6 6 . . . . . 3 3
         6 6 . . . . 3 3
          . 5 . . . 4 .
           5 5 5 4 4 4
            5 5 . 4 4
    """,
}


def _players(board: str) -> tuple[int, ...]:
    return tuple(players for name, players in _PICTURES if name == board)


BOARDS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {name: _players(name) for name, _ in _PICTURES}
)
"""The name of each board, and the numbers of players that it can be played by."""


def _read(picture: str) -> Iterator[tuple[int, str]]:
    """Each cell of a picture with the character that stands there."""
    return zip(CELLS, picture.split(), strict=True)


def _marbles(picture: str, players: int) -> tuple[int, ...]:
    marbles = [0] * players
    for cell, character in _read(picture):
        if character != ".":
            marbles[int(character) - 1] |= 1 << cell
    return tuple(marbles)


_MARBLES = {key: _marbles(picture, key[1]) for key, picture in _PICTURES.items()}

MOST_MARBLES = max(count for row in _MARBLES.values() for count in map(int.bit_count, row))
"""No board gives a seat more marbles than this."""


def start(board: str = "standard", players: int = 2) -> Position:
    """The position that a game starts from; raises SetupError if there is no such board.

    >>> start("bowl", 6).turn
    1
    """
    if board not in BOARDS:
        known = " and ".join(BOARDS)
        raise SetupError("unknown-board", f"There is no such board. The boards are {known}.")
    if players not in BOARDS[board]:
        least, most = min(BOARDS[board]), max(BOARDS[board])
        raise SetupError("wrong-players", f"The {board} board is for {least} to {most} players.")
    return Position(marbles=_MARBLES[board, players], turn=1, scores=(0,) * players)
