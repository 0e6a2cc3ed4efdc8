"""Mails from addresses that nobody plays from: the welcome, and nothing that runs."""

from typing import Any

from pbm.commands.account import SignUp
from pbm.commands.context import Context
from pbm.commands.help import Help
from pbm.commands.limits import strangers_answers_left
from pbm.commands.registry import Problem
from pbm.commands.script import Script, wants_no_mail
from pbm.commands.subjects import answer_subject
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.passwords import PasswordHash
from pbm.service.first_passwords import hash_of_first
from pbm.service.handles import choose_handle
from pbm.service.hearing import Hearing
from pbm.service.letters import Letters
from pbm.service.questions import ask_signup

_WITH_ANOTHER_LEFT = 2


def answer_stranger(hearing: Hearing, author: str) -> str:
    """Welcome an unknown address, or help it. Returns the outcome for the operator."""
    context, letters = hearing.context(None), hearing.letters
    left = strangers_answers_left(context.work, author, context.now)
    if not left:
        return f"nothing: {author} had its answers for today"
    if wants_no_mail(hearing.subject, hearing.envelope.said):
        return say_goodbye(hearing, author)
    script = hearing.script(context)
    if help_stranger(context, letters, author, script):
        return "helped a stranger"
    first = script.commands[0] if script.commands else None
    wanted = first.handle if isinstance(first, SignUp) else None
    handle, problem = choose_handle(context.work, author, wanted)
    problem = problem or _misread_signup(script.problem)
    kept: PasswordHash | None = None
    try:
        kept = hash_of_first(context.work, context.passwords, first, context.now)
    except Refusal as refusal:
        problem = problem or {"code": refusal.code, "params": refusal.params}
    ask_signup(
        context.work,
        letters,
        author,
        handle,
        problem,
        last=left == 1,
        more=isinstance(first, SignUp) and bool(script.commands[1:] or script.comment),
        asked=_asked_for(script),
        now=context.now,
        kept=kept,
    )
    return f"asked {author} to play as {handle}"


def help_stranger(context: Context, letters: Letters, author: str, script: Script) -> bool:
    """Send the help that was asked for; False if none was, or none that there is."""
    first = script.commands[0] if script.commands else None
    left = strangers_answers_left(context.work, author, context.now)
    # The last answer of the day is the welcome: with its question one can still sign up.
    if not isinstance(first, Help) or left < _WITH_ANOTHER_LEFT:
        return False
    try:
        told = [event for event in first.run(context) if isinstance(event, Answered)]
    except Refusal:
        return False
    sections = [{"section": item.section, **item.params} for item in told]
    subject = answer_subject(str(told[0].params["title"]))
    letters.answer_stranger(author, subject, {"sections": sections, "last": False})
    return True


def say_goodbye(hearing: Hearing, address: str) -> str:
    """Take leave of an address that wants no mail. Returns the outcome for the operator."""
    left = strangers_answers_left(hearing.work, address, hearing.now)
    if left:
        params = {"sections": [{"section": "goodbye"}], "last": left == 1}
        hearing.letters.answer_stranger(address, answer_subject("goodbye"), params)
    return f"{address} does not want to play"


def _asked_for(script: Script) -> list[str]:
    """The names of the commands that only a player may give; none of a stranger's own words."""
    if script.commands and isinstance(script.commands[0], SignUp):
        return []  # the welcome speaks of the rest of that mail
    others = (item for item in script.commands if not isinstance(item, Help))
    return list(dict.fromkeys(item.words[0] for item in others))


def _misread_signup(problem: Problem | None) -> dict[str, Any] | None:
    """Why a `signup` could not be read, to be said in the welcome."""
    if problem is None or problem.params.get("command") != SignUp.words[0]:
        return None
    return {"code": problem.code, "params": problem.params}
