"""Who answers at a doorway: the first line of an SMTP or LMTP server."""

import smtplib

from pbm.config import Doorway

_SECONDS = 10
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1"}


def connected(doorway: Doorway, seconds: float = _SECONDS) -> smtplib.SMTP:
    """A client that is connected there. Raises OSError and SMTPException."""
    kind = smtplib.LMTP if doorway.is_lmtp else smtplib.SMTP
    return kind(_reachable(doorway), doorway.port, "localhost", timeout=seconds)


def greeting_at(doorway: Doorway) -> str:
    """The greeting of a doorway, code and text; empty where nobody answers."""
    kind = smtplib.LMTP if doorway.is_lmtp else smtplib.SMTP
    client = kind(local_hostname="localhost", timeout=_SECONDS)
    try:
        code, text = client.connect(_reachable(doorway), doorway.port)
    except (OSError, smtplib.SMTPException):
        return ""
    finally:
        client.close()
    return f"{code} {text.decode('ascii', 'replace')}"


def _reachable(doorway: Doorway) -> str:
    return doorway.path or _ANY.get(doorway.host, doorway.host)
