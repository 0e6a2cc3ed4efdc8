"""The commands about oneself."""

from collections.abc import Iterator
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.logins import Secret, SecretText
from pbm.commands.look import MOST_SHOWN
from pbm.commands.pending import pending_challenges
from pbm.commands.seeks_told import own_seeks
from pbm.commands.words import Handle
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.leave import boards_played
from pbm.play.turn import Turn
from pbm.store.values.players import Player


class SignUp(Command):
    """Join under a name of your choice, called your handle.

    A handle has 2 to 16 letters, digits, - or _ and begins with a letter. You are asked to
    answer `yes` once, so that nobody can sign you up. A password is not needed: answering
    our mails proves who you are. With one, which has 8 characters or more and is set by your
    `yes`, you can also move from an address that we do not know, as on older servers: behind the
    board's number write your handle, a blank, and the password. Mail is no safe place, so take
    a password that you use nowhere else.
    """

    words = ("signup",)
    group = "account"
    examples = ("signup marta",)
    reads_only = True

    handle: str = operand(Handle())
    password: SecretText | None = operand(Secret(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Refuse: only an address that nobody plays from can sign up."""
        raise Refusal("already-registered", handle=context.player.handle)
        yield


class WhoAmI(Command):
    """Say who you are here: your handle, your addresses, and where it is your turn."""

    words = ("whoami",)
    group = "account"
    examples = ("whoami",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the player's own record."""
        player = context.player
        to_move = context.work.boards.to_move(player.id)
        yield Answered(
            "whoami",
            {
                "handle": player.handle,
                "addresses": list(player.addresses),
                "joined": player.joined_at.date().isoformat(),
                "to_move": list(to_move),
                "seeks": own_seeks(context),
                "challenges": pending_challenges(context),
                "unreachable": bool(player.unreachable_since) or player.id in context.turn.back,
            },
        )


class NewKey(Command):
    """Make the reply addresses in all our mails to you so far useless, and get new ones.

    Use it when somebody else may have got hold of one of our mails. We ask you to confirm
    it; from then on only newer mails can be answered. Our answer is the first of those.
    """

    words = ("newkey",)
    group = "account"
    examples = ("newkey",)
    dangerous = True

    def run(self, context: Context) -> Iterator[Event]:
        """Raise the player's epoch, which every reply tag is made from."""
        context.work.players.renew_epoch(context.player.id)
        yield Answered("newkey", {"title": "new reply addresses"}, to_all=True)

    def question(self) -> str:
        """Ask whether it is really wished."""
        return "Do you want new reply addresses, which make the old ones useless?"

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        """Name the games whose mails cannot be answered any more."""
        playing = [board.id for board in boards_played(turn.work, player, lock=False)]
        return {"section": "ends-replies", "boards": playing[:MOST_SHOWN]}
