"""Stores new mails as inbox rows, within limits.

A mail's place in the queue is its arrival time plus a delay. The delay grows with the number and
length of the sender's waiting mails, so no sender can block others. Strangers have a longer delay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbm.addresses import address_key
from pbm.clock import Clock
from pbm.mail.address import Bounce, Plain, PlayerReply, Postmaster, Probe, QuestionReply, Recipient
from pbm.mail.reading.inbound import digest, read_header
from pbm.mail.reading.limits import LIMITS, LONG, UnreadableMail
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.limits import PUT_OFF, Answer, Arriving, MailRates, count_answer
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import ArrivedMail, Queued, incoming

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
STRANGERS_HANDICAP = 60.0  # seconds added to the place of a stranger's mail
FURTHEST = 120.0  # largest delay in seconds; each short mail of a sender adds one
_MOST_PIECES = 8  # a long mail adds a second for each `LONG` bytes, up to this many
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_SEND_AGAIN = "Please send it again with one plain mail address in its From line."
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"


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
        known_by = digest(raw)
        author = address_key((header and header.author) or sender)
        return Arriving(sender, recipients, raw, caller, *known_by, header, problem, author)

    def keep_arrived(self, work: UnitOfWork, mail: Arriving) -> str | Rejection:
        """Store a mail; return the text of the `250` reply, or the refusal."""
        parsed = {each.lower(): self.site.address.parse(each) for each in mail.recipients}
        # The plain address comes last, since the other addresses authenticate a player.
        arrived = dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.problem and not unread:  # postmaster mail is forwarded without parsing
            return Rejection(550, mail.problem)
        now = self.clock()
        same_for = SAME_FOR if mail.has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR
        numbers = work.inbox.copies(mail.digest, now - same_for)
        new = {address: item for address, item in arrived.items() if address not in numbers}
        if new and (refusal := self._keep_new(work, mail, new, numbers, now, same_for)):
            return refusal
        names = map(incoming, sorted(numbers[address] for address in arrived))
        return f"2.0.0 kept as {', '.join(names)}"

    def _keep_new(
        self,
        work: UnitOfWork,
        mail: Arriving,
        new: dict[str, Recipient],
        numbers: dict[str, int],
        now: datetime,
        same_for: timedelta,
    ) -> Rejection | None:
        """Store a row for each `new` recipient; add its number to `numbers`. Return any refusal."""
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
                same_for=same_for,
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
        if passed_over:
            work.inbox.finish([(numbers[it], told) for it, told in passed_over.items()], now)
        return None


def queued(recipient: Recipient, author: str, raw: bytes, *, from_player: bool) -> Queued:
    """Return a mail's place in the queue. `from_player` matters only for our plain address."""
    apart = 1.0 + min(len(raw) // LONG, _MOST_PIECES)
    match recipient:
        case PlayerReply(player_id, board_id):
            return Queued(f"u{player_id}", board_id, apart=apart, furthest=FURTHEST)
        case Bounce(player_id):
            return Queued(f"b{player_id}", apart=apart, furthest=FURTHEST)
        case Postmaster():
            return Queued(handicap=STRANGERS_HANDICAP)
    known = from_player or isinstance(recipient, QuestionReply | Probe)
    handicap = 0.0 if known else STRANGERS_HANDICAP
    return Queued(author or None, None, known, handicap, apart, FURTHEST)


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
