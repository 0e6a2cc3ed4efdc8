"""Mails of strangers at the door: whether we could answer them, before they are taken.

What is answered has shares, so that nobody uses up everybody's: one network's mails, one domain
that vouches for its senders, and all who write without such a word. Where a mail's share is
empty it is put off, and its mail server tries again.
"""

from datetime import datetime
from enum import Enum

import structlog

from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.site import Site
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.limits import (
    OF_DOMAIN,
    OF_NETWORK,
    STRANGERS,
    VOUCHED,
    strangers_answers_left,
    take_strangers_mail,
)
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.front import known_front, what_it_says_of
from pbm.store.db import UnitOfWork

PUT_OFF = Rejection(
    450,
    "4.7.1 More people who are new here have written than we can answer at once; "
    "please send this mail again later.",
)
_log = structlog.get_logger("pbm.newcomers")


class Answer(Enum):
    """What is known about the answer to a mail to our plain address when it comes."""

    COUNTED = "counted"
    NOT_COUNTED = "not counted"  # to a player, or none will be written
    NONE_LEFT = "none left"


def count_answer(work: UnitOfWork, site: Site, mail: Arriving, now: datetime) -> Answer:
    """Count the answer that a mail of a stranger brings, where there is one left.

    None is written to a robot, to what has no author, to an address that had its answers for
    today. Where none is left nothing is written down either.
    """
    author = mail.glance.author
    if author is None or mail.glance.is_automatic:
        return Answer.NOT_COUNTED
    if not strangers_answers_left(work, author, now):
        return Answer.NOT_COUNTED
    if not _take_vouched(work, site, mail, author, now) and not _take(
        work, mail.caller.network, now
    ):
        return Answer.NONE_LEFT
    return Answer.COUNTED if take_strangers_mail(work, author, now) else Answer.NOT_COUNTED


def _take_vouched(work: UnitOfWork, site: Site, mail: Arriving, author: str, now: datetime) -> bool:
    front = known_front(work, site.authserv_id)
    if what_it_says_of(site, front, mail.caller.peer, mail.raw, author) is not Dmarc.PASS:
        return False
    domain = author.rpartition("@")[2].lower()
    if VOUCHED.is_empty(work, now) or not OF_DOMAIN.take(work, now, domain, wait=False):
        return False
    return VOUCHED.take(work, now, wait=False)


def _take(work: UnitOfWork, network: str, now: datetime) -> bool:
    if STRANGERS.is_empty(work, now):
        return False
    if network and not OF_NETWORK.take(work, now, network, wait=False):
        return False
    # Waits for another process, since this is what bounds our mails to forged addresses. It is
    # the only share that is waited for, so that no two processes wait for each other's.
    taken = STRANGERS.take(work, now)
    if taken and STRANGERS.is_empty(work, now):
        _log.warning("no more answers to strangers for now", most=STRANGERS.most)
    return taken
