"""The lines of a plan: checked when they come, compared, and followed move by move.

A line is one path through the game, in the order in which seats move. What its moves are checked
against is known as long as all moves before are named. Behind `*` and `otherwise` it is not, and a
move is checked when it is to be played.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter
from typing import Any

from pbm.errors import Refusal
from pbm.play.game_words import why
from pbm.play.limits import PLAN_LINES, PLAN_MOVES
from pbm.rules.contract import Game, Moved, MovesOthers, Position, RulesError, has
from pbm.rules.sides import mover, turn
from pbm.store.values.boards import Board, Seat
from pbm.store.values.plans import ANY, REST, Line, Step

_NAMED_RANK, _ANY_RANK, _REST_RANK = range(3)


@dataclass(frozen=True)
class Said:
    """A move of another player in a condition, as it is written, or `ANY`."""

    move: str
    handle: str = ""


@dataclass(frozen=True)
class Written:
    """A line as it is written: moves of others, and the planner's move after each of these.

    Without moves of others, whatever they play is meant.
    """

    text: str
    parts: tuple[tuple[tuple[Said, ...], str], ...]

    @property
    def steps(self) -> int:
        return sum((len(others) or 1) + 1 for others, _ in self.parts)


@dataclass(frozen=True)
class Checked:
    line: Line
    end: Position | None  # after the line's last move, if that is known
    moves: tuple[Moved, ...] = ()  # up to there


def check_lines(
    board: Board, position: Position, player_id: int, written: Sequence[Written]
) -> list[Checked]:
    """Play lines through from a position, in which another player is to move. Raises Refusal."""
    if len(written) > PLAN_LINES:
        raise Refusal("plan-lines", most=PLAN_LINES, number=board.id)
    checked = [_Walk(board, position, player_id, line).checked() for line in written]
    pairs = zip(checked, written, strict=True)
    found = {each.line.steps: (each, line.text) for each, line in pairs}
    refuse_conflicts([(each.line, text) for each, text in found.values()], board)
    return [each for each, _ in found.values() if not _is_begun_by_another(each.line, found)]


def _is_begun_by_another(line: Line, all_steps: Iterable[tuple[Step, ...]]) -> bool:
    """Return whether another line begins with all of this one."""
    length = len(line.steps)
    return any(len(steps) > length and steps[:length] == line.steps for steps in all_steps)


class _Walk:
    """Plays one line through."""

    def __init__(self, board: Board, position: Position, player_id: int, written: Written) -> None:
        self._board, self._player_id, self._written = board, player_id, written
        self._position: Position | None = position  # None once it is unknown
        self._known = position  # the last known one
        self._steps: list[Step] = []
        self._moves: list[Moved] = []

    def checked(self) -> Checked:
        if self._written.steps > PLAN_MOVES:
            raise Refusal("plan-steps", **self._told(most=PLAN_MOVES))
        for others, move in self._written.parts:
            for said in others:
                self._their_move(said)
            if not others:
                self._steps.append(Step(REST))
                self._position = None
            self._own_move(move)
        return Checked(Line(tuple(self._steps)), self._position, tuple(self._moves))

    def _their_move(self, said: Said) -> None:
        seat = self._seat_to_move(said.move)
        named = next((it for it in self._board.seats if it.handle == said.handle), None)
        if seat and seat.player_id == self._player_id:
            raise Refusal("plan-own-turn", **self._told(move=said.move))
        if said.handle and not named:
            raise Refusal("plan-no-player", **self._told(handle=said.handle))
        if seat and said.handle and said.handle != seat.handle:
            raise Refusal("plan-other-turn", **self._told(handle=said.handle, turn=seat.handle))
        if said.move == ANY:
            told = seat or named
            self._steps.append(Step(ANY, told.seat if told else 0))
            self._position = None
        else:
            self._steps.append(self._step(said.move, seat or named))

    def _own_move(self, move: str) -> None:
        seat = self._seat_to_move(move)
        if seat and seat.player_id != self._player_id:
            raise Refusal("plan-turn-missing", **self._told(move=move, turn=seat.handle))
        own = seat or next(
            item
            for item in self._board.seats_of(self._player_id)
            if item.seat not in self._known.out
        )
        others = bool(moves_others(self._board.rules, self._known, move, own.seat))
        step = self._step(move, seat)
        self._steps.append(Step(step.move, own.seat, own=True, moves_others=others))

    def _seat_to_move(self, move: str) -> Seat | None:
        if self._position is None:
            return None
        seat = mover(self._position)
        if seat is None:
            raise Refusal("plan-over", **self._told(move=move))
        return self._board.seats[seat - 1]

    def _step(self, text: str, seat: Seat | None) -> Step:
        """Return a move as a step. If the position is known, play the move there."""
        if self._position is None:
            return Step(" ".join(text.split()), seat.seat if seat else 0)
        game, to_move = self._board.rules, turn(self._position) or 1
        try:
            move = self._position.parse(text, to_move)
            played = self._position.play(move)
        except RulesError as error:
            handle = seat.handle if seat else ""
            own = seat in self._board.seats_of(self._player_id)
            told = {"move": text, "handle": handle, "own": own}
            raise Refusal("plan-illegal", **self._told(**told, **why(game, error))) from error
        self._moves.append(Moved(to_move, str(played.move), played.effect))
        self._position = self._known = played.position
        return Step(str(played.move), seat.seat if seat else 0)

    def _told(self, **told: Any) -> dict[str, Any]:
        """Return what a refusal tells: the line, and the place of the step in it, from 1."""
        at = len(self._steps) + 1
        return {"line": self._written.text, "at": at, "number": self._board.id, **told}


def refuse_conflicts(lines: Sequence[tuple[Line, str]], board: Board) -> None:
    """Raise Refusal if two lines answer the same moves differently."""
    for (one, text), (other, other_text) in combinations(lines, 2):
        pairs = zip(one.steps, other.steps, strict=False)
        differ = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if differ and differ[0].own and differ[1].own:
            raise Refusal("plan-conflict", lines=[text, other_text], number=board.id)


def moves_others(game: Game, position: Position, move: str, seat: int) -> bool | None:
    """Return whether a seat's move would move other pieces, too; None if it is illegal."""
    return game.moves_others(position, move, seat) if has(game, MovesOthers) else False


def after_move(
    lines: Iterable[Line], before: Position, move: str, *, own: bool
) -> tuple[Line, ...]:
    """Return what is left of the lines that have a move, which was played in `before`."""
    if own:
        lines = due(lines)
    found = (_rest(line, before, move) for line in lines if line.steps and line.steps[0].own == own)
    return tuple(line for line in found if line is not None)


def _rest(line: Line, before: Position, move: str) -> Line | None:
    step, *others = line.steps
    if step.move == REST:
        return line
    if step.move == ANY:
        return Line(tuple(others), (*line.rank, _ANY_RANK))
    if not _is_same(before, step.move, move):
        return None
    return Line(tuple(others), line.rank if step.own else (*line.rank, _NAMED_RANK))


def _is_same(position: Position, text: str, move: str) -> bool:
    if text == move:
        return True
    try:
        return str(position.parse(text, turn(position) or 1)) == move
    except RulesError:
        return False


def due(lines: Iterable[Line]) -> list[Line]:
    """Return the lines whose next step is the planner's own, now that it is the planner's turn.

    The closest line comes first: one with named moves before one with `*`, that before `otherwise`.
    """
    open_lines = (line for line in lines if line.steps)
    met = (
        Line(line.steps[1:], (*line.rank, _REST_RANK)) if line.steps[0].move == REST else line
        for line in open_lines
    )
    return sorted((line for line in met if line.steps[0].own), key=attrgetter("rank"))


def tree(lines: Sequence[Line], board: Board) -> list[str]:
    """Return lines as text, those that begin alike below each other, without what is alike."""
    shown, before = list[str](), tuple[Step, ...]()
    for line in sorted(lines, key=lambda it: [_place(step.move) for step in it.steps]):
        pairs = zip(line.steps, before, strict=False)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), len(before))
        while same and not line.steps[same - 1].own:
            same -= 1
        depth = sum(step.own for step in line.steps[:same])
        shown.append(f"{'   ' * depth}{written(Line(line.steps[same:]), board)}")
        before = line.steps
    return shown


def _place(move: str) -> tuple[int, str]:
    """Return where a move stands among others: those come first that a plan looks for first."""
    return (_REST_RANK if move == REST else _ANY_RANK if move == ANY else _NAMED_RANK), move


def written(line: Line, board: Board) -> str:
    """Return the steps of a line as text that can be sent again."""
    words, named = list[str](), len(board.seats) > 2
    for step, last in zip(line.steps, (None, *line.steps), strict=False):
        begins = last is None or last.own
        if step.own:
            is_bare = begins or (last is not None and last.move == REST)
            words += [step.move] if is_bare else ["then", step.move]
        elif step.move == REST:
            words.append(REST)
        else:
            handle = [board.seats[step.seat - 1].handle] if named and step.seat else []
            words += [*(["if"] if begins else []), *handle, step.move]
    return " ".join(words)
