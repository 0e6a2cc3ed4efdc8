"""The commands that begin a game, or keep it from beginning."""

from collections.abc import Iterator

from pbm import rules
from pbm.commands.boards import decline_board, start_board
from pbm.commands.context import Context
from pbm.commands.declare import Command, flag, operand
from pbm.commands.words import Board as BoardKind
from pbm.commands.words import BoardRef, Opponent
from pbm.errors import Refusal
from pbm.events import BoardClosed, BoardStarted, Event
from pbm.store.values import Player

ME = "me"


class Challenge(Command):
    """Start a game with one to five others; everybody gets the board at once.

    The first player named sits at seat 1 and moves first. With one name you are seat 1 and
    the other is seat 2. With two names or more yours must be among them; `me` is you.
    -bowl starts from the bowl board instead of the standard one.
    Whoever does not want to play answers `decline`. What you write below the command goes
    to all of them.
    """

    words = ("challenge",)
    prefix = "chall"
    group = "lobby"
    examples = ("challenge bob", "abalone challenge -bowl alice bob", "challenge me bob carol")

    opponents: tuple[str, ...] = operand(Opponent(), many=True)
    bowl: bool = flag("bowl")

    def run(self, context: Context) -> Iterator[Event]:
        """Seat the players and start the board."""
        layout = "bowl" if self.bowl else "standard"
        seated = self._seated(context, max(rules.BOARDS[layout]))
        board = start_board(context.work, layout, seated, context.now)
        yield BoardStarted(board.id, context.player.handle)

    def _seated(self, context: Context, most: int) -> list[Player]:
        own = context.player.handle
        handles = [own if handle == ME else handle for handle in self.opponents]
        if len(handles) == 1 and handles != [own]:
            handles = [own, *handles]
        if own not in handles:
            raise Refusal("challenge-without-you", handles=handles, bowl=self.bowl)
        if len(set(handles)) < len(handles) or len(handles) == 1:
            raise Refusal("challenge-same-player")
        if len(handles) > most:
            raise Refusal("challenge-too-many", most=most)
        return [_opponent(context, handle) for handle in handles]


def _opponent(context: Context, handle: str) -> Player:
    player = context.work.players.by_handle(handle)
    if player is None or player.status == "removed":
        raise Refusal("no-such-player", handle=handle)
    if player.status != "active":
        raise Refusal("player-away", handle=handle)
    return player


class Decline(Command):
    """Leave a board before your first move, without a trace.

    The board is closed and counts for nothing. Where two or more others remain, they start
    a new board without you.
    """

    words = ("decline",)
    group = "lobby"
    examples = ("decline", "decline 12")

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Close the board."""
        board = context.own_board(self.board)
        player = context.player
        seats = [seat.seat for seat in board.seats_of(player.id)]
        if any(context.work.boards.last_ply_of(board.id, seat) for seat in seats):
            raise Refusal("decline-too-late", number=board.id)
        if all(seat in board.position.out for seat in seats):
            raise Refusal("already-out", number=board.id)
        successor = decline_board(context.work, board, player, context.now)
        yield BoardClosed(board.id, player.handle, successor.id if successor else None)
        if successor:
            yield BoardStarted(successor.id, player.handle)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"decline {context.own_board(self.board).id}"
