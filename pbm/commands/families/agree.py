"""Commands that need the others' agreement: draws, take-backs, pauses; gifts of time; claims."""

from collections.abc import Iterator
from datetime import timedelta

from pbm.clock import local_moment
from pbm.commands.language.context import Context
from pbm.commands.language.declare import BoardCommand, Command
from pbm.commands.language.fields import operand
from pbm.commands.language.numbers import LongSpan
from pbm.commands.language.words import BoardKind, BoardRef
from pbm.errors import Refusal
from pbm.events import Event
from pbm.play.actions import claim_forfeit, claimable_from
from pbm.play.clocks.pauses import LONGEST_GIFT, SHORTEST_GIFT, give_time
from pbm.play.clocks.terms import write_duration
from pbm.play.offers import (
    DRAW,
    PAUSE,
    RESUME,
    TAKEBACK,
    agree,
    ask_all,
    claim_draw,
    latest_ply,
    open_offers,
    waiting_for,
)
from pbm.store.values.boards import Board, Offer


class Draw(BoardCommand, group="play"):
    """Offer the others a draw, or agree to the one that somebody offers.

    The game ends as a draw once everybody who is still in has agreed with `accept draw`. It
    goes on when one of them says `reject draw`, or simply moves. In one mail with a move, the
    move comes first. A robot agrees when it is worse off, or when the game has long stood still.
    """

    takes_login = True
    words = ("draw", "propose")
    examples = ("draw", "draw 12")
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        """Offer a draw, or agree to one."""
        board = context.own_game(self.board)
        offer = _offered_draw(board, context)
        if offer:
            yield from agree(context.work, board, offer, context.player.id, context.now)
        else:
            yield from ask_all(context.work, board, DRAW, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        """The line with the board's number, as an agreement or an offer."""
        board = context.own_game(self.board)
        return f"{'accept draw' if _offered_draw(board, context) else 'draw'} {board.id}"


class TakeBack(BoardCommand, group="play"):
    """Ask the others to let you take back your latest move, and all that came after it.

    Everybody who is still in must agree with `accept takeback`. A move that somebody plays
    meanwhile ends the request. A robot agrees to it unless the game is rated.
    """

    takes_login = True
    words = ("takeback", "undo")
    examples = ("takeback", "takeback 12")

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for the take-back."""
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
        """The line with the board and the ply, by default the latest one."""
        board = context.own_board(self.board)
        latest = latest_ply(context.work, board, context.player.id)
        return f"takeback {board.id}#{self.board.ply if self.board and self.board.ply else latest}"


def _offered_draw(board: Board, context: Context) -> Offer | None:
    """The draw offer that awaits the speaker's answer, None if there is none."""
    found = (offer for offer in open_offers(board) if offer.kind == DRAW)
    return next((item for item in found if context.player.id in waiting_for(board, item)), None)


class Pause(BoardCommand, group="play"):
    """Ask the others to stop the clocks of a board for a while.

    It is paused once everybody who is still in has agreed with `accept pause`, for 90 days at most.
    Moves can still be made, and do not end it: no time runs until everybody agrees to `resume`.
    """

    words = ("pause",)
    examples = ("pause", "pause 12")
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for the pause."""
        board = context.own_game(self.board)
        yield from ask_all(context.work, board, PAUSE, context.player.id, context.now)


class Resume(BoardCommand, group="play"):
    """Ask the others to let the clocks of a paused board run again.

    They do once everybody who is still in has agreed with `accept resume`. The time of the pause
    counts for nobody.
    """

    words = ("resume",)
    examples = ("resume", "resume 12")
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        """Ask to resume."""
        board = context.own_game(self.board)
        yield from ask_all(context.work, board, RESUME, context.player.id, context.now)


class Give(Command, group="play"):
    """Give the others more time.

    Whoever is to move gets it for that move. Where the game has a time for all moves together, or a
    bank, all the others get it there, too. One gift is an hour to thirty days.
    """

    words = ("give",)
    examples = ("give 3d", "give 2 weeks", "give 3d 12")

    time: timedelta = operand(LongSpan(SHORTEST_GIFT, LONGEST_GIFT))
    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Add the time, and tell all."""
        board = context.own_game(self.board)
        yield give_time(context.work, board, context.player, self.time, context.now)

    def pinned(self, context: Context) -> str:
        """The line with the board's number."""
        return f"give {write_duration(self.time)} {context.own_board(self.board).id}"


class Claim(BoardCommand, group="play"):
    """End a game that gets nowhere as a draw; nobody needs to agree.

    {game} It never happens by itself.

    Somebody to whom mail comes back cannot be reminded, and so is never out of the game by running
    out of time. Once the time is over, which a mail tells you, `claim` takes that player out.
    """

    takes_login = True
    words = ("claim",)
    examples = ("claim", "claim 12")
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        """Check the claim, and end the game."""
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
        """Raise Refusal if a forfeit can be claimed later, but not yet."""
        at = claimable_from(context.work, board, context.player, context.now)
        if at and board.to_move:
            told = local_moment(at, context.player.settings.timezone)
            raise Refusal("claim-later", handle=board.to_move.handle, at=told, number=board.id)
