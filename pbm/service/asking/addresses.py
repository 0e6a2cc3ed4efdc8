"""New addresses of players: each is asked before it counts."""

from collections.abc import Sequence
from dataclasses import replace

from pbm.events import AddressWanted, Answered
from pbm.mail.address import address_key
from pbm.mail.tags import new_token, token_digest
from pbm.play.subjects import question_subject
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.telling.mail_writer import Asking, MailWriter
from pbm.store.values.asking import OPEN_FOR
from pbm.store.values.players import Player

KIND = "address"


def record_wanted(turn: Turn, player: Player, event: AddressWanted) -> AddressWanted:
    """Store the question to an address at once, so that a later `newkey` voids it."""
    kept = {"player": player.id, "epoch": player.epoch, "instead": event.instead}
    token, until = new_token(), turn.now + OPEN_FOR
    turn.work.questions.ask(KIND, event.address, token_digest(token), kept, turn.now, until)
    return replace(event, token=token)


def ask_new_address(turn: Turn, player: Player, event: AddressWanted) -> None:
    """Ask an address whether it is this player's.

    If another player uses it, only that player is told.
    """
    owner = turn.work.players.by_address(address_key(event.address))
    if owner is not None:
        told = {"by": player.handle, "address": event.address, "handle": owner.handle}
        MailWriter(turn).notice_player(
            owner, "address-wanted", "your address", told, address=event.address
        )
        return
    title = default_game().info.title
    params = {"handle": player.handle, "instead": event.instead, "title": title}
    subject = question_subject(f"play as {player.handle} from here")
    asking = Asking("new-address", subject, params, event.token)
    MailWriter(turn).question(event.address, asking, granted=True)


def tell_other_addresses(turn: Turn, player: Player, sections: Sequence[Answered]) -> None:
    """Tell a player's other addresses about a change."""
    for address in player.addresses[1:]:
        for section in sections:
            told = {"sections": [{"section": section.section, **section.params}], "last": False}
            MailWriter(turn).notice(address, "answer", str(section.params["title"]), told)
