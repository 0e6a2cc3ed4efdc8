"""Abalone behind the door: the one object that the server knows, and its positions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbm.rules import contract
from pbm.rules.abalone.claims import (
    QUIET_MOVES,
    TIMES_REPEATED,
    balance,
    is_quiet,
    is_repeated,
    is_seen_quiet,
    what_counts,
)
from pbm.rules.abalone.drawing import GROUND, drawing, told_move
from pbm.rules.abalone.effects import effect
from pbm.rules.abalone.errors import ClaimError
from pbm.rules.abalone.explaining import reasons
from pbm.rules.abalone.hints import example_move
from pbm.rules.abalone.homes import home_of
from pbm.rules.abalone.layouts import BOARDS, start
from pbm.rules.abalone.moves import Move, legal_moves
from pbm.rules.abalone.notation import (
    check_place,
    is_nearly_notation,
    is_notation,
    mentions_cell,
    moves_meant,
    parse_move,
)
from pbm.rules.abalone.options import TO_PLAY, TO_READ, TO_WRITE
from pbm.rules.abalone.position import EJECTIONS_TO_WIN, Position, symbol
from pbm.rules.abalone.records import Record, format_record, parse_record
from pbm.rules.abalone.records.forms import chosen_form
from pbm.rules.abalone.state import format_state, parse_state
from pbm.rules.abalone.symmetries import copies
from pbm.rules.abalone.threats import threatened
from pbm.rules.abalone.turns import leave, play

NAME = "abalone"
"""The word that names the game in a command."""

VERSION = 1
"""The version of these rules: it changes when the same moves would lead elsewhere."""

_SIDES_IN_TEAMS = (1, 2, 1, 2)
_MOST_KEPT = 1024  # positions: one board's is asked for again soon

_EXAMPLES = {
    "challenge": (
        "challenge bob",
        "abalone challenge -bowl alice bob",
        "challenge me bob carol",
        "challenge dave@example.org",
        "challenge bob -layout=german",
        "challenge bob -bowl -rounds=2",
        "challenge alice+carol bob+me",
    ),
    "move": ("move a1-c3,b2", "move 12 c5,d5", "move 12#17 e7-f8,f8", "abalone move a1-c3,b2 #1"),
    "preview": ("preview a1-c3,b2", "preview 12 c5,d5"),
    "export": ("export", "export 12", "export 12 -json", "export 12 -apgn -abapro", "export me"),
    "import": ("import", "import -abapro -layout=belgian"),
    "help": ("help", "help commands", "pbm help abalone", "help move"),
}


@dataclass(frozen=True, slots=True, repr=False)
class AbalonePosition:
    """A position as the door shows it."""

    inner: Position

    def __repr__(self) -> str:
        return repr(self.inner)

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat: partners have the same."""
        return _SIDES_IN_TEAMS if self.inner.teams else tuple(self.inner.seats)

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seat whose turn it is."""
        return (self.inner.turn,) if self.inner.turn else ()

    @property
    def out(self) -> frozenset[int]:
        """The seats that have left."""
        return self.inner.out

    @property
    def outcome(self) -> contract.Outcome | None:
        """How the game ended."""
        outcome, inner = self.inner.outcome, self.inner
        if outcome is None:
            return None
        first = outcome.winners or inner.seats
        ranks = tuple(1 if seat in first else 2 for seat in inner.seats)
        return contract.Outcome(ranks, outcome.by, inner.scores)

    def parse(self, text: str, seat: int) -> Move:  # noqa: ARG002 - only one seat can move
        """The legal move that a text means; raises NotationError and IllegalMoveError."""
        return parse_move(text, self.inner)

    def play(self, move: Move) -> contract.Played:
        """Play a move; raises IllegalMoveError if it is not legal."""
        played = play(self.inner, move)
        return contract.Played(AbalonePosition(played.position), move, effect(played))

    def leave(self, seat: int) -> "AbalonePosition":
        """Take a seat out; its marbles stay where they are."""
        return AbalonePosition(leave(self.inner, seat))

    def state(self) -> str:
        """The state line."""
        return format_state(self.inner)

    def diagram(self, view: contract.View) -> tuple[str, ...]:  # noqa: ARG002 - all see the same
        """The board with the labels of its rows and columns."""
        return tuple(self.inner.drawn().split("\n"))


class Abalone:
    """The game, as the entry point has it."""

    info = contract.Info(
        name=NAME,
        title=NAME.title(),
        contract=contract.CONTRACT,
        version=VERSION,
        seats=tuple(range(2, max(map(max, BOARDS.values())) + 1)),
        playthrough=Path(__file__).with_name("playthrough.txt").read_text(encoding="ascii"),
        options=TO_PLAY,
        examples=_EXAMPLES,
        repetitions=TIMES_REPEATED,
    )
    ground = GROUND
    writes, reads = TO_WRITE, TO_READ

    def start(
        self,
        seats: int,
        options: contract.Options,
        seed: int,  # noqa: ARG002 - there is no chance in it
    ) -> AbalonePosition:
        """Where a game starts; raises SetupError."""
        layout = options.get("layout")
        return AbalonePosition(
            start(
                str(layout) if layout else None,
                seats,
                teams=bool(options.get("teams")),
                pillar=bool(options.get("pillar")),
            )
        )

    def load(self, state: str) -> AbalonePosition:
        """The position of a state line; raises StateError."""
        return _load(state)

    def is_move_text(self, text: str) -> bool:
        """Whether a text reads as a move."""
        return is_notation(text)

    def mentions_place(self, text: str) -> bool:
        """Whether a text names a cell."""
        return mentions_cell(text)

    def check_place(self, text: str) -> None:
        """Raise NotationError for a place that is off the board, and for a pass."""
        check_place(text)

    def is_nearly_move(self, text: str) -> bool:
        """Whether a text names cells and nothing else."""
        return is_nearly_notation(text)

    def moves_meant(self, position: AbalonePosition, text: str) -> tuple[str, ...]:
        """The legal moves that such a text may mean."""
        return tuple(map(str, moves_meant(text, position.inner)))

    def example_move(self, position: AbalonePosition) -> str | None:
        """A move to show to a newcomer."""
        move = example_move(position.inner)
        return str(move) if move else None

    def moves(self, position: AbalonePosition) -> tuple[Move, ...]:
        """All legal moves, always in the same order."""
        return legal_moves(position.inner)

    def told(self, start: AbalonePosition, position: AbalonePosition) -> tuple[dict[str, Any], ...]:
        """For each seat its sign, its score and the one that wins, where it began, and whether it
        has no marbles left."""
        now = position.inner
        return tuple(
            {
                "symbol": symbol(now, seat),
                "score": now.scores[seat - 1],
                "goal": EJECTIONS_TO_WIN,
                "bare": not now.count(seat),
                "home": home_of(start.inner.marbles_of(seat)),
            }
            for seat in now.seats
        )

    def drawing(self, position: AbalonePosition, view: contract.View) -> dict[str, Any]:
        """What a picture shows."""
        return drawing(position.inner, view.moves)

    def told_move(self, position: AbalonePosition, moved: contract.Moved) -> dict[str, Any]:
        """The sign of whoever moved, and which cells changed."""
        return told_move(position.inner, moved)

    def reversible(self, position: AbalonePosition) -> int:
        """Only what came after somebody scored last can repeat itself, or be quiet."""
        return position.inner.quiet

    def claim(self, positions: Sequence[AbalonePosition], moves: Mapping[int, int]) -> str:
        """`repeated` or `quiet`; raises ClaimError."""
        if is_repeated([position.inner for position in positions]):
            return "repeated"
        if is_quiet(positions[-1].inner, moves):
            return "quiet"
        raise ClaimError("nothing-to-claim", times=TIMES_REPEATED, moves=QUIET_MOVES)

    def sameness(self, position: AbalonePosition) -> str:
        """The state line without the plies since somebody scored."""
        return format_state(what_counts(position.inner))

    def copies(self, position: AbalonePosition) -> Iterator[AbalonePosition]:
        """The position turned and mirrored, and with the seats exchanged."""
        return map(AbalonePosition, copies(position.inner))

    def claimable(
        self, position: AbalonePosition, times: int, moves: Callable[[int], Mapping[int, int]]
    ) -> str | None:
        """`repeated` or `quiet`, None where nothing can be claimed."""
        if times >= TIMES_REPEATED:
            return "repeated"
        return "quiet" if is_seen_quiet(position.inner, moves) else None

    def scores(self, position: AbalonePosition) -> tuple[int, ...]:
        """Marbles that each seat's side has pushed off."""
        return position.inner.scores

    def balance(self, start: AbalonePosition, end: AbalonePosition, seat: int) -> int:
        """Marbles that a seat's side pushed off, less those that it lost."""
        return balance(start.inner, end.inner, seat)

    def reasons(
        self, position: AbalonePosition, moves: Sequence[str]
    ) -> tuple[dict[str, Any], ...]:
        """What speaks for the first of these moves, the strongest first."""
        return tuple(reasons(position.inner, moves))

    def threatened(self, position: AbalonePosition, seat: int) -> int:
        """How many marbles of a seat an opponent could eject with one move."""
        return threatened(position.inner, seat).bit_count()

    def search(
        self,
        positions: Sequence[AbalonePosition],
        budget: contract.Budget,
        *,
        best: int = 1,
        seed: int = 0,
    ) -> contract.Found:
        """The best moves in the last of these positions."""
        # Here, so that a server starts without what only robots need.
        from pbm.rules.abalone.engine.searching import search

        return search([position.inner for position in positions], budget, best=best, seed=seed)

    def evaluate(self, position: AbalonePosition) -> tuple[int, ...]:
        """How good a position is for each seat, a hundred to a marble."""
        from pbm.rules.abalone.engine.searching import evaluate

        return evaluate(position.inner)

    def lacks(self) -> str:
        """The compiled core of the search, where it cannot be used."""
        from pbm.rules.abalone.engine.compiled import why_not
        from pbm.rules.abalone.engine.compiling import REMEDY

        reason = why_not()
        return f"Robots think in plain Python, more slowly: {reason}. {REMEDY}" if reason else ""

    def write(self, record: contract.GameRecord, chosen: contract.Options) -> str:
        """A game as text; raises RecordError."""
        form, notation_ = chosen_form(chosen)
        return format_record(_record(record), form, notation=notation_)

    def read(self, text: str, chosen: contract.Options) -> contract.GameRecord:
        """The game that a text records; raises RecordError."""
        board = chosen.get("layout")
        found = parse_record(
            text,
            "abapro" if chosen.get("abapro") else None,
            board=str(board) if board else None,
            pillar=bool(chosen.get("pillar")),
        )
        options = dict(_options(found))
        return contract.GameRecord(
            found.players, options, found.names, found.steps, found.ended, found.tags
        )


@lru_cache(maxsize=_MOST_KEPT)
def _load(state: str) -> AbalonePosition:
    return AbalonePosition(parse_state(state))


def _record(record: contract.GameRecord) -> Record:
    options = record.options
    return Record(
        str(options["layout"]),
        record.seats,
        teams=bool(options.get("teams")),
        pillar=bool(options.get("pillar")),
        names=record.names,
        steps=record.steps,
        ended=record.ended,
        tags=record.tags,
        better=record.better,
    )


def _options(record: Record) -> Iterator[tuple[str, str | bool]]:
    yield "layout", record.board
    if record.teams:
        yield "teams", True
    if record.pillar:
        yield "pillar", True


GAME = Abalone()
