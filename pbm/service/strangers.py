"""Mails from addresses that nobody plays from: the welcome, and nothing that runs."""

from typing import Any

from pbm.commands.account import SignUp
from pbm.commands.context import Context
from pbm.commands.help import Help
from pbm.commands.registry import COMMAND_WORDS
from pbm.commands.script import Script
from pbm.commands.subjects import answer_subject
from pbm.commands.words import refuse_reserved
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.service.announce import strangers_answers_left
from pbm.service.letters import Letters
from pbm.service.questions import ask_signup
from pbm.service.scripts import refused
from pbm.store.db import UnitOfWork

_FALLBACK = "player"
_LONGEST = 16


def answer_stranger(context: Context, letters: Letters, author: str, script: Script) -> str:
    """Welcome an unknown address, or help it. Returns the outcome for the operator."""
    left = strangers_answers_left(context.work, author, context.now)
    if not left:
        return f"nothing: {author} had its answers for today"
    first = script.commands[0] if script.commands else None
    if isinstance(first, Help):
        _answer_help(context, letters, author, first, last=left == 1)
        return "helped a stranger"
    wanted = first.handle if isinstance(first, SignUp) else None
    handle, problem = choose_handle(context.work, author, wanted)
    ask_signup(context.work, letters, author, handle, problem, last=left == 1, now=context.now)
    return f"asked {author} to play as {handle}"


def choose_handle(
    work: UnitOfWork, author: str, wanted: str | None
) -> tuple[str, dict[str, Any] | None]:
    """Return the wanted handle, or another and the refusal that says why."""
    if wanted is None:
        return suggest_handle(work, author), None
    try:
        check_new_handle(work, wanted)
    except Refusal as refusal:
        problem = {"code": refusal.code, "params": refusal.params}
        return suggest_handle(work, wanted), problem
    return wanted, None


def check_new_handle(work: UnitOfWork, handle: str) -> None:
    """Raise Refusal for a handle that cannot be given to a new player."""
    refuse_reserved(handle, COMMAND_WORDS)
    if work.players.by_handle(handle):
        raise Refusal("handle-taken", handle=handle)


def suggest_handle(work: UnitOfWork, address: str) -> str:
    """Make a free handle out of an address."""
    local = address.split("@", 1)[0].split("+", 1)[0].lower()
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in local)
    stem = kept.strip("-_0123456789")[:_LONGEST] or _FALLBACK
    for number in range(1, 10_000):
        handle = stem if number == 1 else f"{stem[: _LONGEST - 4]}{number}"
        try:
            check_new_handle(work, handle)
        except Refusal:
            continue
        return handle
    raise Refusal("handle-taken", handle=stem)


def _answer_help(
    context: Context, letters: Letters, author: str, command: Help, *, last: bool
) -> None:
    try:
        told = [event for event in command.run(context) if isinstance(event, Answered)]
    except Refusal as refusal:
        told = [refused(command, refusal)]
    sections = [{"section": item.section, **item.params} for item in told]
    subject = answer_subject(str(told[0].params["title"]))
    letters.answer_stranger(author, subject, {"sections": sections, "last": last})
