"""Limits for what a `From:` line alone brings to a player, and the digest of what went beyond.

Anybody can write that line. What they cause is a few mails a day, and then one digest.
"""

from collections import Counter
from datetime import timedelta

from pbm.commands.turn import Claim, Turn
from pbm.play.limits import CLAIMED_NOTED, CLAIMED_OF_ALL, CLAIMED_OF_ORIGIN, take_claimed_mail
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.asking import ErrandStatus
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

DIGEST_EVERY = timedelta(days=1)


def may_answer_claim(turn: Turn, claim: Claim, player: Player) -> bool:
    """Count a mail to a player whose sender is not proven; if there were enough, note that."""
    whose = turn.work, player.id, claim.origin, turn.now
    if take_claimed_mail(*whose, known=claim.known):
        return True
    note_unanswered(turn, claim, player)
    return False


def note_unanswered(turn: Turn, claim: Claim, player: Player) -> None:
    """Keep what an unproven mail asked for until the next digest, which may be now."""
    work, now = turn.work, turn.now
    if claim.noted or not CLAIMED_NOTED.take(work, now, player.id):
        return
    claim.noted = True
    work.players.lock(player.id)  # the timer that tells of it takes the same lock
    work.questions.add_errand(player.id, None, claim.asked, (), now, status=ErrandStatus.UNASKED)
    when, about = (now, now + DIGEST_EVERY), str(player.id)
    if work.timers.set(TimerKind.CLAIMS, about, *when, player_id=player.id):
        tell_unanswered(turn, player)


def tell_unanswered(turn: Turn, player: Player) -> bool:
    """Tell a player of unanswered mails in the player's name; return False if there are none."""
    mails = turn.work.questions.take_unasked(player.id)
    if not mails or not player.addresses:
        return False
    asked = Counter(name for names in mails for name in dict.fromkeys(names or ("",)))
    told = {
        "section": "in-your-name",
        "mails": len(mails),
        "asked": [{"name": name, "mails": count} for name, count in asked.most_common()],
        "of_origin": CLAIMED_OF_ORIGIN,
        "of_all": CLAIMED_OF_ALL,
        "strict": player.settings.strict,
    }
    MailWriter(turn).answer(player, [told], kind=Kind.PAUSE_FROM)
    return True
