"""Taking mail in: whether a recipient is ours, and responsibility only after the commit."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pbm.clock import Clock
from pbm.commands.auth import asked_question, tag_owner
from pbm.mail.address import (
    Bounce,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Unknown,
    address_key,
)
from pbm.mail.inbound import UnreadableMail, check_limits
from pbm.mail.smtpd import Rejection
from pbm.mail.wire import digest, has_message_id
from pbm.service.front import is_expected
from pbm.service.letters import House
from pbm.store.db import Database, UnitOfWork

SAME_FOR = timedelta(days=30)
SAME_WITHOUT_MESSAGE_ID_FOR = timedelta(minutes=10)


@dataclass
class Intake:
    """The door: asked for each recipient, and handed each mail."""

    database: Database
    house: House
    clock: Clock

    def accept_recipient(self, address: str) -> Rejection | None:
        """Tell whether mail to an address is taken; the refusal is a sentence for people."""
        recipient = self.house.address.parse(address)
        if isinstance(recipient, Unknown):
            return Rejection(550, f"5.1.1 {recipient.reason}")
        if isinstance(recipient, Bounce) and not self._sent(recipient):
            return self._not_valid("This address was never one of ours")
        known_by = PlayerReply | QuestionReply | Probe
        if isinstance(recipient, known_by) and not self._known(recipient):
            return self._not_valid("This reply address is not valid any more")
        return None

    def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str
    ) -> str | Rejection:
        """Keep a mail in a transaction of its own, as `keep_in` does."""
        with self.database.transaction() as work:
            return self.keep_in(work, sender, recipients, raw, peer)

    def keep_in(
        self, work: UnitOfWork, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str
    ) -> str | Rejection:
        """Keep a mail, once for each recipient, and return the text of the `250` reply.

        The same mail again (its trace fields apart) to the same recipient is the same row.
        A mail beyond the limits of what is read is refused.
        """
        refusal = self._refusal(recipients, raw)
        if refusal is not None:
            return refusal
        fingerprint = digest(raw)
        same_for = SAME_FOR if has_message_id(raw) else SAME_WITHOUT_MESSAGE_ID_FOR
        numbers = [
            work.inbox.keep(
                digest=fingerprint,
                recipient=recipient.lower(),
                sender=sender,
                peer=peer,
                raw=raw,
                now=self.clock(),
                same_for=same_for,
                **self._lanes(recipient, sender),
            )
            for recipient in dict.fromkeys(recipients)
        ]
        return f"2.0.0 kept as {', '.join(str(number) for number in numbers)}"

    def _lanes(self, recipient: str, sender: str) -> dict[str, Any]:
        """Whose mail it is, as far as that is known before it is read, and about which board."""
        parsed = self.house.address.parse(recipient)
        if isinstance(parsed, PlayerReply):
            return {"lane": f"u{parsed.player_id}", "board_lane": parsed.board_id}
        return {"lane": address_key(sender) or None}

    def _refusal(self, recipients: tuple[str, ...], raw: bytes) -> Rejection | None:
        parsed = (self.house.address.parse(recipient) for recipient in recipients)
        if all(isinstance(recipient, Postmaster) for recipient in parsed):
            return None  # goes to the operator unread
        try:
            check_limits(raw)
        except UnreadableMail as error:
            return Rejection(550, f"5.6.0 {error}")
        return None

    def _not_valid(self, what: str) -> Rejection:
        plain = self.house.address.plain
        return Rejection(550, f"5.1.1 {what}; please write to {plain} instead.")

    def _sent(self, bounce: Bounce) -> bool:
        """Whether a mail went out under this address."""
        keyring = self.house.keyring
        return keyring.verify_bounce_tag(bounce.tag, bounce.player_id, bounce.mail)

    def _known(self, recipient: PlayerReply | QuestionReply | Probe) -> bool:
        with self.database.reading() as work:
            if isinstance(recipient, Probe):
                return is_expected(work, recipient, self.clock())
            if isinstance(recipient, QuestionReply):
                return asked_question(work, recipient) is not None
            return tag_owner(work, self.house.keyring, recipient) is not None
