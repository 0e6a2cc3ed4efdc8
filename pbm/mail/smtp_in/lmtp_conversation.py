"""One LMTP conversation (RFC 2033): SMTP for a client that has a queue.

After the final dot each recipient has its own reply, so that one may be kept while another is
refused. The client retries only the recipients that were not kept.
"""

import asyncio

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.conversation import Conversation


class LmtpConversation(Conversation):
    """One client's connection."""

    protocol_name = "LMTP"
    hello = "LHLO"
    verbs = Conversation.verbs - {"EHLO", "HELO"} | {"LHLO"}
    no_recipients = "503 5.5.1 None of the recipients was taken, so there is nobody to send it to."

    async def smtp_LHLO(self, hostname: str) -> None:
        """Like EHLO (RFC 2033, section 4.1)."""
        await self.smtp_EHLO(hostname)

    def _add_recipient(self, recipient: str) -> None:
        # A recipient named twice has two replies (RFC 2033, section 4.2).
        self._begun().rcpt_tos.append(recipient)

    def _replies_to_mail(self) -> int:
        return len(self._begun().rcpt_tos)

    async def _hand_in(self, sender: str, mail: bytes, caller: Caller) -> str:
        """The replies, in the order of the recipients; the mail is kept for each separately."""
        names = tuple(dict.fromkeys(self._begun().rcpt_tos))
        replies = await asyncio.gather(
            *(self._handler.hand_in(sender, (name,), mail, caller) for name in names)
        )
        reply_for = dict(zip(names, replies, strict=True))
        return "\r\n".join(reply_for[name] for name in self._begun().rcpt_tos)
