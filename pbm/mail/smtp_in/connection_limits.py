"""Limits of the listener, and the count of its connections in total and for each network."""

import ipaddress
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from pbm.mail.reading.limits import LIMITS

Peer = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "::1")))
FULL = "421 4.3.2 Too many connections at the moment; please try again in a few minutes."
_TOO_MANY_OF_YOURS = "421 4.7.0 You have too many connections open; please close some first."


@dataclass(frozen=True)
class Caller:
    """The peer that is connected, and the network that its mail comes from."""

    peer: str = ""  # empty for a local socket
    network: str = ""  # the peer's; of a trusted peer that of an untrusted client it names, if any
    client: str = field(default="", compare=False)  # the address within `network`


UNKNOWN = Caller()


def forwarded_address(argument: str) -> Peer | None:
    """Return the client's address in Postfix's ``XFORWARD``, or None. Raises ValueError."""
    found: Peer | None = None
    for attribute in argument.split():
        name, equals, value = attribute.partition("=")
        if not equals:
            raise ValueError(attribute)
        if name.upper() == "ADDR":  # such as `192.0.2.1` and `IPV6:2001:db8::1`
            found = None
            with suppress(ValueError):
                found = plain(ipaddress.ip_address(value.upper().removeprefix("IPV6:")))
    return found


def plain(address: Peer) -> Peer:
    """Return the IPv4 address that an IPv6 address wraps, or the address itself."""
    return getattr(address, "ipv4_mapped", None) or address


@dataclass(frozen=True)
class ListenerLimits:
    """Limits of a client; sizes in bytes, times in seconds."""

    mail_bytes: int = LIMITS.mail_bytes
    # Read and dropped beyond `mail_bytes`: a client reads the refusal only after its whole mail.
    surplus_bytes: int = 67_108_864
    line_bytes: int = 65_536
    command_bytes: int = 2_048
    recipients: int = 20
    commands: int = 200  # between two mails; trusted peers may send any number
    unknown_commands: int = 5
    connections: int = 200  # of untrusted peers
    connections_per_peer: int = 20
    connections_per_network: int = 40
    reserve: int = 50  # more connections, of networks from which players have written
    crowded_seconds: float = 10  # without a mail, until a connection makes room; in DATA six times
    idle_seconds: float = 300
    data_seconds: float = 600
    handshake_seconds: float = 30
    commit_seconds: float = 120


class ConnectionLimits:
    """Counts the connections of untrusted peers."""

    def __init__(self, limits: ListenerLimits, trusted: Iterable[Network]) -> None:
        self._limits = limits
        self._trusted = tuple(trusted)
        self._inside: Counter[object] = Counter()
        self._networks: Counter[str] = Counter()

    def is_trusted(self, peer: Peer | None) -> bool:
        """Return whether a peer is trusted. One on a local socket, which is None, always is."""
        return peer is None or any(peer in network for network in self._trusted)

    def caller(self, peer: Peer | None, forwarded: Peer | None) -> Caller:
        """Return a peer, and the network that its mail comes from.

        If the peer is trusted, `forwarded` is the client for which it relays the mail.
        """
        comes_from = forwarded if self.is_trusted(peer) else peer
        if comes_from is None or self.is_trusted(comes_from):
            return Caller(str(peer or ""))
        bits = 24 if comes_from.version == 4 else 48  # an IPv6 site has a /48
        network = ipaddress.ip_network((str(comes_from), bits), strict=False)
        return Caller(str(peer or ""), str(network), str(comes_from))

    def enter(self, peer: Peer | None) -> str | None:
        """Count a connection until `leave` is called. Return None, or the reply that rejects it."""
        if self.is_trusted(peer):
            return None
        whose, network = origin(peer), self.caller(peer, None).network
        self._inside[whose] += 1
        self._networks[network] += 1
        most, of_network = self._limits.connections_per_peer, self._limits.connections_per_network
        if self._inside[whose] > most or self._networks[network] > of_network:
            return _TOO_MANY_OF_YOURS
        return FULL if self._inside.total() > self._limits.connections else None

    def has_reserve(self) -> bool:
        return self._inside.total() <= self._limits.connections + self._limits.reserve

    def of_network(self, network: str) -> int:
        return self._networks[network]

    def leave(self, peer: Peer | None) -> None:
        if not self.is_trusted(peer):
            self._inside -= Counter([origin(peer)])  # keeps no count of zero
            self._networks -= Counter([self.caller(peer, None).network])


def peer_of(peername: object) -> Peer | None:
    """Return a peer's IP address (IPv4 unwrapped from IPv6), or None for a local socket."""
    if not isinstance(peername, tuple):
        return None
    return plain(ipaddress.ip_address(peername[0]))


def origin(peer: Peer | None) -> Peer | Network | None:
    """Return the key by which connections are counted: the IPv4 address, or the /64 in IPv6."""
    if isinstance(peer, ipaddress.IPv6Address):
        return ipaddress.ip_network((int(peer), 64), strict=False)
    return peer
