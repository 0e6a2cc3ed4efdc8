"""Taking mail in: whether a recipient is ours, and responsibility only after the commit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.commands.auth import asked_question
from pbm.mail.address import (
    Bounce,
    Plain,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    Unknown,
)
from pbm.mail.inbound import UnreadableMail, check_limits
from pbm.mail.smtpd import Rejection
from pbm.mail.wire import digest, has_message_id
from pbm.service.front import is_expected
from pbm.service.letters import House
from pbm.service.mail_numbers import incoming
from pbm.service.mailrates import MailRates
from pbm.service.order import queued
from pbm.service.trouble import traceback_of
from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.together import Steps

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
_TIDIED_EVERY = 1000  # mails
_LONG = 8192  # bytes; below that the most expensive mail costs some tens of milliseconds
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_TAG_IS_NOT_OURS = "its tag is none of ours, or of a key that was dropped"
_TWICE = "nothing: came to another address, too"
Arrived = dict[str, Recipient]
_log = structlog.get_logger("pbm.receive")


@dataclass
class Intake:
    """The door: asked for each recipient, and handed each mail."""

    database: Database
    house: House
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def accept_recipient(self, work: UnitOfWork, address: str) -> Rejection | None:
        """Tell whether mail to an address is taken; the refusal is a sentence for people."""
        recipient = self.house.address.parse(address)
        if isinstance(recipient, Unknown):
            return Rejection(550, f"5.1.1 {recipient.reason}")
        if isinstance(recipient, Bounce) and not self._sent(recipient):
            return self._not_valid("This address was never one of ours", _TAG_IS_NOT_OURS)
        if isinstance(recipient, PlayerReply | QuestionReply | Probe):
            why = self._why_not_known(work, recipient)
            return self._not_valid("This reply address is not valid any more", why) if why else None
        return None

    def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str
    ) -> str | Rejection:
        """Keep a mail in a transaction of its own, as `keep_in` does."""
        with self.database.transaction() as work:
            return self.keep_in(work, sender, recipients, raw, peer)

    def keep_in_steps(
        self, work: UnitOfWork, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str
    ) -> Steps:
        """Keep a mail as `keep_in` does, in one step."""
        yield is_long(raw)
        return self.keep_in(work, sender, recipients, raw, peer)

    def keep_in(
        self, work: UnitOfWork, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str
    ) -> str | Rejection:
        """Keep a mail, once for each recipient, and return the text of the `250` reply.

        The same mail again (its trace fields apart) to the same recipient is the same row, and
        to another of our addresses it is obeyed only where it can mean somebody else. A mail
        beyond the limits of what is read is refused, and so is one too many for now.
        """
        arrived = self._in_order(recipients)
        refusal = self._refusal(arrived, raw)
        if refusal is not None:
            return refusal
        now = self.clock()
        fingerprint = digest(raw)
        same_for = SAME_FOR if has_message_id(raw) else SAME_WITHOUT_MESSAGE_ID_FOR
        numbers = work.inbox.copies(fingerprint, now - same_for)
        new = {address: item for address, item in arrived.items() if address not in numbers}
        obeyed = self._obeyed(new, tuple(numbers))
        for address in obeyed:
            too_many = self.rates.count(work, now, new[address], sender, raw, peer)
            if too_many is not None:
                return too_many
        for address, recipient in new.items():
            number = work.inbox.keep(
                digest=fingerprint,
                recipient=address,
                sender=sender,
                peer=peer,
                raw=raw,
                now=now,
                same_for=same_for,
                queued=queued(work, recipient, sender, raw),
            )
            if number is None:
                return _TOO_MANY_WAIT
            numbers[address] = number
        passed_over = [(numbers[address], _TWICE) for address in new if address not in obeyed]
        if passed_over:
            work.inbox.finish(passed_over, now)
        if any(numbers[address] % _TIDIED_EVERY == 0 for address in new):
            work.buckets.forget_full(now)
        kept = sorted(numbers[address] for address in arrived)
        return f"2.0.0 kept as {', '.join(map(incoming, kept))}"

    def _obeyed(self, new: Arrived, known: tuple[str, ...]) -> list[str]:
        """Those of the new recipients of a mail for whom it is to be obeyed."""
        before = [self.house.address.parse(address) for address in known]
        obeyed: list[str] = []
        for address, recipient in new.items():
            if not obeyed_by(before, recipient):
                obeyed.append(address)
            before.append(recipient)
        return obeyed

    def _in_order(self, recipients: tuple[str, ...]) -> Arrived:
        """The recipients by their addresses, the plain one last: another proves more."""
        parsed = {address.lower(): self.house.address.parse(address) for address in recipients}
        return dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))

    def _refusal(self, arrived: Arrived, raw: bytes) -> Rejection | None:
        if all(isinstance(recipient, Postmaster) for recipient in arrived.values()):
            return None  # goes to the operator unread
        try:
            check_limits(raw)
        except UnreadableMail as error:
            return Rejection(550, f"5.6.0 {error}")
        return None

    def _not_valid(self, what: str, why: str) -> Rejection:
        plain = self.house.address.plain
        return Rejection(550, f"5.1.1 {what}; please write to {plain} instead.", why)

    def _sent(self, bounce: Bounce) -> bool:
        """Whether a mail went out under this address."""
        keyring = self.house.keyring
        return keyring.verify_bounce_tag(bounce.tag, bounce.player_id, bounce.mail)

    def _why_not_known(
        self, work: UnitOfWork, recipient: PlayerReply | QuestionReply | Probe
    ) -> str:
        """Why a reply address is not valid, for the operator; empty if it is."""
        if isinstance(recipient, Probe):
            return "" if is_expected(work, recipient, self.clock()) else "no probe is awaited there"
        if isinstance(recipient, QuestionReply):
            return "" if asked_question(work, recipient) else "there is no question of that token"
        epoch = work.players.epoch(recipient.player_id)
        if epoch is None:
            return "there is no such player"
        is_ours = self.house.keyring.verify_reply_tag(
            recipient.tag, recipient.player_id, epoch, recipient.board_id
        )
        return "" if is_ours else f"{_TAG_IS_NOT_OURS}, or was before newkey"


def is_long(raw: bytes) -> bool:
    """Whether it may take long to read a mail: few players write one that does."""
    return len(raw) > _LONG


def log_fault(fault: BaseException) -> None:
    """Log why a client was told 451: a database that is away in a line, a bug in full."""
    if isinstance(fault, DBAPIError) and is_away(fault):
        _log.warning("database away, mail is to come again", error=str(fault.orig))
    else:
        _log.error("listener-fault", exception=traceback_of(fault))


def obeyed_by(others: Sequence[Recipient], recipient: Recipient) -> bool:
    """Whether a mail that came to `others` is obeyed there, so that it is not obeyed again.

    One that names our plain address beside another, or two reply addresses of one player,
    asks for one thing all the same.
    """
    match recipient:
        case Plain():
            return any(isinstance(other, Plain | PlayerReply | QuestionReply) for other in others)
        case PlayerReply(player_id):
            return any(
                isinstance(other, Plain)
                or (isinstance(other, PlayerReply) and other.player_id == player_id)
                for other in others
            )
        case QuestionReply():
            return any(isinstance(other, Plain) for other in others)
        case _:
            return False
