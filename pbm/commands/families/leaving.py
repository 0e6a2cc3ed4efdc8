"""Commands to get fewer mails or leave, and the export of personal data."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.events import Answered, Event, Forgotten
from pbm.play.actions import boards_played, leave_board
from pbm.play.challenges import call_off_all
from pbm.play.seeks import leave_all_seeks
from pbm.play.turn import Turn
from pbm.store.values.players import Player, PlayerStatus

_MOST_NAMED = 30  # boards in a question
_EVERY = 1_000_000  # more boards than any player has


class ExplainStop(Command, group="account"):
    """Get fewer mails, or leave altogether: this explains the choices.

    It changes nothing by itself, so that nobody gives a game up by accident.
    """

    words = ("stop", "signoff", "unsubscribe")
    examples = ("stop",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        """Explain the choices."""
        playing = [board.id for board in boards_played(context.work, context.player)]
        yield Answered("stop", {"title": "stop", "boards": playing})


class Delete(Command, group="account"):
    """Leave this server for good.

    Your games in progress are given up as by `resign`, and we forget your addresses, your
    settings and your password. Your handle stays in the records of the games that you
    played, and nobody else can take it. We ask you to confirm it.
    """

    words = ("delete",)
    examples = ("delete",)
    dangerous = True
    asks = "Do you want to leave this server for good?"

    def run(self, context: Context) -> Iterator[Event]:
        """Resign everywhere, and erase the player's data."""
        player = context.player
        # First, so that no match goes on with them.
        context.work.players.set_status(player.id, PlayerStatus.REMOVED)
        for board in boards_played(context.work, player):
            yield from leave_board(context.work, board, player, "resigned", context.now)
        yield from leave_all_seeks(context.work, player)
        yield from call_off_all(context.work, player)
        context.work.personal_data.erase(player)
        yield Forgotten(player.address, player.handle)

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        """Name the games that would be resigned, with the opponents."""
        boards = boards_played(turn.work, player, lock=False)
        named = [
            {
                "number": board.id,
                "others": [seat.handle for seat in board.seats if seat.player_id != player.id],
            }
            for board in boards[:_MOST_NAMED]
        ]
        more = len(boards) - len(named)
        return {"section": "ends-all", "handle": player.handle, "boards": named, "more": more}

    def pinned(self, context: Context) -> str:
        """The command's first word, without arguments."""
        return self.words[0]


def everything_about(context: Context) -> dict[str, Any]:
    """All data stored about the speaker, as plain values."""
    player, work = context.player, context.work
    boards = [
        *work.boards.of_player(player.id, playing=True, most=_EVERY),
        *work.boards.of_player(player.id, playing=False, most=_EVERY),
    ]
    since = player.unreachable_since
    return {
        "handle": player.handle,
        "status": player.status,
        "joined": player.joined_at.isoformat(),
        "settings": asdict(player.settings),
        "has_password": player.password_hash is not None,
        "mail_comes_back_since": since.isoformat() if since else None,
        **work.personal_data.export(player.id),
        "boards": [
            {
                "number": board.id,
                "game": board.game,
                "options": dict(board.options),
                "players": [seat.handle for seat in board.seats],
                "seats": [seat.seat for seat in board.seats_of(player.id)],
                "status": board.status,
                "ended_by": board.ended_by,
                "plies": board.ply,
                "started": board.started_at.isoformat(),
            }
            for board in sorted(boards, key=lambda board: board.id)
        ],
        "seeks": [
            {
                "number": seek.id,
                "game": seek.wish.game,
                "wishes": list(seek.wish.wishes),
                "players": [one.handle for one in seek.seekers],
                "status": seek.status,
                "made": seek.made_at.isoformat(),
            }
            for seek in work.seeks.of_player(player.id, over=True)
        ],
    }
