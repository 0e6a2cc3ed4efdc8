"""Answers to the question whether somebody takes a challenge."""

from dataclasses import replace

from pbm.commands.auth import Answerer, is_open
from pbm.commands.families.accept import CHALLENGE as WORD
from pbm.commands.families.accept import Accept, Reject
from pbm.commands.families.lobby import Decline
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, begins_answer, behind_answer, confirmation, read_script
from pbm.events import Answered
from pbm.service.asking.questions import ask_once_more
from pbm.service.obeying.obey import ask_first, is_dangerous, obey, tell
from pbm.service.obeying.refusals import problem_answer
from pbm.service.obeying.scripts import run_script
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.players import Player

_CLOSED = "challenge-closed"


def hear_challenge(turn: MailTurn, speaker: Answerer, player: Player) -> str:
    """Take a yes or a no, with the words behind it; anything else is obeyed as it stands.

    Returns the outcome for the operator.
    """
    question, context = speaker.question, turn.context(player)
    script = turn.script(context)
    answer = _answer(turn, script)
    if player.status != "active":
        return obey(context, script, proven=speaker.proven)
    challenge = turn.work.challenges.find(question.params["challenge"])
    waits = challenge is not None and player.id in challenge.waiting
    if answer is None and (script.commands or not _is_unsure(turn, script)):
        return obey(context, script, proven=speaker.proven)
    if challenge is None or not (waits and is_open(question, turn.arrived)):
        tell(context, [Answered(_CLOSED, {"title": "too late"})])
        return f"{player.handle}: the challenge waits no longer"
    inviter = challenge.handle_of(challenge.by_id)
    if answer is None:
        ask_once_more(turn, player, question, speaker.token, {"inviter": inviter})
        return f"{player.handle}: neither yes nor no"
    word = (Accept if answer else Reject).words[0]
    command = parse_line(f"{word} {WORD} {inviter}")
    assert isinstance(command, Accept | Reject)
    others = replace(script, commands=()) if script.commands else _behind(turn)
    also = () if is_dangerous(others) else others.commands
    events = run_script(context, Script((command, *also), others.comment))
    if others.problem:
        events.append(problem_answer(context, others, others.problem))
    told = tell(context, events)
    if is_dangerous(others):
        ask_first(context, others)
    after = turn.work.challenges.find(challenge.id)
    if after is None or player.id not in after.waiting:
        turn.work.questions.settle(question, "yes" if answer else "no")
    return f"{player.handle} said {'yes' if answer else 'no'} to a challenge{told}"


def _answer(turn: MailTurn, script: Script) -> bool | None:
    """A yes or a no, as a word of everyday or as a command that says nothing more."""
    if not script.commands:
        return confirmation(turn.envelope.said)[0]
    command = script.commands[0]
    if len(script.commands) > 1 or not isinstance(command, Accept | Reject | Decline):
        return None
    if command.board or getattr(command, "who", None):
        return None
    if getattr(command, "what", None) not in (None, WORD):
        return None
    return isinstance(command, Accept)


def _is_unsure(turn: MailTurn, script: Script) -> bool:
    return begins_answer(turn.envelope.said) or not script.problem


def _behind(turn: MailTurn) -> Script:
    """What stands behind a yes or a no, in its line and below."""
    return turn.held(read_script("", behind_answer(turn.envelope.said), in_answer=False))
