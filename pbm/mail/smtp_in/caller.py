"""Who hands a mail over, and which network it comes from."""

import ipaddress
from dataclasses import dataclass

Peer = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Caller:
    """The `peer` that is connected, empty for a local socket, and the `network` that the mail
    comes from, empty where nobody knows it.

    A trusted peer brings everybody's mail: its own network says nothing.
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
