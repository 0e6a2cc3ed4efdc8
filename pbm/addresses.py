"""Finds mail addresses in text, compares them by keys, and makes their digests for the log."""

import re
from hashlib import sha256

ADDRESS = re.compile(  # local parts in quotes, domains in letters of any language or in brackets
    r"""(?:"[^"]{1,64}"|[^\s<>@:;,()\[\]"']{1,64})"""
    r"""@(?:\[[^\]\s]{1,255}\]|[^\s<>@:;,()\[\]"'?]{0,254}[^\s<>@:;,()\[\]"'?.!])"""
)


def address_key(address: str) -> str:
    """Return the address in lower case; despite RFC 5321, servers ignore case in local parts."""
    return address.lower()


def mailbox_key(address: str) -> str:
    """Return a key of a mailbox: the address in lower case, without a `+` part before the `@`."""
    local, at, domain = address_key(address).rpartition("@")
    return f"{local.partition('+')[0] or local}{at}{domain}"


def digest_of(address: str) -> str:
    return f"~{sha256(address_key(address).encode()).hexdigest()[:8]}"
