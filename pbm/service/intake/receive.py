"""Taking mail in: whether a recipient is ours, and responsibility only after the commit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
from pbm.mail.site import Site
from pbm.mail.smtp_in.caller import UNKNOWN, Caller
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.front import is_expected
from pbm.service.intake.guesses import (
    Signed,
    WrongTag,
    count_wrong,
    refuse_guesser,
    refuse_wrong,
    try_of,
)
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.newcomers import PUT_OFF, Answer, count_answer
from pbm.service.mail_numbers import incoming
from pbm.service.turns.order import queued
from pbm.service.turns.trouble import traceback_of
from pbm.store.db import UnitOfWork, is_away
from pbm.store.values.players import FIRST_EPOCH

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_EPOCHS_LOOKED_AT = 8  # of reply addresses that are not valid any more
_TAG_IS_NOT_OURS = "its tag is none of ours, or of a key that was dropped"
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"
Arrived = dict[str, Recipient]
_log = structlog.get_logger("pbm.receive")


@dataclass
class Intake:
    """The door: asked for each recipient, and handed each mail."""

    site: Site
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def accept_recipient(
        self, work: UnitOfWork, address: str, sender: str = "", caller: Caller = UNKNOWN
    ) -> Rejection | None:
        """Tell whether mail to an address is taken; the refusal is a sentence for people.

        A `WrongTag` is then to be counted, by `count_wrong`.
        """
        recipient = self.site.address.parse(address)
        if isinstance(recipient, Unknown):
            return Rejection(550, f"5.1.1 {recipient.reason}")
        if isinstance(recipient, Bounce | PlayerReply | QuestionReply | Probe):
            return self._check_tag(work, recipient, sender, caller)
        return None

    def _check_tag(
        self, work: UnitOfWork, recipient: Signed, sender: str, caller: Caller
    ) -> Rejection | None:
        now = self.clock()
        by = try_of(work, recipient, sender, caller.network)
        if isinstance(recipient, PlayerReply | Bounce):  # a token is drawn by lot, and good once
            shut_out = refuse_guesser(work, by, now, closing=not self.site.trusts(caller.peer))
            if shut_out is not None:
                return shut_out
        why = self._why_not_known(work, recipient)
        if why and isinstance(recipient, PlayerReply) and self._was_good(work, recipient):
            return self._replaced()  # we gave it away, so it is no guess
        return refuse_wrong(work, by, self._not_valid(recipient, why), now) if why else None

    def count_wrong(self, work: UnitOfWork, wrong: WrongTag) -> None:
        """Count a reply address that is not ours."""
        count_wrong(work, wrong.by, self.clock())

    def look_at(self, sender: str, raw: bytes, caller: Caller) -> Arriving:
        """Look at a mail before it is kept; of a long one in a thread."""
        return Arriving.look_at(sender, raw, caller, own_address=self.site.address.plain)

    def keep_arrived(
        self, work: UnitOfWork, recipients: tuple[str, ...], mail: Arriving
    ) -> str | Rejection:
        """Keep a mail, once for each recipient, and return the text of the `250` reply.

        The same mail again (its trace fields apart) to the same recipient is the same row, and
        to another of our addresses it is obeyed only where it can mean somebody else. A mail
        beyond the limits of what is read is refused, and so is one too many for now.
        """
        arrived = self._in_order(recipients)
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.glance.problem and not unread:  # what is for the operator only goes there unread
            return Rejection(550, f"5.6.0 {mail.glance.problem}")
        now = self.clock()
        numbers = work.inbox.copies(mail.digest, now - _same_for(mail))
        new = {address: item for address, item in arrived.items() if address not in numbers}
        if new:
            kept = self._keep_new(work, mail, new, tuple(numbers), now)
            if isinstance(kept, Rejection):
                return kept
            numbers |= kept
        names = map(incoming, sorted(numbers[address] for address in arrived))
        return f"2.0.0 kept as {', '.join(names)}"

    def _keep_new(
        self,
        work: UnitOfWork,
        mail: Arriving,
        new: Arrived,
        known: tuple[str, ...],
        now: datetime,
    ) -> dict[str, int] | Rejection:
        """Keep a mail for recipients for whom it is new, and return its numbers."""
        obeyed = self._obeyed(new, known)
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
        kept: dict[str, int] = {}
        for address, recipient in new.items():
            number = work.inbox.keep(
                digest=mail.digest,
                recipient=address,
                sender=mail.sender,
                peer=mail.caller.peer,
                raw=mail.raw,
                now=now,
                same_for=_same_for(mail),
                queued=queued(recipient, mail.author, mail.raw, from_player=from_player),
                answer_counted=answer is Answer.COUNTED and address in plain,
            )
            if number is None:
                return _TOO_MANY_WAIT
            kept[address] = number
        passed_over = [(kept[address], _TWICE) for address in new if address not in obeyed]
        if answer is Answer.NONE_LEFT:
            passed_over += [(kept[address], _NO_ANSWER) for address in plain]
        if passed_over:
            work.inbox.finish(passed_over, now)
        return kept

    def _obeyed(self, new: Arrived, known: tuple[str, ...]) -> list[str]:
        """Those of the new recipients of a mail for whom it is to be obeyed."""
        before = [self.site.address.parse(address) for address in known]
        obeyed: list[str] = []
        for address, recipient in new.items():
            if not obeyed_by(before, recipient):
                obeyed.append(address)
            before.append(recipient)
        return obeyed

    def _in_order(self, recipients: tuple[str, ...]) -> Arrived:
        """The recipients by their addresses, the plain one last: another proves more."""
        parsed = {address.lower(): self.site.address.parse(address) for address in recipients}
        return dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))

    def _not_valid(self, recipient: Signed, why: str) -> Rejection:
        bounce = isinstance(recipient, Bounce)
        what = "was never one of ours" if bounce else "is not valid any more"
        what = f"This {'' if bounce else 'reply '}address {what}"
        plain = self.site.address.plain
        return Rejection(550, f"5.1.1 {what}; please write to {plain} instead.", why)

    def _replaced(self) -> Rejection:
        plain = self.site.address.plain
        return Rejection(
            550,
            "5.1.1 This reply address is not valid any more: its player has changed address or "
            f"asked for a new key. Please answer a newer mail of ours, or write to {plain}.",
            "its tag is from before its player changed address or asked for a new key",
        )

    def _was_good(self, work: UnitOfWork, reply: PlayerReply) -> bool:
        """Whether it was that of a player, who has newer ones by now; not for ever so long ago."""
        player = work.players.find(reply.player_id)
        if player is None or not player.addresses:
            return False
        earlier = range(max(FIRST_EPOCH, player.epoch - _EPOCHS_LOOKED_AT), player.epoch)
        verify = self.site.keyring.verify_reply_tag
        return any(
            verify(reply.tag, player.id, epoch, reply.board_id) for epoch in reversed(earlier)
        )

    def _sent(self, bounce: Bounce) -> bool:
        """Whether a mail went out under this address."""
        keyring = self.site.keyring
        return keyring.verify_bounce_tag(bounce.tag, bounce.player_id, bounce.mail)

    def _why_not_known(self, work: UnitOfWork, recipient: Signed) -> str:
        """Why a reply address is not valid, for the operator; empty if it is."""
        if isinstance(recipient, Bounce):
            return "" if self._sent(recipient) else _TAG_IS_NOT_OURS
        if isinstance(recipient, Probe):
            return "" if is_expected(work, recipient, self.clock()) else "no probe is awaited there"
        if isinstance(recipient, QuestionReply):
            return "" if asked_question(work, recipient) else "there is no question of that token"
        epoch = work.players.epoch(recipient.player_id)
        if epoch is None:
            return "there is no such player"
        is_ours = self.site.keyring.verify_reply_tag(
            recipient.tag, recipient.player_id, epoch, recipient.board_id
        )
        return "" if is_ours else _TAG_IS_NOT_OURS


def _same_for(mail: Arriving) -> timedelta:
    """For how long a copy is the same mail."""
    return SAME_FOR if mail.has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR


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
