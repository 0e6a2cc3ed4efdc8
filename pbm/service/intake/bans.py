"""Bans by the operator: of players, addresses, domains and networks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from pbm.addresses import mailbox_key
from pbm.mail.address import Bounce, Postmaster
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import Caller, Network
from pbm.mail.smtp_in.handler import Rejection
from pbm.store.db import UnitOfWork
from pbm.store.values.queues import Ban

READ_EVERY = timedelta(seconds=10)


@dataclass(frozen=True)
class Banned(Rejection):
    what: str = ""  # the ban, as the operator lists it


class BanList:
    """Bans, to be looked up in memory."""

    def __init__(self, bans: Iterable[Ban]) -> None:
        self._names: dict[str, str] = {}
        for ban in bans:
            keys = map(mailbox_key, ban.addresses)
            self._names |= dict.fromkeys((*keys, ban.what), ban.what)

    def find(self, address: str, whence: str = "") -> str | None:
        """Return which ban forbids a mail, or None. `whence` is an IP address, a network or ""."""
        names = names_of(address, whence) if self._names else ()
        return next((self._names[name] for name in names if name in self._names), None)


def names_of(address: str, whence: str = "") -> list[str]:
    """Return all that could be banned to forbid a mail: of its address, and of whence it comes.

    A part of the network that it comes from is not among them, as it may be from another part.
    """
    mailbox = mailbox_key(address)
    labels = mailbox.rpartition("@")[2].split(".")
    domains = ("@" + ".".join(labels[at:]) for at in range(len(labels)))
    its = network_of(whence)
    sizes = range(its.prefixlen if its else -1, -1, -1)
    around = (str(its.supernet(new_prefix=size)) for size in sizes) if its else ()
    return [mailbox, *domains, *around]


def network_of(text: str) -> Network | None:
    """Parse an IP address or a network; return None if it is neither."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def whence(peer: str, network: str) -> str:
    """Return the peer's address if it is in the network that a mail comes from, else the latter."""
    its = network_of(network)
    return peer if its and ip_address(peer or "::") in its else network


def is_free(site: Site, recipient: str) -> bool:
    """Return whether everybody may write there: bounces, and mail to postmaster."""
    return isinstance(site.address.parse(recipient), Bounce | Postmaster)


class Bans:
    """The bans as a process knows them, some seconds late."""

    def __init__(self) -> None:
        self._list = BanList(())
        self._read_at: datetime | None = None
        self._noted = set[str]()

    def read(self, work: UnitOfWork, now: datetime) -> None:
        """Read the bans anew, if that was not done lately."""
        if self._read_at is None or not now - READ_EVERY < self._read_at <= now:
            self._list, self._read_at, self._noted = BanList(work.bans.all()), now, set()

    def refusal(
        self, site: Site, recipients: Iterable[str], caller: Caller, *addresses: str
    ) -> Banned | None:
        """Return the refusal of a mail from one of the addresses, or None."""
        found = (self._list.find(address, caller.client) for address in addresses)
        what = next(filter(None, found), None)
        if what is None or all(is_free(site, each) for each in recipients):
            return None
        told = "5.7.1 This server takes no mail from you. Write to postmaster@"
        return Banned(
            550, f"{told}{site.address.domain} to ask about it.", f"{what} is banned", what
        )

    def is_noted(self, what: str) -> bool:
        """Note that a ban was met; return whether it was met before since the bans were read."""
        is_noted = what in self._noted
        self._noted.add(what)
        return is_noted
