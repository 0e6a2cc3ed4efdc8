"""Hints, and the analysis of finished games: each move is compared with the best move found.

Short searches cover all moves. The moves that seem to have been the worst are searched again,
deeper. A game is analysed in pieces of a few plies, so that no job takes long.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from pbm.robots.thinking import Course, think, what_may_come_back
from pbm.rules.contract import (
    WON,
    Budget,
    Explains,
    Game,
    Line,
    Position,
    Scores,
    Searches,
    SearchResult,
    has,
)
from pbm.rules.registry import game_named
from pbm.rules.robots import ADVISER, ROBOTS
from pbm.rules.sides import after, hand, turn

SHORT_LOOK, LONG_LOOK = 20_000, 600_000  # nodes a ply
SHORT_LOOKS = 3_000_000  # nodes of all short searches together: in a very long game each gets less
PIECE = 600_000  # nodes of one piece, approximately
LOOKED_AT_AGAIN = 10  # plies that are searched again, deeper
MOST_MISTAKES = 3  # mistakes that are told with their lines
LEAST = 10  # hundredths; a cheaper mistake is not reported
AHEAD = 50  # hundredths; a smaller lead counts as even
DECIDED = 1_000  # hundredths: a game that is won or lost by force
TWO = 2  # sides: what one of them gains the other one loses
_EVERY_MOVE = 10_000
_PLIES_OF_LINE, _PLIES_TO_END = 6, 12
_REASONS = 2
_AS_FAR = 4  # times the nodes: enough to search the reply to the same depth
_CLASS = 175  # hundredths of lead at which the chances are e to one


@dataclass(frozen=True, slots=True)
class Advice:
    move: str
    line: tuple[str, ...]
    reasons: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The move that `seat` played at a ply, compared with the best move."""

    ply: int
    seat: int
    move: str | None  # None after a game's last ply
    best: int  # what the best move is worth to `seat`, in hundredths, at most `DECIDED`
    made: int  # what the played move is worth
    line: tuple[str, ...]  # the best line
    reasons: tuple[dict[str, Any], ...] = ()  # facts from the game's code that explain `line`
    faults: tuple[dict[str, Any], ...] = ()  # of the played move
    answer: tuple[str, ...] = ()  # the best line after the played move
    harm: tuple[dict[str, Any], ...] = ()  # that `answer` does
    after: str = ""  # the state line at the end of `answer`
    contrast: tuple[dict[str, Any], ...] = ()  # what is better at the end of `line`

    @property
    def lost(self) -> int:
        """How much better the best move was than the played move, in hundredths."""
        return self.best - self.made

    @property
    def chances_lost(self) -> float:
        """By how much the move lowered the chance to win, from 0 to 1."""
        return _chances(self.best) - _chances(self.made)


Look = Sequence[int]  # a seat; what the best and the played move are worth to it, by a short search


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an analysis, done by one job."""

    plies: tuple[int, ...]
    nodes: int  # for each search
    deep: bool = False  # whether played moves are searched, too, and mistakes explained


def advise(course: Course, seed: int, easier: int) -> Advice:
    """Return the hint of a robot `easier` steps below `ADVISER`. Raises RulesError, NoMoveError."""
    game, positions = game_named(course.game), course.positions()
    thought = think(ROBOTS[ADVISER], game, positions, seed, easier=easier)
    lines = (line.moves for line in thought.found.lines if line.moves[0] == thought.move)
    line = next(lines, (thought.move,))
    reasons = _reasons(game, positions[-1], line)[:1]
    return Advice(thought.move, line[:_PLIES_OF_LINE], reasons)


def look_at(course: Course, piece: Piece) -> list[Judged]:
    """Analyse the plies in `piece`. Raises RulesError."""
    ends = (number for number, step in enumerate(course.steps, 1) if isinstance(step, str))
    played = replace(course, steps=course.steps[: max(ends, default=0)])
    moves = [step for step in played.steps if isinstance(step, str)]
    return judge(game_named(course.game), list(played.reached()), moves, piece)


def leads(looks: Sequence[Look], long: Sequence[Judged], sides: Sequence[int]) -> list[int]:
    """Return the lead of the side of seat 1 before each ply and after the last ply, in hundredths.

    Deep searches in `long` replace short ones. With more than two sides, the list is empty.
    """
    if len(set(sides)) != TWO:
        return []
    signs = [1 if sides[seat - 1] == sides[0] else -1 for seat, *_ in looks]
    found = [sign * best for sign, (_, best, _) in zip(signs, looks, strict=True)]
    for judged in sorted(long, key=lambda judged: judged.ply):
        sign = signs[judged.ply - 1]
        found[judged.ply - 1 : judged.ply + 1] = sign * judged.best, sign * judged.made
    found = found[: len(looks)]
    for ply in range(len(looks) - 1, 0, -1):
        if signs[ply - 1] * found[ply] == DECIDED:
            found[ply - 1] = found[ply]
    return found


def costs(looks: Sequence[Look], sides: Sequence[int]) -> list[float]:
    """Return how much each move lowered its player's chance to win, from the short searches."""
    found = leads(looks, (), sides)
    if not found:
        return [_chances(best) - _chances(made) for _, best, made in looks]
    signs = [1 if sides[seat - 1] == sides[0] else -1 for seat, *_ in looks]
    later = [*found[1:], found[-1]]  # such a search has looked one ply further
    both = zip(signs, found, later, strict=True)
    return [_chances(sign * lead) - _chances(sign * next_lead) for sign, lead, next_lead in both]


def next_piece(plies: int, short: Sequence[float], long: Sequence[Judged]) -> Piece | None:
    """Return the next piece of an analysis; None if the analysis is complete.

    `short` has one number for each short search that is done: by how much the move lowered its
    player's chance to win. `long` has the results of the deep searches that are done.

    >>> next_piece(3, [0, 0.5, 0, 0], []).plies
    (2,)
    >>> next_piece(3, [0, 0.5, 0, 0], [Judged(2, 1, "", 0, 0, ())])
    Piece(plies=(4,), nodes=600000, deep=True)
    """
    nodes = max(1, min(SHORT_LOOK, SHORT_LOOKS // (plies + 1)))
    left = range(len(short) + 1, plies + 2)
    if left:
        return Piece(tuple(left[: max(1, PIECE // nodes)]), nodes)
    done = {judged.ply for judged in long}
    dearest = sorted(range(1, plies + 1), key=lambda ply: (-short[ply - 1], ply))[:LOOKED_AT_AGAIN]
    again = [ply for ply in dearest if short[ply - 1] > 0 and ply not in done]
    again += [] if plies + 1 in done else [plies + 1]
    return Piece(tuple(again[: max(1, PIECE // LONG_LOOK)]), LONG_LOOK, True) if again else None


def mistakes(long: Sequence[Judged]) -> list[Judged]:
    """Return the mistakes; the move that lowered the chance to win most is first."""
    dear = [judged for judged in long if judged.lost >= LEAST]
    return sorted(dear, key=lambda judged: (-judged.chances_lost, judged.ply))


def turned(leads: Sequence[int]) -> int | None:
    """Return the ply of the move since which the same side has been ahead; None if there is none.

    >>> turned([0, 10, -20, -70, -60, -1000]), turned([0, -70, 20, 30]), turned([60, 70])
    (3, None, None)
    """
    ahead = [(lead >= AHEAD) - (lead <= -AHEAD) for lead in leads]
    changes = [ply for ply, each in enumerate(ahead, 1) if each != ahead[-1]]
    return changes[-1] if changes and ahead[-1] else None


def decided(leads: Sequence[int]) -> int | None:
    """Return the ply after which the same side could always win by force; None if there is none.

    >>> decided([0, -60, -1000, -1000]), decided([0, 1000, -60])
    (2, None)
    """
    found = [ply for ply, lead in enumerate(leads, 1) if abs(lead) < DECIDED or lead != leads[-1]]
    return found[-1] if found and found[-1] < len(leads) else None


def judge(
    game: Game, positions: Sequence[Position], moves: Sequence[str], piece: Piece
) -> list[Judged]:
    """Analyse the plies in `piece`. `positions` has one before each move, and the last one."""
    return [
        _judged(game, positions[:ply], moves[ply - 1] if ply <= len(moves) else None, piece)
        for ply in piece.plies
    ]


def _reasons(game: Game, position: Position, line: Sequence[str]) -> tuple[dict[str, Any], ...]:
    return game.reasons(position, line) if has(game, Explains) and line else ()


def _judged(game: Game, positions: Sequence[Position], move: str | None, piece: Piece) -> Judged:
    position, ply = positions[-1], len(positions)
    seat = hand(position, turn(position) or 1)
    is_alone = move is None or (_has_two_sides(position) and not piece.deep)
    few = is_alone or _has_two_sides(position)
    found = _searched(game, positions, Budget(piece.nodes), 1 if few else _EVERY_MOVE)
    if not found.lines:  # the rules had ended the game
        worth = _worth(game.evaluate(position)[seat - 1] if has(game, Searches) else 0)
        return Judged(ply, seat, move, worth, worth, ())
    best = found.lines[0]
    made = best if is_alone or move is None else _made(game, positions, move, found, piece.nodes)
    line, there = _to_the_point(game, position, best.moves, best.score)
    judged = Judged(ply, seat, move, _worth(best.score), _worth(made.score), line)
    if move is None or not piece.deep or judged.lost < LEAST:
        return judged
    reached = after(position, move)
    answer, end = _to_the_point(game, reached, made.moves[1:], -made.score)
    of_made, of_best = (_reasons(game, position, each.moves) for each in (made, best))
    against, for_both = (
        game.faults(position, each.moves[0]) if has(game, Explains) else () for each in (made, best)
    )
    return replace(
        judged,
        reasons=_without(of_best, of_made),
        faults=_without(against, for_both),
        answer=answer,
        harm=_reasons(game, reached, made.moves[1:])[:_REASONS],
        after=end.state(),
        contrast=game.contrast(end, there, seat)[:_REASONS] if has(game, Explains) else (),
    )


def _without(
    facts: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]
) -> tuple[dict[str, Any], ...]:
    return tuple(fact for fact in facts if fact not in others)[:_REASONS]


def _to_the_point(
    game: Game, position: Position, line: Sequence[str], score: int
) -> tuple[tuple[str, ...], Position]:
    """Return the part of `line` that shows why it is good, and the position after that part."""
    seat = turn(position) or 1
    before, most = position, _PLIES_TO_END if score >= WON else _PLIES_OF_LINE
    for number, move in enumerate(line[:most], 1):
        position = after(position, move)
        if score < WON and _score(game, position, seat) > _score(game, before, seat):
            return tuple(line[:number]), position
    return tuple(line[:most]), position


def _score(game: Game, position: Position, seat: int) -> int:
    return game.scores(position)[seat - 1] if has(game, Scores) else 0


def _made(
    game: Game, positions: Sequence[Position], move: str, found: SearchResult, nodes: int
) -> Line:
    """Return the line that begins with the played move, searched as deep as the best line."""
    least, before = Line((move,), found.lines[-1].score), positions[-1]
    scored = next((line for line in found.lines if line.moves[0] == move), None)
    if scored is not None or not _has_two_sides(before):
        return scored or least
    reached = [*positions, after(before, move)]
    answer = _searched(game, reached, Budget(_AS_FAR * nodes, depth=max(1, found.depth - 1)), 1)
    if not answer.lines:
        return least
    line = answer.lines[0].moves
    # A search after the answer sees two plies further, and the move is worth no more than that.
    reached.append(after(reached[-1], line[0]))
    further = _searched(game, reached, Budget(nodes), 1)
    side = before.sides[(turn(before) or 1) - 1]
    scores = (
        each.lines[0].score * (1 if position.sides[(turn(position) or 1) - 1] == side else -1)
        for each, position in zip((answer, further), reached[-2:], strict=True)
        if each.lines
    )
    return Line((move, *line), min(least.score, *scores))


def _has_two_sides(position: Position) -> bool:
    return len(set(position.sides)) == TWO


def _searched(game: Game, positions: Sequence[Position], budget: Budget, best: int) -> SearchResult:
    if not has(game, Searches) or positions[-1].outcome:
        return SearchResult((), 0, 0)
    return game.search(what_may_come_back(game, positions), budget, best=best)


def _worth(score: int) -> int:
    """Return `DECIDED` for a forced win, `-DECIDED` for a forced loss, else a score in between."""
    if abs(score) >= WON:
        return DECIDED if score > 0 else -DECIDED
    return max(1 - DECIDED, min(DECIDED - 1, score))


def _chances(worth: int) -> float:
    return 1 / (1 + exp(-worth / _CLASS))
