"""The contract between the server and a game. `docs/adding-a-game.md` is the guide to it.

Each optional capability is a `typing.Protocol` of its own. A game returns plain data and raises
`RulesError`. Its templates make the sentences for people.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import get_annotations
from pathlib import Path
from typing import Any, Protocol, Self, TypeGuard, TypeVar, cast

_What = TypeVar("_What")
_Function = TypeVar("_Function", bound=Callable[..., Any])
CONTRACT = 1  # the version of this contract; a game made for another one is not loaded

# People write no words of that length, so a state line in a quoted mail shows that it is ours.
SHORTEST_STATE, LONGEST_STATE = 20, 400  # characters: of the first word at least, in all at most

LONGEST_MOVE, LONGEST_BY = 16, 12  # characters of a canonical move, and of `Outcome.by`

Options = Mapping[str, str | bool]  # values by name, True for a flag


class RulesError(ValueError):
    """An error of a game. A template makes a sentence of the code `reason` and of `params`."""

    def __init__(self, reason: str, **params: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params

    def __str__(self) -> str:
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.reason} ({params})" if params else self.reason


class NotationError(RulesError):
    """A text that names no move in any position."""


class IllegalMoveError(RulesError):
    """A move, or a seat's leaving, that this position does not allow."""


class SetupError(RulesError):
    """Options with which a game cannot start, or a wrong number of seats (`wrong-players`)."""


class StateError(RulesError):
    """A state line that describes no position."""


class ClaimError(RulesError):
    """A claim that is not justified."""


class RecordError(RulesError):
    """A record that cannot be read or written, or that the rules do not allow.

    If the rules refuse a step, `params` describes it. `given` is the text of the step, and `seat`
    is the seat that moves or leaves. For a move, `ply` is its ply and `number` its round. For a
    leaving, `after` is the number of plies before it. With the reason `no-board` the player must
    name the board by an option in `KeepsRecords.reads`.
    """


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game. In a command a flag is `-name`, and any other option `-name=value`."""

    name: str
    values: tuple[str, ...] = ()  # none for a flag
    default: str | None = None
    default_with: tuple[tuple[str, str], ...] = ()  # pairs: a flag, and the default if it is set
    flags: tuple[str, ...] = ()  # values that can also be written `-value`
    seats: tuple[int, ...] = ()  # the numbers of players that have the option; () for all
    partners: bool = False  # a flag that `+` between two players sets as well
    sets_up: bool = False  # it changes the start position, which the help then draws

    @property
    def is_flag(self) -> bool:
        return not self.values

    def find(self, text: str) -> str | None:
        """Return the value that a text names, or None. Ignores case, blanks, - and _.

        >>> Option("opening", ("the_wall", "plain")).find("The Wall")
        'the_wall'
        """
        return next((value for value in self.values if _letters(value) == _letters(text)), None)

    def usual(self, chosen: Options) -> str | None:
        """Return the default value, which may depend on the flags in `chosen`."""
        with_flags = (value for flag, value in self.default_with if chosen.get(flag))
        return next(with_flags, self.default)


def completed(declared: Sequence[Option], chosen: Options) -> dict[str, str | bool]:
    """Return the chosen options, and the defaults of the options not chosen.

    >>> layout = Option("layout", ("plain", "big"), "plain", default_with=(("teams", "big"),))
    >>> completed((layout, Option("teams")), {"teams": True})
    {'layout': 'big', 'teams': True}
    """
    found: dict[str, str | bool] = {}
    for option in declared:
        value = chosen.get(option.name) or option.usual(chosen)
        if value:
            found[option.name] = value
    return found


def _letters(name: str) -> str:
    return "".join(name.lower().split()).replace("-", "").replace("_", "")


@dataclass(frozen=True, slots=True)
class Info:
    name: str  # one lower-case word, for commands and the database
    title: str  # for people
    contract: int  # the `CONTRACT` that the game is made for
    version: int  # of the rules; it changes when the same moves would lead to another position
    seats: tuple[int, ...]  # the possible numbers of players
    playthrough: str  # a whole game as text (`pbm.rules.registry`)
    options: tuple[Option, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # help by command
    folder: Path | None = None  # of `templates/NAME/`, `help/NAME.txt`; None in this package
    rounds_shown: int = 4  # latest rounds that mails list
    repetitions: int = 3  # equal positions that allow a claim of a draw; no more are counted


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: a rank for each seat (1 is best), the cause in one word, scores if any."""

    ranks: tuple[int, ...]
    by: str
    scores: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of rank 1. In a draw all ranks are equal, and there are no winners.

        >>> Outcome((1, 2, 1), "goal").winners, Outcome((1, 1), "full").winners
        ((1, 3), ())
        """
        if len(set(self.ranks)) == 1:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks, 1) if rank == 1)


@dataclass(frozen=True, slots=True)
class Moved:
    """A move that was played: its seat, its canonical text and its effect."""

    seat: int
    move: str
    effect: Mapping[str, Any] = field(default_factory=dict)


class Move(Protocol):
    """A move; `str()` is its canonical text, which `Position.parse` must accept."""

    def __str__(self) -> str: ...


class Position(Protocol):
    """A position: frozen, and equal by value. Seats count from 1.

    The seats of one side are partners, who win and lose together. If a player has left, the partner
    moves for both seats. The server waits for the first of the seats in `to_move`.
    """

    @property
    def sides(self) -> tuple[int, ...]: ...  # the side of each seat

    @property
    def to_move(self) -> tuple[int, ...]: ...  # seats that may move; empty if the game is over

    @property
    def out(self) -> frozenset[int]: ...  # the seats whose players have left

    @property
    def outcome(self) -> Outcome | None: ...  # None until the game is over

    def parse(self, text: str, seat: int) -> Move:
        """Return the move of a text. Raises NotationError, IllegalMoveError."""

    def play(self, move: Any) -> "Played":
        """Return the position after a move, and the move's effect. Raises IllegalMoveError."""

    def leave(self, seat: int) -> Self:
        """Return the position after a seat's player has left. Raises IllegalMoveError."""

    def state(self) -> str:
        """Return the position as one line of text, the state line. `load` reads it.

        The line is printable ASCII, with single blanks between words, and without `=?`.
        """

    def diagram(self) -> tuple[str, ...]:
        """Return the position as lines of text, with the labels that moves use."""


@dataclass(frozen=True, slots=True)
class Played:
    """The position after a move, and the move's effect as plain data."""

    position: Position
    move: Move
    effect: Mapping[str, Any] = field(default_factory=dict)


class Game(Protocol):
    """The object that a game's entry point names."""

    info: Info

    def start(self, seats: int, options: Options) -> Position:
        """Return the first position of a game. `options` include defaults. Raises SetupError."""

    def load(self, state: str) -> Position:
        """Return the position that a state line describes. Raises no error but StateError."""


# -- optional capabilities --------------------------------------------------------------------


def _cached(function: _Function) -> _Function:
    return cast(_Function, cache(function))


@_cached
def has(game: object, what: type[_What]) -> TypeGuard[_What]:
    """Return whether a game has all members of the protocol `what`, such as `Claims`."""
    protocol: type = what
    bases = [base for base in protocol.__mro__ if base is not object]
    names = (name for base in bases for name in (*vars(base), *get_annotations(base)))
    return all(hasattr(game, name) for name in names if not name.startswith("_"))


class ReadsTexts(Protocol):
    """A game that can tell moves from other texts. It needs no position to do so."""

    def is_move_text(self, text: str) -> bool:
        """Return whether a text has the form of a move, legal or not. Plain words do not."""

    def mentions_place(self, text: str) -> bool:
        """Return whether a text names a place of the board."""

    def check_place(self, text: str) -> None:
        """Raise NotationError for a text that is no move but was meant as one, such as "pass"."""


class ReadsLoosely(Protocol):
    """A game that can guess which moves an inexact text may mean.

    Before the game gets such a text, the server replaces words such as "to" by an arrow, →.
    """

    def is_nearly_move(self, text: str) -> bool:
        """Return whether a text has names of places on the board and nothing else."""

    def moves_meant(self, position: Any, text: str) -> tuple[str, ...]:
        """Return all legal moves that an inexact text may mean."""


class ListsMoves(Protocol):
    """A game that can list all legal moves."""

    def legal_moves(self, position: Any) -> Sequence[Move]:
        """Return the legal moves in a position, always in the same order."""

    def play_legal(self, position: Any, move: Any) -> "Played":
        """Play a move that `parse` or `legal_moves` has returned, without another check."""


class MovesOthers(Protocol):
    """A game in which a move may move other pieces, too."""

    def moves_others(self, position: Any, text: str, seat: int) -> bool | None:
        """Return whether a move would move other pieces, too, if it were the turn of `seat`.

        None if it would not be legal.
        """


class Suggests(Protocol):
    """A game that can suggest legal moves, as examples for newcomers."""

    def example_moves(self, position: Any) -> tuple[str, ...]:
        """Return a few legal moves in their canonical text, the best example first."""


class Tells(Protocol):
    """A game whose mails describe each seat in words."""

    def told(self, start: Any, position: Any) -> tuple[dict[str, Any], ...]:
        """Return a dict about each seat for templates. `symbol` is the sign on a seat's pieces."""


class TellsMoves(Protocol):
    """A game whose templates describe a move below the board."""

    def told_move(self, position: Any, moved: Moved) -> dict[str, Any]:
        """Return data about a move for the macro `marked`. `position` is one after the move."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The empty board of a picture; x goes right, y down.

    Points are in steps from cell to cell, sizes in CSS pixels. A piece is at most 36 pixels wide.
    """

    names: tuple[str, ...]  # of cells: two or three characters, the first the same for a whole row
    cells: tuple[tuple[float, float], ...]  # the centre of each
    labels: tuple[tuple[str, tuple[float, float]], ...]  # outside the board, each with its centre
    corners: tuple[tuple[float, float], ...]  # the centres of the board's corner cells
    width: int
    height: int
    middle: tuple[float, float]  # the place of the point (0, 0), in pixels
    scale: tuple[float, float]  # pixels of a step to the right, and of a step down
    strokes: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()  # from label to cell


class Draws(Protocol):
    """A game whose positions can be shown as a picture."""

    ground: Ground

    def drawing(self, position: Any, moves: Sequence[Moved]) -> dict[str, Any]:
        """Return the content of a picture, as a JSON object with these keys.

        `signs` has one character for each cell: `.` if it is empty, the digit of a seat, or `#` for
        a fixed piece. `seats` has for each seat the sign on its pieces. `moves` has an object for
        each of the latest `moves`, in order. A cell is a number there, its index in `Ground.cells`:

        - `move`: the text of the move;
        - `left`: the cells that the move emptied;
        - `came`: the cells to which pieces moved, the foremost first, and on which the mover's side
          still has a piece;
        - `towards`: the direction of the move, in degrees clockwise from the right;
        - `off`: None, or if a piece left the board, its last cell and the digit of its seat.
        """


class Claims(Protocol):
    """A game in which a player may claim a draw.

    A ply is one move of one seat. A ply is irreversible if no earlier position can occur after it.
    """

    def reversible(self, position: Any) -> int:
        """Return the number of plies since the last irreversible ply."""

    def claim(self, positions: Sequence[Any], moves: Mapping[int, int]) -> str:
        """Return why a draw may be claimed, in one word. Raises ClaimError if it may not.

        `positions` has all positions since the last irreversible ply, the current one last. `moves`
        has the number of moves that each seat has made since that ply.
        """

    def sameness(self, position: Any) -> str:
        """Return a text for a position. Positions repeat each other if their texts are equal."""

    def claimable(
        self, position: Any, times: int, moves: Callable[[int], Mapping[int, int]]
    ) -> str | None:
        """Return the reason that `claim` would return; None if no draw may be claimed.

        `times` is how often the position has occurred since the last irreversible move. `moves(n)`
        returns how many of the latest n moves each seat has made.
        """


class PageRules(Game, Draws, Claims, Protocol):
    """A game whose rules the board page knows."""

    page_rules: str  # the name of the module, `pbm/rules/NAME/NAME.js`

    def before(self, position: Any, moved: Moved) -> Iterable[Any]:
        """Yield the positions from which a move may have led to this one.

        What the server compares of them is `Claims.sameness`.
        """


class PageTaps(Game, Draws, ListsMoves, Protocol):
    """A game whose legal moves the board page gets with the link, each chosen by two taps."""

    def taps(self, position: Any, move: Any) -> tuple[int, int]:
        """Return the cells of both taps, as indexes in `Ground.cells`; equal if one is enough.

        No two moves in a position have the same taps.
        """


class HasCopies(Claims, Protocol):
    """A game with symmetric positions, such as ones with the board turned or seats exchanged."""

    def copies(self, position: Any) -> Iterable[Any]:
        """Return all positions that are symmetric to a position, and the position itself."""


class FindsNear(Protocol):
    """A game that can tell whether one legal move leads from a position to a copy of another."""

    def near(self, position: Any, others: Sequence[Any]) -> int | None:
        """Return the index of the first of `others` one move before or behind, or None."""


class BreaksTies(Protocol):
    """A game with a margin of victory. The margins break ties in a match of several games."""

    def balance(self, start: Any, end: Any, seat: int) -> int:
        """Return a seat's lead over its opponents at the end of a game. A match adds up leads."""


class Scores(Protocol):
    """A game in which seats score during play."""

    def scores(self, position: Any) -> tuple[int, ...]:
        """Return the score of each seat so far. It is never negative. Partners share one score."""


# -- whole games -----------------------------------------------------------------------------

LEAVING_HOWS = ("resigned", "removed", "forfeited")
ENDING_HOWS = ("agreed", "claimed", "closed", "operator", "record")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A player's leaving of the game, as a step between plies; `str()` is its text in a record."""

    seat: int
    how: str = "resigned"

    def __str__(self) -> str:
        return f"seat {self.seat} {self.how}"


Step = str | Leaving  # a move as text, or the leaving of a seat


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended, if its moves did not end it.

    `agreed` and `claimed` are draws. A game that was `closed` has no result. With `operator`, the
    operator has decided the result. With `record`, a record states the result, but not its cause.
    """

    how: str  # agreed, claimed, closed, operator or record
    winners: tuple[int, ...] = ()  # with operator and record; empty for a draw

    @property
    def result(self) -> tuple[int, ...] | None:
        """The winning seats, () for a draw; None if the game has no result."""
        return None if self.how == "closed" else self.winners


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A whole game: its start, every step, and its end if the moves did not end it.

    `better` has the best lines that an analysis found. Each item is a ply, and the best line from
    the position before this ply.
    """

    seats: int
    options: Options
    names: tuple[str, ...]  # one for each seat, empty if unknown
    steps: tuple[Step, ...]
    ended: Ending | None = None
    tags: tuple[tuple[str, str], ...] = ()  # further pairs of a name and a value
    better: tuple[tuple[int, tuple[str, ...]], ...] = field(default=(), compare=False)


class KeepsRecords(Game, Protocol):
    """A game that can write whole games as text, in forms of its own, and read them."""

    writes: tuple[Option, ...]  # the options of `write`
    reads: tuple[Option, ...]  # the options of `read`

    def write(self, record: GameRecord, chosen: Options) -> str:
        """Return a record as text, in the form that the options choose. Raises RecordError."""

    def read(self, text: str, chosen: Options) -> GameRecord:
        """Parse a record and play it through. Raises RecordError."""


# -- search -----------------------------------------------------------------------------------

WON = 100_000  # the least score of a forced win; a forced loss has -WON or less


@dataclass(frozen=True, slots=True)
class Budget:
    nodes: int  # positions that are looked at
    seconds: float | None = None  # a safeguard for slow machines
    depth: int | None = None  # plies


@dataclass(frozen=True, slots=True)
class Line:
    """A move that a search found, with its continuation."""

    moves: tuple[str, ...]  # canonical texts, the move itself first
    score: int  # for the side to move, in hundredths of a captured piece or the like; see `WON`


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The lines that a search found, the best first. There are none if the game is over."""

    lines: tuple[Line, ...]
    depth: int  # the last completed one, in plies
    nodes: int
    by: str = "plain"  # the core that searched: `compiled` or `plain` (Python), which agree
    cut: bool = False  # whether `Budget.seconds` ended the search


class Searches(Game, Protocol):
    """A game that can be searched for good moves; robots can play such a game."""

    def search(
        self, positions: Sequence[Any], budget: Budget, *, best: int = 1, seed: int = 0
    ) -> SearchResult:
        """Return the best moves in the last of these positions, with exact scores.

        `best` is the number of moves wanted. The other positions are earlier ones of the game.
        Equal arguments give equal results, unless `Budget.seconds` ends the search.
        """

    def evaluate(self, position: Any) -> tuple[int, ...]:
        """Return the static value of a position for each seat, in the unit of `Line.score`."""


class Explains(Protocol):
    """A game that explains moves. Its macros `why`, `theme` and `contrast` make the sentences."""

    def reasons(self, position: Any, moves: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """Return the reasons for the first move, the strongest first. The other moves follow it."""

    def faults(self, position: Any, move: str) -> tuple[dict[str, Any], ...]:
        """Return the faults of a move, the worst first."""

    def contrast(self, made: Any, better: Any, seat: int) -> tuple[dict[str, Any], ...]:
        """Return in what respects a seat stands better in the position `better` than in `made`."""


class MayLack(Protocol):
    """A game with an optional part that may be missing, such as a compiled search."""

    def lacks(self) -> str:
        """Return what is missing and how to mend it, for the operator; "" if nothing is missing."""
