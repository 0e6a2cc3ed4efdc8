"""A mail as it is handed over, and what can be told of it before it is kept.

Of a megabyte that may take some tens of milliseconds; so it is done before any transaction begins.
"""

from dataclasses import dataclass
from typing import Self

from pbm.mail.address import address_key
from pbm.mail.reading.inbound import Glance, glance_at
from pbm.mail.reading.wire import digest, has_message_id
from pbm.mail.smtp_in.caller import Caller


@dataclass(frozen=True)
class Arriving:
    """A mail that `caller` hands over. `digest` is the same for copies of it."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes
    caller: Caller
    digest: str
    has_message_id: bool
    glance: Glance

    @classmethod
    def look_at(
        cls,
        sender: str,
        recipients: tuple[str, ...],
        raw: bytes,
        caller: Caller,
        *,
        own_address: str,
    ) -> Self:
        """Look at a mail; where it `is_long`, in a thread."""
        glance = glance_at(raw, envelope_sender=sender, own_address=own_address)
        return cls(sender, recipients, raw, caller, digest(raw), has_message_id(raw), glance)

    @property
    def author(self) -> str:
        """Whose mail it seems to be: the key of an address, empty where there is none."""
        return address_key(self.glance.author or self.sender)
