"""Keeping mails: which of them are new, which may come, and for whom each is obeyed.

Several at once are looked up together and written together. What is decided, and in which order,
is the same as if they came one after the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbm.mail.address import Plain, PlayerReply, Postmaster, QuestionReply, Recipient
from pbm.mail.site import Site
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving, queued
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.newcomers import PUT_OFF, Answer, count_answer
from pbm.service.trouble.mail_numbers import incoming
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import ArrivedMail

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"
Arrived = dict[str, Recipient]


@dataclass
class _Plan:
    """What is to become of a mail: a refusal, or rows to be kept beside those that are.

    `numbers` are those of its rows by recipient, and `passed_over` the outcomes of those of its
    recipients for whom it is not obeyed.
    """

    mail: Arriving
    arrived: Arrived
    numbers: dict[str, int] = field(default_factory=dict)
    rows: list[ArrivedMail] = field(default_factory=list)
    passed_over: dict[str, str] = field(default_factory=dict)
    refusal: Rejection | None = None

    def next_row(self) -> ArrivedMail | None:
        """What is to be kept of it next, if anything is left."""
        return self.rows[0] if self.rows and self.refusal is None else None

    def note(self, number: int | None) -> None:
        """Take in the number of the row that was to be kept, None where there is no room for it:
        then there is none for the rest either."""
        row = self.rows.pop(0)
        if number is None:
            self.refusal = _TOO_MANY_WAIT
        else:
            self.numbers[row.recipient] = number

    def answer(self) -> str | Rejection:
        """The text of its `250` reply, or its refusal."""
        if self.refusal:
            return self.refusal
        names = map(incoming, sorted(self.numbers[address] for address in self.arrived))
        return f"2.0.0 kept as {', '.join(names)}"


@dataclass(frozen=True)
class Keeping:
    """Keeps mails at a moment, within a transaction.

    Each is kept once for each recipient. The same mail again (its trace fields apart) to the same
    recipient is the same row, and to another of our addresses it is obeyed only where it can mean
    somebody else. A mail beyond the limits of what is read is refused, and so is one too many for
    now.
    """

    work: UnitOfWork
    site: Site
    rates: MailRates
    now: datetime

    def keep(self, mails: Sequence[Arriving]) -> list[str | Rejection]:
        """Keep mails; return the text of each one's `250` reply, or its refusal."""
        plans = [_Plan(mail, self._in_order(mail.recipients)) for mail in mails]
        if len(plans) > 1 and self.work.is_shared:
            self._look_ahead(plans)
        with self.work.buckets.taken_together():
            for different in _without_copies(plans):
                self._carry_out([self._decide(plan) for plan in different])
        return [plan.answer() for plan in plans]

    def _look_ahead(self, plans: Sequence[_Plan]) -> None:
        """Ask at once what is looked up of each."""
        work = self.work
        authors = {plan.mail.author for plan in plans if _plain_ones(plan.arrived)}
        buckets = {
            key
            for plan in plans
            for recipient in plan.arrived.values()
            for key in self.rates.keys(recipient, plan.mail.author, plan.mail.caller.peer)
        }
        work.look_ahead(
            *work.buckets.hold(buckets),
            *work.players.look((), authors),
            work.inbox.look({plan.mail.digest for plan in plans}),
        )

    def _carry_out(self, plans: Sequence[_Plan]) -> None:
        """Keep what is to be kept: the next row of every mail, and once more as long as there are
        any."""
        while going := [(plan, row) for plan in plans if (row := plan.next_row())]:
            numbers = self.work.inbox.keep(*(row for _, row in going))
            for (plan, _), number in zip(going, numbers, strict=True):
                plan.note(number)
        passed_over = [
            (plan.numbers[address], told)
            for plan in plans
            if plan.refusal is None
            for address, told in plan.passed_over.items()
        ]
        if passed_over:
            self.work.inbox.finish(passed_over, self.now)

    def _decide(self, plan: _Plan) -> _Plan:
        mail, arrived = plan.mail, plan.arrived
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.glance.problem and not unread:  # what is for the operator only goes there unread
            plan.refusal = Rejection(550, f"5.6.0 {mail.glance.problem}")
            return plan
        plan.numbers = self.work.inbox.copies(mail.digest, self.now - _same_for(mail))
        new = {address: item for address, item in arrived.items() if address not in plan.numbers}
        if new:
            plan.refusal = self._plan_new(plan, new)
        return plan

    def _plan_new(self, plan: _Plan, new: Arrived) -> Rejection | None:
        """Plan to keep a mail for recipients for whom it is new; the refusal where it may not."""
        work, mail = self.work, plan.mail
        obeyed = self._obeyed(new, plan.numbers)
        plain = _plain_ones({address: new[address] for address in obeyed})
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
        plan.rows = [
            ArrivedMail(
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
            for address, recipient in new.items()
        ]
        plan.passed_over = {address: _TWICE for address in new if address not in obeyed}
        if answer is Answer.NONE_LEFT:
            plan.passed_over |= dict.fromkeys(plain, _NO_ANSWER)
        return None

    def _obeyed(self, new: Arrived, known: Iterable[str]) -> list[str]:
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


def _without_copies(plans: Sequence[_Plan]) -> list[list[_Plan]]:
    """Plans by when they can be made: those of different mails at once, and that of a copy when
    the mail before it was kept, or was not."""
    rounds: list[dict[str, _Plan]] = []
    for plan in plans:
        free = (one for one in rounds if plan.mail.digest not in one)
        first = next(free, None)
        if first is None:
            rounds.append(first := {})
        first[plan.mail.digest] = plan
    return [list(one.values()) for one in rounds]


def _plain_ones(arrived: Arrived) -> list[str]:
    return [address for address, recipient in arrived.items() if isinstance(recipient, Plain)]


def _same_for(mail: Arriving) -> timedelta:
    """For how long a copy is the same mail."""
    return SAME_FOR if mail.has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR


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
