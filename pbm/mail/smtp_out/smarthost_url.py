"""``PBM_SMARTHOST``: the URL of the server that takes our mail on its way."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pbm.errors import OperatorError

_DEFAULT_PORTS = {"smtp": 25, "smtps": 465}
_FORM = "It must look like smtp://host:25 or smtps://user:password@host:465."


class SmarthostError(OperatorError):
    """The URL can't be used; ``str()`` says why, and holds no part of it but the host."""


@dataclass(frozen=True)
class Smarthost:
    """Where to connect. ``tls`` means TLS from the first byte, as ``smtps://`` asks for it."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str = field(default="", repr=False)

    @property
    def is_loopback(self) -> bool:
        """Whether the connection never leaves this machine."""
        if self.host.lower().rstrip(".") == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_smarthost(url: str) -> Smarthost:
    """Read the URL; user and password are percent-encoded in it. Raises SmarthostError."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise SmarthostError(f"PBM_SMARTHOST has a bad port or host. {_FORM}") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise SmarthostError(f"PBM_SMARTHOST must start with smtp:// or smtps://. {_FORM}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SmarthostError(
            "PBM_SMARTHOST has something behind the port; a slash, a question mark or a hash "
            f"in the password must be percent-encoded. {_FORM}"
        )
    host = parts.hostname or ""
    if not host or not host.isascii() or not host.isprintable() or " " in host or port == 0:
        raise SmarthostError(f"PBM_SMARTHOST names no host. {_FORM}")
    user, password = _credentials(parts.username, parts.password)
    return Smarthost(
        host=host,
        port=port or _DEFAULT_PORTS[parts.scheme],
        tls=parts.scheme == "smtps",
        user=user,
        password=password,
    )


def _credentials(user: str | None, password: str | None) -> tuple[str | None, str]:
    if user is None:
        return None, ""
    try:
        decoded = unquote(user, errors="strict"), unquote(password or "", errors="strict")
    except UnicodeDecodeError:
        raise SmarthostError("PBM_SMARTHOST: user or password is not UTF-8.") from None
    if not all(decoded):
        raise SmarthostError("PBM_SMARTHOST needs user and password, or neither.")
    if not all(map(str.isprintable, decoded)):
        raise SmarthostError("PBM_SMARTHOST: user or password holds a control character.")
    return decoded
