"""Moves as text, and guesses at texts that are nearly moves (`docs/rules.md`, section 4).

`c5,d5` moves the marble on c5 to d5. `a1-c3,d4` moves the line from a1 to c3: the end that is
beside d4, here c3, goes to d4, and the rest of the line makes the same step.

In Aba-Pro, the notation of most records, row a is at the bottom. A move in line is the cell of the
rear marble and the target of this marble, `a1b2`. A move sideways is both ends of the line and the
target of the first end, `g7g9f7`.
"""

import re
from collections.abc import Iterator
from string import ascii_letters, ascii_uppercase, digits
from unicodedata import decimal, normalize

from pbm.rules.abalone.board import (
    CELL_NAMED,
    CELLS,
    LONGEST_LINE,
    STEPS,
    LineMove,
    format_cell,
    is_on_board,
    line_between,
    parse_cell,
    set_of,
)
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.refusals import (
    appeal,
    example_moves,
    nearby_line,
    nearby_step,
    perhaps,
    why_not,
)
from pbm.rules.contract import IllegalMoveError, NotationError, RulesError

_LONGEST_TEXT = 100

_CELL = "[a-z][0-9]{1,2}"
_MOVE = re.compile(f"({_CELL})(?:-({_CELL}))?,({_CELL})", re.ASCII)
_BLANK_FOR_COMMA = re.compile(f"({_CELL} ?- ?{_CELL}) ({_CELL})", re.ASCII)  # after a whole line
_HALF_MOVE = re.compile(f"({_CELL})-({_CELL})", re.ASCII)
_BARE_CELL = re.compile("[a-i][1-9]", re.ASCII)
_CELL_WORD = re.compile(r"(?<!\w)(?:[a-i][1-9]){1,3}(?!\w)", re.ASCII)
_PASS, _ENDS = "pass", " .!"
_LIKE_COMMAS = re.compile("[;:>]")

_ARROW = "→"  # stands for a word such as "to"
_DOUBTS = "?.!… "
_PLACE = r"[a-i]\s?[1-9]"
_PLACES = re.compile(
    rf"[(\[]?{_PLACE}(?:(?:[\W_ー]{{0,8}}{_PLACE}){{1,5}}[\s?.!…=~_/|,;)\]-]*|[\s?.!…]*)"
)
_EACH_PLACE = re.compile(r"([a-i])\s?([1-9])")
_MOST_PLACES = 6  # the cells of three marbles, and their targets
Places = tuple[str, ...]


_WIDE = ord("！") - ord("!")  # from a character to its full-width form
_FOLDING = {
    **{ord(capital): capital.lower() for capital in ascii_uppercase},
    **{ord(plain) + _WIDE: plain.lower() for plain in ascii_letters + digits + ",;:>-"},
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣"), "-"),
}
_LOOK_ALIKES = str.maketrans("АВСЕНІавсеніɑΑΒΕΗΙαβειıİ", "abcehiabcehiaabehiabeiii", "\u0307")


def is_notation(text: str) -> bool:
    """Return whether a text has the form of a move, legal or not.

    >>> is_notation(" A1 – C3; d4"), is_notation("c5-d5")
    (True, False)
    """
    return _MOVE.fullmatch(_joined(text)) is not None


def mentions_cell(text: str) -> bool:
    """Return whether a text names a cell, either as a word or as a part of a move.

    >>> mentions_cell("is E4 free?"), mentions_cell("see a9 and b52")
    (True, False)
    """
    words = _CELL_WORD.finditer(_folded(text))
    return any(name in CELL_NAMED for word in words for name in _BARE_CELL.findall(word[0]))


def check_place(text: str) -> None:
    """Raise NotationError for some texts that were meant as moves but cannot be any.

    They are "pass", and two cells such as `h4-g1` if one of them is not on the board.

    >>> check_place("h4-g3"), check_place("it is h1")
    (None, None)
    """
    if text.strip(_ENDS).lower() == _PASS:
        raise NotationError("no-pass")
    match = _HALF_MOVE.fullmatch(_joined(text))
    for name in match.groups() if match else ():
        parse_cell(name)


def is_nearly_notation(text: str) -> bool:
    """Return whether a text is one to six names of cells and nothing else.

    >>> is_nearly_notation("C3 → C4"), is_nearly_notation("Is e4 free?")
    (True, False)
    """
    return len(text) <= _LONGEST_TEXT and bool(places_of(_loosely_folded(text.strip())))


def moves_meant(position: Placement, text: str) -> tuple[str, ...]:
    """Return all legal moves that a text with names of cells may mean.

    >>> from pbm.rules.abalone.layouts import start
    >>> moves_meant(start("standard", 2), "a1-b2")
    ('a1-c3,b2',)
    """
    plain = _loosely_folded(text).strip().rstrip(_DOUBTS)
    if is_notation(plain):
        try:
            return (str(parse_move(plain, position)),)
        except RulesError:
            return ()
    places = places_of(plain)
    from_to = len(places) == 2 and _ARROW in plain
    return tuple(map(str, moves_naming(position, places, from_to=from_to)))


def parse_move(text: str, position: Placement) -> LineMove:
    """Return the legal move that a text names. Raises NotationError or IllegalMoveError.

    >>> from pbm.rules.abalone.layouts import start
    >>> str(parse_move("C5 - C3; d6", start("standard", 2)))
    'c3-c5,d4'
    """
    match = _MOVE.fullmatch(_joined(text))
    if match is None:
        raise _not_a_move(text, position)
    move = _resolve(match, position)
    if refusal := why_not(position, move):
        other = LineMove(move.marbles, -move.step)
        is_swapped = parse_cell(match[3]) in move.cells and not why_not(position, other)
        is_swapped = is_swapped and appeal(other)[0]  # nobody means a retreat by it
        raise IllegalMoveError(
            refusal.reason,
            **refusal.params | ({"meant": str(other), "first": match[3]} if is_swapped else {}),
        )
    return move


def read_canonical(text: str) -> LineMove:
    """Return the move that a canonical text names. Raises ValueError for any other text.

    >>> str(read_canonical("a1-c3,b2")), str(read_canonical("a1-c3,a2"))
    ('a1-c3,b2', 'a1-c3,a2')
    """
    match = _MOVE.fullmatch(text)
    line = line_between(parse_cell(match[1]), parse_cell(match[2] or match[1])) if match else None
    if match is None or line is None:
        raise NotationError("not-a-move")
    return LineMove(set_of(line), parse_cell(match[3]) - line[0])


def _joined(text: str) -> str:
    """Return a text without blanks, with plain commas; "" if the text is too long for a move."""
    if len(text) > _LONGEST_TEXT:
        return ""
    words = _folded(text).split()
    joined = "".join(words).replace("->", ",")
    if whole_line := _BLANK_FOR_COMMA.fullmatch(" ".join(words)):
        joined = f"{whole_line[1].replace(' ', '')},{whole_line[2]}"
    return _LIKE_COMMAS.sub(",", joined)


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def _loosely_folded(text: str) -> str:
    """Return a text in lower case, in which signs that stand for letters and digits are such."""
    if text.isascii():
        return _folded(text)
    plain = normalize("NFKC", text).translate(_LOOK_ALIKES)
    return _folded("".join(str(decimal(sign, sign)) for sign in plain))


def _resolve(match: re.Match[str], position: Placement) -> LineMove:
    """Return the move that a match of `_MOVE` names. Raises NotationError."""
    first = parse_cell(match[1])
    last = parse_cell(match[2]) if match[2] else first
    target = parse_cell(match[3])
    line = line_between(first, last)
    if line is None:
        raise NotationError("not-straight", ends=[match[1], match[2]])
    marbles, ends = set_of(line), [format_cell(first), format_cell(last)]
    step = next((target - end for end in (first, last) if target - end in STEPS), None)
    if len(line) > LONGEST_LINE:
        instead = nearby_line(position, marbles, step) if step else None
        raise NotationError("too-many", ends=ends, size=len(line), **perhaps(instead))
    if step is not None:
        return LineMove(marbles, step)
    if line == (target,):
        raise NotationError("same-cell", place=match[3])
    raise NotationError(
        "not-one-step" if len(line) == 1 else "no-direction",
        place=match[3],
        ends=ends,
        **perhaps(nearby_step(position, marbles, target)),
    )


def _not_a_move(text: str, position: Placement) -> NotationError:
    """Return the error for a text that is no move. It proposes legal moves that may be meant."""
    try:
        check_place(text)
    except NotationError as error:
        return NotationError("not-a-move", **error.params) if error.params else error
    folded = _loosely_folded(text[:_LONGEST_TEXT]).strip()
    places = places_of(folded) or tuple(_BARE_CELL.findall(folded))
    meant = moves_meant(position, folded) or [*map(str, moves_naming(position, places))]
    if len(meant) == 1:
        return NotationError("not-a-move", meant=meant[0])
    near = nearest_moves(position, places) if len(places) <= _MOST_PLACES else []
    if near:
        return NotationError("not-a-move", near=list(map(str, near)))
    examples = example_moves(position)
    return NotationError("not-a-move", **({"example": examples[0]} if examples else {}))


def places_of(text: str) -> Places:
    """Return the cells that a text names, if it has names of one to six cells and nothing else.

    The text must be in lower case. For any other text the result is ().

    >>> places_of("c 3→c 4"), places_of("a1-c3 d4?"), places_of("is e4 free?")
    (('c3', 'c4'), ('a1', 'c3', 'd4'), ())
    """
    if not _PLACES.fullmatch(text):
        return ()
    found = tuple("".join(parts) for parts in _EACH_PLACE.findall(text))
    is_clear = len(found) > 1 or _BARE_CELL.match(text) is not None
    return found if is_clear and all(place in CELL_NAMED for place in found) else ()


def moves_naming(position: Placement, places: Places, *, from_to: bool = False) -> list[LineMove]:
    """Return the legal moves that players may name by these `places`.

    If `from_to` is set, `places` must be the cell of a marble and the target of this marble.
    """
    return [
        move
        for move in position.legal_moves()
        if places in (_steps(move, position) if from_to else _spellings(move, position))
    ]


def nearest_moves(position: Placement, places: Places) -> list[LineMove]:
    """Return at most two legal moves that share a cell with `places`, the most similar first."""
    named = set(places)

    def difference(move: LineMove) -> int:
        return min(len(named ^ set(places)) for places in _spellings(move, position))

    found = [
        move
        for move in position.legal_moves()
        if any(named & set(places) for places in _spellings(move, position))
    ]
    return sorted(sorted(found, key=appeal, reverse=True), key=difference)[:2]


def _spellings(move: LineMove, position: Placement) -> Iterator[Places]:
    """Yield what players may write for a move: cells of its line, then their targets."""
    yield from _steps(move, position)
    if len(move.cells) == 1:
        return
    for cells in (move.cells, move.cells[::-1]):
        ends = (cells[0], cells[-1])
        for line in dict.fromkeys((ends, cells)):
            yield _named(line)
            yield _named((*line, *(cell + move.step for cell in line)))
            yield from (_named((*line, end + move.step)) for end in ends)


def _steps(move: LineMove, position: Placement) -> Iterator[Places]:
    """Yield the pairs of a cell and its target that may name a move in line."""
    if not move.in_line:
        return
    yield _named((move.rear, move.rear + move.step))
    if len(move.cells) > 1 and position.seat_at(move.front + move.step):
        yield _named((move.front, move.front + move.step))


def _named(cells: tuple[int, ...]) -> Places:
    return tuple(format_cell(cell) for cell in cells)


# -- Aba-Pro -----------------------------------------------------------------------------------

_ABAPRO_CELL = "([a-i][0-9])"
_ABAPRO = re.compile(f"{_ABAPRO_CELL}{_ABAPRO_CELL}{_ABAPRO_CELL}?", re.ASCII | re.IGNORECASE)


def _seen_from_below(cell: int) -> int:
    """Return the cell that has in our notation the name that `cell` has in Aba-Pro."""
    row, column = divmod(cell, 10)
    return 10 * (10 - row) + column + 5 - row


_NAMES = {cell: format_cell(_seen_from_below(cell)) for cell in CELLS}


def format_abapro(move: LineMove, position: Placement) -> str:
    """Return a move in Aba-Pro notation. Raises IllegalMoveError if the move is not legal.

    >>> from pbm.rules.abalone import parse_move, start
    >>> position = start("standard", 2)
    >>> [format_abapro(parse_move(t, position), position) for t in ("a1-c3,b2", "c3-c5,d4")]
    ['i5h5', 'g5g7f5']
    """
    if refusal := why_not(position, move):
        raise refusal
    if move.in_line:
        return _NAMES[move.rear] + _NAMES[move.rear + move.step]
    first, last = sorted((move.cells[0], move.cells[-1]), key=_NAMES.__getitem__)
    return _NAMES[first] + _NAMES[last] + _NAMES[first + move.step]


def parse_abapro(text: str, position: Placement) -> LineMove:
    """Return the legal move that an Aba-Pro text names. Raises NotationError or IllegalMoveError.

    >>> from pbm.rules.abalone import start
    >>> str(parse_abapro("I5H5", start("standard", 2)))
    'a1-c3,b2'
    """
    joined = "".join(text.split()) if len(text) <= _LONGEST_TEXT else ""
    match = _ABAPRO.fullmatch(joined) if joined.isascii() else None
    if match is None:
        raise NotationError("not-a-move", abapro=True)
    first, second, *third = (
        _seen_from_below(parse_cell(name.lower())) for name in match.groups() if name
    )
    if third:
        marbles, step = _named_line(first, second), _step(first, third[0])
    else:
        step = _step(first, second)
        marbles = _implied_line(first, step, position)
    if position.outcome is not None:
        raise IllegalMoveError("game-over")
    move = LineMove(marbles, step)
    refusal = why_not(position, move)
    if refusal is None:
        return move
    # The refusal names cells as the mailed board does, so it needs the move in the same notation,
    # which cannot express a line that would leave the board.
    if is_on_board(move.rear + move.step):
        refusal.params["abapro"] = [joined.lower(), str(move)]
    raise refusal


def _step(start: int, target: int) -> int:
    step = target - start
    if step == 0:
        raise NotationError("same-cell", place=_NAMES[start], abapro=True)
    if step not in STEPS:
        raise NotationError("not-one-step", place=_NAMES[target], ends=[_NAMES[start]])
    return step


def _named_line(first: int, last: int) -> int:
    line, ends = line_between(first, last), [_NAMES[first], _NAMES[last]]
    if line is None:
        raise NotationError("not-straight", ends=ends)
    if len(line) > LONGEST_LINE:
        raise NotationError("too-many", ends=ends, size=len(line), abapro=True)
    return set_of(line)


def _implied_line(rear: int, step: int, position: Placement) -> int:
    """Return the line, as a set, that is meant if a text names only its rear and its step."""
    own, partner, _, _ = position.seen_by(position.turn) if position.turn else (0, 0, 0, 0)
    line = [rear]
    while len(line) < LONGEST_LINE and (own | partner) >> (line[-1] + step) & 1:
        line.append(line[-1] + step)
    return set_of(tuple(line))
