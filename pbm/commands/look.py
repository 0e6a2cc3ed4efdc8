"""The commands that look and change nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

from pbm.commands.context import Context, no_such_player
from pbm.commands.declare import Command, operand
from pbm.commands.words import ME, BoardRef, Shown
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.clocks.told import clock_told
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
            which, players = _asked_for(context, handles)
            boards += [(board, None) for board in _boards_of_players(context, players, which)]
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
        which, players = _asked_for(context, [str(word) for word in self.who])
        boards = _boards_of_players(context, players, which)
        owners = [_owner(context, player) for player in players]
        yield Answered(
            "games",
            {
                "subject_line": games_subject(owners, _counted(owners, boards, players)),
                "boards": [_listed(board) for board in boards[:_MOST_LISTED]],
                "more": max(0, len(boards) - _MOST_LISTED),
                "which": which,
                "line": " ".join(["games", *(owner or ME for owner in owners if owners != [None])]),
                "over": any(_has_ended_ones(context, player) for player in players),
            },
        )


def _owner(context: Context, player: Player) -> str | None:
    """The handle of somebody else than the speaker."""
    return None if player.id == context.player.id else player.handle


def _counted(
    owners: Sequence[str | None], boards: Sequence[Board], players: Sequence[Player]
) -> str:
    movers = [board.to_move for board in boards if board.to_move]
    counted = f"{len(movers)} in progress"
    if len(players) > 1:
        return counted
    own = sum(mover.player_id == players[0].id for mover in movers)
    whose = f"{owners[0]}'s" if owners[0] else "your"
    return f"{counted}, {whose} move on {own or 'none'}"


def _has_ended_ones(context: Context, player: Player) -> bool:
    return bool(context.work.boards.of_player(player.id, playing=False, most=1))


def _listed(board: Board) -> dict[str, Any]:
    return {
        "number": board.id,
        "players": [seat.handle for seat in board.seats],
        "status": board.status,
        "turn": board.to_move.handle if board.to_move else None,
        "turn_unreachable": bool(board.to_move and board.to_move.unreachable),
        "ply": board.ply,
        "paused": board.playing and board.paused_since is not None,
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
    }


def _shown(context: Context, board: Board, ply: int | None) -> Answered:
    if ply is None:
        player_id = context.actor.id if context.actor else None
        view = board_view(
            context.work, board, player_id=player_id, whole=True, picture=context.wants_picture
        )
        clock = clock_told(context.work, board, context.now)
        zone = context.actor.settings.timezone if context.actor else "UTC"
        told = {**to_plain(view), "clock": clock.for_reader(zone) if clock else None}
        return Answered("board", told, board.id)
    counted = ply if ply >= 0 else board.ply + 1 + ply
    if not 0 <= counted <= board.ply:
        raise Refusal("no-such-ply", number=board.id, last=board.ply, ply=ply)
    position = position_after(context.work, board, counted)
    past = past_view(context.work, board, position, counted, picture=context.wants_picture)
    return Answered("past-board", to_plain(past), board.id)


def _asked_for(context: Context, words: Sequence[str]) -> tuple[str, list[Player]]:
    """Which boards are asked for, and of whom, each player once."""
    chosen = [word for word in words if word in _FILTERS]
    handles = [word for word in words if word not in _FILTERS] or [ME]
    players = [_player(context, handle) for handle in handles]
    which = chosen[-1] if chosen else "active"
    return which, list({player.id: player for player in players}.values())


def _boards_of_players(context: Context, players: Sequence[Player], which: str) -> list[Board]:
    found: dict[int, Board] = {}
    for player in players:
        for board in _boards_of(context, player, which):
            found[board.id] = board
    numbers = sorted(found, reverse=True)
    return [found[number] for number in numbers if found[number].is_installed]


def _player(context: Context, handle: str) -> Player:
    if handle == ME:
        return context.player
    player = context.work.players.by_handle(handle)
    if player is None:
        raise no_such_player(context, handle)
    return player


def _boards_of(context: Context, player: Player, which: str) -> list[Board]:
    boards = context.work.boards
    if which == "next":
        return list(boards.get_many(boards.to_move(player.id)))
    found = list(boards.of_player(player.id, playing=True, most=_MOST_LISTED + 1))
    if which == "all":
        found += boards.of_player(player.id, playing=False, most=_MOST_LISTED + 1)
    return found
