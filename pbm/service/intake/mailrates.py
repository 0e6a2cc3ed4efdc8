"""How many mails are taken in an hour: from one address, from one peer, for the operator.

Whoever sends more is asked to try again later, while the connection is still open.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.mail.address import Bounce, PlayerReply, Postmaster, Recipient
from pbm.mail.smtp_in.connection_limits import LOOPBACK, Network, is_within, origin
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.limits import Rate
from pbm.store.db import UnitOfWork

_HOUR = timedelta(hours=1)
_FOR_OPERATOR = Rate("operator", 60, _HOUR)


@dataclass(frozen=True)
class MailRates:
    """Mails in an hour, 0 for any number: `per_address`, and `per_peer` that is not trusted.

    A reply address has a count of its own, so that whoever forges a player's `From:` delays
    no answers of the player's.
    """

    per_address: int = 240
    per_peer: int = 1200
    trusted: tuple[Network, ...] = LOOPBACK

    def count(
        self,
        work: UnitOfWork,
        now: datetime,
        recipient: Recipient,
        author: str,
        peer: str,
    ) -> Rejection | None:
        """Count a mail in; the refusal of one too many, or None. `author` is an address's key."""
        for rate, whose in self._counted(recipient, author, peer):
            if rate.most and not rate.take(work, now, whose, wait=False):
                return Rejection(
                    450,
                    f"4.7.1 More than {rate.most} mails an hour came from you or in your name; "
                    "please send this one again later.",
                )
        return None

    def keys(self, recipient: Recipient, author: str, peer: str) -> list[str]:
        """The names of the buckets in which such a mail is counted."""
        return [rate.key(whose) for rate, whose in self._counted(recipient, author, peer)]

    def _counted(self, recipient: Recipient, author: str, peer: str) -> Iterator[tuple[Rate, str]]:
        address = ipaddress.ip_address(peer) if peer else None
        if not is_within(address, self.trusted):
            yield Rate("peer", self.per_peer, _HOUR), str(origin(address))
        match recipient:
            case Postmaster():
                yield _FOR_OPERATOR, ""
            case Bounce(player_id):
                yield Rate("bounces", self.per_address, _HOUR), str(player_id)
            case PlayerReply(player_id):
                yield Rate("replies", self.per_address, _HOUR), f"{player_id}:{author}"
            case _:
                yield Rate("mails", self.per_address, _HOUR), author
