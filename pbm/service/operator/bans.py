"""`pbm-admin ban`: who may send no mail here, and whom that would hit."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from pbm.addresses import address_key, mailbox_key
from pbm.errors import OperatorError, WrongArgumentError
from pbm.mail.address import AddressError, parse_address
from pbm.service.intake.bans import BanList, network_of, whence
from pbm.service.operator.operator_session import OperatorSession, find_player
from pbm.service.operator.players import suspend_player, unsuspend_player
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player, PlayerStatus
from pbm.store.values.queues import Ban

LATELY = timedelta(days=31)
MOST_BANS = 1000  # each process keeps them in memory


@dataclass(frozen=True)
class Hit:
    """Whom a ban would have hit lately."""

    what: str
    players: tuple[str, ...]
    mails: int


def look(session: OperatorSession, what: str) -> Hit:
    """Return which players and how many mails of the last 31 days a ban would hit."""
    with session.look() as work:
        what, now = _name_of(what), session.clock()
        players = work.players.all()
        whose = _player(work, what, players)
        its = whose.addresses if whose else ()
        bans, mails, senders = BanList([Ban(what, now, "", "", its)]), 0, set[str]()
        for sender, peer, network, count in work.inbox.senders_since(now - LATELY):
            if bans.find(sender, whence(peer, network)):
                mails += count
                senders.add(address_key(sender))
        hit = [
            player.handle
            for player in players
            if any(bans.find(it) or address_key(it) in senders for it in player.addresses)
        ]
    return Hit(what, tuple(hit), mails)


def ban(session: OperatorSession, what: str, why: str) -> str:
    """Take no mail from there; return the ban's name. A banned player is suspended, too."""
    with session.act(why) as act:
        what, bans = _name_of(what), act.work.bans.all()
        if any(ban.what == what for ban in bans):
            raise OperatorError(f"{what} is banned already. To lift it: pbm-admin unban {what}")
        if len(bans) >= MOST_BANS:
            raise OperatorError(
                f"There are {MOST_BANS} bans. Lift some; pbm-admin bans lists them."
            )
        player = _player(act.work, what)
        act.work.bans.add(Ban(what, act.now, act.who, act.why), player.id if player else None)
        act.note("banned", player=player, mail_from=None if player else what)
        if player and player.status != PlayerStatus.SUSPENDED:
            suspend_player(act, player)
        return what


def unban(session: OperatorSession, what: str, why: str) -> str:
    """Lift a ban, and with it the suspension of a player."""
    with session.act(why) as act:
        what = _name_of(what)
        if not act.work.bans.drop(what):
            raise OperatorError(f"{what} is not banned. To see who is: pbm-admin bans")
        player = act.work.players.by_handle(what)
        act.note("unbanned", player=player, mail_from=None if player else what)
        if player and player.status == PlayerStatus.SUSPENDED:
            unsuspend_player(act, player)
        return what


def _name_of(what: str) -> str:
    """Return what is banned in the form in which it is kept. Raises OperatorError."""
    if network := network_of(what):
        return str(network)
    if "@" not in what:
        return what.lower()
    try:
        if what.startswith("@"):
            return parse_address(f"x{what}").removeprefix("x")
        return mailbox_key(parse_address(what))
    except AddressError as error:
        raise WrongArgumentError(str(error)) from error


def _player(work: UnitOfWork, what: str, others: Iterable[Player] = ()) -> Player | None:
    """Return the player whose handle it is, or None if it is none. Raises OperatorError.

    Of `others` no address may be in the mailbox that is banned, such as eve+games@example.net.
    """
    if network_of(what):
        return None
    if "@" in what:
        theirs = (it for it in others if what in map(mailbox_key, it.addresses))
        if owner := work.players.by_address(what) or next(theirs, None):
            raise OperatorError(
                f"{what} is an address of {owner.handle}, whose clocks would go on. "
                f"Run: pbm-admin ban {owner.handle}"
            )
        return None
    player = find_player(work, what)
    if player.robot or player.status == PlayerStatus.REMOVED:
        what = "a robot" if player.robot else "removed"
        raise OperatorError(f"{player.handle} is {what}, and sends no mail.")
    return player
