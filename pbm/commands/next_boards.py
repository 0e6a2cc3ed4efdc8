"""The command that shows all boards which wait for its sender."""

from collections.abc import Iterator

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.look import MOST_SHOWN
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.waiting import boards_waiting


class Next(Command):
    """See every board on which it is your move, in one mail.

    The one that has waited longest comes first. Answer with a line for each board on which you
    want to move: its number, and the move. Boards can be left out.
    {game}
    """

    words = ("next",)
    group = "look"
    examples = ("next",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the boards."""
        if context.shown >= MOST_SHOWN:
            raise Refusal("enough-shown", most=MOST_SHOWN)
        waiting = boards_waiting(context.work, context.player, context.now)
        if waiting.count == 1:
            (board,) = waiting.boards
            yield Answered("board", board, board["number"])
            return
        title = f"your move on {waiting.count or 'no'} boards"
        yield Answered("waiting", {"title": title, **to_plain(waiting)})
