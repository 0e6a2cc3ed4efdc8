"""Mails of the outbox as bytes: the same at every try."""

from base64 import b64decode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from pbm.mail.writing.compose import OutgoingMail, compose
from pbm.mail.writing.render import Renderer
from pbm.service.running.cooperative import Yielding
from pbm.service.running.worker_processes import (
    Computation,
    ComputationFailedError,
    WorkerProcesses,
)
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.store.values.mails import OutboxMail

SENDER_NAME = "pbm"
FEWEST_TO_SHARE = 4  # mails; for fewer the way to another process costs more than it saves


@dataclass(frozen=True)
class Unwritten:
    """Why a mail could not be written: in a line for the operator, and in full for the log.

    `passes`: it is not the mail's own fault, and may be written another time.
    """

    reason: str
    exception: str
    passes: bool = False


Written = bytes | Unwritten


class Composer:
    """Writes mails that come from one address.

    It needs no files any more: an upgrade may take the templates away for a while.
    """

    def __init__(self, from_address: str, processes: WorkerProcesses | None = None) -> None:
        """Many mails at once are composed in one of the `processes`, beside the turns."""
        self._from_address = from_address
        self._processes = processes
        self._renderer = Renderer()
        self._renderer.load()

    async def write(self, mails: Sequence[OutboxMail]) -> list[Written]:
        """Write each mail; a broken template stops no mail but its own."""
        if self._processes is not None and len(mails) >= FEWEST_TO_SHARE:
            with suppress(ComputationFailedError):
                computation = Computation(_write_all, (tuple(mails), self._from_address))
                written: list[Written] = await self._processes.run(computation)
                return written
        return await self._write_here(mails)

    async def _write_here(self, mails: Sequence[OutboxMail]) -> list[Written]:
        written, yielding = [], Yielding()
        for mail in mails:
            written.append(_write(mail, self._from_address, self._renderer))
            await yielding.let_others_in()
        return written


def _write_all(mails: Sequence[OutboxMail], from_address: str) -> list[Written]:
    """What a worker process does."""
    return [_write(mail, from_address, _renderer()) for mail in mails]


@cache
def _renderer() -> Renderer:
    renderer = Renderer()
    renderer.load()
    return renderer


def _write(mail: OutboxMail, from_address: str, renderer: Renderer) -> Written:
    try:
        return raw_mail(mail, from_address, renderer)
    except Exception as error:  # noqa: BLE001 - a bug stops one mail, not the post
        passes = isinstance(error, OSError | MemoryError)
        return Unwritten(in_a_line(error), traceback_of(error), passes)


def raw_mail(mail: OutboxMail, from_address: str, renderer: Renderer) -> bytes:
    """Return the bytes of a mail, the same at every call."""
    if mail.template == "raw":
        return b64decode(mail.params["raw"])
    rendered = renderer.render(mail.template, mail.params, mail.message_id, from_address)
    headers = mail.headers
    return compose(
        OutgoingMail(
            sender_name=SENDER_NAME,
            from_address=from_address,
            to=mail.recipient,
            subject=headers["subject"],
            reply_to=headers["reply_to"],
            message_id=mail.message_id,
            in_reply_to=headers["in_reply_to"],
            references=tuple(headers["references"]),
            date=mail.written_at,
            auto_submitted=headers["auto_submitted"],
            extra=headers["extra"],
            text=rendered.text,
            html=rendered.html,
            pictures=rendered.pictures,
        )
    )
