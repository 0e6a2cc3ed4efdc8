"""Stores a mail as inbox rows, if it is new, within limits, and to be handled.

Reading a megabyte takes some tens of milliseconds, so `look_at` runs before any transaction. The
queue is fair between senders, with players before strangers. A mail's place is its arrival time
plus a delay, which grows with the number and length of its sender's waiting mails. So frequent
senders wait longer, but every mail gets its turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbm.clock import Clock
from pbm.mail.address import (
    Bounce,
    Plain,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    address_key,
)
from pbm.mail.reading.inbound import read_header
from pbm.mail.reading.limits import LIMITS, LONG, UnreadableMail
from pbm.mail.reading.wire import digest, has_message_id
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.limits import PUT_OFF, Answer, Arriving, MailRates, count_answer
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import ArrivedMail, Queued, incoming

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)
STRANGERS_HANDICAP = 60.0  # seconds; players who write within that time go first
FURTHEST = 120.0  # seconds; one sender's queue, at one second for each short mail
_MOST_PIECES = 8  # of `LONG` bytes, a second each; the rest of a mail is not read
_TOO_MANY_WAIT = Rejection(
    450, "4.7.1 Many mails of yours wait to be read; please send this one again later."
)
_TWICE = "nothing: came to another address, too"
_NO_ANSWER = "nothing: no answer to strangers is left for now"


@dataclass
class Intake:
    """Keeps mails within a transaction, one row for each recipient.

    A copy (trace fields apart) to the same recipient shares its row. A copy to another of our
    addresses is handled only if it can mean somebody else. Unreadable mails and those over a limit
    are refused.
    """

    site: Site
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def look_at(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> Arriving:
        """Read a mail's properties before it is stored; for a long mail, in a thread."""
        header, problem = None, ""
        try:
            header = read_header(raw, sender, self.site.address.plain, LIMITS)
        except UnreadableMail as error:
            problem = str(error)
        author = address_key((header and header.author) or sender)
        known = digest(raw), has_message_id(raw), header, problem, author
        return Arriving(sender, recipients, raw, caller, *known)

    def keep_arrived(self, work: UnitOfWork, mail: Arriving) -> str | Rejection:
        """Keep a mail; return the text of its `250` reply, or its refusal."""
        parsed = {each.lower(): self.site.address.parse(each) for each in mail.recipients}
        # The plain address is last, as the others prove more.
        arrived = dict(sorted(parsed.items(), key=lambda item: isinstance(item[1], Plain)))
        unread = all(isinstance(recipient, Postmaster) for recipient in arrived.values())
        if mail.problem and not unread:  # postmaster mail goes to the operator unread
            return Rejection(550, f"5.6.0 {mail.problem}")
        now = self.clock()
        same_for = SAME_FOR if mail.has_message_id else SAME_WITHOUT_MESSAGE_ID_FOR
        numbers = work.inbox.copies(mail.digest, now - same_for)
        new = {address: item for address, item in arrived.items() if address not in numbers}
        refusal = self._keep_new(work, mail, new, numbers, now, same_for) if new else None
        if refusal:
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
        """Keep a mail for new recipients, and add its row numbers; return a refusal if any."""
        before, obeyed = [self.site.address.parse(address) for address in numbers], list[str]()
        for address, recipient in new.items():
            if not _obeyed_by(before, recipient):
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
    """The queue place of a mail to this recipient. `author` is the key of an address.

    `from_player`: it came to our plain address, from the address of a player.
    """
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


def _obeyed_by(others: Sequence[Recipient], recipient: Recipient) -> bool:
    """Whether a mail to this recipient is handled already, as it went to `others`."""
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
