"""The settings: `PBM_…` variables, else `./pbm.toml`, else defaults that need no file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from pbm.errors import OperatorError

_LOOPBACK = "127.0.0.0/8, ::1"


@dataclass(frozen=True)
class Settings:
    """Every setting under its own name, lower-cased and without the `PBM_`.

    `listen` is a comma list of `host:port`; `smarthost` is empty or an `smtp://` or
    `smtps://` URL; `secret_key` is empty when the key file beside the database serves.
    """

    database_url: str = "sqlite:///var/pbm.sqlite3"
    address: str = "pbm@localhost"
    listen: str = "127.0.0.1:8025"
    smarthost: str = ""
    maildir: str = "var/maildir"
    secret_key: str = ""
    operator: str = ""
    trusted_peers: str = _LOOPBACK

    @property
    def listen_addresses(self) -> tuple[tuple[str, int], ...]:
        """The (host, port) pairs to listen on. Raises OperatorError for a bad one."""
        return tuple(_host_port(item) for item in _listed(self.listen))

    @property
    def trusted_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks without connection caps. Raises OperatorError for a bad one."""
        try:
            return tuple(ip_network(item, strict=False) for item in _listed(self.trusted_peers))
        except ValueError as error:
            raise OperatorError(f"PBM_TRUSTED_PEERS: {error}.") from error

    @property
    def key_file(self) -> Path:
        """Where the secret key is kept when PBM_SECRET_KEY is unset."""
        return Path("var/secret.key")


def load_settings(environ: Mapping[str, str], toml: Path) -> Settings:
    """Read the settings, `environ` before the file `toml`.

    Raises OperatorError for a file that is not TOML and for an unknown or non-text setting.
    """
    known = {f"PBM_{field.name.upper()}": field.name for field in fields(Settings)}
    chosen: dict[str, str] = {}
    for name, value in _read_toml(toml).items():
        if name not in known or not isinstance(value, str):
            listed = ", ".join(sorted(known))
            raise OperatorError(f"{toml}: {name} must be one of {listed}, given as text.")
        chosen[known[name]] = value
    chosen.update({known[name]: value for name, value in environ.items() if name in known})
    settings = Settings(**chosen)
    _ = settings.listen_addresses, settings.trusted_networks
    return settings


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OperatorError(f"{path} cannot be read: {error}.") from error


def _listed(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _host_port(item: str) -> tuple[str, int]:
    host, _, port = item.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise OperatorError(f"PBM_LISTEN: {item!r} is not host:port, such as 127.0.0.1:8025.")
    return host.strip("[]"), int(port)
