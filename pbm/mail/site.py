"""What one server is: its address, its keys, whom it believes, and where chance comes from."""

import random
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address

from pbm.mail.address import ServerAddress
from pbm.mail.tags import Keyring

_BOARD_ID = re.compile(
    r"<g(\d{1,9})\.p(\d{1,5})(?:b(\d{1,5}))?((?:\.[a-z]{1,20}\d{1,9}p\d{1,5}){0,4})"
    r"\.[^@<>]*@([^@<>]*)>",
    re.ASCII,
)


def by_lot(names: Sequence[str]) -> list[str]:
    """The names in an order that nobody can foresee."""
    return random.SystemRandom().sample(names, len(names))


@dataclass(frozen=True)
class Answering:
    """What a mail answers: a board's mail, at a ply, after so many take-backs.

    `asked` are the marks of the offers that it asked its reader about.
    """

    number: int
    ply: int
    taken_back: int
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Site:
    """What all mails of one server have in common.

    `authserv_id` is the name of the mail server in front, empty where nothing that it says
    counts; `trusted_networks` are where that one connects from.
    """

    address: ServerAddress
    keyring: Keyring
    operator: str = ""
    authserv_id: str = ""
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unique: Callable[[], str] = field(default=lambda: secrets.token_hex(8))
    shuffled: Callable[[Sequence[str]], list[str]] = field(default=by_lot)

    def trusts(self, peer: str) -> bool:
        """Whether a connection from there is our own mail server's; a local socket has no peer."""
        if not peer:
            return True
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        return any(address in network for network in self.trusted_networks)

    def board_answered(self, message_ids: tuple[str, ...]) -> Answering | None:
        """Return what the newest of our board mails among Message-IDs says."""
        for message_id in message_ids:
            found = _BOARD_ID.fullmatch(message_id)
            if found and found[5].lower() == self.address.domain:
                asked = tuple(found[4].split(".")[1:])
                return Answering(int(found[1]), int(found[2]), int(found[3] or 0), asked)
        return None
