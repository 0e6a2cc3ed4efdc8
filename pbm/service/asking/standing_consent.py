"""A player's yes to a mail stands for a day: moves that come the same way need no further question.

The way is all that is known of a mail whose `From:` nobody has proven: that address, the domain
of the envelope's sender, which must be the same, and the network it comes from. Where nobody knows
that network no yes stands. None of it is a proof: docs/adr/proof.md says what remains.
"""

from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_network

from pbm.commands.script import Script
from pbm.mail.address import address_key
from pbm.play.limits import Rate
from pbm.play.turn import Turn
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.players import Player

STANDS = Rate("yes-stands", 1, timedelta(days=1))  # an empty bucket: a yes was said that day
_NET_BITS = {4: 16, 6: 32}  # a large provider's servers stand side by side


def way_of(turn: Turn) -> str:
    """The way by which a turn's mail came, as a digest.

    Empty where no mail is its cause, where the envelope names another domain than `From:`, or
    where all that is known is that our own mail server brought it: for such a mail no yes stands.
    """
    if not isinstance(turn, MailTurn):
        return ""
    author, sender = address_key(turn.cause.author), address_key(turn.sender)
    network = _part_of_the_net(turn)
    if not (network and _is_of_one_domain(author, sender)):
        return ""
    known = (author, sender.rpartition("@")[2], network)
    return sha256("\n".join(known).encode()).hexdigest()[:32]


def let_stand(turn: Turn, player: Player, way: str) -> None:
    """Let a player's yes stand for what comes this way; a second one makes it no longer."""
    STANDS.take(turn.work, turn.now, player.id, player.epoch, way)


def stands_for(turn: Turn, player: Player, script: Script) -> bool:
    """Whether a yes of the last day stands for a script that nobody has proven.

    It does for moves, their comment, and what only looks; never for a strict player.
    """
    covered = all(command.covered_by_yes or command.reads_only for command in script.commands)
    if not script.commands or not covered or player.settings.strict:
        return False
    way = way_of(turn)
    return bool(way) and STANDS.is_empty(turn.work, turn.now, player.id, player.epoch, way)


def _is_of_one_domain(author: str, sender: str) -> bool:
    """Whether two addresses are of one domain, or of one below the other."""
    one, other = (f".{address.rpartition('@')[2]}" for address in (author, sender))
    return one.endswith(other) or other.endswith(one)


def _part_of_the_net(turn: MailTurn) -> str:
    """The part of the net that a mail comes from, empty where nobody knows it."""
    known = turn.network or ("" if turn.site.trusts(turn.peer) else turn.peer)
    if not known:
        return ""
    network = ip_network(known)
    return str(network.supernet(new_prefix=_NET_BITS[network.version]))
