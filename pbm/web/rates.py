"""How often each network may ask, and who it is that asks through a proxy."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from time import monotonic

Network = IPv4Network | IPv6Network
_AT_ONCE, _PER_SECOND = 120.0, 4.0
_MOST_NETWORKS = 10_000
_PREFIX = {4: 24, 6: 56}


class Rates:
    """A bucket of requests for each network, and the most recent networks only."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._buckets: OrderedDict[Network, tuple[float, float]] = OrderedDict()

    def take(self, network: Network | None) -> bool:
        """Return whether a network may ask once more; None is a client that is trusted."""
        if network is None:
            return True
        now = self._seconds()
        left, at = self._buckets.pop(network, (_AT_ONCE, now))
        left = min(_AT_ONCE, left + (now - at) * _PER_SECOND)
        may = left >= 1
        self._buckets[network] = (left - may, now)
        if len(self._buckets) > _MOST_NETWORKS:
            self._buckets.popitem(last=False)
        return may

    def __len__(self) -> int:
        return len(self._buckets)


def asking(peer: str, forwarded: str, trusted: Sequence[Network]) -> Network | None:
    """Return the network that asks; None for a trusted peer that names no client.

    `forwarded` is the header X-Forwarded-For. Only what trusted peers have added to it counts.
    """
    for text in (peer, *reversed(forwarded.split(","))):
        try:
            address = ip_address(text.strip().partition("%")[0])
        except ValueError:
            return None
        address = getattr(address, "ipv4_mapped", None) or address
        if not any(address in network for network in trusted):
            return ip_network(f"{address}/{_PREFIX[address.version]}", strict=False)
    return None
