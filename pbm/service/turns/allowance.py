"""Whether a player may be written another answer. Board mails need none of this."""

from pbm.play.limits import is_paused, limit_reached
from pbm.play.subjects import answer_subject
from pbm.play.turn import Turn
from pbm.service.turns.mail_writer import MailWriter
from pbm.store.values.players import Player


def may_answer(turn: Turn, player: Player) -> bool:
    """Whether an answer or a question may be written now; the first one too many says so."""
    work, now, unproven = turn.work, turn.now, turn.unproven
    if is_paused(work, player.address, now, unproven=unproven):
        return False
    limit = limit_reached(work, player, now, unproven=unproven)
    if limit is None:
        return True
    until = (now + limit.within).strftime("%Y-%m-%d %H:%M UTC")
    paused = {
        "section": "paused-unproven" if unproven else "paused",
        "until": until,
        "most": limit.most,
    }
    subject = answer_subject(f"answers paused until {until}")
    MailWriter(turn).answer(player, subject, {"sections": [paused]}, kind=limit.pause)
    return False
