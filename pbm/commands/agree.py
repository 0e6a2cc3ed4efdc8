"""The commands that ask the others to agree: draws and take-backs."""

from collections.abc import Iterator

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.words import BoardKind, BoardRef
from pbm.errors import Refusal
from pbm.events import Event
from pbm.play.offers import DRAW, TAKEBACK, agree, latest_ply, open_offers, waiting_for
from pbm.play.robot_answers import ask_all
from pbm.store.values.boards import Board, Offer


class Draw(Command):
    """Offer the others a draw, or agree to the one that somebody offers.

    The game ends as a draw once everybody who is still in has agreed with `accept draw`. It
    goes on when one of them says `reject draw`, or simply moves. In one mail with a move, the
    move comes first. A robot agrees when it is worse off, or when the game has long stood still.
    """

    takes_login = True
    words = ("draw", "propose")
    group = "play"
    examples = ("draw", "draw 12")
    comes_last = True

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Offer it, or agree."""
        board = context.own_game(self.board)
        offer = _offered_draw(board, context)
        if offer:
            yield from agree(context.work, board, offer, context.player.id, context.now)
        else:
            yield from ask_all(context.work, board, DRAW, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board, and whether a draw is agreed to or offered."""
        board = context.own_game(self.board)
        return f"{'accept draw' if _offered_draw(board, context) else 'draw'} {board.id}"


class TakeBack(Command):
    """Ask the others to let you take back your latest move, and all that came after it.

    Everybody who is still in must agree with `accept takeback`. A move that somebody plays
    meanwhile ends the request. A robot agrees to it unless the game is rated.
    """

    takes_login = True
    words = ("takeback", "undo")
    group = "play"
    examples = ("takeback", "takeback 12")

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for it."""
        board = context.own_game(self.board)
        latest = latest_ply(context.work, board, context.player.id)
        if not latest:
            raise Refusal("nothing-to-take-back", number=board.id)
        if self.board and self.board.ply not in (None, latest):
            raise Refusal(
                "not-your-latest-move", meant=self.board.ply, latest=latest, number=board.id
            )
        yield from ask_all(context.work, board, TAKEBACK, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board and the ply that is the latest one now."""
        board = context.own_board(self.board)
        latest = latest_ply(context.work, board, context.player.id)
        return f"takeback {board.id}#{self.board.ply if self.board and self.board.ply else latest}"


def _offered_draw(board: Board, context: Context) -> Offer | None:
    """The draw that waits for the speaker's answer, if there is one."""
    found = (offer for offer in open_offers(board) if offer.kind == DRAW)
    return next((item for item in found if context.player.id in waiting_for(board, item)), None)
