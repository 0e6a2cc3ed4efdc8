"""Positions, as in the contract: turns, the end of a game, and the state line.

A state line is `ROWS TURN SCORES FLAGS`. ROWS are the rows a to i with `/` between them. TURN is
the seat to move, or `-` if the game is over. SCORES are the scores of all seats. FLAGS are `-`, or
some of `teams`, `out=3+5`, `quiet=17` and `won=1` or `draw`. (`docs/rules.md`, section 6)

A position need not be reachable in play, but its turn and outcome must follow the rules.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pbm.rules.abalone.board import (
    CELLS,
    CENTRE,
    EDGE,
    ROW_SLICES,
    ROWS,
    LineMove,
    any_move,
    format_cell,
    moved,
    shifted,
)
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN, EMPTY, FIXED, TEAMS, Placement
from pbm.rules.abalone.refusals import why_not
from pbm.rules.contract import IllegalMoveError, Outcome, Played, StateError

_MOST_KEPT = 1024  # positions in a cache, half a KB each
_LONGEST = 200
_MOST_MARBLES = 14  # of a seat, on any board
_LINE = re.compile(
    r"(?P<rows>[^ ]+) (?P<turn>[1-6]|-) (?P<scores>[0-6](?:,[0-6]){1,5}) (?P<flags>[^ ]+)",
    re.ASCII,
)
_FLAG = re.compile(
    r"-|(?P<teams>teams)|out=(?P<out>[1-6](?:\+[1-6])*)|quiet=(?P<quiet>[1-9][0-9]{0,8})"
    r"|won=[1-6](?:\+[1-6])?|draw",
    re.ASCII,
)
_EMPTY_ROWS = [EMPTY * len(CELLS[row]) for row in ROW_SLICES]


@dataclass(frozen=True, slots=True)
class AbalonePlayed(Played):
    """The position after a move, and the move's effect.

    If a marble was ejected, `effect["ejected"]` is the marble's seat, and `effect["from"]` is the
    cell that the marble left. Otherwise `effect` is empty.
    """

    position: "AbalonePosition"
    move: LineMove

    @property
    def ejected(self) -> tuple[int, ...]:
        """The seat whose marble was ejected, as a tuple; () if none was ejected."""
        return (self.effect["ejected"],) if self.effect else ()


@dataclass(frozen=True, slots=True, repr=False)
class AbalonePosition(Placement):
    def parse(self, text: str, seat: int = 0) -> LineMove:  # noqa: ARG002 - one seat can move
        return parse_move(text, self)

    def play(self, move: LineMove) -> AbalonePlayed:
        if refusal := why_not(self, move):
            raise refusal
        return self.play_legal(move)

    def play_legal(self, move: LineMove) -> AbalonePlayed:
        """Play a move that is known to be legal."""
        assert self.turn is not None
        step = move.step
        moving = moved(move.marbles, step, self.occupied)
        lost = moving & EDGE[step]
        staying = moving ^ lost
        marbles = tuple(
            bits & ~moving | shifted(bits & staying, step) if bits & moving else bits
            for bits in self.marbles
        )
        scores, effect = self.scores, dict[str, Any]()
        if lost:
            cell = lost.bit_length() - 1
            effect = {"ejected": self.seat_at(cell), "from": format_cell(cell)}
            if effect["ejected"] not in self.out:
                scorers = self.group_of(self.turn)
                scores = tuple(
                    score + (seat in scorers) for seat, score in enumerate(self.scores, 1)
                )
        quiet = 0 if lost else self.quiet + 1
        after = AbalonePosition(
            marbles, None, scores, self.out, quiet, None, self.teams, self.pillar
        )
        return AbalonePlayed(after.settled(self.turn % self.players + 1), move, effect)

    def leave(self, seat: int) -> "AbalonePosition":
        """Take a seat out of the game. Its marbles stay. Nobody scores by pushing them off."""
        if self.turn is None:
            raise IllegalMoveError("game-over")
        if seat not in self.seats:
            raise IllegalMoveError("no-such-seat", last=self.players)
        if seat in self.out:
            raise IllegalMoveError("already-out", seat=seat)
        return replace(self, out=self.out | {seat}).settled(self.turn)

    def settled(self, first: int) -> "AbalonePosition":
        """Return the position with `turn` and `outcome` set. Seat `first` moves if it can."""
        turn, outcome = None, self._won()
        if outcome is None:
            seats = (*self.seats[first - 1 :], *self.seats[: first - 1])
            able = (seat for seat in seats if any_move(*self.seen_by(seat)))
            turn = next((seat for seat in able if self.is_played(seat)), None)
            outcome = None if turn else self._outcome((), "none")
        return replace(self, turn=turn, outcome=outcome)

    def state(self) -> str:
        """Return the state line.

        >>> from pbm.rules.abalone import start
        >>> start("bowl", 6).state()
        '11.22/111222/.1...2./66....33/66.....33/66....33/.5...4./555444/55.44 1 0,0,0,0,0,0 -'
        """
        return _format_state(self)

    def diagram(self) -> tuple[str, ...]:
        return _diagram(self)

    def _won(self) -> Outcome | None:
        if max(self.scores) >= EJECTIONS_TO_WIN:
            first = self.scores.index(EJECTIONS_TO_WIN) + 1
            return self._outcome(self.group_of(first), "ejections")
        still_in = [group for group in self.groups if not self.out.issuperset(group)]
        with_marbles = [group for group in still_in if any(map(self.marbles_of, group))]
        for left in (still_in, with_marbles):
            if len(left) == 1:
                return self._outcome(left[0], "last")
        return None

    def _outcome(self, winners: tuple[int, ...], by: str) -> Outcome:
        first = winners or self.seats
        return Outcome(tuple(1 if seat in first else 2 for seat in self.seats), by, self.scores)


@lru_cache(maxsize=_MOST_KEPT)
def _diagram(position: AbalonePosition) -> tuple[str, ...]:
    return tuple(position.drawn().split("\n"))


@lru_cache(maxsize=_MOST_KEPT)
def _format_state(position: AbalonePosition) -> str:
    signs = position.digits()
    rows = "/".join(signs[row] for row in ROW_SLICES)
    flags = ["teams"] if position.teams else []
    if position.out:
        flags.append("out=" + "+".join(map(str, sorted(position.out))))
    if position.quiet:
        flags.append(f"quiet={position.quiet}")
    if position.outcome:
        winners = "+".join(map(str, position.outcome.winners))
        flags.append(f"won={winners}" if winners else "draw")
    scores = ",".join(map(str, position.scores))
    return f"{rows} {position.turn or '-'} {scores} {';'.join(flags) or '-'}"


@lru_cache(maxsize=_MOST_KEPT)
def parse_state(text: str) -> AbalonePosition:
    """Return the position that a state line describes. Raises no other error than StateError.

    >>> from pbm.rules.abalone import start
    >>> parse_state(start("bowl", 6).state()) == start("bowl", 6)
    True
    """
    line = _LINE.fullmatch(text) if len(text) <= _LONGEST else None
    if line is None:
        raise StateError("bad-state", fault="parts")
    scores = tuple(map(int, line["scores"].split(",")))
    teams, out, quiet = _parse_flags(line["flags"])
    marbles, pillar = _parse_rows(line["rows"], len(scores))
    placed = AbalonePosition(marbles, None, scores, out, quiet, teams=teams, pillar=pillar)
    _check_placed(placed)
    first = 1 if line["turn"] == "-" else int(line["turn"])
    if first > placed.players:
        raise StateError("bad-state", fault="turn", seat=first)
    position = placed.settled(first)
    if position.state() != text:
        raise StateError("bad-state", fault="differs", state=position.state())
    return position


def _parse_rows(text: str, players: int) -> tuple[tuple[int, ...], bool]:
    """Return the marbles of each seat, and whether there is a fixed marble. Raises StateError."""
    rows = text.split("/")
    if [len(row) for row in rows] != [len(row) for row in _EMPTY_ROWS]:
        ends, empty = [ROWS[0], ROWS[-1]], "/".join(_EMPTY_ROWS)
        raise StateError("bad-state", fault="rows", ends=ends, empty=empty)
    marbles = [0] * players
    pillar = False
    for cell, character in zip(CELLS, "".join(rows), strict=True):
        if character == EMPTY:
            continue
        if character == FIXED and cell == CENTRE:
            pillar = True
            continue
        if character not in "123456"[:players]:
            centre = format_cell(CENTRE)
            raise StateError("bad-state", fault="cell", last=players, centre=centre)
        marbles[int(character) - 1] |= 1 << cell
    return tuple(marbles), pillar


def _parse_flags(text: str) -> tuple[bool, frozenset[int], int]:
    teams, quiet = False, 0
    out: frozenset[int] = frozenset()
    for flag in text.split(";"):
        match = _FLAG.fullmatch(flag)
        if match is None:
            raise StateError("bad-state", fault="flags")
        teams = teams or bool(match["teams"])
        if match["out"]:
            out = frozenset(map(int, match["out"].split("+")))
        if match["quiet"]:
            quiet = int(match["quiet"])
    return teams, out, quiet


def _check_placed(position: AbalonePosition) -> None:
    """Check marbles, seats and teams, and that only one side has won. Raises StateError."""
    for seat in position.seats:
        if position.count(seat) > _MOST_MARBLES:
            raise StateError("bad-state", fault="marbles", seat=seat, most=_MOST_MARBLES)
    if not position.out < set(position.seats):
        raise StateError("bad-state", fault="out")
    if position.teams and position.players != len(TEAMS) * 2:
        raise StateError("bad-state", fault="teams")
    scores = dict(zip(position.seats, position.scores, strict=True))
    if any(scores[side[0]] != scores[side[-1]] for side in position.groups):
        raise StateError("bad-state", fault="score")
    winners = [side for side in position.groups if scores[side[0]] >= EJECTIONS_TO_WIN]
    if len(winners) > 1 or any(position.out.issuperset(side) for side in winners):
        teams, most = position.teams, EJECTIONS_TO_WIN
        raise StateError("bad-state", fault="winners", teams=teams, ejections=most)


def perft(position: AbalonePosition, depth: int) -> int:
    """Return the number of sequences of exactly `depth` legal moves.

    >>> from pbm.rules.abalone import start
    >>> [perft(start("bowl", 6), depth) for depth in (1, 2)]
    [16, 263]
    """
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play_legal(move).position, depth - 1) for move in moves)
