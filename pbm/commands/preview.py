"""A look at a move before it is played."""

from collections.abc import Iterator

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.look import MOST_SHOWN
from pbm.commands.words import BoardKind, BoardRef, MoveText
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.view import view_after


class Preview(Command):
    """See the board as a move would leave it; nothing is played.

    The move is that of the player whose turn it is. Only you get the answer.
    """

    words = ("preview",)
    group = "look"
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
        view, move = view_after(board, self.move, picture=context.wants_picture)
        yield Answered("preview", {**to_plain(view), "move": move}, board.id)
