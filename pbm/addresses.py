"""Keys by which mail addresses are compared."""


def address_key(address: str) -> str:
    """Return the address in lower case; despite RFC 5321, servers ignore case in local parts."""
    return address.lower()


def mailbox_key(address: str) -> str:
    """Return a key of a mailbox: the address in lower case, without a `+` part before the `@`."""
    local, at, domain = address_key(address).rpartition("@")
    return f"{local.partition('+')[0] or local}{at}{domain}"
