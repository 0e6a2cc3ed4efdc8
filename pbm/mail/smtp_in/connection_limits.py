"""Limits of the listener, connection caps in total and for each peer, and the peers' networks."""

import ipaddress
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pbm.mail.reading.limits import LIMITS

Peer = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (
    ipaddress.ip_network("127.0.0.0/8"),
    ipaddress.ip_network("::1"),
)
_FULL = "421 4.3.2 Too many connections at the moment; please try again in a few minutes."
_TOO_MANY_OF_YOURS = "421 4.7.0 You have too many connections open; please close some first."


@dataclass(frozen=True)
class Caller:
    """The `peer` that is connected, empty for a local socket, and the `network` that the mail
    comes from, empty where nobody knows it.

    A trusted peer passes on mail of many senders, so its own network says nothing about them.
    """

    peer: str = ""
    network: str = ""


UNKNOWN = Caller()


def network_of(address: Peer) -> str:
    """Whom somebody with many addresses is counted as: in IPv4 a /24, in IPv6 a /48, which is
    what one site has."""
    bits = 24 if address.version == 4 else 48
    return str(ipaddress.ip_network((str(address), bits), strict=False))


def forwarded_address(argument: str) -> Peer | None:
    """The address for which a peer says it speaks, in the argument of Postfix's ``XFORWARD``.

    None where it names none. Raises ValueError for an argument that is none.
    """
    found: Peer | None = None
    for attribute in argument.split():
        name, equals, value = attribute.partition("=")
        if not equals:
            raise ValueError(attribute)
        if name.upper() == "ADDR":
            found = _address(value)
    return found


def _address(value: str) -> Peer | None:
    """Read ``192.0.2.1`` or ``IPV6:2001:db8::1``; anything else is nobody's address."""
    try:
        found = ipaddress.ip_address(value.upper().removeprefix("IPV6:"))
    except ValueError:
        return None
    return plain(found)


def plain(address: Peer) -> Peer:
    """The IPv4 address that an IPv6 one wraps, or the address itself."""
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else mapped


@dataclass(frozen=True)
class ListenerLimits:
    """What a client may do; sizes in bytes, times in seconds.

    ``commands`` may pass between two mails, ``unknown_commands`` in a whole connection.
    ``surplus_bytes`` of a mail beyond ``mail_bytes`` are read and dropped, for the sake of a
    readable refusal, before the connection is cut. A client that is a trusted peer has no
    limit but those of a single mail.
    """

    mail_bytes: int = LIMITS.mail_bytes
    surplus_bytes: int = 67_108_864
    line_bytes: int = 65_536
    command_bytes: int = 2_048
    recipients: int = 20
    commands: int = 200
    unknown_commands: int = 5
    connections: int = 200
    connections_per_peer: int = 20
    idle_seconds: float = 300
    data_seconds: float = 600
    handshake_seconds: float = 30
    commit_seconds: float = 120


class ConnectionLimits:
    """Counts the connections of those who are not trusted."""

    def __init__(self, limits: ListenerLimits, trusted: Iterable[Network]) -> None:
        self._limits = limits
        self._trusted = tuple(trusted)
        self._inside: Counter[object] = Counter()

    def is_trusted(self, peer: Peer | None) -> bool:
        """Whether no cap holds for this peer; a local socket, which has none, is trusted."""
        return is_within(peer, self._trusted)

    def caller(self, peer: Peer | None, forwarded: Peer | None) -> Caller:
        """Who speaks; `forwarded` is the address that a trusted peer says it speaks for."""
        comes_from = forwarded if self.is_trusted(peer) else peer
        if comes_from is None or self.is_trusted(comes_from):
            return Caller(str(peer or ""))
        return Caller(str(peer or ""), network_of(comes_from))

    def enter(self, peer: Peer | None) -> str | None:
        """Count a connection in; the reply that turns it away, or None. ``leave`` follows."""
        if self.is_trusted(peer):
            return None
        whose = origin(peer)
        self._inside[whose] += 1
        if self._inside.total() > self._limits.connections:
            return _FULL
        if self._inside[whose] > self._limits.connections_per_peer:
            return _TOO_MANY_OF_YOURS
        return None

    def leave(self, peer: Peer | None) -> None:
        """Count it out."""
        if self.is_trusted(peer):
            return
        whose = origin(peer)
        self._inside[whose] -= 1
        if not self._inside[whose]:
            del self._inside[whose]


def peer_of(peername: object) -> Peer | None:
    """The IP address of a socket's other end, plain where IPv6 wraps an IPv4 one; None for a
    local socket."""
    if not isinstance(peername, tuple):
        return None
    return plain(ipaddress.ip_address(peername[0]))


def is_within(peer: Peer | None, networks: Iterable[Network]) -> bool:
    """Whether a peer is in one of these networks; a local socket is in any."""
    return peer is None or any(peer in network for network in networks)


def origin(peer: Peer | None) -> Peer | Network | None:
    """Whom a connection is counted against: in IPv6 one household has a /64."""
    if isinstance(peer, ipaddress.IPv6Address):
        return ipaddress.ip_network((int(peer) >> 64 << 64, 64))
    return peer
