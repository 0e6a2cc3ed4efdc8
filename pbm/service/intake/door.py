"""SMTP callbacks: check recipients (RCPT), store mails (DATA) before the reply, log sessions."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.commands.auth import asked_question
from pbm.mail.address import (
    Bounce,
    PlayerReply,
    Probe,
    QuestionReply,
    Unknown,
)
from pbm.mail.reading.limits import is_long
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN, Caller
from pbm.mail.smtp_in.handler import Session
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.keeping import Keeping
from pbm.service.intake.limits import (
    MailRates,
    Signed,
    WrongTag,
    count_wrong,
    refuse_guesser,
    refuse_wrong,
    try_of,
)
from pbm.service.intake.upstream_mta import is_expected
from pbm.service.running.writer import InThread, Writer
from pbm.service.trouble.masking import masked, one_line, traceback_of
from pbm.store.db import Database, UnitOfWork
from pbm.store.sql.driver import is_away
from pbm.store.values.players import FIRST_EPOCH

_EPOCHS_LOOKED_AT = 8  # former reply addresses that are checked
_TAG_IS_NOT_OURS = "its tag is none of ours, or of a key that was dropped"
_log = structlog.get_logger("pbm.receive")
_session_log = structlog.get_logger("pbm.session")
MOST_A_MINUTE = 60  # sessions without mail
_WINDOW = 60.0  # seconds


@dataclass
class Intake:
    """Accepts or refuses recipients and mails within a transaction."""

    site: Site
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def accept_recipient(
        self, work: UnitOfWork, address: str, sender: str = "", caller: Caller = UNKNOWN
    ) -> Rejection | None:
        """The refusal of a recipient, a sentence for people; None if it is accepted.

        The caller must count a `WrongTag` with `count_wrong`.
        """
        recipient = self.site.address.parse(address)
        if isinstance(recipient, Unknown):
            return Rejection(550, f"5.1.1 {recipient.reason}")
        if isinstance(recipient, Bounce | PlayerReply | QuestionReply | Probe):
            return self._check_tag(work, recipient, sender, caller)
        return None

    def _check_tag(
        self, work: UnitOfWork, recipient: Signed, sender: str, caller: Caller
    ) -> Rejection | None:
        now, plain = self.clock(), self.site.address.plain
        by = try_of(work, recipient, sender, caller.network)
        if isinstance(recipient, PlayerReply | Bounce):  # tokens are random and single-use
            shut_out = refuse_guesser(work, by, now, closing=not self.site.trusts(caller.peer))
            if shut_out is not None:
                return shut_out
        why = self._why_not_known(work, recipient)
        if not why:
            return None
        if isinstance(recipient, PlayerReply) and self._was_good(work, recipient):
            return Rejection(  # once ours, so no guess
                550,
                "5.1.1 This reply address is not valid any more: its player has changed address or "
                f"asked for a new key. Please answer a newer mail of ours, or write to {plain}.",
                "its tag is from before its player changed address or asked for a new key",
            )
        what = "This reply address is not valid any more"
        if isinstance(recipient, Bounce):
            what = "This address was never one of ours"
        refusal = Rejection(550, f"5.1.1 {what}; please write to {plain} instead.", why)
        return refuse_wrong(work, by, refusal, now)

    def count_wrong(self, work: UnitOfWork, wrong: WrongTag) -> None:
        """Count an invalid reply address."""
        count_wrong(work, wrong.by, self.clock())

    def look_at(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> Arriving:
        """Read a mail's properties before it is stored; for a long mail, in a thread."""
        own_address = self.site.address.plain
        return Arriving.look_at(sender, recipients, raw, caller, own_address=own_address)

    def keep_arrived(self, work: UnitOfWork, mail: Arriving) -> str | Rejection:
        """Keep a mail; return the text of its `250` reply, or its refusal."""
        return Keeping(work, self.site, self.rates, self.clock()).keep(mail)

    def _was_good(self, work: UnitOfWork, reply: PlayerReply) -> bool:
        """Whether a reply address was valid in one of the player's last epochs."""
        player = work.players.find(reply.player_id)
        if player is None or not player.addresses:
            return False
        earlier = range(max(FIRST_EPOCH, player.epoch - _EPOCHS_LOOKED_AT), player.epoch)
        verify = self.site.keyring.verify_reply_tag
        return any(
            verify(reply.tag, player.id, epoch, reply.board_id) for epoch in reversed(earlier)
        )

    def _why_not_known(self, work: UnitOfWork, recipient: Signed) -> str:
        """Why a reply address is invalid, for the operator; empty if it is valid."""
        keyring = self.site.keyring
        if isinstance(recipient, Bounce):
            was_sent = keyring.verify_bounce_tag(recipient.tag, recipient.player_id, recipient.mail)
            return "" if was_sent else _TAG_IS_NOT_OURS
        if isinstance(recipient, Probe):
            return "" if is_expected(work, recipient, self.clock()) else "no probe is awaited there"
        if isinstance(recipient, QuestionReply):
            return "" if asked_question(work, recipient) else "there is no question of that token"
        epoch = work.players.epoch(recipient.player_id)
        if epoch is None:
            return "there is no such player"
        is_ours = keyring.verify_reply_tag(
            recipient.tag, recipient.player_id, epoch, recipient.board_id
        )
        return "" if is_ours else _TAG_IS_NOT_OURS


class Door:
    """Callbacks of the listener, for each recipient and mail."""

    def __init__(
        self,
        intake: Intake,
        database: Database,
        read_in: InThread,
        writer: Writer,
        look_in_thread: InThread,
    ) -> None:
        """`read_in` runs queries, perhaps in a thread; `look_in_thread` reads long mails."""
        self._intake, self._writer, self._database = intake, writer, database
        self._read_in, self._look_in_thread = read_in, look_in_thread

    async def accept_recipient(self, address: str, sender: str, caller: Caller) -> Rejection | None:
        """The refusal of a recipient, None if it is accepted. Raises DBAPIError."""

        def check() -> Rejection | None:
            with self._database.glance() as work:
                return self._intake.accept_recipient(work, address, sender, caller)

        rejection = await self._read_in(check)
        if isinstance(rejection, WrongTag):
            await self._writer.do(partial(self._intake.count_wrong, wrong=rejection))
        return rejection

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str | Rejection:
        """Keep a mail; return the text of the `250` reply, or the refusal. Raises DBAPIError."""
        look = partial(self._intake.look_at, sender, recipients, raw, caller)
        mail = await self._look_in_thread(look) if is_long(raw) else look()
        return await self._writer.do(partial(self._intake.keep_arrived, mail=mail))


def log_fault(fault: BaseException) -> None:
    """Log the reason of a 451: one line if the database is down, a traceback for a bug."""
    if isinstance(fault, DBAPIError) and is_away(fault):
        _log.warning("database away, mail is to come again", error=str(fault.orig))
    else:
        _log.error("listener-fault", exception=traceback_of(fault))


class SessionLog:
    """Called with each session at its end."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        """`seconds` is a monotonic clock."""
        self._seconds = seconds
        self._since = seconds()
        self._lines = 0
        self._left_out = 0

    def __call__(self, session: Session) -> None:
        """Log or count the session."""
        if session.is_trusted and session.is_uneventful:
            return
        now = self._seconds()
        if now - self._since >= _WINDOW:
            if self._left_out:
                _session_log.warning(
                    "sessions without mail, not told one by one", count=self._left_out
                )
            self._since, self._lines, self._left_out = now, 0, 0
        if not session.kept:
            self._lines += 1
            if self._lines > MOST_A_MINUTE:
                self._left_out += 1
                return
        _session_log.info(
            "session",
            peer=session.peer or "local socket",
            by=session.protocol,
            tls=session.is_encrypted,
            sender=masked(one_line(session.sender)),
            kept=session.kept,
            refused=session.refused,
            outcome="; ".join(masked(one_line(told)) for told in session.told),
            end=session.end,
        )
