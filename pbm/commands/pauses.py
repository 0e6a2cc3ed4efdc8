"""The commands that stop clocks, let them run again, and grant more time."""

from collections.abc import Iterator
from datetime import timedelta

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.spans import LongSpan
from pbm.commands.words import BoardKind, BoardRef
from pbm.events import Event
from pbm.play.clocks.durations import write_duration
from pbm.play.clocks.gifts import LONGEST, SHORTEST, give_time
from pbm.play.offers import PAUSE, RESUME
from pbm.play.robot_answers import ask_all


class Pause(Command):
    """Ask the others to stop the clocks of a board for a while.

    It is paused once everybody who is still in has agreed with `accept pause`, for 90 days at most.
    Moves can still be made, and do not end it: no time runs until everybody agrees to `resume`.
    """

    words = ("pause",)
    group = "play"
    examples = ("pause", "pause 12")
    comes_last = True

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for it."""
        board = context.own_game(self.board)
        yield from ask_all(context.work, board, PAUSE, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"pause {context.own_board(self.board).id}"


class Resume(Command):
    """Ask the others to let the clocks of a paused board run again.

    They do once everybody who is still in has agreed with `accept resume`. The time of the pause
    counts for nobody.
    """

    words = ("resume",)
    group = "play"
    examples = ("resume", "resume 12")
    comes_last = True

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for it."""
        board = context.own_game(self.board)
        yield from ask_all(context.work, board, RESUME, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"resume {context.own_board(self.board).id}"


class Give(Command):
    """Give the others more time.

    Whoever is to move gets it for that move. Where the game has a time for all moves together, or a
    bank, all the others get it there, too. One gift is an hour to thirty days.
    """

    words = ("give",)
    group = "play"
    examples = ("give 3d", "give 2 weeks", "give 3d 12")

    time: timedelta = operand(LongSpan(SHORTEST, LONGEST))
    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Add it, and tell all."""
        board = context.own_game(self.board)
        yield give_time(context.work, board, context.player, self.time, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"give {write_duration(self.time)} {context.own_board(self.board).id}"
