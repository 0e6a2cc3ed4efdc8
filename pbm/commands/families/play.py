"""The commands for the moves of a game: play, preview, resign, hint and analysis."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar, Self

from pbm.commands.families.plan import MakePlan
from pbm.commands.language.arguments import PLAYER_COUNT, Moves
from pbm.commands.language.context import Context
from pbm.commands.language.declare import (
    BoardCommand,
    Chosen,
    Command,
    Danger,
    game_options,
    operand,
)
from pbm.commands.language.plan_lines import read_plan_line
from pbm.commands.language.words import BoardKind, BoardRef, MoveText, PlyMark
from pbm.errors import Refusal
from pbm.events import Answered, Event, NeedsConfirmation
from pbm.mail.site import Answering
from pbm.play import advice
from pbm.play.actions import leave_board
from pbm.play.boards import Setup, check_move
from pbm.play.plan_lines import Written
from pbm.play.previews import imagined_board, view_after
from pbm.play.views import listed_after, past_view
from pbm.rules.contract import Game, completed
from pbm.store.values.boards import Board

_TAKEN_BACK = re.compile(r"@(\d{1,5})", re.ASCII)


class PlayMove(BoardCommand, group="play"):
    """Play a move on a board where it is your turn."""

    takes_login = True
    covered_by_yes = True
    words: ClassVar[tuple[str, ...]] = ("move", "board", "mvoe")
    slips = frozenset({"mvoe"})
    plainly = "{game}"

    move: str = operand(MoveText())
    ply: int | None = operand(PlyMark(), optional=True, anywhere=True)
    taken_back: int | None = None  # plies, in the board page's line: `move 12#17 @TAKEN_BACK MOVE`
    is_bare: bool = False  # the command's word was left out
    is_line: bool = False  # a board's number stands in its place: `12 MOVE`
    asks_first: ClassVar[bool] = False  # shows the board, and waits for a yes

    @classmethod
    def bare(cls, text: str, line: str, game: Game, board: BoardRef | None = None) -> Self:
        """Return a command for a `line` that has only a move, without the word `move`."""
        command = cls()
        command.game, command.line, command.is_bare = game, line, True
        command.board, command.move, command.ply = board, " ".join(text.split()), None
        return command

    @classmethod
    def on_board(cls, board: BoardRef, text: str, line: str, game: Game) -> Self:
        """Return a command for a line such as "12 K-R": the number of a board, then a move."""
        command = cls.bare(text, line, game, board)
        command.is_bare, command.is_line = False, True
        return command

    def _read(self, words: list[str]) -> None:
        if found := _TAKEN_BACK.fullmatch(" ".join(words[1:2])):
            self.taken_back, words = int(found[1]), [words[0], *words[2:]]
        super()._read(words)

    def is_on(self, board: Board) -> bool:
        """Return whether the line can be for this board now.

        It can if it names no other board, and no other ply than the next.
        """
        return self.named_board in (None, board.id) and self._meant_ply in (None, board.ply + 1)

    def run(self, context: Context) -> Iterator[Event]:
        meant, board = self._meant_ply, context.own_board(self.board)
        mover = board.to_move
        if meant is not None and meant != board.ply + 1:
            raise Refusal("other-ply", meant=meant, next=board.ply + 1, number=board.id)
        if mover and mover.player_id != context.player_id:
            now = (board.id, board.ply, board.taken_back)
            is_newest = now in [(it.number, it.ply, it.taken_back) for it in context.mailed]
            if self.is_bare and is_newest and read_plan_line(self.line):
                planned = Written(self.move, (((), self.move),))  # for the next turn
                plan = MakePlan.of(planned, self.line, self.game, self.board)
                yield from plan.run(context)
                return
            raise Refusal("not-your-turn", turn=mover.handle, number=board.id)
        older = self._older(board, context)
        if self.asks_first or (context.confirms_moves and not context.confirmed):
            yield self._submit(board, context, older=older is not None)
            return
        if older:
            taken_back = board.taken_back > older.taken_back
            lost = not taken_back and older.ply > board.ply
            yield self._ask(board, context, "stale-move", taken_back=taken_back, lost=lost)
            return
        if self.is_line and context.hints and board.id not in context.hints:
            # In an answer about another board, the number may be a move number.
            yield self._ask(board, context, "other-board", answered=context.hints[0])
            return
        yield from context.play(board, self.move)

    def _submit(self, board: Board, context: Context, *, older: bool) -> NeedsConfirmation:
        """Return an event that shows the board after the move. Raises Refusal."""
        view, (move,) = view_after(board, context.actor, self.move)
        line = f"confirm {board.id}#{board.ply + 1} {state_of(board)} {move}"
        told = {**view, "moves": [move], "older": older}
        return NeedsConfirmation(line, "submitted", told, board.id, kept=True)

    def _ask(self, board: Board, context: Context, section: str, **why: int) -> NeedsConfirmation:
        """Return an event that asks the sender whether to play the move. Raises Refusal."""
        check_move(board, self.move)
        past = past_view(
            *(context.work, board, board.position, board.ply, context.actor),
            since=listed_after(board, context.actor),
        )
        told = {**past, "next": board.ply + 1, **why}
        return NeedsConfirmation(self.pinned(context), section, told, board.id)

    def pinned(self, context: Context) -> str:
        board = context.own_board(self.board)
        ply, move = self._meant_ply or board.ply + 1, self.move
        if ply == board.ply + 1:
            with suppress(Refusal):
                move = str(check_move(board, move))
        return f"{self.words[0]} {board.id}#{ply} {move}"

    @property
    def _meant_ply(self) -> int | None:
        return self.ply if self.ply is not None else self.board.ply if self.board else None

    def _older(self, board: Board, context: Context) -> Answering | None:
        """Return the board as the page or the answered mail shows it, if it has changed since.

        After a restore the mail may be the later one.
        """
        if self.taken_back is not None and self._meant_ply is not None:
            shown: Answering | None = Answering(board.id, self._meant_ply - 1, self.taken_back)
        elif self._meant_ply is not None or (self.named_board is not None and not self.is_line):
            return None
        else:
            shown = next((item for item in context.mailed if item.number == board.id), None)
        if shown is None or (shown.taken_back, shown.ply) == (board.taken_back, board.ply):
            return None
        return shown


def state_of(board: Board) -> str:
    """Return what a submitted move needs to stay the same on its board, beside the ply."""
    return f"@{board.taken_back}.{len(board.still_in)}"


class Resign(BoardCommand, group="play"):
    """Give a board up, at once."""

    takes_login = True
    words = ("resign",)
    danger = Danger.UNPROVEN

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        yield from leave_board(context.work, board, context.player, "resigned", context.now)


class Preview(Command, group="look"):
    """See the board as a move would leave it; nothing is played."""

    words = ("preview",)
    prefix = "prev"
    reads_only = True

    board: BoardRef | None = operand(BoardKind(), optional=True)
    moves: tuple[str, ...] = operand(Moves())

    def run(self, context: Context) -> Iterator[Event]:
        context.room()
        board = context.board(self.board)
        if not board.playing:
            raise Refusal("board-over", number=board.id)
        view, moves = view_after(board, context.actor, *self.moves)
        yield Answered("preview", {**view, "moves": moves}, board.id)


class PreviewNew(Command, group="look"):
    """See the board on which a game would begin, or as moves would leave it."""

    words = ("preview",)
    prefix = Preview.prefix
    second = "new"
    needs_second = True
    reads_only = True

    players: int | None = operand(PLAYER_COUNT, optional=True)
    chosen: Chosen = game_options(lambda game: game.info.options)
    moves: tuple[str, ...] | None = operand(Moves(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        context.room()
        info = self.game.info
        setup = Setup(info.name, completed(info.options, self.chosen.options()))
        counts = sorted(info.seats) if self.players is None else [self.players]
        players = next(filter(setup.is_for, counts), counts[0])
        board = imagined_board(setup, players, context.now)
        view, moves = view_after(board, context.actor, *(self.moves or ()))
        yield Answered("preview", {**view, "moves": moves, "options": dict(setup.options)})


class Hint(BoardCommand, group="play"):
    """Get a hint in a game against robots: a move that is good here, and why."""

    words = ("hint",)

    def run(self, context: Context) -> Iterator[Event]:
        yield advice.ask_hint(context.turn, context.own_game(self.board), context.player)


class Analyse(BoardCommand, group="look"):
    """Learn where a game that is over was won and lost."""

    words = ("analyse", "analyze")

    def run(self, context: Context) -> Iterator[Event]:
        board = self._find(context)
        advice.check_analysable(board)
        if elsewhere := advice.played_elsewhere(context.turn, board, context.player):
            raise Refusal("analyse-when-gone-on", **elsewhere)
        kept = advice.kept_analysis(context.work, board)
        if kept and kept.finished_at:
            params = advice.analysis_params(board, kept, context.player)
            yield Answered("analysis", params, board.id)
            return
        advice.ask_analysis(context.work, board, context.player, context.now)
        yield Answered("analysis-begun", {"number": board.id, "plies": board.ply}, board.id)

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {self._find(context).id}"

    def _find(self, context: Context) -> Board:
        """Return the board to analyse, locked, so that two requests start only one analysis."""
        return context.work.boards.get(context.board(self.board).id, lock=True)
