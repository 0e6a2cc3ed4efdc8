"""What was good and bad in a game that is over: each move beside the best that a search finds.

A long game takes long, so it is looked at in pieces, each of a few plies and so many nodes. All
moves are looked at shortly, and those that seem to have cost most once more, farther ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pbm.robots.courses import what_may_come_back
from pbm.rules.contract import (
    WON,
    Budget,
    Explains,
    Found,
    Game,
    Position,
    Searches,
)
from pbm.rules.sides import hand, turn

SHORT_LOOK, LONG_LOOK = 6_000, 60_000  # nodes a ply
SHORT_LOOKS = 1_500_000  # nodes of all of them together: in a very long game each gets less
PIECE = 60_000  # nodes of one piece, about
LOOKED_AT_AGAIN = 6  # plies
TOLD = 3  # of those
LEAST = 20  # hundredths that a move must have cost to be told of
MOST_LOST = 2_000  # hundredths: what a whole game is worth, from won to lost
_EVERY_MOVE = 10_000
_LONGEST_LINE = 8  # plies that are told
_REASONS = 2
_TWO = 2
_AS_FAR = 4  # times the nodes, so that they do not end a search that is to go so far


@dataclass(frozen=True, slots=True)
class Judged:
    """A move beside the best `line` from there, and the game's `reasons` for that.

    `seat` is that of whoever made the move, and `lost` what it cost, in hundredths. With the best
    one a win was in sight, and after the one that was made none (`misses_win`), or a loss was, and
    with the best one none (`allows_loss`). After the last ply there is only the line.
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
    """Some plies of a game, each to be looked at with so many nodes."""

    plies: tuple[int, ...]
    nodes: int


def next_piece(plies: int, short: Sequence[int], long: Sequence[Judged]) -> Piece | None:
    """What of a game of so many plies is to be looked at now, None where all has been.

    `short` is what the first moves cost at the short look, and `long` what came of the long ones.

    >>> next_piece(3, [0, 50, 0], []).plies, next_piece(3, [0, 50, 0], [Judged(2, 1, "", 0, ())])
    ((2,), Piece(plies=(4,), nodes=60000))
    """
    nodes = max(1, min(SHORT_LOOK, SHORT_LOOKS // max(1, plies)))
    left = range(len(short) + 1, plies + 1)
    if left:
        return Piece(tuple(left[: max(1, PIECE // nodes)]), nodes)
    looked_at = {judged.ply for judged in long}
    again = [ply for ply in (*_dearest(short), plies + 1) if ply not in looked_at]
    return Piece(tuple(again[: max(1, PIECE // LONG_LOOK)]), LONG_LOOK) if again else None


def mistakes(long: Sequence[Judged]) -> list[Judged]:
    """The moves that cost most, in the order of the game."""
    dear = [judged for judged in long if judged.lost >= LEAST]
    dear.sort(key=lambda judged: (-judged.lost, judged.ply))
    return sorted(dear[:TOLD], key=lambda judged: judged.ply)


def judge(
    game: Game, positions: Sequence[Position], moves: Sequence[str], piece: Piece
) -> list[Judged]:
    """Look at some plies of a game: the positions before each move and after the last one, and all
    moves. After the last ply there is nothing to find where the rules had ended it."""
    found: list[Judged] = []
    for ply in piece.plies:
        move = moves[ply - 1] if ply <= len(moves) else None
        found.append(_judged(game, positions[:ply], move, piece.nodes))
    return found


def reasons(game: Game, position: Position, line: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Why the first move of a line is good: what matters most."""
    return game.reasons(position, line)[:_REASONS] if isinstance(game, Explains) else ()


def _judged(game: Game, positions: Sequence[Position], move: str | None, nodes: int) -> Judged:
    position, ply = positions[-1], len(positions)
    seat = hand(position, turn(position) or 1)
    few = move is None or _has_two_sides(position)
    found = _searched(game, positions, Budget(nodes), 1 if few else _EVERY_MOVE)
    if not found.lines:
        return Judged(ply, seat, move, 0, ())
    best = found.lines[0]
    made = best.score if move is None else _score(game, positions, move, found, nodes)
    return Judged(
        ply,
        seat,
        move,
        _worth(best.score) - _worth(made),
        best.moves[:_LONGEST_LINE],
        misses_win=best.score >= WON > made,
        allows_loss=made <= -WON < best.score,
        reasons=reasons(game, position, best.moves),
    )


def _score(game: Game, positions: Sequence[Position], move: str, found: Found, nodes: int) -> int:
    """What a search thinks of a move, as far ahead as it saw the best one.

    Between two sides it is what the other one makes of it. Else the search scored as many moves as
    it could; one that is not among them is no better than those.
    """
    told = next((line.score for line in found.lines if line.moves[0] == move), None)
    least, before = found.lines[-1].score, positions[-1]
    seat = turn(before) or 1
    if told is not None or not _has_two_sides(before):
        return least if told is None else told
    after = before.play(before.parse(move, seat)).position
    budget = Budget(_AS_FAR * nodes, depth=max(1, found.depth - 1))
    answer = _searched(game, [*positions, after], budget, 1)
    if not answer.lines:
        return least
    same_side = after.sides[(turn(after) or 1) - 1] == before.sides[seat - 1]
    return min(least, answer.lines[0].score if same_side else -answer.lines[0].score)


def _has_two_sides(position: Position) -> bool:
    return len(set(position.sides)) == _TWO


def _searched(game: Game, positions: Sequence[Position], budget: Budget, best: int) -> Found:
    if not isinstance(game, Searches) or positions[-1].outcome:
        return Found((), 0, 0)
    return game.search(what_may_come_back(game, positions), budget, best=best)


def _dearest(lost: Sequence[int]) -> list[int]:
    """The plies that cost most, of those that cost enough to be told of."""
    plies = sorted(range(1, len(lost) + 1), key=lambda ply: (-lost[ply - 1], ply))
    return [ply for ply in plies[:LOOKED_AT_AGAIN] if lost[ply - 1] >= LEAST]


def _worth(score: int) -> int:
    return max(-MOST_LOST // 2, min(MOST_LOST // 2, score))
