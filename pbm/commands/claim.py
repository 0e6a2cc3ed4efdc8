"""The command that ends a game that gets nowhere, or takes out who has run out of time."""

from collections.abc import Iterator

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.words import BoardKind, BoardRef
from pbm.errors import Refusal
from pbm.events import Event
from pbm.play.claims import claim_draw
from pbm.play.clocks.forfeits import claim_forfeit, claimable_from
from pbm.play.clocks.told import moment_told
from pbm.store.values.boards import Board


class Claim(Command):
    """End a game that gets nowhere as a draw; nobody needs to agree.

    {game} It never happens by itself.

    Somebody to whom mail comes back cannot be reminded, and so is never out of the game by running
    out of time. Once the time is over, which a mail tells you, `claim` takes that player out.
    """

    takes_login = True
    words = ("claim",)
    group = "play"
    examples = ("claim", "claim 12")
    comes_last = True

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Look whether it is so, and end the game."""
        board = context.own_game(self.board)
        forfeit = claim_forfeit(context.work, board, context.player, context.now)
        if forfeit:
            yield from forfeit
            return
        try:
            yield from claim_draw(context.work, board, context.player, context.now)
        except Refusal:
            self._check_time(board, context)
            raise

    def _check_time(self, board: Board, context: Context) -> None:
        """Raise Refusal where a forfeit cannot be claimed yet, but later."""
        at = claimable_from(context.work, board, context.player, context.now)
        if at and board.to_move:
            told = moment_told(at, context.player.settings.timezone)
            raise Refusal("claim-later", handle=board.to_move.handle, at=told, number=board.id)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"claim {context.own_board(self.board).id}"
