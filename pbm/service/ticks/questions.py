"""Questions that nobody has answered in time: what waited for the answer is dropped."""

from pbm.mail.address import address_key
from pbm.play.challenges import lapse_challenge
from pbm.service.answering.invitations import tell_it_is_off
from pbm.service.asking.challenges import CHALLENGE, tell_called_off
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.timers import ALL_KEPT
from pbm.store.values.questions import PendingCommands, Question


def lapse(tick: Tick) -> Done | Again:
    """Drop what only this question's answer would have done, and tell who waited for it."""
    question = tick.work.questions.find(tick.timer.question_id or 0)
    if question is None or question.answer is not None:
        return Done("answered")
    wait = tick.waits_for_mail(question.expires_at)
    if wait is not None:
        return wait
    if tick.now < question.expires_at:
        return Again(question.expires_at + ALL_KEPT, "the server was down meanwhile")
    if question.kind == CHALLENGE:
        return _lapse_challenge(tick, question)
    tick.work.questions.forget_password(question)
    dropped = [*_own_commands(tick, question), *_invitation(tick, question)]
    for errand in dropped:
        tick.work.questions.lapse_errand(errand)
    return Done(f"{question.kind} question lapsed, {len(dropped)} dropped with it")


def _lapse_challenge(tick: Tick, question: Question) -> Done:
    challenge = tick.work.challenges.find(question.params["challenge"])
    if challenge is None or question.player_id not in challenge.waiting:
        return Done("answered")
    tell_called_off(tick, lapse_challenge(tick.work, challenge))
    return Done("challenge lapsed")


def _own_commands(tick: Tick, question: Question) -> list[PendingCommands]:
    """The commands that waited for this player's yes, but for those asked about again since."""
    if question.player_id is None:
        return []
    still_asked = tick.work.questions.errands_asked_about(question.player_id, tick.now)
    waiting = [number for number in question.params["errands"] if number not in still_asked]
    return list(tick.work.questions.open_errands(waiting))


def _invitation(tick: Tick, question: Question) -> list[PendingCommands]:
    """The challenge that waited for this answer, unless the same person was asked again since."""
    number = question.params.get("invitation")
    errands = tick.work.questions.open_errands([number]) if number else ()
    key = address_key(question.address)
    if not errands or tick.work.questions.is_invited([key], errands[0].id, tick.now):
        return []
    was_set_in_time = tick.timer.since < question.expires_at  # and not by an upgrade long after
    if was_set_in_time:
        tell_it_is_off(tick, errands[0], question, "unanswered")
    return [errands[0]]
