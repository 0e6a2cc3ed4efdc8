"""Stores new mails as inbox rows, within limits.

A mail's place in the queue is its arrival time plus a delay. The delay grows with the number and
length of the sender's waiting mails, so no sender can block others. Strangers have a longer delay.

A mail over a limit is deferred in SMTP, so its sender's server tries again later. A pool is a
number of answers to strangers. Mails that pass DMARC have a pool of their own. In a pool each
origin, which is a domain or a network, has a share.
"""

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

import structlog

from pbm.addresses import address_key, mailbox_key
from pbm.clock import Clock
from pbm.mail.address import (
    Bounce,
    Plain,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    Unsubscribe,
    registered_domain,
)
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.reading.inbound import Envelope, digest, read_header
from pbm.mail.reading.limits import LIMITS, LONG, UnreadableMail
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import LOOPBACK, Caller, Network, origin
from pbm.mail.smtp_in.handler import Rejection
from pbm.play import limits
from pbm.service.intake.upstream_mta import known_front, what_it_says
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import ArrivedMail, Queued, incoming

PUT_OFF = Rejection(
    450,
    "4.7.1 More people who are new here have written than we can answer at once; "
    "please send this mail again in an hour.",
)
REMEMBERED = limits.Rate("put-off", 1, timedelta(days=1))  # deferred senders, and since when
SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
STRANGERS_HANDICAP = 60.0  # seconds added to the place of a stranger's mail
_MOST_PIECES = 8  # a long mail adds a second for each `LONG` bytes, up to this many
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_SEND_AGAIN = "Please send it again with one plain mail address in its From line."
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"
_HOUR = timedelta(hours=1)
_FOR_OPERATOR = limits.Rate("operator", 60, _HOUR)
_log = structlog.get_logger("pbm.newcomers")


@dataclass(frozen=True)
class Arriving:
    """A mail that has arrived. Copies of one mail have the same `digest`."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes
    caller: Caller
    digest: str
    same_for: timedelta  # how long a mail of this digest is a copy
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
            case Bounce(player_id) | Unsubscribe(player_id):
                yield limits.Rate("bounces", self.per_address, _HOUR), str(player_id)
            case PlayerReply(player_id):
                yield limits.Rate("replies", self.per_address, _HOUR), f"{player_id}:{author}"
            case _:
                yield limits.Rate("mails", self.per_address, _HOUR), author


@dataclass
class Intake:
    """Stores mails, one row for each recipient; refuses unreadable mails and mails over a limit.

    A copy to the same recipient (equal but for trace fields) gets no row of its own.
    """

    site: Site
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def look_at(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> Arriving:
        """Parse a mail's header, outside any transaction, since it may take tens of ms."""
        header, problem = None, ""
        try:
            header = read_header(raw, sender, self.site.address.plain, LIMITS)
        except UnreadableMail as error:
            problem = f"5.6.0 {error}"
        if header and not (header.author or header.automatic):
            problem = f"5.1.7 {header.author_problem} {_SEND_AGAIN}"
        # A trusted peer would send the refusal to the sender, whom somebody may have forged.
        problem = "" if self.site.trusts(caller.peer) else problem
        known_by, has_message_id = digest(raw)
        same_for = SAME_FOR if has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR
        author = address_key((header and header.author) or sender)
        return Arriving(
            sender, recipients, raw, caller, known_by, same_for, header, problem, author
        )

    def keep_arrived(self, work: UnitOfWork, mail: Arriving) -> str | Rejection:
        """Store a mail; return the text of the `250` reply, or the refusal."""
        parsed = {each.lower(): self.site.address.parse(each) for each in mail.recipients}
        # The plain address comes last, since the other addresses authenticate a player.
        arrived = dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.problem and not unread:  # postmaster mail is forwarded without parsing
            return Rejection(550, mail.problem)
        numbers = work.inbox.copies(mail.digest, self.clock() - mail.same_for)
        new = {address: item for address, item in arrived.items() if address not in numbers}
        if new and (refusal := self._keep_new(work, mail, new, numbers)):
            return refusal
        names = map(incoming, sorted(numbers[address] for address in arrived))
        return f"2.0.0 kept as {', '.join(names)}"

    def _keep_new(
        self, work: UnitOfWork, mail: Arriving, new: dict[str, Recipient], numbers: dict[str, int]
    ) -> Rejection | None:
        """Store a row for each `new` recipient; add its number to `numbers`. Return any refusal."""
        now = self.clock()
        before, obeyed = [self.site.address.parse(address) for address in numbers], list[str]()
        for address, recipient in new.items():
            if not _is_covered(before, recipient):
                obeyed.append(address)
            before.append(recipient)
        plain = [address for address in obeyed if isinstance(new[address], Plain)]
        from_player = bool(plain) and work.players.by_address(mail.author) is not None
        is_strangers = bool(plain) and not from_player
        answer = count_answer(work, self.site, mail, now) if is_strangers else Answer.NOT_COUNTED
        if answer is Answer.NONE_LEFT and plain == obeyed:
            return PUT_OFF
        for address in obeyed:
            too_many = self.rates.count(work, now, new[address], mail.author, mail.caller.peer)
            if too_many is not None:
                return too_many
        for address, recipient in new.items():
            row = ArrivedMail(
                digest=mail.digest,
                recipient=address,
                sender=mail.sender,
                peer=mail.caller.peer,
                raw=mail.raw,
                now=now,
                same_for=mail.same_for,
                queued=queued(recipient, mail.author, mail.raw, from_player=from_player),
                answer_counted=answer is Answer.COUNTED and address in plain,
                network=mail.caller.network,
                message_id=mail.header.message_id if mail.header else None,
            )
            number = work.inbox.keep(row)
            if number is None:
                return _TOO_MANY_WAIT
            numbers[address] = number
        passed_over = {address: _TWICE for address in new if address not in obeyed}
        if answer is Answer.NONE_LEFT:
            passed_over |= dict.fromkeys(plain, _NO_ANSWER)
        if passed_over:
            work.inbox.finish([(numbers[it], told) for it, told in passed_over.items()], now)
        return None


def queued(recipient: Recipient, author: str, raw: bytes, *, from_player: bool) -> Queued:
    """Return a mail's place in the queue. `from_player` matters only for our plain address."""
    apart = 1.0 + min(len(raw) // LONG, _MOST_PIECES)
    match recipient:
        case PlayerReply(player_id, board_id):
            return Queued(f"u{player_id}", board_id, apart=apart)
        case Bounce(player_id) | Unsubscribe(player_id):
            return Queued(f"b{player_id}", apart=apart)
        case Postmaster():
            return Queued(handicap=STRANGERS_HANDICAP)
    known = from_player or isinstance(recipient, QuestionReply | Probe)
    handicap = 0.0 if known else STRANGERS_HANDICAP
    return Queued(author or None, None, known, handicap, apart)


def _is_covered(others: Sequence[Recipient], recipient: Recipient) -> bool:
    """Return whether `recipient` needs no handling, since the mail also came to `others`."""
    for other in others:
        match recipient, other:
            case Plain(), Plain() | PlayerReply() | QuestionReply():
                return True
            case PlayerReply() | QuestionReply(), Plain():
                return True
            case PlayerReply(one), PlayerReply(another) if one == another:
                return True
    return False
