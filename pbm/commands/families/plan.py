"""The commands for plans: moves that are played once the others have moved."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from pbm.commands.language.context import Context
from pbm.commands.language.declare import BoardCommand, operand
from pbm.commands.language.plan_lines import LONGEST_LINE, begins_plan, read_plan_line
from pbm.commands.language.words import ArgumentKind, BoardRef, cut_short, lowered, misread
from pbm.errors import Refusal
from pbm.events import Answered, Event, NeedsConfirmation
from pbm.play.plan_lines import Written, written
from pbm.play.plans import Made, ended_lines, make_plan, move_due, shown_plan
from pbm.play.views import planned_view
from pbm.rules.contract import Game
from pbm.store.values.boards import Board

_NONE = frozenset("none no drop cancel clear delete off nothing".split())
_ADD, _AGAIN, _NOTHING = "add", "again", "none"
_BETWEEN = " / "  # between lines in one line
_TAKEN_BACK = re.compile(r"@(\d{1,5}) ", re.ASCII)
_BOARDS_SHOWN = 3


@dataclass(frozen=True)
class PlanAsked:
    what: str = ""  # `add`, `again` or `none`
    lines: tuple[Written, ...] = ()
    taken_back: int | None = None  # on the board for which a line that waits for a yes was written


class PlanText(ArgumentKind):
    """Lines of a plan with / between them, `add` and further ones, `again`, or `none`."""

    shown = "lines"
    rest = True
    explains = True

    def parse(self, text: str) -> "PlanAsked":
        if marked := _TAKEN_BACK.match(text):
            asked = self.parse(text[marked.end() :])
            return replace(asked, taken_back=int(marked[1]))
        first, _, rest = text.partition(" ")
        if "#" in first:  # a board or a ply that is none
            raise misread("board", word=cut_short(first))
        if lowered(text) in _NONE:
            return PlanAsked(_NOTHING)
        if lowered(text) == _AGAIN:
            return PlanAsked(_AGAIN)
        adds = lowered(first) == _ADD
        lines = read_lines((rest if adds else text).split(_BETWEEN))
        return PlanAsked(_ADD if adds else "", lines)


def read_lines(texts: Sequence[str]) -> tuple[Written, ...]:
    """Parse lines of a plan. Raises Refusal for one that is none."""
    found = {text: read_plan_line(text) for text in texts if text.strip()}
    for text, line in found.items():
        if line is None:
            raise misread("plan", word=cut_short(text))
    return tuple(line for line in found.values() if line)


class MakePlan(BoardCommand, group="play"):
    """Plan moves ahead: each is played as soon as the others have moved as you expect."""

    words = ("plan", "queue", "qmove", "moveq", "qboard", "boardq")
    takes_lines = True
    takes_login = True

    text: PlanAsked | None = operand(PlanText(), optional=True)
    below: tuple[str, ...] = ()  # lines below the command's own

    @classmethod
    def login_in(cls, words: list[str]) -> int | None:
        at = super().login_in(words)
        is_line = at is not None and begins_plan(" ".join(words[at:]))
        return None if is_line or (at and lowered(words[at]) in (*_NONE, _ADD)) else at

    @classmethod
    def bare(cls, line: str, game: Game) -> Self | None:
        """Return a command for a line that only a plan has; None for any other line."""
        found = read_plan_line(line)
        return cls.of(found, " ".join(line.split()), game) if found else None

    @classmethod
    def of(cls, planned: Written, line: str, game: Game, board: BoardRef | None = None) -> Self:
        command = cls()
        command.game, command.line, command.board = game, line, board
        command.text = PlanAsked(lines=(planned,))
        return command

    @classmethod
    def takes(cls, line: str) -> bool:
        return read_plan_line(line) is not None

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        what, lines = self._lines()
        if what == _NOTHING and lines:
            raise Refusal("plan-none-and-lines", number=board.id)
        if what == _AGAIN:
            lines = read_lines(ended_lines(context.work, board, context.player_id))
            if not lines:
                raise Refusal("no-plan-again", number=board.id)
        if not lines:
            yield self._shown(context, board, drops=what == _NOTHING)
            return
        if context.turn.claim and len(self.pinned(context)) > LONGEST_LINE:
            raise Refusal("plan-unproven", most=LONGEST_LINE)
        since = self._since(context, board)
        made = make_plan(
            *(context.turn, board, context.player_id, lines),
            since=since,
            adds=what == _ADD,
        )
        told = self._told(context, board, made)
        if move := move_due(board, made.plan):
            line = f"move {board.id}#{board.ply + 1} {move}"
            yield NeedsConfirmation(line, "planned-move", told, board.id)
        else:
            yield Answered("plan", told, board.id)

    def _lines(self) -> tuple[str, tuple[Written, ...]]:
        asked = self.text or PlanAsked()
        return asked.what, (*asked.lines, *read_lines(self.below))

    def _shown(self, context: Context, board: Board, *, drops: bool) -> Answered:
        plan = context.work.plans.find(board, context.player_id)
        if plan is None:
            raise Refusal("no-plan", number=board.id)
        if drops:
            context.work.plans.drop(board.id, context.player_id)
        told = {"number": board.id, "plan": shown_plan(board, plan), "dropped": drops}
        return Answered("plan-shown", told, board.id)

    def _since(self, context: Context, board: Board) -> int | None:
        """Return the ply after which the plan begins; None for the present one. Raises Refusal."""
        if self.text and self.text.taken_back not in (None, board.taken_back):
            raise Refusal("plan-taken-back", number=board.id)
        if self.board is not None and self.board.ply is not None:
            if not 0 <= self.board.ply <= board.ply:
                raise Refusal("no-such-ply", number=board.id, ply=self.board.ply, last=board.ply)
            return self.board.ply
        shown = next((item for item in context.mailed if item.number == board.id), None)
        if shown is None:
            return None
        if shown.taken_back != board.taken_back:
            raise Refusal("plan-taken-back", number=board.id)
        return min(shown.ply, board.ply)

    def _told(self, context: Context, board: Board, made: Made) -> dict[str, Any]:
        player = context.player
        ends = [
            {
                "line": written(each.line, board),
                **planned_view(board, each.end, each.moves, player),
            }
            for each in made.checked[:_BOARDS_SHOWN]
            if each.end is not None
        ]
        return {
            "number": board.id,
            "plan": shown_plan(board, made.plan),
            "replaced": shown_plan(board, made.replaced),
            "ends": ends,
            "more": len(made.checked) - _BOARDS_SHOWN,
            "you": [],
            "players": [{"seat": seat.seat, "handle": seat.handle} for seat in board.seats],
            "begins": not board.has_moved(context.player_id),
        }

    def pinned(self, context: Context) -> str:
        board = context.own_game(self.board)
        what, lines = self._lines()
        since = self._since(context, board)
        ref = BoardRef(board.id, board.ply if since is None else since)
        texts = _BETWEEN.join(line.text for line in lines)
        which = f"{ref} @{board.taken_back}" if lines else str(board.id)
        return " ".join(filter(None, (self.words[0], which, what, texts)))


class GoOn(BoardCommand, group="play"):
    """Play the next move of your plan, though an offer to you is open."""

    words = ("go",)
    second = "on"
    needs_second = True
    examples = ("go on", "go on 12")

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        move = move_due(board, context.work.plans.find(board, context.player_id))
        if move is None:
            raise Refusal("no-plan", number=board.id, now=True)
        yield from context.play(board, move)
