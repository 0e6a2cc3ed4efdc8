"""The status card of a board, and words that were held back since it answered them."""

from collections.abc import Iterator, Sequence
from typing import Any

from pbm.commands.families.submit import waiting_on
from pbm.commands.language.context import Context, which_board
from pbm.commands.language.declare import BoardCommand, Command, operand
from pbm.commands.language.words import BoardKind, BoardRef
from pbm.commands.sentences.asked import card_lines
from pbm.errors import Refusal
from pbm.events import Answered, Commented, Event
from pbm.play.views import status_view
from pbm.store.values.asking import OPEN_FOR
from pbm.store.values.boards import Board


def card(context: Context, board: Board, asked: Sequence[str] = ()) -> dict[str, Any]:
    """Return the status card of a board, for a template; `asked` are the words that it answers."""
    view = status_view(context.work, board, context.player, context.now)
    return {**view, "comment": list(asked), "topics": card_lines(asked)}


class Status(Command, group="look"):
    """See in a few lines how a board stands: your colour, the scores, clocks, how moves look."""

    words = ("status",)
    reads_only = True

    board: BoardRef | None = operand(BoardKind(), optional=True)
    asked: tuple[str, ...] = ()  # the words that the card answers

    def run(self, context: Context) -> Iterator[Event]:
        context.room()
        board = context.board(self.board)
        told = {**card(context, board, self.asked), "submitted": waiting_on(context, board)}
        yield Answered("status", told, board.id)


class Send(BoardCommand, group="play"):
    """Pass on words of yours that were held back, since they seemed to be for the server."""

    words = ("send",)

    def run(self, context: Context) -> Iterator[Event]:
        number, player = self._number(context), context.player
        if not context.work.boards.get(number, lock=True).seats_of(player.id):
            raise Refusal("not-your-board", number=number)
        since = context.now - OPEN_FOR
        words = context.work.questions.take_held_words(player.id, number, since)
        yield Commented(number, player.id, words)

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {self._number(context)}"

    def _number(self, context: Context) -> int:
        """Return the board for which words are held back. Raises Refusal."""
        meant = self.board.number if self.board else context.own_hint
        since = context.now - OPEN_FOR
        found = context.work.questions.boards_with_held_words(context.player_id, since)
        numbers = [number for number in found if meant in (None, number)]
        if len(numbers) > 1:
            raise which_board(context.work.boards.get_many(numbers))
        if not numbers:
            raise Refusal("nothing-held", number=meant)
        return numbers[0]
