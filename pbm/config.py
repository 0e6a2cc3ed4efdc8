"""The settings: `PBM_…` variables, else `./pbm.toml`, else defaults that need no file."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from pbm.errors import OperatorError
from pbm.files import read_file
from pbm.nearest import nearest

_PREFIX = "PBM_"
_WORD = re.compile(r"[A-Za-z0-9._-]{1,255}", re.ASCII)
_URL = re.compile(r"https?://[A-Za-z0-9._~:/\[\]%?=&+-]{1,180}", re.ASCII)
_LOOPBACK = "127.0.0.0/8, ::1"
_LISTEN_FORMS = "127.0.0.1:8025, lmtp://127.0.0.1:8024 or lmtp:///run/pbm/lmtp"
_FORMS = {
    "PBM_LISTEN": _LISTEN_FORMS,
    "PBM_METRICS_LISTEN": "127.0.0.1:9325",
    "PBM_WEB_LISTEN": "127.0.0.1:8080",
}
_LONGEST_SOCKET_PATH = 107  # bytes; what the kernel takes
_SMTP_PORT = 25
_MOST_WORKERS, _USUAL_WORKERS = 64, 8
_SECONDS = re.compile(r"\d{1,3}(\.\d{1,3})?", re.ASCII)
_LONGEST_WAIT = 60.0  # seconds
_MOST_BYTES = 1 << 20  # of a file of settings
_CHOICES = {
    "log_format": ("logfmt", "json"),
    "log_level": ("debug", "info", "warning", "error"),
    "log_addresses": ("digests", "plain"),
}
_NUMBERS = re.compile("(peer_)?mails_per_hour|robot_(seconds|seconds_most|processes)")


@dataclass(frozen=True)
class Doorway:
    """An address to listen on for SMTP or LMTP: a TCP port, or the local socket at `path`."""

    host: str = ""
    port: int = 0
    path: str = ""
    is_lmtp: bool = False

    def __str__(self) -> str:
        return self.path or f"{self.host} port {self.port}"


@dataclass(frozen=True)
class Settings:
    """All settings as text, under their names in docs/operating.md: `listen` is `PBM_LISTEN`.

    The properties parse settings, and raise OperatorError for an invalid value.
    """

    database_url: str = field(default="sqlite:///var/pbm.sqlite3", repr=False)
    address: str = "pbm@localhost"
    separator: str = "+"
    listen: str = "127.0.0.1:8025"
    tls_cert: str = ""
    tls_key: str = ""
    smarthost: str = field(default="", repr=False)
    maildir: str = "var/maildir"
    secret_key: str = field(default="", repr=False)
    operator: str = ""
    trusted_peers: str = _LOOPBACK
    authserv_id: str = ""
    mails_per_hour: str = "240"
    peer_mails_per_hour: str = "1200"
    game: str = ""
    robot_seconds: str = "5"
    robot_seconds_most: str = "3"
    robot_processes: str = ""
    log_format: str = "logfmt"
    log_level: str = "info"
    log_addresses: str = "digests"
    metrics_listen: str = ""
    backup_dir: str = ""
    web_url: str = ""
    web_listen: str = ""

    @property
    def doorways(self) -> tuple[Doorway, ...]:
        doorways = tuple(_doorway(item) for item in _listed(self.listen))
        if not doorways:
            raise OperatorError(f"PBM_LISTEN names no address; it may look like {_LISTEN_FORMS}.")
        return doorways

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """Host and port for metrics; None if they are not wanted."""
        listen = self.metrics_listen
        return _host_port(listen, listen, "PBM_METRICS_LISTEN") if listen else None

    @property
    def web_address(self) -> tuple[str, int] | None:
        """Host and port for public pages; None if there are none."""
        listen = self.web_listen
        return _host_port(listen, listen, "PBM_WEB_LISTEN") if listen else None

    @property
    def page_url(self) -> str:
        """The address of the board page, without a fragment; "" if mails bring no link to it."""
        if self.web_url and not _URL.fullmatch(self.web_url):
            raise OperatorError(
                "PBM_WEB_URL is where the board page lies, such as "
                "https://games.example.org/board.html."
            )
        return self.web_url

    @property
    def backup_folder(self) -> Path | None:
        """The folder for the backup of each day; None if none is wanted."""
        folder = Path(self.backup_dir)
        if not self.backup_dir.isprintable() or (folder.exists() and not folder.is_dir()):
            raise OperatorError(f"PBM_BACKUP_DIR: {self.backup_dir!r} is no folder.")
        return folder if self.backup_dir else None

    @property
    def trusted_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks whose connections are not limited in number.

        A server in one of them may also name the client whose mail it relays.
        """
        try:
            return tuple(ip_network(item, strict=False) for item in _listed(self.trusted_peers))
        except ValueError as error:
            raise OperatorError(f"PBM_TRUSTED_PEERS: {error}.") from error

    @property
    def front_name(self) -> str:
        """The mail server whose Authentication-Results count, in lower case; "" for none."""
        if self.authserv_id and not _WORD.fullmatch(self.authserv_id):
            raise OperatorError(
                "PBM_AUTHSERV_ID must be the first word of the Authentication-Results that your "
                "mail server writes, such as mx.example.org."
            )
        return self.authserv_id.lower()

    @property
    def most_mails(self) -> tuple[int, int]:
        """How many mails per hour an address and a server may send. 0 means any number."""
        own, peers = self.mails_per_hour, self.peer_mails_per_hour
        return (
            _count("PBM_MAILS_PER_HOUR", own, "240, or 0 for any number"),
            _count("PBM_PEER_MAILS_PER_HOUR", peers, "1200, or 0 for any number"),
        )

    @property
    def seconds_for_robots(self) -> float:
        """How many seconds a mail waits at most for the move of a robot."""
        return _seconds("PBM_ROBOT_SECONDS", self.robot_seconds, "5")

    @property
    def seconds_of_thought(self) -> float:
        """How many seconds, at least 1, the strongest robot thinks."""
        seconds = _seconds("PBM_ROBOT_SECONDS_MOST", self.robot_seconds_most, "3")
        if seconds < 1:
            raise OperatorError("PBM_ROBOT_SECONDS_MOST is a number of seconds from 1 to 60.")
        return seconds

    @property
    def search_workers(self) -> int:
        if not self.robot_processes:
            return max(2, min(len(os.sched_getaffinity(0)) - 1, _USUAL_WORKERS))
        count = _count("PBM_ROBOT_PROCESSES", self.robot_processes, "2")
        if not 1 <= count <= _MOST_WORKERS:
            raise OperatorError(f"PBM_ROBOT_PROCESSES must be a number from 1 to {_MOST_WORKERS}.")
        return count

    @property
    def key_file(self) -> Path:
        """The file of the secret key if PBM_SECRET_KEY is unset."""
        return Path("var/secret.key")


def settings_from_here(**usual: str) -> Settings:
    """Read the settings; those named stand where the operator has said nothing of them."""
    return load_settings(os.environ, Path("pbm.toml"), usual)


def load_settings(
    environ: Mapping[str, str], toml: Path, usual: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings; `environ` overrides the file, which overrides `usual`.

    Raises OperatorError.
    """
    known = {f"{_PREFIX}{setting.name.upper()}": setting.name for setting in fields(Settings)}
    in_file = _read_toml(toml)
    in_environment = {name: environ[name] for name in sorted(environ) if name.startswith(_PREFIX)}
    for name, value in (*in_file.items(), *in_environment.items()):
        if name not in known:
            what = f"{name}, a variable of the environment,"
            what = f"{toml}: {name}" if name in in_file else what
            meant = "".join(f" Did you mean {near}?" for near in nearest(name, known, most=1))
            listed = ", ".join(sorted(known))
            raise OperatorError(f"{what} is no setting.{meant} The settings are {listed}.")
        is_number = type(value) in (int, float) and _NUMBERS.fullmatch(known[name])
        if not is_number and not isinstance(value, str):
            raise OperatorError(f"{toml}: {name} must be given as text, between quotes.")
    chosen = {**(usual or {}), **in_file, **in_environment}
    settings = Settings(**{known[name]: str(value) for name, value in chosen.items()})
    for name, words in _CHOICES.items():
        if getattr(settings, name) not in words:
            raise OperatorError(f"{_PREFIX}{name.upper()} is one of {', '.join(words)}.")
    _ = (
        settings.doorways,
        settings.trusted_networks,
        settings.metrics_address,
        settings.web_address,
        settings.backup_folder,
        settings.page_url,
    )
    _ = settings.front_name, settings.most_mails, settings.search_workers
    _ = settings.seconds_for_robots, settings.seconds_of_thought
    return settings


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_file(path, _MOST_BYTES).decode("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # of TOML or UTF-8, or a number that is too long
        quotes = " A text stands between quotes." * isinstance(error, tomllib.TOMLDecodeError)
        raise OperatorError(f"{path} cannot be read: {error}.{quotes}") from error
    except RecursionError:
        raise OperatorError(f"{path} cannot be read: it is nested too deep.") from None


def _listed(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _count(name: str, text: str, example: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise OperatorError(f"{name} is a whole number, such as {example}.")
    return int(text)


def _seconds(name: str, text: str, example: str) -> float:
    if not _SECONDS.fullmatch(text) or float(text) > _LONGEST_WAIT:
        raise OperatorError(f"{name} is a number of seconds up to 60, such as {example}.")
    return float(text)


def _doorway(item: str) -> Doorway:
    scheme, is_url, rest = item.partition("://")
    if not is_url:
        return Doorway(*_host_port(item, item))
    if scheme.lower() not in ("smtp", "lmtp"):
        raise OperatorError(f"PBM_LISTEN: {item!r} must start with smtp:// or lmtp://.")
    is_lmtp = scheme.lower() == "lmtp"
    if rest.startswith("/"):
        if not is_lmtp:
            told = f"{item!r} names a file; only lmtp:// can have a socket."
        elif rest.endswith("/") or not rest.isprintable():
            told = f"{item!r} names no file for the socket."
        elif len(rest.encode("utf-8", "surrogateescape")) > _LONGEST_SOCKET_PATH:
            told = f"a socket's path may have {_LONGEST_SOCKET_PATH} bytes, not more: {rest}"
        else:
            return Doorway(path=rest, is_lmtp=True)
        raise OperatorError(f"PBM_LISTEN: {told}")
    host, port = _host_port(rest.removesuffix("/"), item)
    if is_lmtp and port == _SMTP_PORT:
        raise OperatorError("PBM_LISTEN: LMTP must not use port 25 (RFC 2033); take another one.")
    return Doorway(host, port, is_lmtp=is_lmtp)


def _host_port(text: str, item: str, name: str = "PBM_LISTEN") -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise OperatorError(f"{name}: {item!r} is not host:port, such as {_FORMS[name]}.")
    return host.strip("[]"), int(port)
