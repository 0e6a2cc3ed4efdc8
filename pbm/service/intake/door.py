"""The door: what the listener asks, answered from the database and written there."""

from functools import partial

from pbm.mail.reading.limits import is_long
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.receive import Intake, Named
from pbm.service.intake.tag_guess_limit import WrongTag
from pbm.service.running.steps import InThread
from pbm.service.running.writer import Reader, Writer


class Door:
    """Takes recipients and mails, or tells why not."""

    def __init__(
        self,
        intake: Intake,
        reader: Reader,
        writer: Writer,
        *,
        look_in_thread: InThread,
    ) -> None:
        """Long mails are looked at in a thread."""
        self._intake, self._reader, self._writer = intake, reader, writer
        self._look_in_thread = look_in_thread

    async def accept_recipient(self, address: str, sender: str, caller: Caller) -> Rejection | None:
        """Why mail to this address is not taken, None where it is. Raises DBAPIError."""
        named = Named(address, sender, caller)
        rejection = await self._reader.do(lambda work: self._intake.accept_recipient(work, named))
        if isinstance(rejection, WrongTag):
            wrong = rejection
            await self._writer.do(lambda work: self._intake.count_wrong(work, wrong))
        return rejection

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str | Rejection:
        """Keep a mail; the text of the `250` reply, or its refusal. Raises DBAPIError."""
        look = partial(self._intake.look_at, sender, recipients, raw, caller)
        mail = await self._look_in_thread(look) if is_long(raw) else look()
        return await self._writer.do(lambda work: self._intake.keep_arrived(work, mail))
