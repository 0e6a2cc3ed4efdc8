"""The commands that look and change nothing."""

from collections.abc import Iterator
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command, operand
from pbm.commands.words import BoardRef, Shown
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.replay import position_after
from pbm.play.subjects import games_subject
from pbm.play.view import board_view, past_view
from pbm.store.values import Board, Player

MOST_SHOWN = 10  # boards in one answer
_MOST_LISTED = 50
_FILTERS = ("next", "active", "all")


class Show(Command):
    """Show boards with all their moves.

    Name boards by number, with #17 to see the board after ply 17 and #-3 to count from the
    end; or name players to see their boards: `next` where it is their turn, `active` the
    games in progress (that is meant when you say nothing), `all` the finished ones too.
    With nothing named it is the board of the mail that you answer.
    """

    words = ("show", "board")
    short = ("board",)
    group = "look"
    examples = ("show", "show 12", "show 12#17 13", "show 12#-3", "show bob next")
    reads_only = True

    what: tuple[BoardRef | str, ...] = operand(Shown("board|handle"), many=True, optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the boards."""
        room = MOST_SHOWN - context.shown
        if room <= 0:
            raise Refusal("enough-shown", most=MOST_SHOWN)
        refs = [item for item in self.what if isinstance(item, BoardRef)]
        handles = [item for item in self.what if isinstance(item, str)]
        if not refs and not handles:
            refs = [BoardRef()]
        boards = [(context.board(ref), ref.ply) for ref in refs[:room]]
        rest = [ref.number for ref in refs[room:]]
        if handles:
            boards += [(board, None) for board in _boards_of_players(context, handles)]
        if not boards:
            raise Refusal("no-boards")
        rest += [board.id for board, _ in boards[room:]]
        if rest:
            yield Answered("more-boards", {"most": room, "numbers": rest})
        for board, ply in boards[:room]:
            yield _shown(context, board, ply)


class Games(Command):
    """List games: yours, or those of the players you name.

    `next` lists those where it is their turn, `active` those in progress (that is meant
    when you say nothing), `all` the finished ones too.
    """

    words = ("games",)
    group = "look"
    examples = ("games", "games all", "games bob", "games bob next")
    reads_only = True

    who: tuple[str, ...] = operand(Shown("handle"), many=True, optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with a list."""
        boards = _boards_of_players(context, [str(word) for word in self.who])
        yield Answered(
            "games",
            {
                "subject_line": games_subject(_counted(context, boards)),
                "boards": [_listed(board) for board in boards[:_MOST_LISTED]],
                "more": max(0, len(boards) - _MOST_LISTED),
            },
        )


def _counted(context: Context, boards: list[Board]) -> str:
    movers = [board.to_move for board in boards if board.to_move]
    own = sum(mover.player_id == context.player.id for mover in movers)
    return f"{len(movers)} in progress, your move on {own or 'none'}"


def _listed(board: Board) -> dict[str, Any]:
    return {
        "number": board.id,
        "players": [seat.handle for seat in board.seats],
        "status": board.status,
        "turn": board.to_move.handle if board.to_move else None,
        "turn_unreachable": bool(board.to_move and board.to_move.unreachable),
        "ply": board.ply,
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
    }


def _shown(context: Context, board: Board, ply: int | None) -> Answered:
    if ply is None:
        player_id = context.actor.id if context.actor else None
        view = board_view(
            context.work, board, player_id=player_id, whole=True, picture=context.wants_picture
        )
        return Answered("board", to_plain(view), board.id)
    counted = ply if ply >= 0 else board.ply + 1 + ply
    if not 0 <= counted <= board.ply:
        raise Refusal("no-such-ply", number=board.id, last=board.ply, ply=ply)
    position = position_after(context.work, board, counted)
    past = past_view(context.work, board, position, counted, picture=context.wants_picture)
    return Answered("past-board", to_plain(past), board.id)


def _boards_of_players(context: Context, words: list[str]) -> list[Board]:
    chosen = [word for word in words if word in _FILTERS]
    handles = [word for word in words if word not in _FILTERS]
    which = chosen[-1] if chosen else "active"
    found: dict[int, Board] = {}
    for handle in handles or ["me"]:
        for board in _boards_of(context, _player(context, handle), which):
            found[board.id] = board
    numbers = sorted(found, reverse=True)
    return [found[number] for number in numbers if found[number].is_installed]


def _player(context: Context, handle: str) -> Player:
    if handle == "me":
        return context.player
    player = context.work.players.by_handle(handle)
    if player is None:
        raise Refusal("no-such-player", handle=handle)
    return player


def _boards_of(context: Context, player: Player, which: str) -> list[Board]:
    boards = context.work.boards
    if which == "next":
        return list(boards.get_many(boards.to_move(player.id)))
    found = list(boards.of_player(player.id, playing=True, most=_MOST_LISTED + 1))
    if which == "all":
        found += boards.of_player(player.id, playing=False, most=_MOST_LISTED + 1)
    return found
