"""What one server is: its address, its keys, whom it believes, and where chance comes from."""

import random
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, SeparatorError, ServerAddress
from pbm.mail.tags import Keyring

_BOARD_ID = re.compile(
    r"<g(\d{1,9})\.p(\d{1,5})(?:b(\d{1,5}))?((?:\.[a-z]{1,20}\d{1,9}p\d{1,5}){0,4})"
    r"\.[^@<>]*@([^@<>]*)>",
    re.ASCII,
)
_SHOWN = re.compile(r"(\d{1,9})p(\d{1,5})(?:b(\d{1,5}))?", re.ASCII)
_SEVERAL_ID = re.compile(
    r"<s((?:\.\d{1,9}p\d{1,5}(?:b\d{1,5})?){1,12})\.[^@<>]*@([^@<>]*)>", re.ASCII
)


def by_lot(names: Sequence[str]) -> list[str]:
    """The names in an order that nobody can foresee."""
    return random.SystemRandom().sample(names, len(names))


@dataclass(frozen=True)
class Answering:
    """What a mail answers: a board as a mail of ours showed it, at a ply, after so many take-backs.

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
    counts; `trusted_networks` are where that one connects from. `robot_seconds` is how long a mail
    about a board waits for a robot at most.
    """

    address: ServerAddress
    keyring: Keyring
    operator: str = ""
    authserv_id: str = ""
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unique: Callable[[], str] = field(default=lambda: secrets.token_hex(8))
    shuffled: Callable[[Sequence[str]], list[str]] = field(default=by_lot)
    robot_seconds: float = 5.0

    def trusts(self, peer: str) -> bool:
        """Whether a connection from there is our own mail server's; a local socket has no peer."""
        if not peer:
            return True
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        return any(address in network for network in self.trusted_networks)

    def boards_answered(self, message_ids: tuple[str, ...]) -> tuple[Answering, ...]:
        """Return the boards that the newest of our mails about boards among Message-IDs showed."""
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

    def board_answered(self, message_ids: tuple[str, ...]) -> Answering | None:
        """Return what the newest of them says, if it is about one board only."""
        found = self.boards_answered(message_ids)
        return found[0] if len(found) == 1 else None


def own_address(settings: Settings) -> ServerAddress:
    """Read PBM_ADDRESS and PBM_SEPARATOR. Raises OperatorError where one can't work."""
    try:
        return ServerAddress(settings.address, settings.separator)
    except SeparatorError as error:
        raise OperatorError(f"PBM_SEPARATOR: {error}") from error
    except AddressError as error:
        raise OperatorError(f"PBM_ADDRESS: {error}") from error
