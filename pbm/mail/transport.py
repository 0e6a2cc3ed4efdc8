"""The ways out for mail, and which of them the settings mean."""

from pathlib import Path

from pbm.mail.delivery import Deferred, Delivery, Failed, Sent, Transport
from pbm.mail.maildir import MaildirTransport
from pbm.mail.smarthost import SmarthostTransport, Timeouts
from pbm.mail.smarthost_url import SmarthostError

__all__ = [
    "Deferred",
    "Delivery",
    "Failed",
    "MaildirTransport",
    "Sent",
    "SmarthostError",
    "SmarthostTransport",
    "Timeouts",
    "Transport",
    "transport_for",
]


def transport_for(smarthost: str, maildir: Path, *, helo: str = "localhost") -> Transport:
    """A smarthost where its URL is set, else folders. Raises SmarthostError for a bad URL."""
    if smarthost:
        return SmarthostTransport(smarthost, helo=helo)
    return MaildirTransport(maildir)
