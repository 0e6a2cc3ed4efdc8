"""One LMTP conversation (RFC 2033): SMTP for a neighbour that has a queue.

After the final dot each recipient has a reply of its own, so that one may be kept while
another is refused, and the neighbour sends again only what was not kept.
"""

import asyncio

from pbm.mail.smtp_in.caller import Caller
from pbm.mail.smtp_in.connection_limits import ConnectionLimits
from pbm.mail.smtp_in.conversation import Conversation
from pbm.mail.smtp_in.handler import Handler


class LmtpConversation(Conversation):
    """One neighbour's connection."""

    protocol_name = "LMTP"
    hello = "LHLO"
    no_recipients = "503 5.5.1 None of the recipients was taken, so there is nobody to send it to."

    def __init__(
        self, handler: Handler, door: ConnectionLimits, everybody: "set[Conversation]"
    ) -> None:
        super().__init__(handler, door, everybody)
        del self._verbs["HELO"]

    def _add_recipient(self, recipient: str) -> None:
        # One named twice has two replies (RFC 2033, section 4.2).
        self._recipients.append(recipient)

    def _replies_to_mail(self) -> int:
        return len(self._recipients)

    async def _hand_in(self, sender: str, mail: bytes, caller: Caller) -> str:
        """The replies, in the order of the recipients; each is kept for itself."""
        names = tuple(dict.fromkeys(self._recipients))
        replies = await asyncio.gather(
            *(self._handler.hand_in(sender, (name,), mail, caller) for name in names)
        )
        reply_for = dict(zip(names, replies, strict=True))
        return "\r\n".join(reply_for[name] for name in self._recipients)
