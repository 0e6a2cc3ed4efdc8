"""The callbacks of the SMTP listener: checks recipients, keeps mails, logs sessions.

A tag is the signature in a reply address. A wrong tag counts against the peer's network. If a
network is over the limit, its recipients are deferred unchecked.

There are two exceptions. If `MAIL FROM` is an address of the player whom the reply address names, a
wrong tag counts only against this player in this network. If an upstream server hides the network,
only a warning is logged.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.addresses import address_key
from pbm.commands.auth import asked_question
from pbm.mail.address import Bounce, PlayerReply, Probe, QuestionReply, Unknown, Unsubscribe
from pbm.mail.reading.limits import LONG
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN, Caller
from pbm.mail.smtp_in.handler import Rejection, Session
from pbm.play.limits import REFUSED, Rate
from pbm.service.intake.bans import Banned, Bans, is_free
from pbm.service.intake.keeping import Intake
from pbm.service.intake.upstream_mta import is_expected
from pbm.service.running.writer import InThread, Writer
from pbm.service.trouble.masking import masked, one_line, traceback_of
from pbm.store.db import Database, UnitOfWork
from pbm.store.sql.driver import is_away
from pbm.store.values.players import FIRST_EPOCH

GUESSES = Rate("guesses", 20, timedelta(hours=1))
_NOBODY = 0
_EPOCHS_LOOKED_AT = 8  # earlier epochs whose reply addresses are recognised
_TAKEN = "2.0.0 taken"
_TAG_IS_NOT_OURS = "its tag is none of ours, or of a key that was dropped"
_WHAT = "4.7.1 Too many addresses that are not valid were tried from where you write; "
_CLOSED = Rejection(421, f"{_WHAT}please try again later.")
_LATER = Rejection(450, f"{_WHAT}please send this mail again later.")
_Signed = PlayerReply | QuestionReply | Probe | Bounce | Unsubscribe
_TAGGED = PlayerReply | Bounce | Unsubscribe
_NETWORKS_OF, _KNOWN_FOR = 20_000, 60  # latest mails, and seconds
MOST_A_MINUTE = 60  # sessions without mail
_WINDOW = 60.0  # seconds
_KEPT = re.compile(r"(?:kept as |, )(i\d{1,12})", re.ASCII)
_log = structlog.get_logger("pbm.receive")
_guesses_log = structlog.get_logger("pbm.guesses")
_session_log = structlog.get_logger("pbm.session")


class Guesser(NamedTuple):
    """Whom a wrong tag in a reply address counts against: a network, a player or both."""

    network: str = ""  # empty if unknown
    player_id: int = _NOBODY  # set if the network is unknown, or `MAIL FROM` fits the player


_UNKNOWN = Guesser()


@dataclass(frozen=True)
class WrongTag(Rejection):
    """The refusal of an invalid reply address, to be counted with `count_wrong`."""

    by: Guesser | None = _UNKNOWN  # None for one that was valid once


def check_recipient(
    work: UnitOfWork,
    site: Site,
    now: datetime,
    address: str,
    sender: str = "",
    caller: Caller = UNKNOWN,
) -> Rejection | None:
    """Return the refusal of a recipient, or None. The caller must count each `WrongTag`."""
    recipient = site.address.parse(address)
    if isinstance(recipient, Unknown):
        return Rejection(550, f"5.1.1 {recipient.reason}")
    if not isinstance(recipient, _Signed):
        return None
    by = _try_of(work, recipient, sender, caller.network)
    is_guessable = isinstance(recipient, _TAGGED)  # tokens are random and single-use
    if is_guessable and by.network and GUESSES.is_empty(work, now, *by):
        return _LATER if site.trusts(caller.peer) else _CLOSED  # keep a trusted peer's connection
    why = _why_not_known(work, site, now, recipient)
    if not why:
        return None
    if isinstance(recipient, PlayerReply) and _was_good(work, site, recipient):
        outdated = (
            550,
            "5.1.1 This reply address is not valid any more: its player has changed address or "
            f"asked for a new key. Please answer a newer mail of ours, or write to "
            f"{site.address.plain}.",
            "its tag is from before its player changed address or asked for a new key",
        )
        is_noted = _is_noted(work, now, sender, "old")
        return WrongTag(*outdated, by=None) if is_noted else Rejection(*outdated)
    what = "This reply address is not valid any more"
    if isinstance(recipient, Bounce):
        what = "This address was never one of ours"
    refusal = 550, f"5.1.1 {what}; please write to {site.address.plain} instead.", why
    if by.player_id and not by.network and work.players.epoch(by.player_id) is None:
        by = _UNKNOWN
    return Rejection(*refusal) if GUESSES.is_empty(work, now, *by) else WrongTag(*refusal, by)


def count_wrong(work: UnitOfWork, by: Guesser | None, now: datetime, sender: str = "") -> None:
    """Count a wrong tag, and note for `pbm-admin trace` that a player's mail was refused."""
    why = "wrong" if by else "old"
    if _is_noted(work, now, sender, why):
        REFUSED.take(work, now, address_key(sender), why, wait=False)
    if by and GUESSES.take(work, now, *by, wait=False) and GUESSES.is_empty(work, now, *by):
        _guesses_log.warning(
            "many reply addresses that are not ours",
            network=by.network or "unknown",
            player=by.player_id or "none",
        )


def _is_noted(work: UnitOfWork, now: datetime, sender: str, why: str) -> bool:
    """Return whether a refusal is noted: a player's, who has had few such for a week."""
    if not sender or work.players.by_address(sender) is None:
        return False
    return not REFUSED.is_empty(work, now, address_key(sender), why)


def _try_of(work: UnitOfWork, recipient: _Signed, sender: str, network: str) -> Guesser:
    tagged = recipient.player_id if isinstance(recipient, _TAGGED) else _NOBODY
    if network and tagged and isinstance(recipient, PlayerReply):  # a bounce has no sender
        player = work.players.by_address(sender) if sender else None
        if player is None or player.id != tagged:
            tagged = _NOBODY
    return Guesser(network, tagged)


def _was_good(work: UnitOfWork, site: Site, reply: PlayerReply) -> bool:
    """Return whether a reply address was valid until the player wanted new reply addresses."""
    player = work.players.find(reply.player_id)
    if player is None or not player.addresses:
        return False
    earlier = range(max(FIRST_EPOCH, player.epoch - _EPOCHS_LOOKED_AT), player.epoch)
    verify = site.keyring.verify_reply_tag
    return any(verify(reply.tag, player.id, epoch, reply.board_id) for epoch in reversed(earlier))


def _why_not_known(work: UnitOfWork, site: Site, now: datetime, recipient: _Signed) -> str:
    """Return why a reply address is invalid, in words for the operator; empty if it is valid."""
    keyring = site.keyring
    match recipient:
        case Bounce(player_id, name, tag):
            return "" if keyring.verify_bounce_tag(tag, player_id, name) else _TAG_IS_NOT_OURS
        case Unsubscribe(player_id, what, tag):
            is_ours = keyring.verify_unsubscribe_tag(tag, player_id, what)
            return "" if is_ours else _TAG_IS_NOT_OURS
        case Probe():
            return "" if is_expected(work, recipient, now) else "no probe is awaited there"
        case QuestionReply():
            known = asked_question(work, recipient)
            return "" if known else "there is no question of that token"
        case PlayerReply(player_id, board_id, tag):
            epoch = work.players.epoch(player_id)
            if epoch is None:
                return "there is no such player"
            is_ours = keyring.verify_reply_tag(tag, player_id, epoch, board_id)
            return "" if is_ours else _TAG_IS_NOT_OURS


@dataclass
class Door:
    """Callbacks of the SMTP listener, which may raise DBAPIError."""

    intake: Intake
    database: Database
    read_in: InThread  # for queries
    writer: Writer
    look_in_thread: InThread  # for long mails
    _bans: Bans = field(default_factory=Bans)
    _networks: frozenset[str] = frozenset()
    _known_until: float = 0.0

    async def is_known(self, network: str) -> bool:
        """Return whether players have answered us from a network, as of a minute ago."""
        if time.monotonic() >= self._known_until:
            self._known_until = time.monotonic() + _KNOWN_FOR
            self._networks = await self.read_in(self._networks_of_players)
        return network in self._networks

    def _networks_of_players(self) -> frozenset[str]:
        begin = self.intake.site.address.before_detail
        with self.database.glance() as work:
            return work.inbox.networks_of((f"{begin}g", f"{begin}u"), _NETWORKS_OF)

    async def accept_recipient(self, address: str, sender: str, caller: Caller) -> Rejection | None:
        def check() -> Rejection | None:
            with self.database.glance() as work:
                site, now = self.intake.site, self.intake.clock()
                self._bans.read(work, now)
                banned = None
                if not site.trusts(caller.peer):  # of such a peer `keep` drops it
                    banned = self._bans.refusal(site, [address], caller, sender)
                return banned or check_recipient(work, site, now, address, sender, caller)

        rejection = await self.read_in(check)
        if isinstance(rejection, Banned):
            await self._note_banned(rejection, sender)
        if isinstance(rejection, WrongTag):
            now, note = self.intake.clock(), partial(count_wrong, by=rejection.by, sender=sender)
            await self.writer.do(partial(note, now=now))
        return rejection

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str | Rejection:
        look = partial(self.intake.look_at, sender, recipients, raw, caller)
        mail = await self.look_in_thread(look) if len(raw) > LONG else look()
        site = self.intake.site
        if banned := self._bans.refusal(site, recipients, caller, mail.author, sender):
            await self._note_banned(banned, mail.author)
            if not site.trusts(caller.peer):
                return banned
            # It would send the refusal to the sender, whom somebody may have forged.
            mail = replace(mail, recipients=tuple(it for it in recipients if is_free(site, it)))
            if not mail.recipients:
                return _TAKEN
        _log.debug("mail received", peer=caller.peer, bytes=len(raw))
        reply = await self.writer.do(partial(self.intake.keep_arrived, mail=mail))
        _log.debug("mail kept", **_names_in(str(reply)), reply=str(reply))
        return reply

    async def _note_banned(self, rejection: Banned, sender: str) -> None:
        """Note for `pbm-admin trace` that a mail was refused, but not each of many."""
        if self._bans.is_noted(rejection.what):
            return
        now = self.intake.clock()

        def note(work: UnitOfWork) -> None:
            is_players = bool(sender) and work.players.by_address(sender) is not None
            whose = address_key(sender) if is_players else rejection.what
            REFUSED.take(work, now, whose, "banned", wait=False)

        _log.info("mail refused", sender=masked(one_line(sender)), ban=rejection.what)
        await self.writer.do(note)


def log_fault(fault: BaseException) -> None:
    """Log the cause of a 451 reply: one line if the database is down, a traceback for a bug."""
    if isinstance(fault, DBAPIError) and is_away(fault):
        _log.warning("database away, mail is to come again", error=str(fault.orig))
    else:
        _log.error("listener-fault", exception=traceback_of(fault))


def _names_in(reply: str) -> dict[str, str]:
    """Return the field of a log line with the numbers of the mails that a reply says are kept."""
    found = _KEPT.findall(reply)
    return {"in": ",".join(found)} if found else {}


class SessionLog:
    """Logs SMTP sessions at their end; sessions without a mail are logged at a limited rate."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._since = seconds()
        self._lines = 0
        self._left_out = 0

    def __call__(self, session: Session) -> None:
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
            **_names_in("; ".join(session.told)),
        )
