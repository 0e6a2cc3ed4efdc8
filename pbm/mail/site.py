"""The identity of one server: its address, keys, trusted peers, and sources of randomness."""

import random
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, SeparatorError, ServerAddress, short_name
from pbm.mail.keys import Keyring
from pbm.plain import packed

_BOARD_ID = re.compile(
    r"<g(\d{1,9})\.p(\d{1,5})(?:b(\d{1,5}))?((?:\.[a-z]{1,20}\d{1,9}p\d{1,5}){0,4})"
    r"\.[^@<>]*@([^@<>]*)>",
    re.ASCII,
)
_MESSAGE_ID = re.compile(r"<w(\d{1,9})\.[^@<>]*@([^@<>]*)>", re.ASCII)
_SHOWN = re.compile(r"(\d{1,9})p(\d{1,5})(?:b(\d{1,5}))?", re.ASCII)
_SEVERAL_ID = re.compile(
    r"<s((?:\.\d{1,9}p\d{1,5}(?:b\d{1,5})?){1,12})\.[^@<>]*@([^@<>]*)>", re.ASCII
)


def by_lot(names: Sequence[str]) -> list[str]:
    return random.SystemRandom().sample(names, len(names))


@dataclass(frozen=True)
class Answering:
    """A board as our mail showed it; a player has answered that mail."""

    number: int
    ply: int  # plies (single moves) played at that time
    taken_back: int
    asked: tuple[str, ...] = ()  # open offers to the reader, such as the offer of a draw


@dataclass(frozen=True)
class Site:
    """Settings and keys that all mails of one server share."""

    address: ServerAddress
    keyring: Keyring
    operator: str = ""
    authserv_id: str = ""  # of the front; if empty, no `Authentication-Results` is trusted
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unique: Callable[[], str] = field(default=lambda: secrets.token_hex(8))
    shuffled: Callable[[Sequence[str]], list[str]] = field(default=by_lot)
    robot_seconds: float = 5.0  # a mail about a board waits so long for a robot's move
    thought_seconds: float = 3.0  # of the strongest robot's search
    page_url: str = ""  # of the board page; if empty, mails bring no link to it

    def trusts(self, peer: str) -> bool:
        """Return True if the peer is one of our mail servers, or "" (a local socket)."""
        return not peer or any(ip_address(peer) in each for each in self.trusted_networks)

    def reply_address(self, player_id: int, epoch: int, board_id: int | None = None) -> str:
        """Return an address for replies. It is valid until the player's `epoch` is raised."""
        tag = self.keyring.reply_tag(player_id, epoch, board_id)
        return self.address.board_reply(player_id, tag, board_id)

    def page_link(self, data: Mapping[str, Any]) -> str:
        """Return a link to the board page that shows `data`, without the tag of a reply address.

        The renderer puts the tag of a player of the board between the first two full stops, where
        it is masked like those of addresses. Mail programs leave a sign at the end out of a link,
        so it ends with a letter.
        """
        told = {"a": f"{self.address.before_detail}@{self.address.domain}", **data}
        return f"{self.page_url}#1..{packed(told)}z"

    def bounce_address(self, player_id: int, message_id: str) -> str:
        """Return the envelope sender of a mail to a player; bounces of the mail go there."""
        name = short_name(message_id)
        tag = self.keyring.bounce_tag(player_id, name)
        return self.address.bounces(player_id, name, tag)

    def unsubscribe_address(self, player_id: int, what: str) -> str:
        """Return the address that ends mails to many; `what` is as in `Unsubscribe`."""
        tag = self.keyring.unsubscribe_tag(player_id, what)
        return self.address.unsubscribe(player_id, what, tag)

    def author_answered(self, message_ids: tuple[str, ...]) -> int | None:
        """Return the number of the player whose message a mail answers; None for other mails."""
        at_home = f"@{self.address.domain}>"
        ours = next((name for name in message_ids if name.lower().endswith(at_home)), "")
        found = _MESSAGE_ID.fullmatch(ours)
        return int(found[1]) if found else None

    def boards_answered(self, message_ids: tuple[str, ...]) -> tuple[Answering, ...]:
        """Return the boards of the mail that a player answers, each in the state shown there.

        `message_ids` are the mails that the player's mail refers to, newest first. The first of
        them that is our mail about boards is the answered one.
        """
        for message_id in message_ids:
            found = _BOARD_ID.fullmatch(message_id)
            if found and found[5].lower() == self.address.domain:
                asked = tuple(found[4].split(".")[1:])
                return (Answering(int(found[1]), int(found[2]), int(found[3] or 0), asked),)
            several = _SEVERAL_ID.fullmatch(message_id)
            if several and several[2].lower() == self.address.domain:
                shown = _SHOWN.finditer(several[1])
                return tuple(Answering(int(it[1]), int(it[2]), int(it[3] or 0)) for it in shown)
        return ()


def own_address(settings: Settings) -> ServerAddress:
    """Parse PBM_ADDRESS and PBM_SEPARATOR. Raises OperatorError if one is invalid."""
    try:
        return ServerAddress(settings.address, settings.separator)
    except SeparatorError as error:
        raise OperatorError(f"PBM_SEPARATOR: {error}") from error
    except AddressError as error:
        raise OperatorError(f"PBM_ADDRESS: {error}") from error
