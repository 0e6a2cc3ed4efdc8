"""The game object, draws by claim, the score of a match, and symmetric positions.

The entry point `abalone` of the group `pbm.games` names the object. `docs/rules.md`, section 5, is
about draws.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, xor
from pathlib import Path
from typing import Any, TypeVar

from pbm.rules import contract
from pbm.rules.abalone import explaining, notation
from pbm.rules.abalone.board import (
    CELL_NAMED,
    CELLS,
    CENTRE,
    INDEX,
    members,
    moved,
    set_of,
    shifted,
)
from pbm.rules.abalone.drawing import GROUND, drawing, told_move
from pbm.rules.abalone.layouts import BOARDS, LAYOUT, PILLAR, TEAMS, home_of, start_game
from pbm.rules.abalone.notation import read_canonical
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN, Placement, symbol
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.abalone.records import format_record, parse_record
from pbm.rules.abalone.refusals import example_moves
from pbm.rules.contract import ClaimError, Moved, Option, RulesError

NAME = "abalone"
VERSION = 1  # of the rules: it changes when the same moves would lead elsewhere
TO_PLAY = (LAYOUT, TEAMS, PILLAR)
TO_WRITE = tuple(map(Option, ("apgn", "abapro", "json", "diagram")))
TO_READ = (Option("layout", values=tuple(BOARDS), sets_up=True), PILLAR, Option("abapro"))


def _examples() -> dict[str, tuple[str, ...]]:
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="ascii").splitlines()
    pairs = [line.split(": ") for line in lines]
    return {name: tuple(each for word, each in pairs if word == name) for name, _ in pairs}


_P = TypeVar("_P", bound=Placement)
_ROW, _COLUMN = divmod(CENTRE, 10)

TIMES_REPEATED = 3  # occurrences of a position that allow a claim
MOST_CHANGED = 6  # cells: three marbles move sideways
PUSHES = 2  # cells of the mover's that a push changes
QUIET_MOVES = 100  # moves of every seat without an ejection that allow a claim


def claim(positions: Sequence[AbalonePosition], moves: Mapping[int, int]) -> str:
    times = [*map(sameness, positions)].count(sameness(positions[-1]))
    if why := claimable(positions[-1], times, lambda _: moves):
        return why
    raise ClaimError("nothing-to-claim", times=TIMES_REPEATED, moves=QUIET_MOVES)


def claimable(
    position: Placement, times: int, moves: Callable[[int], Mapping[int, int]]
) -> str | None:
    if times >= TIMES_REPEATED:
        return "repeated"
    # Seats that have marbles and a player.
    counted = [seat for seat in position.seats if position.is_played(seat) and position.count(seat)]
    needed = QUIET_MOVES * len(counted)
    if position.quiet < needed:
        return None
    # The plies asked for are limited. So a seat that was often passed over can delay `quiet`.
    made = moves(min(position.quiet, 2 * needed))
    return "quiet" if all(made.get(seat, 0) >= QUIET_MOVES for seat in counted) else None


def sameness(position: AbalonePosition) -> str:
    return replace(position, quiet=0).state()


def balance(start: Placement, end: Placement, seat: int) -> int:
    """Return how many marbles a seat's side ejected in a game, minus how many it lost."""
    lost = sum(start.count(member) - end.count(member) for member in end.group_of(seat))
    return end.scores[seat - 1] - lost


def copies(position: _P) -> Iterator[_P]:
    """Yield all positions symmetric to a position, itself included. Some come more than once."""
    for way in _WAYS:
        placed = tuple(sum(way[cell] for cell in members(own)) for own in position.marbles)
        for first in position.seats:  # the seat that becomes the first one
            seats = (*position.seats[first - 1 :], *position.seats[: first - 1])
            yield replace(
                position,
                marbles=tuple(placed[seat - 1] for seat in seats),
                scores=tuple(position.scores[seat - 1] for seat in seats),
                turn=position.turn and seats.index(position.turn) + 1,
                out=frozenset(seats.index(seat) + 1 for seat in position.out),
            )


def before(position: AbalonePosition, moved_: Moved) -> Iterator[AbalonePosition]:
    """Yield the positions from which a move may have led here: it may have pushed more or less."""
    move, effect = read_canonical(moved_.move), moved_.effect
    came, ahead = shifted(move.marbles, move.step), move.front + 2 * move.step
    lost = CELL_NAMED[effect["from"]] if effect else 0
    for pushed in range(len(move.cells) if move.in_line else 1):
        shoved = [ahead + move.step * it for it in range(pushed - bool(lost))]
        reaches = not lost or lost == move.front + pushed * move.step
        if reaches and all(cell in INDEX for cell in shoved):
            moving = came | set_of(tuple(shoved))
            yield from _shifted_back(position, moved_, moving, move.step, lost)


def _shifted_back(
    position: AbalonePosition, moved_: Moved, moving: int, step: int, lost: int
) -> Iterator[AbalonePosition]:
    if moving & ~position.occupied:
        return
    marbles = [bits & ~moving | shifted(bits & moving, -step) for bits in position.marbles]
    scorers = position.group_of(moved_.seat)
    if lost:
        marbles[moved_.effect["ejected"] - 1] |= 1 << lost
    for scored in {bool(lost), False}:  # a marble of somebody who had left scores for nobody
        scores = (s - (scored and it in scorers) for it, s in enumerate(position.scores, 1))
        yield replace(
            position,
            marbles=tuple(marbles),
            scores=tuple(scores),
            turn=moved_.seat,
            quiet=max(0, position.quiet - 1),
            outcome=None,
        )


def near(position: AbalonePosition, others: Sequence[AbalonePosition]) -> int | None:
    copied = set(copies(position))
    found = (index for index, other in enumerate(others) for copy in copied if _near(copy, other))
    return next(found, None)


def _near(one: AbalonePosition, other: AbalonePosition) -> bool:
    if one.turn == other.turn or len(one.seats) != len(other.seats):
        return False
    changed = [*map(int.bit_count, map(xor, one.marbles, other.marbles))]
    if sum(changed) > MOST_CHANGED:
        return False
    return _leads_to(one, other, changed) or _leads_to(other, one, changed)


def _leads_to(before: AbalonePosition, after: AbalonePosition, changed: Sequence[int]) -> bool:
    if before.turn is None or changed[before.turn - 1] not in (sum(changed), PUSHES):
        return False
    same = sameness(after)
    reached = (before.play(move).position for move in before.legal_moves())
    return any(sameness(position) == same for position in reached)


def _ways() -> Iterator[dict[int, int]]:
    """Yield each symmetry of the board. It maps a cell to the set of its one target cell."""
    rays = [(cell // 10 - _ROW, cell % 10 - _COLUMN) for cell in CELLS]
    for lies in (rays, [(row, row - column) for row, column in rays]):  # as it is, and mirrored
        for _ in range(6):
            yield {
                cell: 1 << 10 * (_ROW + row) + _COLUMN + column
                for cell, (row, column) in zip(CELLS, lies, strict=True)
            }
            lies = [(column, column - row) for row, column in lies]  # turned by a sixth


_WAYS = tuple(_ways())


class Abalone:
    """The game, with the members of `contract.Game` and of the optional protocols."""

    info = contract.Info(
        name=NAME,
        title=NAME.title(),
        contract=contract.CONTRACT,
        version=VERSION,
        seats=tuple(range(2, max(map(max, BOARDS.values())) + 1)),
        playthrough=Path(__file__).with_name("playthrough.txt").read_text(encoding="ascii"),
        options=TO_PLAY,
        examples=_examples(),
        repetitions=TIMES_REPEATED,
    )
    ground, page_rules = GROUND, NAME
    writes, reads = TO_WRITE, TO_READ

    start = staticmethod(start_game)
    load = staticmethod(parse_state)
    write = staticmethod(format_record)
    read = staticmethod(parse_record)
    is_move_text = staticmethod(notation.is_notation)
    mentions_place = staticmethod(notation.mentions_cell)
    check_place = staticmethod(notation.check_place)
    is_nearly_move = staticmethod(notation.is_nearly_notation)
    moves_meant = staticmethod(notation.moves_meant)
    legal_moves = staticmethod(AbalonePosition.legal_moves)
    play_legal = staticmethod(AbalonePosition.play_legal)
    example_moves = staticmethod(example_moves)
    drawing = staticmethod(drawing)
    told_move = staticmethod(told_move)
    scores = staticmethod(attrgetter("scores"))
    reversible = staticmethod(attrgetter("quiet"))
    claim = staticmethod(claim)
    claimable = staticmethod(claimable)
    sameness = staticmethod(sameness)
    copies = staticmethod(copies)
    near = staticmethod(near)
    before = staticmethod(before)
    balance = staticmethod(balance)
    reasons = staticmethod(lambda *given: tuple(explaining.reasons(*given)))
    faults = staticmethod(lambda *given: tuple(explaining.faults(*given)))
    contrast = staticmethod(lambda *given: tuple(explaining.contrast(*given)))

    def told(self, start: AbalonePosition, position: AbalonePosition) -> tuple[dict[str, Any], ...]:
        return tuple(
            {
                "symbol": symbol(position, seat),
                "score": position.scores[seat - 1],
                "goal": EJECTIONS_TO_WIN,
                "marbles": position.count(seat),
                "bare": not position.count(seat),
                "home": home_of(start.marbles_of(seat)),
            }
            for seat in position.seats
        )

    def moves_others(self, position: AbalonePosition, text: str, seat: int) -> bool | None:
        try:
            move = replace(position, turn=seat).parse(text)
        except RulesError:
            return None
        moving: int = moved(move.marbles, move.step, position.occupied)
        return moving != move.marbles

    def search(
        self,
        positions: Sequence[AbalonePosition],
        budget: contract.Budget,
        *,
        best: int = 1,
        seed: int = 0,
    ) -> contract.SearchResult:
        # Imported here, so that a server starts without the engine.
        from pbm.rules.abalone.engine.searching import search

        return search(positions, budget, best=best, seed=seed)

    def evaluate(self, position: AbalonePosition) -> tuple[int, ...]:
        from pbm.rules.abalone.engine.searching import evaluate

        return evaluate(position)

    def lacks(self) -> str:
        from pbm.rules.abalone.engine.compiled import why_not
        from pbm.rules.abalone.engine.compiling import REMEDY

        reason = why_not()
        return f"Robots think in plain Python, more slowly: {reason}. {REMEDY}" if reason else ""


GAME = Abalone()
