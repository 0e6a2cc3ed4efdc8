"""Taking mail in: whether a recipient is ours, and responsibility only after the commit."""

from dataclasses import dataclass, field

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
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN, Caller
from pbm.mail.smtp_in.listener import Rejection
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.keeping import Keeping
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.tag_guess_limit import (
    Signed,
    WrongTag,
    count_wrong,
    refuse_guesser,
    refuse_wrong,
    try_of,
)
from pbm.service.intake.upstream_mta import is_expected
from pbm.service.trouble.masking import traceback_of
from pbm.store.db import UnitOfWork, is_away
from pbm.store.values.players import FIRST_EPOCH

_EPOCHS_LOOKED_AT = 8  # of reply addresses that are not valid any more
_TAG_IS_NOT_OURS = "its tag is none of ours, or of a key that was dropped"
_log = structlog.get_logger("pbm.receive")


@dataclass(frozen=True)
class Named:
    """A recipient as a caller names it."""

    address: str
    sender: str = ""
    caller: Caller = UNKNOWN


@dataclass
class Intake:
    """The door: asked for each recipient, and handed each mail."""

    site: Site
    clock: Clock
    rates: MailRates = field(default_factory=MailRates)

    def accept_recipient(self, work: UnitOfWork, named: Named) -> Rejection | None:
        """Tell whether mail to an address is taken; a refusal is a sentence for people.

        A `WrongTag` is then to be counted, by `count_wrong`.
        """
        recipient = self.site.address.parse(named.address)
        if isinstance(recipient, Unknown):
            return Rejection(550, f"5.1.1 {recipient.reason}")
        if isinstance(recipient, Bounce | PlayerReply | QuestionReply | Probe):
            return self._check_tag(work, recipient, named)
        return None

    def _check_tag(self, work: UnitOfWork, recipient: Signed, named: Named) -> Rejection | None:
        now = self.clock()
        by = try_of(work, recipient, named.sender, named.caller.network)
        if isinstance(recipient, PlayerReply | Bounce):  # a token is drawn by lot, and good once
            closing = not self.site.trusts(named.caller.peer)
            shut_out = refuse_guesser(work, by, now, closing=closing)
            if shut_out is not None:
                return shut_out
        why = self._why_not_known(work, recipient)
        if why and isinstance(recipient, PlayerReply) and self._was_good(work, recipient):
            return self._replaced()  # we gave it away, so it is no guess
        return refuse_wrong(work, by, self._not_valid(recipient, why), now) if why else None

    def count_wrong(self, work: UnitOfWork, wrong: WrongTag) -> None:
        """Count a reply address that is not ours."""
        count_wrong(work, wrong.by, self.clock())

    def look_at(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> Arriving:
        """Look at a mail before it is kept; of a long one in a thread."""
        own_address = self.site.address.plain
        return Arriving.look_at(sender, recipients, raw, caller, own_address=own_address)

    def keep_arrived(self, work: UnitOfWork, mail: Arriving) -> str | Rejection:
        """Keep a mail, as `Keeping` does; return the text of its `250` reply, or its refusal."""
        return Keeping(work, self.site, self.rates, self.clock()).keep(mail)

    def _not_valid(self, recipient: Signed, why: str) -> Rejection:
        bounce = isinstance(recipient, Bounce)
        what = "was never one of ours" if bounce else "is not valid any more"
        what = f"This {'' if bounce else 'reply '}address {what}"
        plain = self.site.address.plain
        return Rejection(550, f"5.1.1 {what}; please write to {plain} instead.", why)

    def _replaced(self) -> Rejection:
        plain = self.site.address.plain
        return Rejection(
            550,
            "5.1.1 This reply address is not valid any more: its player has changed address or "
            f"asked for a new key. Please answer a newer mail of ours, or write to {plain}.",
            "its tag is from before its player changed address or asked for a new key",
        )

    def _was_good(self, work: UnitOfWork, reply: PlayerReply) -> bool:
        """Whether it was that of a player, who has newer ones by now; not for ever so long ago."""
        player = work.players.find(reply.player_id)
        if player is None or not player.addresses:
            return False
        earlier = range(max(FIRST_EPOCH, player.epoch - _EPOCHS_LOOKED_AT), player.epoch)
        verify = self.site.keyring.verify_reply_tag
        return any(
            verify(reply.tag, player.id, epoch, reply.board_id) for epoch in reversed(earlier)
        )

    def _sent(self, bounce: Bounce) -> bool:
        """Whether a mail went out under this address."""
        keyring = self.site.keyring
        return keyring.verify_bounce_tag(bounce.tag, bounce.player_id, bounce.mail)

    def _why_not_known(self, work: UnitOfWork, recipient: Signed) -> str:
        """Why a reply address is not valid, for the operator; empty if it is."""
        if isinstance(recipient, Bounce):
            return "" if self._sent(recipient) else _TAG_IS_NOT_OURS
        if isinstance(recipient, Probe):
            return "" if is_expected(work, recipient, self.clock()) else "no probe is awaited there"
        if isinstance(recipient, QuestionReply):
            return "" if asked_question(work, recipient) else "there is no question of that token"
        epoch = work.players.epoch(recipient.player_id)
        if epoch is None:
            return "there is no such player"
        is_ours = self.site.keyring.verify_reply_tag(
            recipient.tag, recipient.player_id, epoch, recipient.board_id
        )
        return "" if is_ours else _TAG_IS_NOT_OURS


def log_fault(fault: BaseException) -> None:
    """Log why a client was told 451: a database that is away in a line, a bug in full."""
    if isinstance(fault, DBAPIError) and is_away(fault):
        _log.warning("database away, mail is to come again", error=str(fault.orig))
    else:
        _log.error("listener-fault", exception=traceback_of(fault))
