"""Who answers on a port: the first line of an SMTP server."""

import smtplib

_SECONDS = 10
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1", "*": "127.0.0.1"}


def reachable(host: str) -> str:
    """The host to connect to for a server that listens there; on all interfaces means here."""
    return _ANY.get(host, host)


def greeting_at(host: str, port: int) -> str:
    """The greeting on a port: code and text; empty where nobody answers."""
    smtp = smtplib.SMTP(timeout=_SECONDS, local_hostname="localhost")
    try:
        code, text = smtp.connect(reachable(host), port)
    except (OSError, smtplib.SMTPException):
        return ""
    finally:
        smtp.close()
    return f"{code} {text.decode('ascii', 'replace')}"
