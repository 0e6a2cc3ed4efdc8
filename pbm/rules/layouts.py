"""The boards a game can start from, read from their pictures (rules, section 2)."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pbm.rules.board import CELLS
from pbm.rules.errors import SetupError
from pbm.rules.named_pictures import NAMED_PICTURES
from pbm.rules.pictures import PICTURES
from pbm.rules.position import Position

_SEATS = {"b": 1, "w": 2} | {str(seat): seat for seat in range(1, 7)}

_ALL_PICTURES = {
    **PICTURES,
    ("official", 2): PICTURES["standard", 2],
    ("official", 3): PICTURES["standard", 3],
    **{(name, 2): picture for name, picture in NAMED_PICTURES.items()},
}


def _players(board: str) -> tuple[int, ...]:
    return tuple(sorted(players for name, players in _ALL_PICTURES if name == board))


BOARDS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {name: _players(name) for name, _ in _ALL_PICTURES}
)
"""The name of each board, and the numbers of players that it can be played by."""


def _read(picture: str) -> Iterator[tuple[int, str]]:
    """Each cell of a picture with the character that stands there."""
    return zip(CELLS, picture.split(), strict=True)


def _marbles(picture: str, players: int) -> tuple[int, ...]:
    marbles = [0] * players
    for cell, character in _read(picture):
        if character != ".":
            marbles[_SEATS[character] - 1] |= 1 << cell
    return tuple(marbles)


_MARBLES = {key: _marbles(picture, key[1]) for key, picture in _ALL_PICTURES.items()}

MOST_MARBLES = max(count for row in _MARBLES.values() for count in map(int.bit_count, row))
"""No board gives a seat more marbles than this."""


def start(board: str = "standard", players: int = 2) -> Position:
    """The position that a game starts from; raises SetupError if there is no such board.

    >>> start("bowl", 6).turn
    1
    """
    if board not in BOARDS:
        *others, last = BOARDS
        known = f"{', '.join(others)} and {last}"
        raise SetupError("unknown-board", f"There is no such board. The boards are {known}.")
    if players not in BOARDS[board]:
        numbers = sorted({min(BOARDS[board]), max(BOARDS[board])})
        some = " to ".join(map(str, numbers))
        raise SetupError("wrong-players", f"The {board} board is for {some} players.")
    return Position(marbles=_MARBLES[board, players], turn=1, scores=(0,) * players)
