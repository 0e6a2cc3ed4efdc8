"""Taking mail in: whether a recipient is ours, and responsibility only after the commit."""

from dataclasses import dataclass
from datetime import timedelta

from pbm.clock import Clock
from pbm.commands.auth import tag_owner
from pbm.mail.address import PlayerReply, QuestionReply, Unknown
from pbm.mail.smtpd import Rejection
from pbm.mail.tags import token_digest
from pbm.mail.wire import digest, has_message_id
from pbm.service.letters import House
from pbm.store.db import Database

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
        if isinstance(recipient, PlayerReply | QuestionReply) and not self._known(recipient):
            return Rejection(
                550,
                "5.1.1 This reply address is not valid any more; "
                f"please write to {self.house.address.plain} instead.",
            )
        return None

    def keep(self, sender: str, recipients: tuple[str, ...], raw: bytes, peer: str) -> str:
        """Keep a mail, once for each recipient, and return the text of the `250` reply.

        The same mail again (its trace fields apart) to the same recipient is the same row.
        """
        fingerprint = digest(raw)
        same_for = SAME_FOR if has_message_id(raw) else SAME_WITHOUT_MESSAGE_ID_FOR
        with self.database.transaction() as work:
            numbers = [
                work.inbox.keep(
                    digest=fingerprint,
                    recipient=recipient.lower(),
                    sender=sender,
                    peer=peer,
                    raw=raw,
                    now=self.clock(),
                    same_for=same_for,
                )
                for recipient in dict.fromkeys(recipients)
            ]
        return f"2.0.0 kept as {', '.join(str(number) for number in numbers)}"

    def _known(self, recipient: PlayerReply | QuestionReply) -> bool:
        with self.database.reading() as work:
            if isinstance(recipient, QuestionReply):
                return work.questions.by_token(token_digest(recipient.token)) is not None
            return tag_owner(work, self.house.keyring, recipient) is not None
