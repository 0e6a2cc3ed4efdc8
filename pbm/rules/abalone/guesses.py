"""What a text that is no move may mean: it names places and nothing else, as "c3 to c4" does."""

import re
from collections.abc import Iterator

from pbm.rules.abalone.board import CELL_NAMED, format_cell
from pbm.rules.abalone.moves import Move, legal_moves
from pbm.rules.abalone.position import Position

_PLACE = r"[a-i]\s?[1-9]"
_PLACES = re.compile(rf"{_PLACE}(?:[-\s,;:>./\\→]*{_PLACE}){{0,5}}[\s?.!…]*")
_ONE_PLACE = re.compile("[a-i][1-9]")
_EACH_PLACE = re.compile(r"([a-i])\s?([1-9])")
_MOST_NEAR = 2

Places = tuple[str, ...]


def names_places(text: str) -> bool:
    """Whether a text in small letters names places of the board, one to six, and nothing else.

    >>> names_places("c 3→c 4"), names_places("a1-c3 d4?"), names_places("is e4 free?")
    (True, True, False)
    """
    if not _PLACES.fullmatch(text):
        return False
    found = places_of(text)
    alone = len(found) > 1 or _ONE_PLACE.match(text) is not None
    return alone and all(place in CELL_NAMED for place in found)


def places_of(text: str) -> Places:
    """The places that a text in small letters names, in its order."""
    return tuple("".join(parts) for parts in _EACH_PLACE.findall(text))


def moves_naming(position: Position, places: Places, *, from_to: bool = False) -> list[Move]:
    """The legal moves that somebody may write with just these places.

    `from_to`: of two places the second is surely where the first goes.
    """
    return [
        move
        for move in legal_moves(position)
        if places in (_steps(move, position) if from_to else _spellings(move, position))
    ]


def nearest_moves(position: Position, places: Places) -> list[Move]:
    """The two legal moves whose places are most like these; none where no move has any of them."""
    named = set(places)

    def difference(move: Move) -> int:
        return min(len(named ^ set(places)) for places in _spellings(move, position))

    found = [
        move
        for move in legal_moves(position)
        if any(named & set(places) for places in _spellings(move, position))
    ]
    return sorted(found, key=difference)[:_MOST_NEAR]


def _spellings(move: Move, position: Position) -> Iterator[Places]:
    """The places by which a move may be named, in the order in which they are written.

    They are its marbles or the ends of its line, and mostly where one end or all of it goes; or one
    marble that begins it, and where that goes.
    """
    yield from _steps(move, position)
    if len(move.cells) == 1:
        return
    for cells in (move.cells, move.cells[::-1]):
        ends = (cells[0], cells[-1])
        for line in dict.fromkeys((ends, cells)):
            yield _named(line)
            yield _named((*line, *(cell + move.step for cell in line)))
            yield from (_named((*line, end + move.step)) for end in ends)


def _steps(move: Move, position: Position) -> Iterator[Places]:
    """One marble and the cell that it goes to.

    Of a line only the marble that pushes from behind, or the one that pushes an opponent: any other
    could go there alone.
    """
    if not move.in_line:
        return
    yield _named((move.rear, move.rear + move.step))
    if len(move.cells) > 1 and position.seat_at(move.front + move.step):
        yield _named((move.front, move.front + move.step))


def _named(cells: tuple[int, ...]) -> Places:
    return tuple(format_cell(cell) for cell in cells)
