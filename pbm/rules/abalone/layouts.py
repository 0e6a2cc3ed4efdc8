"""The boards a game can start from, read from their pictures (rules, section 2)."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pbm.rules.abalone.board import CELLS, CENTRE
from pbm.rules.abalone.errors import SetupError
from pbm.rules.abalone.named_pictures import NAMED_PICTURES
from pbm.rules.abalone.pictures import PICTURES
from pbm.rules.abalone.position import Position

IN_TEAMS = 4
"""The number of players of a game in teams."""

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


def _letters(name: str) -> str:
    return "".join(name.lower().split()).replace("-", "").replace("_", "")


_BY_LETTERS = {_letters(name): name for name in BOARDS}


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


def start(
    board: str | None = None,
    players: int | None = None,
    *,
    teams: bool = False,
    pillar: bool = False,
) -> Position:
    """The position that a game starts from.

    By default it is the standard board for two, or in teams the official one for four. Raises
    SetupError if there is no such board, not for that many players, or not with a pillar.

    >>> start("bowl", 6).turn
    1
    """
    board = board if board is not None else "official" if teams else "standard"
    players = players if players is not None else IN_TEAMS if teams else 2
    if board not in BOARDS:
        raise SetupError("unknown-board", boards=list(BOARDS))
    if teams and players != IN_TEAMS:
        raise SetupError("wrong-players", teams=IN_TEAMS)
    if players not in BOARDS[board]:
        numbers = sorted({min(BOARDS[board]), max(BOARDS[board])})
        raise SetupError("wrong-players", board=board, numbers=numbers)
    if pillar and not takes_pillar(board, players):
        raise SetupError("centre-taken", board=board, seats=players)
    marbles = _in_teams(board) if teams else _MARBLES[board, players]
    return Position(marbles, turn=1, scores=(0,) * players, teams=teams, pillar=pillar)


def find_board(text: str) -> str | None:
    """The board that a name means, None if there is none; case, blanks, - and _ do not matter.

    >>> find_board("The Wall"), find_board("nowhere")
    ('the_wall', None)
    """
    return _BY_LETTERS.get(_letters(text))


def takes_pillar(board: str, players: int) -> bool:
    """Whether a board has room for the fixed marble; raises KeyError if there is no such board."""
    return not any(cells >> CENTRE & 1 for cells in _MARBLES[board, players])


def _in_teams(board: str) -> tuple[int, ...]:
    """The marbles of four players whose partners face each other."""
    one, two, three, four = _MARBLES[board, IN_TEAMS]
    # The bowl is numbered in reading order; the others go round.
    return (one, two, four, three) if board == "bowl" else (one, two, three, four)
