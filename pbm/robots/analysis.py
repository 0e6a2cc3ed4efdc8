"""Hints, and the analysis of a finished game: each move beside the best that a search finds.

A long game is analysed in pieces of a few plies, with a node limit. A short search covers all
moves; those that seem to have cost most are searched again, deeper.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbm.robots.thinking import Course, think, what_may_come_back
from pbm.rules.contract import WON, Budget, Explains, Game, Position, Searches, SearchResult, has
from pbm.rules.registry import game_named
from pbm.rules.robots import ADVISER, ROBOTS
from pbm.rules.sides import hand, turn

SHORT_LOOK, LONG_LOOK = 6_000, 60_000  # nodes a ply
SHORT_LOOKS = 1_500_000  # nodes of all short searches together: in a very long game each gets less
PIECE = 60_000  # nodes of one piece, about
LOOKED_AT_AGAIN = 6  # plies
MOST_MISTAKES = 3  # of those
LEAST = 20  # hundredths; a cheaper mistake is not reported
MOST_LOST = 2_000  # hundredths: what a whole game is worth, from won to lost
_EVERY_MOVE = 10_000
_PLIES_OF_LINE, _PLIES_OF_HINT = 8, 6
_REASONS = 2
_AS_FAR = 4  # times the nodes, so that the reply is searched to the same depth


@dataclass(frozen=True, slots=True)
class Advice:
    """A hint: a move, why it is good, and the line that begins with it."""

    move: str
    line: tuple[str, ...]
    reasons: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A move beside the best `line` from there, and the game's `reasons` for that line.

    `seat` made the move, which `lost` so many hundredths. `misses_win`: the best move led to a win
    within the search, this one did not. `allows_loss`: this move led to a loss within the search,
    the best one did not. After the last ply there is only the line.
    """

    ply: int
    seat: int
    move: str | None
    lost: int
    line: tuple[str, ...]
    misses_win: bool = False
    allows_loss: bool = False
    reasons: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """Some plies of a game, each to be searched with so many nodes."""

    plies: tuple[int, ...]
    nodes: int


def advise(course: Course, seed: int, easier: int) -> Advice:
    """A hint by a strong robot. Raises RulesError, NoMoveError."""
    game, positions = game_named(course.game), course.positions()
    thought = think(ROBOTS[ADVISER], game, positions, seed, easier=easier)
    lines = (line.moves for line in thought.found.lines if line.moves[0] == thought.move)
    line = next(lines, (thought.move,))
    return Advice(thought.move, line[:_PLIES_OF_HINT], _reasons(game, positions[-1], line))


def look_at(course: Course, piece: Piece) -> list[Judged]:
    """Analyse a piece of a game. Raises RulesError."""
    ends = (number for number, step in enumerate(course.steps, 1) if isinstance(step, str))
    played = replace(course, steps=course.steps[: max(ends, default=0)])
    moves = [step for step in played.steps if isinstance(step, str)]
    return judge(game_named(course.game), list(played.reached()), moves, piece)


def next_piece(plies: int, short: Sequence[int], long: Sequence[Judged]) -> Piece | None:
    """The next piece of a game of so many plies, None if all is done.

    `short` holds what the first moves cost in the short search; `long` are the long searches done.

    >>> next_piece(3, [0, 50, 0], []).plies, next_piece(3, [0, 50, 0], [Judged(2, 1, "", 0, ())])
    ((2,), Piece(plies=(4,), nodes=60000))
    """
    nodes = max(1, min(SHORT_LOOK, SHORT_LOOKS // max(1, plies)))
    left = range(len(short) + 1, plies + 1)
    if left:
        return Piece(tuple(left[: max(1, PIECE // nodes)]), nodes)
    done = {judged.ply for judged in long}
    dearest = sorted(range(1, plies + 1), key=lambda ply: (-short[ply - 1], ply))[:LOOKED_AT_AGAIN]
    again = [ply for ply in dearest if short[ply - 1] >= LEAST and ply not in done]
    again += [] if plies + 1 in done else [plies + 1]
    return Piece(tuple(again[: max(1, PIECE // LONG_LOOK)]), LONG_LOOK) if again else None


def mistakes(long: Sequence[Judged]) -> list[Judged]:
    """The moves that cost most, in the order of the game."""
    dear = [judged for judged in long if judged.lost >= LEAST]
    dear.sort(key=lambda judged: (-judged.lost, judged.ply))
    return sorted(dear[:MOST_MISTAKES], key=lambda judged: judged.ply)


def judge(
    game: Game, positions: Sequence[Position], moves: Sequence[str], piece: Piece
) -> list[Judged]:
    """Analyse some plies of a game, given the positions before each move and after the last one."""
    return [
        _judged(game, positions[:ply], moves[ply - 1] if ply <= len(moves) else None, piece.nodes)
        for ply in piece.plies
    ]


def _reasons(game: Game, position: Position, line: Sequence[str]) -> tuple[dict[str, Any], ...]:
    return game.reasons(position, line)[:_REASONS] if has(game, Explains) else ()


def _judged(game: Game, positions: Sequence[Position], move: str | None, nodes: int) -> Judged:
    position, ply = positions[-1], len(positions)
    seat = hand(position, turn(position) or 1)
    few = move is None or _has_two_sides(position)
    found = _searched(game, positions, Budget(nodes), 1 if few else _EVERY_MOVE)
    if not found.lines:  # the rules had ended the game
        return Judged(ply, seat, move, 0, ())
    best = found.lines[0]
    made = best.score if move is None else _score(game, positions, move, found, nodes)
    return Judged(
        ply,
        seat,
        move,
        _worth(best.score) - _worth(made),
        best.moves[:_PLIES_OF_LINE],
        misses_win=best.score >= WON > made,
        allows_loss=made <= -WON < best.score,
        reasons=_reasons(game, position, best.moves),
    )


def _score(
    game: Game, positions: Sequence[Position], move: str, found: SearchResult, nodes: int
) -> int:
    """The score of a move, searched as deep as the best one.

    With two sides the reply is searched. Otherwise the search scored as many moves as it could; a
    missing one counts as the last of those.
    """
    scored = next((line.score for line in found.lines if line.moves[0] == move), None)
    least, before = found.lines[-1].score, positions[-1]
    seat = turn(before) or 1
    if scored is not None or not _has_two_sides(before):
        return least if scored is None else scored
    after = before.play(before.parse(move, seat)).position
    budget = Budget(_AS_FAR * nodes, depth=max(1, found.depth - 1))
    answer = _searched(game, [*positions, after], budget, 1)
    if not answer.lines:
        return least
    same_side = after.sides[(turn(after) or 1) - 1] == before.sides[seat - 1]
    return min(least, answer.lines[0].score if same_side else -answer.lines[0].score)


def _has_two_sides(position: Position) -> bool:
    return len(set(position.sides)) == 2


def _searched(game: Game, positions: Sequence[Position], budget: Budget, best: int) -> SearchResult:
    if not has(game, Searches) or positions[-1].outcome:
        return SearchResult((), 0, 0)
    return game.search(what_may_come_back(game, positions), budget, best=best)


def _worth(score: int) -> int:
    return max(-MOST_LOST // 2, min(MOST_LOST // 2, score))
