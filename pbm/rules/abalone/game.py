"""The game object. The entry point `abalone` of the group `pbm.games` names it."""

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from pbm.rules import contract
from pbm.rules.abalone import claims, explaining, notation
from pbm.rules.abalone.drawing import GROUND, drawing, told_move
from pbm.rules.abalone.layouts import BOARDS, LAYOUT, PILLAR, TEAMS, home_of, start_game
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN, symbol
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.abalone.records import format_record, parse_record
from pbm.rules.abalone.refusals import example_move, example_moves
from pbm.rules.contract import Option

NAME = "abalone"
VERSION = 1  # of the rules: it changes when the same moves would lead elsewhere
TO_PLAY = (LAYOUT, TEAMS, PILLAR)
TO_WRITE = tuple(map(Option, ("apgn", "abapro", "json", "diagram")))
TO_READ = (Option("layout", values=tuple(BOARDS), sets_up=True), PILLAR, Option("abapro"))


def _examples() -> dict[str, tuple[str, ...]]:
    """Return the examples in the help on each command."""
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="ascii").splitlines()
    pairs = [line.split(": ") for line in lines]
    return {name: tuple(each for word, each in pairs if word == name) for name, _ in pairs}


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
        repetitions=claims.TIMES_REPEATED,
    )
    ground = GROUND
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
    example_move = staticmethod(example_move)
    example_moves = staticmethod(example_moves)
    drawing = staticmethod(drawing)
    told_move = staticmethod(told_move)
    scores = staticmethod(attrgetter("scores"))
    reversible = staticmethod(attrgetter("quiet"))
    claim = staticmethod(claims.claim)
    claimable = staticmethod(claims.claimable)
    sameness = staticmethod(claims.sameness)
    copies = staticmethod(claims.copies)
    near = staticmethod(claims.near)
    balance = staticmethod(claims.balance)
    reasons = staticmethod(lambda *given: tuple(explaining.reasons(*given)))
    faults = staticmethod(lambda *given: tuple(explaining.faults(*given)))
    contrast = staticmethod(lambda *given: tuple(explaining.contrast(*given)))

    def told(self, start: AbalonePosition, position: AbalonePosition) -> tuple[dict[str, Any], ...]:
        """Return a dict about each seat for the templates."""
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
