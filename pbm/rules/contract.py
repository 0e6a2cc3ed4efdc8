"""The door for games: what a game offers to the server, and nothing that only one game has.

A game is an object with the members of `Game`; it is found by the entry point group `pbm.games`
(`pbm.rules.registry`). What only some games have is a small protocol of its own, further below: the
server looks whether the game has it. Everything that goes out through the door is plain data, and
whatever is wrong is a `RulesError` with a reason and parameters. The sentences for people are in
the templates of the game. `docs/adding-a-game.md` tells how to write one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol, Self, TypeGuard, TypeVar, runtime_checkable

_What = TypeVar("_What")
CONTRACT = 1
"""The version of this contract: a game that names another one is not let in."""

SHORTEST_STATE, LONGEST_STATE = 20, 400
"""Characters of the first word of a state line, and of the whole line. The mail room knows a mail
of ours that comes back by that line; what is shorter somebody may have written."""

LONGEST_MOVE, LONGEST_BY = 16, 12
"""Characters of a move in canonical text, and of the word that an outcome is `by`."""

Options = Mapping[str, str | bool]
"""What was chosen for a game: the value of an option by its name, True for a flag."""


class RulesError(ValueError):
    """Something that a game does not allow.

    `reason` is a code in kebab-case from a closed list of the game; `params` are plain data, that
    a template of the game makes a sentence of. `str()` is for logs and developers.
    """

    def __init__(self, reason: str, **params: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.reason} ({told})" if told else self.reason


class NotationError(RulesError):
    """A text that names no move, in this or any other position."""


class IllegalMoveError(RulesError):
    """A move, or a seat's leaving, that this position does not allow."""


class AmbiguousMoveError(RulesError):
    """A text that names several moves of this position; `meant` lists them."""


class SetupError(RulesError):
    """A game cannot begin with these options, or not for so many seats: `wrong-players`."""


class StateError(RulesError):
    """A state line that describes no position."""


class ClaimError(RulesError):
    """What a player claims is not so."""


class RecordError(RulesError):
    """A record of a game that cannot be read or written, or whose moves the rules do not allow.

    Where a step is refused the parameters say which: `ply` is the one that would have been
    played, `number` that of its round, `seat` the one to move or to leave, `given` its text; for a
    leaving `after` is the last ply before it. The reason `no-board` is for a text that lacks an
    option of `reads`.
    """


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen, and how it is read from a command's line.

    Without `values` it is a flag, `-name`; else `-name=value`, and each of the values in `flags`
    may be written as a flag of its own. What is not chosen is `default`, or what `default_with`
    has for a flag that is. `seats` are the numbers of players that can choose it, all if empty.
    A flag with `partners` is chosen by writing players with a `+` between them, too.
    `sets_up`: what stands on the board at the start depends on it, so that the help draws it.
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
        """The value that a text means, None if none; case, blanks, - and _ do not matter.

        >>> Option("opening", ("the_wall", "plain")).find("The Wall")
        'the_wall'
        """
        return next((value for value in self.values if _letters(value) == _letters(text)), None)

    def usual(self, chosen: Options) -> str | None:
        """What holds where it is not chosen itself."""
        with_flags = (value for flag, value in self.default_with if chosen.get(flag))
        return next(with_flags, self.default)


def completed(declared: Sequence[Option], chosen: Options) -> dict[str, str | bool]:
    """The options in the order of their declaration, with the defaults of what was not chosen.

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
    """What a game says of itself.

    `name` is one word in small letters, as in commands and in the database; `title` is for
    people. `version` is that of the rules: it changes when the same moves would lead elsewhere.
    `seats` are the numbers of players that it can be played by. `examples` are lines of commands
    to show, by the command's name. `playthrough` is a whole game as text
    (`pbm.rules.playthrough`). In `folder` are `templates/NAME/` and `help/NAME.txt`; None if they
    come with the server. A mail lists the moves of the latest `rounds_shown` rounds. `repetitions`
    is how often a position has to stand for a claim; the server counts no further.
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
    """How a game ended: a rank for each seat, 1 the best, and by what, in one word.

    `scores` has one for each seat too, or is empty for a game that counts none.
    """

    ranks: tuple[int, ...]
    by: str
    scores: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of the first rank, none of them if all have the same: a draw.

        >>> Outcome((1, 2, 1), "goal").winners, Outcome((1, 1), "full").winners
        ((1, 3), ())
        """
        if len(set(self.ranks)) == 1:
            return ()
        return tuple(seat for seat, rank in enumerate(self.ranks, 1) if rank == 1)


@dataclass(frozen=True, slots=True)
class Moved:
    """A move that was made: for which seat, in canonical text, and what else it did."""

    seat: int
    move: str
    effect: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """How a position is looked at: from a seat, or from none, and with which moves marked.

    These are the latest ones, the last of them last; mostly all since that seat's own.
    """

    seat: int | None = None
    moves: tuple[Moved, ...] = ()


class Move(Protocol):
    """A move. `str()` is its canonical text, which `parse` reads for ever."""

    def __str__(self) -> str: ...


class Position(Protocol):
    """Everything that decides how a game can go on: frozen, equal by value, printed as a drawing.

    Seats count from 1. `sides` has the side of each seat: the seats of one side are partners, who
    win and lose together, and move for one who has left. `to_move` are the seats whose turn it is,
    none when the game is over; the server waits for the first of them. `out` have left.
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
        """The legal move that a text means.

        Raises NotationError, IllegalMoveError, AmbiguousMoveError.
        """

    def play(self, move: Any) -> "Played":
        """Play a move of this game; raises IllegalMoveError if it is not legal."""

    def leave(self, seat: int) -> Self:
        """Take a seat out: it resigned, was removed or has run out of time."""

    def state(self) -> str:
        """The state line: printable ASCII in words with single blanks between, without `=?`, from
        which `load` makes this position for ever."""

    def diagram(self, view: View) -> tuple[str, ...]:
        """The position as lines of text, with labels for whatever a move has to name."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a move: the position after it, and what else it did, as plain data."""

    position: Position
    move: Move
    effect: Mapping[str, Any] = field(default_factory=dict)


class Game(Protocol):
    """A game, as its entry point has it."""

    @property
    def info(self) -> Info: ...

    def start(self, seats: int, options: Options, seed: int) -> Position:
        """Where a game of so many seats starts; raises SetupError.

        `options` are complete (`completed`). `seed` decides all chance that is in the game.
        """

    def load(self, state: str) -> Position:
        """The position that a state line describes; raises StateError, and nothing else."""


# -- what only some games have ---------------------------------------------------------------


def has(game: object, what: type[_What]) -> TypeGuard[_What]:
    """Whether a game has all members of one of the protocols below; as `isinstance`, which before
    Python 3.12 finds out each time anew which these are."""
    protocol: type = what
    return all(hasattr(game, name) for name in _members(protocol))


@cache
def _members(protocol: type) -> frozenset[str]:
    names = (name for base in protocol.__mro__ for name in vars(base))
    return frozenset(name for name in names if not name.startswith("_"))


@runtime_checkable
class ReadsTexts(Protocol):
    """A game whose texts can be told from words without a position.

    Without it every text that stands where a move belongs is one, a line by itself never.
    """

    def is_move_text(self, text: str) -> bool:
        """Whether a text reads as a move, be it possible or not. Plain words never do."""

    def mentions_place(self, text: str) -> bool:
        """Whether a text names a place of the board, so that it is hardly a plain word."""

    def check_place(self, text: str) -> None:
        """Raise NotationError for what was surely meant as a move and names no place of the board.

        A pass is one, in a game where nobody can pass.
        """


@runtime_checkable
class ReadsLoosely(Protocol):
    """A game that makes something of texts which are not quite moves: the player is asked.

    An arrow, →, stands in them where somebody wrote a word such as "to".
    """

    def is_nearly_move(self, text: str) -> bool:
        """Whether a text names places of the board and nothing else. Plain words never do."""

    def moves_meant(self, position: Any, text: str) -> tuple[str, ...]:
        """All legal moves that such a text may mean, as people would write them."""


@runtime_checkable
class Suggests(Protocol):
    """A game whose positions name a move to show to a newcomer."""

    def example_move(self, position: Any) -> str | None:
        """A legal move in its canonical text, None if there is none."""


@runtime_checkable
class Tells(Protocol):
    """A game whose templates say something of each seat."""

    def told(self, start: Any, position: Any) -> tuple[dict[str, Any], ...]:
        """For each seat what the templates say, as plain data; `symbol` is its sign."""


@runtime_checkable
class TellsMoves(Protocol):
    """A game whose templates say below the board what a move changed there."""

    def told_move(self, position: Any, moved: Moved) -> dict[str, Any]:
        """What the macro `marked` of the game says of a move that led to a position, as plain
        data."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The empty board of a picture. Lengths are in steps from cell to cell; x goes right, y down.

    Each of `names` is that of the cell whose middle is the same entry of `cells`, and stands in it
    while it is empty: two characters, three at most. Cells in a row have names that begin alike.
    `labels` stand just outside, as a text and its middle; `strokes` lead from them to their cells,
    each from one point to another. `corners` are the middles of the outermost cells. A picture is
    `width` pixels of a page wide and `height` high; in it `middle` is where the point (0, 0) is,
    and `scale` are the pixels of a step right and of one down. A piece has 36 pixels of room.
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


@runtime_checkable
class Draws(Protocol):
    """A game whose positions can be shown as a picture."""

    @property
    def ground(self) -> Ground: ...

    def drawing(self, position: Any, view: View) -> dict[str, Any]:
        """What to draw, as a JSON object.

        `signs` has one character for each cell of the ground: `.` for an empty one, the digit of
        the seat, or `#` for what never moves; `seats` has what is written on the pieces of each
        seat. `moves` has those of the view in their order: of each, `move` is its text, `left`
        and `came` are the cells that it emptied and those where its own pieces still are, by
        index; `at` is the cell that is marked with its number where there are several; `towards`
        is its direction in degrees, clockwise from the right; `off` is the cell over whose edge
        a piece went and the digit of its seat.
        """


@runtime_checkable
class Claims(Protocol):
    """A game in which a player may end as a draw what gets nowhere."""

    def reversible(self, position: Any) -> int:
        """How many of the latest plies matter to a claim: what came before cannot come back."""

    def claim(self, positions: Sequence[Any], moves: Mapping[int, int]) -> str:
        """By what a draw can be claimed, one word; raises ClaimError where it can't.

        `positions` are those of the plies that matter, the current one last; `moves` counts the
        moves that each seat made in them.
        """


@runtime_checkable
class TellsClaims(Claims, Protocol):
    """A game that tells its players when they may claim, without playing the game through."""

    def sameness(self, position: Any) -> str:
        """A text that two positions share where a claim takes them for the same."""

    def claimable(
        self, position: Any, times: int, moves: Callable[[int], Mapping[int, int]]
    ) -> str | None:
        """By what a draw can be claimed now, as `claim` puts it, None where it can't be.

        `times` is how often the position has stood in the plies that matter. `moves` counts the
        moves that each seat made in the latest plies, so many of them, and takes work.
        """


@runtime_checkable
class HasCopies(TellsClaims, Protocol):
    """A game whose positions have copies: turned, mirrored, or with the seats exchanged."""

    def copies(self, position: Any) -> Iterable[Any]:
        """The positions in which the same moves are good, once these are turned and mirrored alike;
        the position itself is among them."""


@runtime_checkable
class BreaksTies(Protocol):
    """A game that tells more of a player's result than who has won."""

    def balance(self, start: Any, end: Any, seat: int) -> int:
        """By how much a seat did better than its opponents, to be added up over a match."""


@runtime_checkable
class Scores(Protocol):
    """A game in which seats score while it is played."""

    def scores(self, position: Any) -> tuple[int, ...]:
        """What each seat has scored so far, none of them below zero; partners have one score."""


# -- whole games -----------------------------------------------------------------------------

LEAVING_HOWS = ("resigned", "removed", "forfeited")
ENDING_HOWS = ("agreed", "claimed", "closed", "operator", "record")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A seat's leaving, between two plies; `str()` gives it as a record writes it.

    >>> str(Leaving(3, "forfeited"))
    'seat 3 forfeited'
    """

    seat: int
    how: str = "resigned"

    def __str__(self) -> str:
        return f"seat {self.seat} {self.how}"


Step = str | Leaving
"""A move as text, or a seat's leaving."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended that by its moves alone would go on.

    `agreed` and `claimed` are draws, `closed` is an end without a result. `operator` is a result
    that was decided by word, `record` one that a record from elsewhere has without saying why:
    these two have `winners`, none of them for a draw.
    """

    how: str
    winners: tuple[int, ...] = ()

    @property
    def result(self) -> tuple[int, ...] | None:
        """The winning seats, none of them for a draw; None if there is no result."""
        return None if self.how == "closed" else self.winners


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A whole game: how it began, every step, and how it ended beyond the rules.

    `names` has one for each seat, empty where nobody knows it. `tags` are pairs of a name and a
    value that the game itself does not say. `better` are remarks for whoever reads it: for some
    plies, one after the last perhaps among them, the moves of the best line from there. They are no
    part of the game, and where a record is read none come of it.
    """

    seats: int
    options: Options
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    ended: Ending | None = None
    tags: tuple[tuple[str, str], ...] = ()
    better: tuple[tuple[int, tuple[str, ...]], ...] = field(default=(), compare=False)


@runtime_checkable
class KeepsRecords(Protocol):
    """A game with forms of its own in which whole games are written down and read."""

    @property
    def writes(self) -> tuple[Option, ...]: ...

    @property
    def reads(self) -> tuple[Option, ...]: ...

    def write(self, record: GameRecord, chosen: Options) -> str:
        """A game as text; `chosen` are some of the options in `writes`. Raises RecordError."""

    def read(self, text: str, chosen: Options) -> GameRecord:
        """The game that a text records; `chosen` are some of the options in `reads`.

        It was played through, and the rules allow it. Raises RecordError.
        """


# -- looking ahead ---------------------------------------------------------------------------

WON = 100_000
"""A score of so much, or more, says that a win is in sight; of so much below zero, a loss."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may look at.

    `nodes` are positions, and decide: the same number finds the same. `seconds` only guard against
    a slow machine. `depth` is in plies; None for as deep as the nodes reach.
    """

    nodes: int
    seconds: float | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A move that a search found, how good it is, and how the game may go on.

    `moves` are canonical texts, the move itself first. `score` is for the side to move, in
    hundredths of what one unit of the game's own score is worth, such as a piece taken; from `WON`
    on a win is in sight.
    """

    moves: tuple[str, ...]
    score: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found: lines, the best first, the depth that it finished, the nodes it took.

    There are no lines once the game is over. `by` is the word for the core that searched,
    `compiled` or `plain`: they find the same. `cut` says that `Budget.seconds` ended it.
    """

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    by: str = "plain"
    cut: bool = False


@runtime_checkable
class Searches(Protocol):
    """A game that can be searched for good moves, so that robots play it."""

    def search(
        self, positions: Sequence[Any], budget: Budget, *, best: int = 1, seed: int = 0
    ) -> SearchResult:
        """The best moves for the seat to move in the last of these positions.

        The others are those of the plies before it that may come back, as for `Claims.claim`, the
        oldest first. There are `best` lines at most, each scored exactly; among equal ones `seed`
        may choose. The same arguments find the same, unless `seconds` end it.
        """

    def evaluate(self, position: Any) -> tuple[int, ...]:
        """How good a position is for each seat, without looking ahead, in the unit of
        `Line.score`."""


@runtime_checkable
class Explains(Protocol):
    """A game that says why a move is good."""

    def reasons(self, position: Any, moves: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """What speaks for the first of these moves, in canonical texts, the strongest first.

        The others are how the game may go on. Each reason is true of the position, and plain data,
        of which the macro `why` of the game makes a sentence. There may be none.
        """


@runtime_checkable
class TellsThreats(Protocol):
    """A game that tells what can be taken at once, so that even a weak robot leaves nothing so."""

    def threatened(self, position: Any, seat: int) -> int:
        """How many different pieces of a seat some opponent could take with a single move, if it
        were that opponent's turn; in a game without taking, 1 if one of them could win."""


@runtime_checkable
class MayLack(Protocol):
    """A game that works, and would work better with something that an installation may lack."""

    def lacks(self) -> str:
        """What is missing and what to do, in a sentence or two for the operator; else nothing."""
