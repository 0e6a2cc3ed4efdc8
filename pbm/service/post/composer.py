"""Composes mails from outbox rows: the same bytes at every attempt."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass

from pbm.mail.writing.compose import OutgoingMail, compose
from pbm.mail.writing.render import Renderer
from pbm.service.running.cooperative import Yielding
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.store.values.mails import OutboxMail

SENDER_NAME = "pbm"


@dataclass(frozen=True)
class Unwritten:
    """Why a mail could not be composed: a line for the operator, the traceback for the log.

    `passes`: the mail is not at fault, and a later attempt may succeed.
    """

    reason: str
    exception: str
    passes: bool = False


Written = bytes | Unwritten


class Composer:
    """Composes mails. All templates are loaded at once, since an upgrade may remove the files."""

    def __init__(self, from_address: str) -> None:
        self._from_address = from_address
        self._renderer = Renderer()
        self._renderer.load()

    async def write(self, mails: Sequence[OutboxMail]) -> list[Written]:
        """Compose mails, with breaks for other tasks; a broken template fails only its own mail."""
        written: list[Written] = []
        yielding = Yielding()
        for mail in mails:
            try:
                written.append(raw_mail(mail, self._from_address, self._renderer))
            except Exception as error:  # noqa: BLE001 - a bug stops one mail, not the post
                passes = isinstance(error, OSError | MemoryError)
                written.append(Unwritten(in_a_line(error), traceback_of(error), passes))
            await yielding.let_others_in()
        return written


def raw_mail(mail: OutboxMail, from_address: str, renderer: Renderer) -> bytes:
    """Return the bytes of a mail, the same at every call."""
    if mail.template == "raw":
        return b64decode(mail.params["raw"])
    headers = mail.headers
    reply = (headers["reply_to"] or from_address, headers["subject"])
    rendered = renderer.render(mail.template, mail.params, mail.message_id, reply)
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
