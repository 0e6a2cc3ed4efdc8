"""Standing consent: a player's yes covers moves of the same origin for a day.

The origin is all that is known of a mail whose `From:` is unproven: that address, the envelope
sender's domain, which must agree with it, and the network. Without a known network there is no
consent. An origin proves nothing: docs/adr/proof.md names the remaining risk.
"""

from hashlib import sha256
from ipaddress import ip_network

from pbm.commands.script import Script
from pbm.mail.address import address_key
from pbm.play.turn import Turn
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import CONSENT_STANDS
from pbm.store.values.players import Player

_NET_BITS = {4: 16, 6: 32}  # a large provider's servers share such a network


def origin_of(turn: Turn) -> str:
    """Return the origin of a turn's mail, as a digest; empty if no consent is possible.

    It is not if there is no mail, if the envelope names another domain than `From:`, or if only our
    own mail server is known.
    """
    if not isinstance(turn, MailTurn):
        return ""
    author, sender = address_key(turn.cause.author), address_key(turn.mail.sender)
    peer = turn.mail.peer
    origin = turn.mail.network or ("" if turn.site.trusts(peer) else peer)
    one, other = (f".{address.rpartition('@')[2]}" for address in (author, sender))
    if not origin or not (one.endswith(other) or other.endswith(one)):
        return ""
    network = ip_network(origin)
    network = network.supernet(new_prefix=_NET_BITS[network.version])
    known = (author, sender.rpartition("@")[2], str(network))
    return sha256("\n".join(known).encode()).hexdigest()[:32]


def give_consent(turn: Turn, player: Player, origin: str) -> None:
    """Store a player's consent; giving it again does not prolong it."""
    over = turn.now - CONSENT_STANDS
    turn.work.consents.give(player, origin, turn.now, over=over)


def is_consented(turn: Turn, player: Player, script: Script) -> bool:
    """Whether a standing consent covers an unproven script.

    It covers moves with their comment, and reading commands; never for a strict player.
    """
    covered = all(command.covered_by_yes or command.reads_only for command in script.commands)
    if not script.commands or not covered or player.settings.strict:
        return False
    origin, since = origin_of(turn), turn.now - CONSENT_STANDS
    return bool(origin) and turn.work.consents.stands(player, origin, since=since)
