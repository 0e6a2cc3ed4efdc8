"""Mails of the outbox as bytes: written here, or while there are many, by helpers beside us.

A template takes as long as a turn does, and Python does one thing at a time in a process. Writing
is pure, so that it can be done anywhere; a helper knows nothing but the templates.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from base64 import b64decode
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

import structlog

from pbm.mail.writing.compose import OutgoingMail, compose
from pbm.mail.writing.render import Renderer
from pbm.service.running.yielding import Yielding
from pbm.service.turns.trouble import in_a_line, traceback_of
from pbm.store.values import OutboxMail

FEWEST_TO_SHARE = 8  # below that the way to a helper costs more than it saves
LONGEST_HELP = 30.0  # seconds that are waited for a helper
MOST_FAILURES = 3  # of helpers, before none are called any more
SENDER_NAME = "pbm"
_log = structlog.get_logger("pbm.scribe")


@dataclass(frozen=True)
class Unwritten:
    """Why a mail could not be written: in a line for the operator, and in full for the log.

    `passes`: it is not the mail's own fault, and may be written another time.
    """

    reason: str
    exception: str
    passes: bool = False


Written = bytes | Unwritten


class Scribe:
    """Writes mails that come from one address, with so many helpers; they start when needed."""

    def __init__(self, from_address: str, helpers: int = 0) -> None:
        self._from_address = from_address
        self._count = helpers
        self._failures = 0
        self._helpers: ProcessPoolExecutor | None = None
        self._starting: list[Future[list[Written]]] = []
        self._called_at = 0.0
        self._renderer = _renderer()

    async def write(self, mails: Sequence[OutboxMail]) -> list[Written]:
        """Write each mail; a broken template stops no mail but its own, and no helper stops any.

        While a helper still starts, which on a busy machine takes seconds, nobody waits for it.
        """
        if self._count and len(mails) >= FEWEST_TO_SHARE and self._failures < MOST_FAILURES:
            try:
                if self._has_help():
                    return await self._share(mails)
            except Exception as error:  # noqa: BLE001 - it died, or could not even be started
                self._failures += 1
                told = {"error": type(error).__name__, "failures": self._failures}
                _log.warning("no help, mails are written here", **told)
                self.close()
        written, courtesy = [], Yielding()
        for mail in mails:
            written.append(_write(mail, self._from_address, self._renderer))
            await courtesy.let_others_in()
        return written

    @property
    def is_getting_help(self) -> bool:
        """Whether a helper is on its way."""
        return not all(helper.done() for helper in self._starting)

    def close(self) -> None:
        """Send the helpers home, busy or not; they come again when needed."""
        if self._helpers is not None:
            for helper in multiprocessing.active_children():
                helper.kill()  # it has nothing to lose, and may hang
            self._helpers.shutdown(cancel_futures=True)
            self._helpers, self._starting = None, []

    def _has_help(self) -> bool:
        """Whether all helpers are there; call them where none were. Raises what stops them."""
        if self._helpers is None:
            os.environ["PYTHONSAFEPATH"] = "1"  # helpers take no modules from this folder
            self._helpers = ProcessPoolExecutor(
                self._count,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self._from_address,),
            )
            self._called_at = time.monotonic()
            self._starting = [self._helpers.submit(_help, ()) for _ in range(self._count)]
        if self.is_getting_help and time.monotonic() - self._called_at > LONGEST_HELP:
            raise TimeoutError
        return not self.is_getting_help

    async def _share(self, mails: Sequence[OutboxMail]) -> list[Written]:
        assert self._helpers
        size = -(-len(mails) // self._count)
        parts = [mails[start : start + size] for start in range(0, len(mails), size)]
        asked = [asyncio.wrap_future(self._helpers.submit(_help, part)) for part in parts]
        async with asyncio.timeout(LONGEST_HELP):
            shared = await asyncio.gather(*asked)
        return [written for part in shared for written in part]


def _renderer() -> Renderer:
    """One that needs no files any more: an upgrade may take them away for a while."""
    renderer = Renderer()
    renderer.load()
    return renderer


def raw_mail(mail: OutboxMail, from_address: str, renderer: Renderer) -> bytes:
    """Return the bytes of a mail, the same at every call."""
    if mail.template == "raw":
        return b64decode(mail.params["raw"])
    rendered = renderer.render(mail.template, mail.params, mail.message_id)
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


def _write(mail: OutboxMail, from_address: str, renderer: Renderer) -> Written:
    try:
        return raw_mail(mail, from_address, renderer)
    except Exception as error:  # noqa: BLE001 - a bug stops one mail, not the post
        passes = isinstance(error, OSError | MemoryError)
        return Unwritten(in_a_line(error), traceback_of(error), passes)


# -- in a helper -----------------------------------------------------------------------------

_at_hand: tuple[str, Renderer]


def _begin(from_address: str) -> None:
    """Get ready to help. A helper leaves when its server does, whatever the server dies of."""
    global _at_hand
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # meant for the server, who ends us
        signal.signal(name, signal.SIG_IGN)
    threading.Thread(target=_leave_with_server, daemon=True).start()
    _at_hand = from_address, _renderer()


def _leave_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
    os._exit(1)


def _help(mails: Sequence[OutboxMail]) -> list[Written]:
    return [_write(mail, *_at_hand) for mail in mails]
