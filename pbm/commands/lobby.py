"""The commands that begin a game, or keep it from beginning."""

from collections.abc import Iterator

from pbm import rules
from pbm.commands.boards import decline_board, start_board
from pbm.commands.context import Context
from pbm.commands.declare import Command, flag, operand
from pbm.commands.invite import check_invitations
from pbm.commands.words import Board as BoardKind
from pbm.commands.words import BoardRef, Opponent
from pbm.errors import Refusal
from pbm.events import Answered, BoardClosed, BoardStarted, Event, Invited
from pbm.mail.address import address_key
from pbm.store.values import Player

ME = "me"


class Challenge(Command):
    """Start a game with one to five others; everybody gets the board at once.

    The first player named sits at seat 1 and moves first. With one name you are seat 1 and
    the other is seat 2. With two names or more yours must be among them; `me` is you.
    -bowl starts from the bowl board instead of the standard one.
    Whoever does not want to play answers `decline`. What you write below the command goes
    to all of them.
    Somebody who does not play here yet is invited by mail address instead of a handle. We ask
    that person once, and never again; the board starts when all who were asked have said yes.
    """

    words = ("challenge",)
    prefix = "chall"
    group = "lobby"
    examples = (
        "challenge bob",
        "abalone challenge -bowl alice bob",
        "challenge me bob carol",
        "challenge dave@example.org",
    )

    opponents: tuple[str, ...] = operand(Opponent(), many=True)
    bowl: bool = flag("bowl")

    def run(self, context: Context) -> Iterator[Event]:
        """Seat the players and start the board, or ask those who don't play here yet."""
        layout = "bowl" if self.bowl else "standard"
        names = self._names(context, max(rules.BOARDS[layout]))
        addresses = tuple(name for name in names if "@" in name)
        players = [_opponent(context, name) for name in names if "@" not in name]
        if addresses:
            check_invitations(context, addresses)
            yield Answered("invited", {"title": "your invitation", "addresses": list(addresses)})
            yield Invited(self._line(names), addresses)
            return
        board = start_board(context.work, layout, players, context.now)
        yield BoardStarted(board.id, context.player.handle)

    def pinned(self, context: Context) -> str:
        """Name the same players later."""
        return self._line(self._names(context, len(self.opponents) + 1))

    def _line(self, names: list[str]) -> str:
        return " ".join([self.words[0], *(["-bowl"] if self.bowl else []), *names])

    def _names(self, context: Context, most: int) -> list[str]:
        """The handles in the order of the seats, and the addresses of those who have none."""
        own = context.player.handle
        names = [own if name == ME else _known(context, name) for name in self.opponents]
        if len(names) == 1 and names != [own]:
            names = [own, *names]
        if len({name.lower() for name in names}) < len(names) or len(names) == 1:
            raise Refusal("challenge-same-player")
        if own not in names:
            raise Refusal("challenge-without-you", handles=list(self.opponents), bowl=self.bowl)
        if len(names) > most:
            raise Refusal("challenge-too-many", most=most)
        return names


def _known(context: Context, name: str) -> str:
    """The handle of somebody named by an address, if there is one."""
    player = context.work.players.by_address(address_key(name)) if "@" in name else None
    return player.handle if player else name


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

    takes_login = True
    words = ("decline",)
    group = "lobby"
    examples = ("decline", "decline 12")

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Close the board."""
        board = context.own_board(self.board)
        player = context.player
        own = board.seats_of(player.id)
        if any(seat.last_ply for seat in own):
            raise Refusal("decline-too-late", number=board.id)
        if all(seat.seat in board.position.out for seat in own):
            raise Refusal("already-out", number=board.id)
        successor = decline_board(context.work, board, player, context.now)
        yield BoardClosed(board.id, player.handle, successor.id if successor else None)
        if successor:
            yield BoardStarted(successor.id, player.handle)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"decline {context.own_board(self.board).id}"
