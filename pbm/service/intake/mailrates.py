"""Rate limits for incoming mails: per author, per peer, for the operator.

A mail over the limit is deferred within the SMTP session.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.mail.address import Bounce, PlayerReply, Postmaster, Recipient
from pbm.mail.smtp_in.connection_limits import LOOPBACK, Network, is_within, origin
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.limits import MAILS_OF_ADDRESS, Rate
from pbm.store.db import UnitOfWork

_HOUR = timedelta(hours=1)
_FOR_OPERATOR = Rate("operator", 60, _HOUR)


@dataclass(frozen=True)
class MailRates:
    """Mails an hour, 0 for no limit: `per_address`, and `per_peer` for peers not trusted.

    Each reply address has its own limit, so that forged mails delay no replies.
    """

    per_address: int = MAILS_OF_ADDRESS.most
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
        """Count a mail; return its refusal if over a limit. `author` is the key of an address."""
        for rate, whose in self._counted(recipient, author, peer):
            if rate.most and not rate.take(work, now, whose, wait=False):
                return Rejection(
                    450,
                    f"4.7.1 More than {rate.most} mails an hour came from you or in your name; "
                    "please send this one again later.",
                )
        return None

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
