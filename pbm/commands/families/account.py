"""Commands about the player's own account."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pbm.commands.families.lobby import check_is_of_a_person
from pbm.commands.families.watch import covering
from pbm.commands.language.context import Context
from pbm.commands.language.declare import MASK, Command, Danger, operand
from pbm.commands.language.words import Address, Handle, Secret, SecretText
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import AddressWanted, Answered, Event, Forgotten
from pbm.play import watching
from pbm.play.actions import boards_played, leave_board
from pbm.play.challenges import call_off_all
from pbm.play.limits import DELETES, MOST_SHOWN, refusal_of_stranger, strangers_answers_left
from pbm.play.listings import waiting_for_others
from pbm.play.seeks import leave_all_seeks
from pbm.store.values.players import Player, PlayerStatus

_MOST_NAMED = 30  # boards in a question
_NONE = "none"  # in the place of a password


class SignUp(Command, group="account"):
    """Join under a name of your choice, called your handle."""

    words = ("signup",)
    examples = ("signup marta",)
    reads_only = True

    handle: str = operand(Handle())
    password: SecretText | None = operand(Secret(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        # Strangers sign up in `pbm/service`.
        raise Refusal("already-registered", handle=context.player.handle)
        yield


class WhoAmI(Command, group="account"):
    """Say who you are here: your handle, your addresses, and where it is your turn."""

    words = ("whoami",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        player = context.player
        told = {
            "handle": player.handle,
            "addresses": list(player.addresses),
            "joined": player.joined_at.date().isoformat(),
            "to_move": list(context.work.boards.to_move(player.id)),
            **waiting_for_others(context.work, player, context.turn.arrived),
            "unreachable": bool(player.unreachable_since) or player.id in context.turn.back,
        }
        yield Answered("whoami", told)


class Add(Command, group="account"):
    """Add a second address from which you may answer our mails."""

    words = ("add",)
    examples = ("add marta@work.example",)
    danger = Danger.ALWAYS
    asks = "Do you want to answer from {address} as well?"

    instead: ClassVar[bool] = False  # of the addresses so far

    address: str = operand(Address())

    def run(self, context: Context) -> Iterator[Event]:
        owner = context.work.players.by_address(self.address)
        if owner is not None and owner.id == context.player.id:
            raise Refusal("address-is-yours", address=self.address)
        check_is_of_a_person(context, self.address)
        if not strangers_answers_left(context.work, self.address, context.now):
            raise refusal_of_stranger(context.work, self.address, context.now)
        yield AddressWanted(self.address, instead=self.instead)
        yield Answered("address-asked", {"address": self.address})


class ChangeAddress(Add, group="account"):
    """Play from another address."""

    words = ("change",)
    second = "address"
    examples = ("change address marta@new.example",)
    asks = "Do you want to play from {address} from now on?"
    instead = True

    address: str = operand(Address())

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        playing = bool(boards_played(turn.work, player, lock=False))
        told = {"old": player.address, "new": self.address, "playing": playing}
        return {"section": "ends-address", **told}


class ChangeHandle(Command, group="account"):
    """Take another handle."""

    words = ("change",)
    second = "handle"
    examples = ("change handle marta2",)
    danger = Danger.ALWAYS
    asks = "Do you want to be called {handle} here?"

    handle: str = operand(Handle())

    def pinned(self, context: Context) -> str:
        return f"{self.called} {self.handle}"

    def run(self, context: Context) -> Iterator[Event]:
        player = context.player
        context.check_handle(self.handle, player.id)
        context.work.players.change_handle(player, self.handle)
        told = {"old": player.handle, "new": self.handle}
        yield Answered("handle-changed", told, to_all=True)


class ChangePassword(Command, group="account"):
    """Set a password, or with `none` have no password any more."""

    words = ("change",)
    second = "password"
    examples = ("change password correct-horse", "change password none")
    danger = Danger.ALWAYS

    password: SecretText = operand(Secret())

    def run(self, context: Context) -> Iterator[Event]:
        word = self.new_password
        kept = context.turn.hash_of(word) if word else None
        context.work.players.set_password(context.player.id, kept)
        told = {"has_one": bool(kept), "handle": context.player.handle}
        yield Answered("password-changed", {**told, "game": self.game.info.name}, to_all=True)

    def pinned(self, context: Context) -> str:
        return f"change password {MASK if self.new_password else _NONE}"

    def question(self) -> str:
        wished = "set the new password" if self.new_password else "have no password any more"
        return f"Do you want to {wished}?"

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        had, has = player.password_hash is not None, self.new_password is not None
        return {"section": "ends-password", "had": had, "has": has, "handle": player.handle}

    @property
    def new_password(self) -> str | None:
        """The new password; None if the line says `none`."""
        return None if self.password.value == _NONE else self.password.value


class NewKey(Command, group="account"):
    """Make the reply addresses in all our mails to you so far useless, and get new ones."""

    words = ("newkey",)
    danger = Danger.ALWAYS
    asks = "Do you want new reply addresses, which make the old ones useless?"

    def run(self, context: Context) -> Iterator[Event]:
        context.work.players.renew_epoch(context.player.id)
        yield Answered("newkey", {}, to_all=True)

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        playing = [board.id for board in boards_played(turn.work, player, lock=False)]
        return {"section": "ends-replies", "boards": playing[:MOST_SHOWN]}


class ExplainStop(Command, group="account"):
    """Get fewer mails, or leave altogether: this explains the choices."""

    words = ("stop", "signoff", "unsubscribe")
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        watched = covering(context)
        if watched and not context.turn.claim:  # in answer to a mail to those who watch
            yield Answered("watching", watching.end(context.work, watched))
            return
        playing = [board.id for board in boards_played(context.work, context.player, lock=False)]
        watches = bool(context.work.watchings.of_watcher(context.player.id))
        yield Answered("stop", {"boards": playing, "watches": watches})


class Delete(Command, group="account"):
    """Leave this server for good."""

    words = ("delete",)
    danger = Danger.ALWAYS
    tries = DELETES  # it is tried on all boards of the player before the question
    asks = "Do you want to leave this server for good?"

    def run(self, context: Context) -> Iterator[Event]:
        player = context.player
        # First, so that no match begins another round with the player.
        context.work.players.change(player.id, status=PlayerStatus.REMOVED)
        for board in boards_played(context.work, player):
            yield from leave_board(context.work, board, player, "resigned", context.now)
        yield from leave_all_seeks(context.work, player)
        yield from call_off_all(context.work, player)
        context.work.personal_data.erase(player)
        yield Forgotten(player.address, player.handle)

    def consequences(self, turn: Turn, player: Player) -> dict[str, Any]:
        boards, named = boards_played(turn.work, player, lock=False), []
        for board in boards[:_MOST_NAMED]:
            others = [seat.handle for seat in board.seats if seat.player_id != player.id]
            named.append({"number": board.id, "others": others})
        more = len(boards) - len(named)
        return {"section": "ends-all", "handle": player.handle, "boards": named, "more": more}

    def pinned(self, context: Context) -> str:
        return self.words[0]  # the line may be a sentence in plain words
