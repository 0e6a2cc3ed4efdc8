"""Rate limits for answers to strangers, checked before their mails are accepted.

Each network, domain and form of mail has a quota of answers, and so have known domains; no sender
uses up all. Mails that pass DMARC have answers of their own. A mail without an answer left is
deferred; its retry half an hour later has a quota of its own.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import Enum
from hashlib import sha256

import structlog

from pbm.mail.address import mailbox_key, registered_domain
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.site import Site
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.allowance import strangers_answers_left, take_strangers_mail
from pbm.play.limits import (
    AGAIN_AFTER,
    NEW_DOMAIN,
    OF_AGAIN,
    OF_DOMAIN,
    OF_FORM,
    OF_KNOWN,
    OF_NETWORK,
    OF_SAID_DOMAIN,
    STRANGERS,
    STRANGERS_AGAIN,
    VOUCHED,
    VOUCHED_AGAIN,
    Rate,
)
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.upstream_mta import known_front, what_it_says_of
from pbm.store.db import UnitOfWork

PUT_OFF = Rejection(
    450,
    "4.7.1 More people who are new here have written than we can answer at once; "
    "please send this mail again in an hour.",
)
REMEMBERED = Rate("put-off", 1, timedelta(days=1))  # deferred senders, and since when
_HEAD = 16_384  # bytes searched for header fields
_FIELD = re.compile(rb"^([A-Za-z-]+)[ \t]*:", re.MULTILINE)
_OF_PROGRAMS = frozenset(  # fields of mail programs, not of relays
    b"from to cc subject date message-id in-reply-to references reply-to sender user-agent x-mailer"
    b" mime-version content-type content-transfer-encoding content-language".split()
)
_Share = tuple[Rate, tuple[str, ...]]
_log = structlog.get_logger("pbm.newcomers")


class Answer(Enum):
    """The state of the answer to a mail to our plain address."""

    COUNTED = "counted"
    NOT_COUNTED = "not counted"  # to a player, or none will be written
    NONE_LEFT = "none left"


def count_answer(work: UnitOfWork, site: Site, mail: Arriving, now: datetime) -> Answer:
    """Count the answer to a stranger's mail, if one is left.

    Automatic mail, mail without an author, and addresses over their daily limit get no answer. If
    no answer is left, only the deferral is stored.
    """
    author = mail.glance.author
    if author is None or mail.glance.is_automatic:
        return Answer.NOT_COUNTED
    if not strangers_answers_left(work, author, now):
        return Answer.NOT_COUNTED
    if not _take_any(work, site, mail, author, now):
        REMEMBERED.take(work, now, mailbox_key(author), wait=False)
        return Answer.NONE_LEFT
    return Answer.COUNTED if take_strangers_mail(work, author, now) else Answer.NOT_COUNTED


def _take_any(work: UnitOfWork, site: Site, mail: Arriving, author: str, now: datetime) -> bool:
    """Take an answer, preferably from the quota of mails that pass DMARC."""
    front = known_front(work, site.authserv_id)
    says = what_it_says_of(site, front, mail.caller.peer, mail.raw, author)
    pools = [VOUCHED, STRANGERS] if says is Dmarc.PASS else [STRANGERS]
    if any(_take(work, pool, mail, author, now) for pool in pools):
        return True
    again = VOUCHED_AGAIN if says is Dmarc.PASS else STRANGERS_AGAIN
    return _comes_again(work, author, now) and _take(work, again, mail, author, now)


def _comes_again(work: UnitOfWork, author: str, now: datetime) -> bool:
    """Whether a mail of this author was deferred lately, but not within `AGAIN_AFTER`."""
    first = work.buckets.first_taken([REMEMBERED.key(mailbox_key(author))])
    return first is not None and now - REMEMBERED.within <= first <= now - AGAIN_AFTER


def _take(work: UnitOfWork, pool: Rate, mail: Arriving, author: str, now: datetime) -> bool:
    """Take an answer from a pool, unless it or a quota is used up."""
    shares = list(_shares(work, pool, mail, author, now))
    if any(rate.is_empty(work, now, *whose) for rate, whose in shares):
        return False
    # Only the pool's row waits for other processes, so there is no deadlock. It bounds answers to
    # forged mails.
    (first, *others) = shares
    if not first[0].take(work, now, wait=pool is STRANGERS):
        return False
    for rate, whose in others:
        rate.take(work, now, *whose, wait=False)
    if pool is STRANGERS and pool.is_empty(work, now):
        _log.warning("no more answers to strangers for now", most=pool.most)
    return True


def _shares(
    work: UnitOfWork, pool: Rate, mail: Arriving, author: str, now: datetime
) -> Iterator[_Share]:
    """The quotas of a mail, the pool first.

    A sender can forge the domain, but not the network. So the network counts if it is known; the
    domain counts only if it passes DMARC.
    """
    yield pool, ()
    network, domain = mail.caller.network, registered_domain(author)
    is_vouched = pool in (VOUCHED, VOUCHED_AGAIN)
    if pool in (VOUCHED_AGAIN, STRANGERS_AGAIN):
        yield OF_AGAIN, (pool.name, domain if is_vouched else network or domain)
        return
    if is_vouched:
        yield OF_DOMAIN, (domain,)
    else:
        yield (OF_NETWORK, (network,)) if network else (OF_SAID_DOMAIN, (domain,))
    yield OF_FORM, (pool.name, _form(mail.raw))
    is_known = NEW_DOMAIN.is_empty(work, now, pool.name, domain)
    yield (OF_KNOWN, (pool.name,)) if is_known else (NEW_DOMAIN, (pool.name, domain))


def _form(raw: bytes) -> str:
    """Digest of the order of header fields, which is the same in all mails of one program."""
    head = re.split(rb"\r?\n\r?\n", raw[:_HEAD], maxsplit=1)[0]
    fields = (field.lower() for field in _FIELD.findall(head))
    return sha256(b",".join(field for field in fields if field in _OF_PROGRAMS)).hexdigest()[:16]
