"""A look at a move before it is played."""

from collections.abc import Iterator
from dataclasses import replace

from pbm.commands.context import Context
from pbm.commands.declare import Command, operand
from pbm.commands.look import MOST_SHOWN
from pbm.commands.words import Board as BoardKind
from pbm.commands.words import BoardRef, MoveText
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.boards import check_move
from pbm.play.view import past_view
from pbm.rules import abalone as rules


class Preview(Command):
    """See the board as a move would leave it; nothing is played.

    The move is that of the player whose turn it is. Only you get the answer.
    """

    words = ("preview",)
    group = "look"
    examples = ("preview a1-c3,d4", "preview 12 c5,d5")
    reads_only = True

    board: BoardRef | None = operand(BoardKind(), optional=True)
    move: str = operand(MoveText())

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the board."""
        if context.shown >= MOST_SHOWN:
            raise Refusal("enough-shown", most=MOST_SHOWN)
        board = context.board(self.board)
        if not board.playing:
            raise Refusal("board-over", number=board.id)
        played = rules.play(board.position, check_move(board, self.move))
        text = rules.format_move(played.move)
        view = past_view(context.work, board, played.position, board.ply + 1, picture=False)
        if context.wants_picture:
            picture = rules.drawing(played.position, text, rules.effect(played))
            view = replace(view, picture=picture)
        yield Answered("preview", {**to_plain(view), "move": text}, board.id)
