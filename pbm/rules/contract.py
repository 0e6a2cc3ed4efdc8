"""The contract between the server and a game.

A game is an object with the members of `Game`, registered in the entry point group `pbm.games`.
Optional members are protocols of their own. A game returns plain data and raises `RulesError`; the
sentences for people are in its templates. See `docs/adding-a-game.md`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import get_annotations
from pathlib import Path
from typing import Any, Protocol, Self, TypeGuard, TypeVar, cast

_What = TypeVar("_What")
_Function = TypeVar("_Function", bound=Callable[..., Any])
CONTRACT = 1
"""The version of this contract; a game that names another one is not loaded."""

SHORTEST_STATE, LONGEST_STATE = 20, 400
"""Least characters of the first word of a state line, and most of the whole line. People write no
word so long, so the line identifies a quoted mail of ours."""

LONGEST_MOVE, LONGEST_BY = 16, 12
"""Characters of a move in canonical text, and of `Outcome.by`."""

Options = Mapping[str, str | bool]
"""The options of a game: values by name, True for a flag."""


class RulesError(ValueError):
    """An error of a game, as a code in kebab-case and plain data.

    A template of the game makes a sentence of them. `str()` is for logs.
    """

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


class AmbiguousMoveError(RulesError):
    """A text that fits several moves of this position; `meant` lists them."""


class SetupError(RulesError):
    """Options, or a number of seats (`wrong-players`), that a game cannot begin with."""


class StateError(RulesError):
    """A state line that describes no position."""


class ClaimError(RulesError):
    """A claim that is not justified."""


class RecordError(RulesError):
    """A record that cannot be read or written, or that the rules do not allow.

    The parameters of a refused step: `given` is its text, `seat` moves or leaves, `ply` and its
    round `number` would have been played; for a leaving `after` is the last ply before it. The
    reason `no-board` means that the text lacks an option of `reads`.
    """


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game, and its syntax in a command.

    Without `values` it is a flag, `-name`; else `-name=value`, or `-value` for those in `flags`.
    The default is `default`, or what `default_with` has for a flag that is set. `seats` are the
    numbers of players that can choose it, all if empty. Players joined by a `+` set a flag with
    `partners`. `sets_up`: the start position depends on it, so the help draws it.
    """

    name: str
    values: tuple[str, ...] = ()
    default: str | None = None
    default_with: tuple[tuple[str, str], ...] = ()
    flags: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()
    partners: bool = False
    sets_up: bool = False

    @property
    def is_flag(self) -> bool:
        """Whether it has no values."""
        return not self.values

    def find(self, text: str) -> str | None:
        """The value that a text names, or None. Ignores case, blanks, - and _.

        >>> Option("opening", ("the_wall", "plain")).find("The Wall")
        'the_wall'
        """
        return next((value for value in self.values if _letters(value) == _letters(text)), None)

    def usual(self, chosen: Options) -> str | None:
        """The value if none is chosen."""
        with_flags = (value for flag, value in self.default_with if chosen.get(flag))
        return next(with_flags, self.default)


def completed(declared: Sequence[Option], chosen: Options) -> dict[str, str | bool]:
    """The chosen options, and the defaults of the others.

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
    """The description of a game.

    `name` is one lower-case word, used in commands and in the database; `title` is for people.
    `version` is that of the rules, and changes when the same moves would lead elsewhere. `seats`
    are the possible numbers of players. `playthrough` is a whole game (`pbm.rules.playthrough`).
    `examples` are lines for the help pages, by command. `folder` has `templates/NAME/` and
    `help/NAME.txt`; None if they come with the server. Mails list the moves of `rounds_shown`
    rounds. The server counts up to `repetitions` equal positions, which allow a claim.
    """

    name: str
    title: str
    contract: int
    version: int
    seats: tuple[int, ...]
    playthrough: str
    options: tuple[Option, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folder: Path | None = None
    rounds_shown: int = 4
    repetitions: int = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: a rank for each seat, 1 the best; the cause in one word; perhaps scores."""

    ranks: tuple[int, ...]
    by: str
    scores: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of the first rank, none for a draw: all seats have the same rank.

        >>> Outcome((1, 2, 1), "goal").winners, Outcome((1, 1), "full").winners
        ((1, 3), ())
        """
        if len(set(self.ranks)) == 1:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks, 1) if rank == 1)


@dataclass(frozen=True, slots=True)
class Moved:
    """A played move: its seat, its canonical text, and its effect."""

    seat: int
    move: str
    effect: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """How a position is shown: from a seat, and with some of the latest moves marked, in order."""

    seat: int | None = None
    moves: tuple[Moved, ...] = ()


class Move(Protocol):
    """A move. `str()` is its canonical text, which `parse` must always read."""

    def __str__(self) -> str: ...


class Position(Protocol):
    """A position: frozen, equal by value, printed as a drawing.

    Seats count from 1. `sides` has the side of each seat. The seats of one side are partners, who
    win and lose together, and who move for a partner who has left. `to_move` are the seats whose
    turn it is, none when the game is over; the server waits for the first. `out` are the seats that
    have left.
    """

    @property
    def sides(self) -> tuple[int, ...]: ...

    @property
    def to_move(self) -> tuple[int, ...]: ...

    @property
    def out(self) -> frozenset[int]: ...

    @property
    def outcome(self) -> Outcome | None: ...

    def parse(self, text: str, seat: int) -> Move:
        """The legal move that a text names.

        Raises NotationError, IllegalMoveError, AmbiguousMoveError.
        """

    def play(self, move: Any) -> "Played":
        """Play a move of this game; raises IllegalMoveError if it is not legal."""

    def leave(self, seat: int) -> Self:
        """Take a seat out: it resigned, was removed or has run out of time."""

    def state(self) -> str:
        """The state line, which `load` must always read: printable ASCII words with single blanks
        between them, without `=?`."""

    def diagram(self, view: View) -> tuple[str, ...]:
        """The position as lines of text, with the labels that moves use."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a move: the position after it, and its effect as plain data."""

    position: Position
    move: Move
    effect: Mapping[str, Any] = field(default_factory=dict)


class Game(Protocol):
    """A game, the object of its entry point."""

    info: Info

    def start(self, seats: int, options: Options, seed: int) -> Position:
        """The first position, with `completed` options; raises SetupError.

        `seed` decides all chance in the game.
        """

    def load(self, state: str) -> Position:
        """The position that a state line describes; raises StateError, and nothing else."""


# -- optional capabilities --------------------------------------------------------------------


def _cached(function: _Function) -> _Function:
    """`functools.cache` that keeps the type of a function."""
    return cast(_Function, cache(function))


@_cached
def has(game: object, what: type[_What]) -> TypeGuard[_What]:
    """Whether a game has all members of a protocol."""
    protocol: type = what
    bases = [base for base in protocol.__mro__ if base is not object]
    names = (name for base in bases for name in (*vars(base), *get_annotations(base)))
    return all(hasattr(game, name) for name in names if not name.startswith("_"))


class ReadsTexts(Protocol):
    """A game that can tell moves from words without a position."""

    def is_move_text(self, text: str) -> bool:
        """Whether a text has the form of a move, possible or not. Plain words must not have it."""

    def mentions_place(self, text: str) -> bool:
        """Whether a text names a place of the board."""

    def check_place(self, text: str) -> None:
        """Raise NotationError for a text that is surely meant as a move but cannot be one, such as
        a place off the board, or a pass in a game without passes."""


class ReadsLoosely(Protocol):
    """A game that reads texts which are nearly moves; the player is asked to confirm.

    The server replaces words such as "to" by an arrow, →.
    """

    def is_nearly_move(self, text: str) -> bool:
        """Whether a text names places of the board and nothing else."""

    def moves_meant(self, position: Any, text: str) -> tuple[str, ...]:
        """All legal moves that such a text may mean."""


class Suggests(Protocol):
    """A game that suggests a move to show to a newcomer."""

    def example_move(self, position: Any) -> str | None:
        """A legal move in its canonical text, None if there is none."""


class Tells(Protocol):
    """A game whose templates describe each seat."""

    def told(self, start: Any, position: Any) -> tuple[dict[str, Any], ...]:
        """For each seat the data of the templates; `symbol` is its sign."""


class TellsMoves(Protocol):
    """A game whose templates describe a move below the board."""

    def told_move(self, position: Any, moved: Moved) -> dict[str, Any]:
        """The data of the macro `marked` for a move that led to a position."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The empty board of a picture. Lengths are in steps from cell to cell; x goes right, y down.

    `names` has two or three characters for each cell, shown while it is empty; in a row they begin
    alike. `cells` are the middles of the cells, `corners` those of the outermost ones. `labels` are
    texts just outside, each with its middle; `strokes` lead from point to point, from a label to
    its cell. `width` and `height` are pixels of a page; `middle` is the pixel of the point (0, 0),
    `scale` the pixels of a step right and down. A piece has 36 pixels of room.
    """

    names: tuple[str, ...]
    cells: tuple[tuple[float, float], ...]
    labels: tuple[tuple[str, tuple[float, float]], ...]
    corners: tuple[tuple[float, float], ...]
    width: int
    height: int
    middle: tuple[float, float]
    scale: tuple[float, float]
    strokes: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = ()


class Draws(Protocol):
    """A game whose positions can be shown as a picture."""

    ground: Ground

    def drawing(self, position: Any, view: View) -> dict[str, Any]:
        """The content of a picture, as a JSON object.

        `signs` has one character for each cell: `.` if it is empty, the digit of a seat, or `#` for
        what never moves. `seats` has the sign on the pieces of each seat. `moves` are those of the
        view: `move` is the text, `left` are the indexes of the cells that it emptied, `came` of
        those where its own pieces still are, `at` is the cell for its number, `towards` its
        direction in degrees, clockwise from the right, `off` the cell from which a piece left the
        board, and the digit of its seat.
        """


class Claims(Protocol):
    """A game in which a player may claim a draw."""

    def reversible(self, position: Any) -> int:
        """The number of plies since the last irreversible one."""

    def claim(self, positions: Sequence[Any], moves: Mapping[int, int]) -> str:
        """The ground of a draw by claim, one word; raises ClaimError if there is none.

        `positions` are those since the last irreversible ply, the current one last; `moves` has the
        number of moves of each seat in them.
        """

    def sameness(self, position: Any) -> str:
        """A text that is equal for positions that a claim counts as the same."""

    def claimable(
        self, position: Any, times: int, moves: Callable[[int], Mapping[int, int]]
    ) -> str | None:
        """What `claim` would return, or None, without a replay.

        `times` counts the position since the last irreversible ply. `moves` counts the moves of
        each seat in a number of the latest plies, at some cost.
        """


class HasCopies(Claims, Protocol):
    """A game with symmetries, such as a turned board or exchanged seats."""

    def copies(self, position: Any) -> Iterable[Any]:
        """All positions that are symmetric to a position, itself included."""


class BreaksTies(Protocol):
    """A game that measures a result beyond who has won."""

    def balance(self, start: Any, end: Any, seat: int) -> int:
        """A seat's lead over its opponents; a match adds them up."""


class Scores(Protocol):
    """A game in which seats score during play."""

    def scores(self, position: Any) -> tuple[int, ...]:
        """The score of each seat so far, not below zero; partners have one score."""


# -- whole games -----------------------------------------------------------------------------

LEAVING_HOWS = ("resigned", "removed", "forfeited")
ENDING_HOWS = ("agreed", "claimed", "closed", "operator", "record")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A seat's leaving, between two plies; `str()` gives it as a record writes it."""

    seat: int
    how: str = "resigned"

    def __str__(self) -> str:
        return f"seat {self.seat} {self.how}"


Step = str | Leaving
"""A move as text, or a seat's leaving."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended if its moves did not end it.

    `agreed` and `claimed` are draws, `closed` has no result. `operator` is a result by decision,
    `record` one that a record states without a cause: these two have `winners`, none for a draw.
    """

    how: str
    winners: tuple[int, ...] = ()

    @property
    def result(self) -> tuple[int, ...] | None:
        """The winning seats, none for a draw; None if there is no result."""
        return None if self.how == "closed" else self.winners


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A whole game: its start, every step, and its end if the moves did not end it.

    `names` has one name for each seat, empty if unknown. `tags` are further names with values.
    `better` has the best line for some plies, perhaps for the one after the last; it is only
    written, never read.
    """

    seats: int
    options: Options
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    ended: Ending | None = None
    tags: tuple[tuple[str, str], ...] = ()
    better: tuple[tuple[int, tuple[str, ...]], ...] = field(default=(), compare=False)


class KeepsRecords(Game, Protocol):
    """A game with its own text forms of whole games."""

    writes: tuple[Option, ...]

    reads: tuple[Option, ...]

    def write(self, record: GameRecord, chosen: Options) -> str:
        """A game as text; `chosen` are options of `writes`. Raises RecordError."""

    def read(self, text: str, chosen: Options) -> GameRecord:
        """The game in a text, checked by playing it through; `chosen` are options of `reads`.

        Raises RecordError.
        """


# -- search -----------------------------------------------------------------------------------

WON = 100_000
"""A score from here on means that a win is in sight, one from here below zero a loss."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a search: positions, seconds (for slow machines), and plies."""

    nodes: int
    seconds: float | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A move that a search found, with its score and continuation.

    `moves` are canonical texts, the move itself first. `score` is for the side to move, in
    hundredths of the game's own unit, such as a piece taken, up to `WON`.
    """

    moves: tuple[str, ...]
    score: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The lines that a search found, the best first, none once the game is over.

    `depth` is the last complete one, in plies. `by` is the core that searched, `compiled` or
    `plain`, which find the same. `cut`: `Budget.seconds` ended it.
    """

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    by: str = "plain"
    cut: bool = False


class Searches(Game, Protocol):
    """A game that can be searched for good moves, so that robots play it."""

    def search(
        self, positions: Sequence[Any], budget: Budget, *, best: int = 1, seed: int = 0
    ) -> SearchResult:
        """The `best` moves in the last of these positions, each scored exactly.

        The other positions came before it and may recur, as for `Claims.claim`. `seed` may choose
        among equal moves. The same arguments find the same, unless `seconds` end the search.
        """

    def evaluate(self, position: Any) -> tuple[int, ...]:
        """The static value of a position for each seat, in the unit of `Line.score`."""


class Explains(Protocol):
    """A game that explains what is good and bad about a move."""

    def reasons(self, position: Any, moves: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """The reasons for the first of these moves, the strongest first; perhaps none.

        The other moves are the continuation. A reason is data for the macros `why` and `theme`; its
        `what` is its kind.
        """

    def faults(self, position: Any, move: str) -> tuple[dict[str, Any], ...]:
        """What speaks against a move, the worst first, as data of `why` and `theme`; there may be
        nothing."""

    def contrast(self, made: Any, better: Any, seat: int) -> tuple[dict[str, Any], ...]:
        """By what one position is better for a seat than another one, the strongest first, as data
        of the macro `contrast`."""


class MayLack(Protocol):
    """A game that works better with a part that an installation may lack."""

    def lacks(self) -> str:
        """A sentence or two for the operator on the missing part and its remedy; empty if none."""
