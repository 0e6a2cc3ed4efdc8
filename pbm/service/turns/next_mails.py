"""Claims the next mails, and begins their preparation."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from pbm.mail.address import Plain, PlayerReply, QuestionReply
from pbm.mail.reading.inbound import Envelope, masked, read
from pbm.mail.reading.limits import LIMITS, LONG, STRANGERS_LIMITS, is_long
from pbm.mail.site import Site
from pbm.service.turns.preparation import Preparation, Preparations
from pbm.store.db import UnitOfWork
from pbm.store.queues.queue import ScanFloor
from pbm.store.values.mails import InboxMail


@dataclass
class NextMails:
    """The next mails of the inbox, by place, and their preparations."""

    site: Site
    preparations: Preparations
    floor: ScanFloor = field(default_factory=ScanFloor, init=False)

    def claim(self, work: UnitOfWork, now: datetime, most: int) -> list[InboxMail]:
        """Claim the mails that are prepared, and then the next by place."""
        found: dict[int, InboxMail] = {}
        for number in self.preparations.ready():
            if len(found) == most:
                break
            mail = work.inbox.find_new(number, wait=False)
            if mail is None:
                self.preparations.forget(number)  # done, or taken by another process
            else:
                found[number] = mail
        if len(found) < most:
            since = self.floor.since(now)
            claim = partial(work.inbox.claim, now, most - len(found), since=since)
            if self.preparations.are_many():
                claimed = claim(most_bytes=LONG)
            else:
                claimed = claim()
                self.floor.found((mail.received_at for mail in claimed), now)
            for mail in claimed:
                found.setdefault(mail.id, mail)
        return list(found.values())

    def prepared(self, mail: InboxMail) -> Preparation:
        """Return the preparation of a mail, and begin work that its turn needs."""
        prepared = self.preparations.of(mail)
        if prepared.needs is None and self._is_to_be_read(mail):
            prepared.must_read(partial(read_mail, self.site))
        if prepared.needs is not None and not prepared.is_under_way:
            self.preparations.begin(prepared)
        return prepared

    def _is_to_be_read(self, mail: InboxMail) -> bool:
        """Whether reading a mail may take long."""
        recipient = self.site.address.parse(mail.recipient)
        return is_long(mail.raw) and isinstance(recipient, Plain | PlayerReply | QuestionReply)


def read_mail(site: Site, mail: InboxMail) -> Envelope:
    """Parse a mail, with tighter limits for unknown senders."""
    own, limits = site.address.plain, LIMITS if mail.known else STRANGERS_LIMITS
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=limits)
    return envelope if envelope.automatic else masked(envelope)
