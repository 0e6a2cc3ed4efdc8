"""The start positions, and the home of each seat in words.

The pictures in `layouts.txt` are drawn as in mails. A digit is the seat of a marble. On boards for
two players only, `b` is seat 1 and `w` is seat 2. (`docs/rules.md`, section 2)
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import atan2, degrees, sqrt
from pathlib import Path
from types import MappingProxyType

from pbm.rules.abalone.board import CELLS, CENTRE, groups, members
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Option, Options, SetupError

IN_TEAMS = 4  # players

_MOST_SIDES = 3

_COMPASS = "right|upper right|top|upper left|left|lower left|bottom|lower right".split("|")


_WIDTH = 19
_FILE = Path(__file__).with_name("layouts.txt")


def _read() -> Iterator[tuple[tuple[str, int], tuple[int, ...]]]:
    """Yield the name of a board with its number of players, and the marbles of each seat."""
    for block in _FILE.read_text(encoding="ascii").strip("\n").split("\n\n"):
        titles, *rows = block.split("\n")
        for left in range(0, len(titles), _WIDTH):
            name, players = titles[left : left + _WIDTH].split()
            signs = " ".join(row[left : left + _WIDTH] for row in rows)
            cells = zip(CELLS, signs.replace("b", "1").replace("w", "2").split(), strict=True)
            marbles = [0] * (int(players) + 1)
            for cell, sign in cells:
                marbles[int(sign.replace(".", "0"))] |= 1 << cell
            yield (name, int(players)), tuple(marbles[1:])


MARBLES = dict(_read())  # the marbles of each seat, by board and number of players

MARBLES["official", 2] = MARBLES["standard", 2]
MARBLES["official", 3] = MARBLES["standard", 3]

BOARDS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        board: tuple(sorted(players for name, players in MARBLES if name == board))
        for board, _ in MARBLES
    }
)
"""The possible numbers of players, by the name of a board."""

LAYOUT = Option(
    "layout",
    values=tuple(BOARDS),
    default="standard",
    default_with=(("teams", "official"),),
    flags=("bowl",),
    sets_up=True,
)
TEAMS = Option("teams", seats=(IN_TEAMS,), partners=True, sets_up=True)
PILLAR = Option("pillar")


def start(
    board: str | None = None,
    players: int | None = None,
    *,
    teams: bool = False,
    pillar: bool = False,  # a fixed marble in the centre, which must otherwise be free
) -> AbalonePosition:
    """Return the first position of a game. Raises SetupError.

    By default two play on the board `standard`, and four in teams on `official`.

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
    marbles = MARBLES[board, players]
    if teams and board == "bowl":  # numbered in reading order, but partners face each other
        marbles = (*marbles[:2], marbles[3], marbles[2])
    return AbalonePosition(marbles, turn=1, scores=(0,) * players, teams=teams, pillar=pillar)


def start_game(seats: int, options: Options) -> AbalonePosition:
    layout = options.get("layout")
    return start(
        None if layout is None else str(layout),
        seats,
        teams=bool(options.get("teams")),
        pillar=bool(options.get("pillar")),
    )


def takes_pillar(board: str, players: int) -> bool:
    """Return whether the centre of a board is free. Raises KeyError if there is no such board."""
    return not any(cells >> CENTRE & 1 for cells in MARBLES[board, players])


@lru_cache(maxsize=512)  # more than there are seats on all boards together
def home_of(marbles: int) -> str:
    """Return the place of a seat's marbles at the start, in words such as "lower left"."""
    sides = list(dict.fromkeys(map(_side, groups(marbles))))
    return " and ".join(sides) if len(sides) <= _MOST_SIDES else "all over the board"


def _side(group: int) -> str:
    """Return in which of eight directions from the centre a group of marbles lies, or `centre`."""
    cells = [*members(group)]
    rows = [cell // 10 - CENTRE // 10 for cell in cells]
    columns = [cell % 10 - CENTRE % 10 for cell in cells]
    # A row is half a cell further to the left than the one above it, and closer than a cell.
    right = sum(columns) - sum(rows) / 2
    up = -sum(rows) * sqrt(3) / 2
    if right**2 + up**2 < len(cells) ** 2:
        return "centre"
    return _COMPASS[round(degrees(atan2(up, right)) / 45) % 8]
