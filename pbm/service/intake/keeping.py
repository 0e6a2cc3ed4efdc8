"""Stores a mail as inbox rows, if it is new, within limits, and to be handled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.mail.address import Plain, PlayerReply, Postmaster, QuestionReply, Recipient
from pbm.mail.site import Site
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving, queued
from pbm.service.intake.limits import PUT_OFF, Answer, MailRates, count_answer
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import ArrivedMail, incoming

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"
Arrived = dict[str, Recipient]


@dataclass(frozen=True)
class Keeping:
    """Keeps mails within a transaction, one row for each recipient.

    A copy (trace fields apart) to the same recipient shares its row. A copy to another of our
    addresses is handled only if it can mean somebody else. Unreadable mails and those over a limit
    are refused.
    """

    work: UnitOfWork
    site: Site
    rates: MailRates
    now: datetime

    def keep(self, mail: Arriving) -> str | Rejection:
        """Keep a mail; return the text of its `250` reply, or its refusal."""
        parsed = {each.lower(): self.site.address.parse(each) for each in mail.recipients}
        # The plain address is last, as the others prove more.
        arrived = dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.glance.problem and not unread:  # postmaster mail goes to the operator unread
            return Rejection(550, f"5.6.0 {mail.glance.problem}")
        numbers = self.work.inbox.copies(mail.digest, self.now - _same_for(mail))
        new = {address: item for address, item in arrived.items() if address not in numbers}
        refusal = self._keep_new(mail, new, numbers) if new else None
        if refusal:
            return refusal
        names = map(incoming, sorted(numbers[address] for address in arrived))
        return f"2.0.0 kept as {', '.join(names)}"

    def _keep_new(self, mail: Arriving, new: Arrived, numbers: dict[str, int]) -> Rejection | None:
        """Keep a mail for new recipients, and add its row numbers; return a refusal if any."""
        work = self.work
        before, obeyed = [self.site.address.parse(address) for address in numbers], list[str]()
        for address, recipient in new.items():
            if not _obeyed_by(before, recipient):
                obeyed.append(address)
            before.append(recipient)
        plain = [address for address in obeyed if isinstance(new[address], Plain)]
        from_player = bool(plain) and work.players.by_address(mail.author) is not None
        is_strangers = bool(plain) and not from_player
        answer = (
            count_answer(work, self.site, mail, self.now) if is_strangers else Answer.NOT_COUNTED
        )
        if answer is Answer.NONE_LEFT and plain == obeyed:
            return PUT_OFF
        for address in obeyed:
            too_many = self.rates.count(work, self.now, new[address], mail.author, mail.caller.peer)
            if too_many is not None:
                return too_many
        for address, recipient in new.items():
            row = ArrivedMail(
                digest=mail.digest,
                recipient=address,
                sender=mail.sender,
                peer=mail.caller.peer,
                raw=mail.raw,
                now=self.now,
                same_for=_same_for(mail),
                queued=queued(recipient, mail.author, mail.raw, from_player=from_player),
                answer_counted=answer is Answer.COUNTED and address in plain,
                network=mail.caller.network,
            )
            number = work.inbox.keep(row)
            if number is None:
                return _TOO_MANY_WAIT
            numbers[address] = number
        passed_over = {address: _TWICE for address in new if address not in obeyed}
        if answer is Answer.NONE_LEFT:
            passed_over |= dict.fromkeys(plain, _NO_ANSWER)
        outcomes = [(numbers[address], told) for address, told in passed_over.items()]
        if outcomes:
            work.inbox.finish(outcomes, self.now)
        return None


def _same_for(mail: Arriving) -> timedelta:
    """How long a copy counts as the same mail."""
    return SAME_FOR if mail.has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR


def _obeyed_by(others: Sequence[Recipient], recipient: Recipient) -> bool:
    """Whether a mail to this recipient is handled already, as it went to `others`.

    True if either address is our plain one, or both are reply addresses of one player.
    """
    match recipient:
        case Plain():
            known: tuple[type[Recipient], ...] = (Plain, PlayerReply, QuestionReply)
        case PlayerReply() | QuestionReply():
            known = (Plain,)
        case _:
            return False
    return any(
        isinstance(other, known)
        or (
            isinstance(recipient, PlayerReply)
            and isinstance(other, PlayerReply)
            and other.player_id == recipient.player_id
        )
        for other in others
    )
