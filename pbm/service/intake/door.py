"""The door: what the listener asks, answered from the database and written there.

On a shared database what is asked at once is answered together (docs/adr/inbox.md).
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from pbm.mail.reading.limits import is_long
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.receive import Intake, Named
from pbm.service.intake.tag_guess_limit import WrongTag
from pbm.service.running.gathering import Take, gathered, one_by_one
from pbm.service.running.steps import InThread
from pbm.service.running.writer import Reader, Writer

_MOST_BYTES_SHARED = 65_536  # of a mail that is kept with others, all of which are sent at once


class Door:
    """Takes recipients and mails, or tells why not."""

    def __init__(
        self,
        intake: Intake,
        reader: Reader,
        writer: Writer,
        *,
        in_groups: bool,
        look_in_thread: InThread,
        mail_kept: asyncio.Event,
    ) -> None:
        """Long mails are looked at in a thread; `mail_kept` is set after each that was kept."""
        together = gathered if in_groups else one_by_one
        self._intake, self._reader, self._writer = intake, reader, writer
        self._look_in_thread, self._mail_kept = look_in_thread, mail_kept
        self._check_one, self._keep_one = together(self._check_some), together(self._keep_some)

    async def accept_recipient(self, address: str, sender: str, caller: Caller) -> Rejection | None:
        """Why mail to this address is not taken, None where it is. Raises DBAPIError."""
        rejection = await self._check_one(Named(address, sender, caller))
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
        if len(raw) > _MOST_BYTES_SHARED:
            (kept,) = await self._keep_some(lambda: [mail])
        else:
            kept = await self._keep_one(mail)
        self._mail_kept.set()
        return kept

    async def _check_some(self, named: Take[Named]) -> Sequence[Rejection | None]:
        return await self._reader.do(lambda work: self._intake.accept_recipients(work, named()))

    async def _keep_some(self, mails: Take[Arriving]) -> Sequence[str | Rejection]:
        return await self._writer.do(lambda work: self._intake.keep_arrived(work, mails()))
