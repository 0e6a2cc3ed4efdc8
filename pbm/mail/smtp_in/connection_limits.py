"""Who may come in: caps on connections, in all and for each peer; and who speaks there."""

import ipaddress
from collections import Counter
from collections.abc import Iterable

from pbm.mail.smtp_in.caller import Caller, Peer, network_of, plain
from pbm.mail.smtp_in.handler import ListenerLimits

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (
    ipaddress.ip_network("127.0.0.0/8"),
    ipaddress.ip_network("::1"),
)

_FULL = "421 4.3.2 Too many connections at the moment; please try again in a few minutes."
_TOO_MANY_OF_YOURS = "421 4.7.0 You have too many connections open; please close some first."


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
