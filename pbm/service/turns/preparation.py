"""Claims the next mails, and does slow work before their turns.

Reading a long mail, hashing a password or replaying a whole game takes longer than others may have
to wait. It happens in a thread, while no transaction is open. Meanwhile the mail is put aside, and
other turns go on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from pbm.apart import Apart, WorkNeeded
from pbm.mail.address import Plain, PlayerReply, QuestionReply
from pbm.mail.reading.inbound import Envelope, masked, read
from pbm.mail.reading.limits import LIMITS, LONG, STRANGERS_LIMITS, is_long
from pbm.mail.site import Site
from pbm.passwords import PasswordWork
from pbm.store.db import UnitOfWork
from pbm.store.queues.queue import ScanFloor
from pbm.store.values.mails import InboxMail

MOST_UNDER_WAY = 16  # then further long mails wait, and short ones go on


@dataclass(eq=False)
class Preparation:
    """A mail whose turn is not over: its results so far, and the next work."""

    mail: InboxMail
    passwords: PasswordWork = field(default_factory=PasswordWork)
    apart: Apart = field(default_factory=Apart)
    is_under_way: bool = False
    is_hashing: bool = False
    needs: Callable[[], None] | None = None
    _envelope: Envelope | None = None
    _failed: Exception | None = None

    def is_of(self, mail: InboxMail) -> bool:
        """Whether this is the preparation of a mail.

        The number is not enough: after a rollback another row may get it.
        """
        mine = self.mail
        return (mine.id, mine.recipient, mine.raw) == (mail.id, mail.recipient, mail.raw)

    def must_read(self, read: Callable[[InboxMail], Envelope]) -> None:
        """Schedule reading the mail, unless that was done; `envelope` raises its error."""

        def reading() -> None:
            try:
                self._envelope = read(self.mail)
            except Exception as error:  # noqa: BLE001 - the turn raises it
                self._failed = error

        if self._envelope is None and self._failed is None:
            self.needs = reading

    def must_do(self, needed: WorkNeeded) -> None:
        """Schedule the work that a turn needs."""
        self.needs, self.is_hashing = needed.work_out, isinstance(needed.of, PasswordWork)

    def work_out(self) -> None:
        """Do the scheduled work; raises nothing."""
        if self.needs is not None:
            self.needs()
        self.needs, self.is_under_way = None, False

    @property
    def envelope(self) -> Envelope | None:
        """The mail as it was read; None before. Raises the stored error."""
        if self._failed:
            raise self._failed
        return self._envelope


class Preparations:
    """The next mails of the inbox by place, and the preparations of those put aside."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._floor = ScanFloor()
        self._kept: dict[int, Preparation] = {}
        self._undone: Preparation | None = None
        self._to_do: list[Preparation] = []

    def claim(self, work: UnitOfWork, now: datetime, most: int) -> list[InboxMail]:
        """Claim the mails that are prepared, and then the next by place."""
        found: dict[int, InboxMail] = {}
        for number in self.ready():
            if len(found) == most:
                break
            mail = work.inbox.find_new(number, wait=False)
            if mail is None:
                self.forget(number)  # done, or taken by another process
            else:
                found[number] = mail
        if len(found) < most:
            under_way = sum(known.is_under_way for known in self._kept.values())
            claim = partial(work.inbox.claim, now, most - len(found), since=self._floor.since(now))
            if under_way >= MOST_UNDER_WAY:
                claimed = claim(most_bytes=LONG)
            else:
                claimed = claim()
                self._floor.found([mail.received_at for mail in claimed], now)
            for mail in claimed:
                found.setdefault(mail.id, mail)
        return list(found.values())

    def of(self, mail: InboxMail) -> Preparation:
        """The preparation of a mail, an empty one if it is new; begins work that its turn needs."""
        known = (self._kept.get(mail.id), self._undone)
        found = (item for item in known if item is not None and item.is_of(mail))
        prepared = next(found, None) or Preparation(mail)
        if prepared.needs is None and is_long(mail.raw):
            recipient = self._site.address.parse(mail.recipient)
            if isinstance(recipient, Plain | PlayerReply | QuestionReply):
                prepared.must_read(partial(read_mail, self._site))
        if prepared.needs is not None and not prepared.is_under_way:
            prepared.is_under_way, self._undone = True, None
            self._kept[mail.id] = prepared
            self._to_do.append(prepared)
        return prepared

    def remember(self, preparation: Preparation) -> None:
        """Keep the preparation of an undone turn until the next batch."""
        self._undone = preparation

    def ready(self) -> list[int]:
        """The numbers of the mails whose work is done."""
        return [number for number, known in self._kept.items() if not known.is_under_way]

    def forget(self, number: int) -> None:
        """Forget a mail whose turn is over, or has failed."""
        self._kept.pop(number, None)
        if self._undone is not None and self._undone.mail.id == number:
            self._undone = None

    def to_do(self) -> list[Preparation]:
        """The preparations begun since the last call."""
        begun, self._to_do = self._to_do, []
        return begun


def read_mail(site: Site, mail: InboxMail) -> Envelope:
    """Parse a mail, with tighter limits for unknown senders."""
    own, limits = site.address.plain, LIMITS if mail.known else STRANGERS_LIMITS
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=limits)
    return envelope if envelope.automatic else masked(envelope)
