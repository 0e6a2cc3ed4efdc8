"""Limits how many mails may arrive in an hour, and how many mails of strangers are answered.

A mail over a limit is deferred in SMTP, so its sender's server tries again later. A pool is a
number of answers to strangers. Mails that pass DMARC have a pool of their own. In a pool each
origin, which is a domain or a network, has a share.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

import structlog

from pbm.addresses import mailbox_key
from pbm.mail.address import Bounce, PlayerReply, Postmaster, Recipient, registered_domain
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.reading.inbound import Envelope
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import LOOPBACK, Caller, Network, origin
from pbm.mail.smtp_in.handler import Rejection
from pbm.play import limits
from pbm.service.intake.upstream_mta import known_front, what_it_says
from pbm.store.db import UnitOfWork

PUT_OFF = Rejection(
    450,
    "4.7.1 More people who are new here have written than we can answer at once; "
    "please send this mail again in an hour.",
)
REMEMBERED = limits.Rate("put-off", 1, timedelta(days=1))  # deferred senders, and since when
_log = structlog.get_logger("pbm.newcomers")
_HOUR = timedelta(hours=1)
_FOR_OPERATOR = limits.Rate("operator", 60, _HOUR)


@dataclass(frozen=True)
class Arriving:
    """A mail that has arrived. Copies of one mail have the same `digest`."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes
    caller: Caller
    digest: str
    has_message_id: bool
    header: Envelope | None  # None if unreadable
    problem: str  # an enhanced code and a sentence, if it cannot be read
    author: str  # in lower case, or empty


class Answer(Enum):
    """Whether the answer to a mail was counted against the limits on answers to strangers."""

    COUNTED = "counted"
    NOT_COUNTED = "not counted"  # to a player, or none will be written
    NONE_LEFT = "none left"


def count_answer(work: UnitOfWork, site: Site, mail: Arriving, now: datetime) -> Answer:
    """Count the answer to a stranger's mail. If none is left, remember who was deferred."""
    header = mail.header
    if header is None or header.author is None or header.automatic:
        return Answer.NOT_COUNTED
    author = header.author
    if not limits.strangers_answers_left(work, author, now):
        return Answer.NOT_COUNTED
    if not _take_any(work, site, mail, author, now):
        REMEMBERED.take(work, now, mailbox_key(author), wait=False)
        return Answer.NONE_LEFT
    return Answer.COUNTED if limits.take_strangers_mail(work, author, now) else Answer.NOT_COUNTED


def _take_any(work: UnitOfWork, site: Site, mail: Arriving, author: str, now: datetime) -> bool:
    """Count an answer in one of the pools of answers; return False if all are used up."""
    front = known_front(work, site.authserv_id)
    passes = what_it_says(site, front, mail.caller.peer, mail.raw, author) is Dmarc.PASS
    pools = (limits.VOUCHED, limits.STRANGERS) if passes else (limits.STRANGERS,)
    if any(_take(work, pool, *_origin(pool, mail, author), now) for pool in pools):
        return True
    first = work.buckets.first_taken([REMEMBERED.key(mailbox_key(author))])
    if first is None or not now - REMEMBERED.within <= first <= now - limits.AGAIN_AFTER:
        return False
    again = (limits.OF_AGAIN, _origin(pools[0], mail, author)[0]), (limits.AGAIN, pools[0].name)
    return not any(rate.is_empty(work, now, whose) for rate, whose in again) and all(
        rate.take(work, now, whose, wait=False) for rate, whose in again
    )


def _origin(pool: limits.Rate, mail: Arriving, author: str) -> tuple[str, bool]:
    """Return the domain that vouches, else the network; and whether it is no mere claim.

    If the network is unknown, the result is the domain that the author claims.
    """
    network = "" if pool is limits.VOUCHED else mail.caller.network
    is_sure = pool is limits.VOUCHED or bool(network)
    return f"{pool.name}:{network or registered_domain(author)}", is_sure


def _take(work: UnitOfWork, pool: limits.Rate, origin: str, is_sure: bool, now: datetime) -> bool:
    """Count an answer in a pool of answers, and return True.

    Returns False if the pool or the share of the mail's origin is used up. The last answers of the
    pool are reserved for origins that are sure and have not written for a week.
    """
    share = limits.OF_ORIGIN if is_sure else limits.OF_CLAIM
    is_new = is_sure and not limits.SEEN.is_empty(work, now, origin)
    needed = 1 if is_new else limits.RESERVED + 1
    if pool.left(work, now) < needed or share.is_empty(work, now, origin):
        return False
    # Only the row of the pool for strangers waits for a lock, so there is no deadlock; it must be
    # exact, since it limits the answers to forged mails.
    if not pool.take(work, now, wait=pool is limits.STRANGERS):
        return False
    share.take(work, now, origin, wait=False)
    if is_new:
        limits.SEEN.take(work, now, origin, wait=False)
    if pool is limits.STRANGERS and pool.is_empty(work, now):
        _log.warning("no more answers to strangers for now", most=pool.most)
    return True


@dataclass(frozen=True)
class MailRates:
    """Limits in mails an hour, for each address and for each untrusted peer; 0 means no limit."""

    per_address: int = limits.MAILS_OF_ADDRESS.most
    per_peer: int = 1200
    trusted: tuple[Network, ...] = LOOPBACK

    def count(
        self, work: UnitOfWork, now: datetime, recipient: Recipient, author: str, peer: str
    ) -> Rejection | None:
        for rate, whose in self._counted(recipient, author, peer):
            if rate.most and not rate.take(work, now, whose, wait=False):
                return Rejection(
                    450,
                    f"4.7.1 More than {rate.most} mails an hour came from you or in your name; "
                    "please send this one again later.",
                )
        return None

    def _counted(
        self, recipient: Recipient, author: str, peer: str
    ) -> Iterator[tuple[limits.Rate, str]]:
        address = ipaddress.ip_address(peer) if peer else None
        if address and not any(address in network for network in self.trusted):
            yield limits.Rate("peer", self.per_peer, _HOUR), str(origin(address))
        match recipient:
            case Postmaster():
                yield _FOR_OPERATOR, ""
            case Bounce(player_id):
                yield limits.Rate("bounces", self.per_address, _HOUR), str(player_id)
            case PlayerReply(player_id):
                yield limits.Rate("replies", self.per_address, _HOUR), f"{player_id}:{author}"
            case _:
                yield limits.Rate("mails", self.per_address, _HOUR), author
