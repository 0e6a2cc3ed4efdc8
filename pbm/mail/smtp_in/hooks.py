"""What our server says where aiosmtpd's own verbs do what it wants."""

from typing import TYPE_CHECKING

from aiosmtpd.smtp import Envelope, Session

if TYPE_CHECKING:
    from pbm.mail.smtp_in.conversation import Conversation


class Hooks:
    """Called by aiosmtpd, each with its connection, its session and the mail that is begun."""

    async def handle_EHLO(
        self,
        server: "Conversation",
        session: Session,
        envelope: Envelope,  # noqa: ARG002 - every hook has one
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        """The lines of the reply, as one: each is a packet of its own otherwise."""
        session.host_name = hostname
        more = [f"250-{extension}" for extension in server.extensions()]
        return ["\r\n".join([*responses[:-1], *more, responses[-1]])]

    async def handle_HELO(
        self,
        server: "Conversation",
        session: Session,
        envelope: Envelope,  # noqa: ARG002
        hostname: str,
    ) -> str:
        """The reply to HELO."""
        session.host_name = hostname
        return f"250 {server.hostname}"

    async def handle_RSET(self, *_: object) -> str:
        """The reply to RSET."""
        return "250 2.0.0 Forgotten."

    async def handle_NOOP(self, *_: object) -> str:
        """The reply to NOOP."""
        return "250 2.0.0 Nothing done."

    async def handle_QUIT(self, *_: object) -> str:
        """The reply to QUIT."""
        return "221 2.0.0 Goodbye."
