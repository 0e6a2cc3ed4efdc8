"""Asks once more after an answer that is neither yes nor no; a second one gets no answer."""

from typing import Any

from pbm.clock import local_moment
from pbm.commands.sentences.answers import puts_off
from pbm.play.subjects import question_subject
from pbm.service.asking.questions import shortened
from pbm.service.telling.announce import may_answer
from pbm.service.telling.mail_writer import MailWriter, answers_left
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import Question
from pbm.store.values.players import Player

_INVITING = ("signup", "invite")  # kinds of questions


def ask_once_more(
    turn: MailTurn, reader: Player | str, question: Question, token: str, told: dict[str, Any]
) -> str:
    """Ask again after an unclear answer; `told` are parameters of the template.

    Returns what was done, for the operator's log.
    """
    if not takes_unclear(turn, question):
        return "neither yes nor no again, so not answered"
    may = may_answer(turn, reader) if isinstance(reader, Player) else answers_left(turn, reader)
    if not may:
        return "neither yes nor no, but had enough answers"
    section = {"section": "yes-or-no", "asks": question.kind, "said": words_read(turn), **told}
    waits = question.kind in _INVITING and puts_off("\n".join(turn.envelope.said))
    if waits:
        section |= {"section": "put-off", "until": local_moment(question.expires_at, "UTC")}
    subject = question_subject("another day?" if waits else "yes or no?")
    params = {"sections": [section], "last": False}
    MailWriter(turn).question(reader, "answer", subject, params, token)
    return f"{'not now' if waits else 'neither yes nor no'}, so asked once more"


def takes_unclear(turn: MailTurn, question: Question) -> bool:
    """Return whether a question gets its first unclear answer, and note that."""
    if question.params.get("unclear"):
        return False
    turn.work.questions.note_unclear(question)
    return True


def words_read(turn: MailTurn) -> list[str]:
    """Return the sender's words, shortened, for a mail that tells what was read."""
    return [] if turn.withholds_words else shortened([*filter(str.strip, turn.envelope.said)])
