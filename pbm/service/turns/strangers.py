"""Mails from addresses that nobody plays from: the welcome, and nothing that runs."""

from typing import Any

from pbm.commands.account import SignUp
from pbm.commands.context import Context
from pbm.commands.help import Help
from pbm.commands.lobby import Challenge
from pbm.commands.registry import Problem
from pbm.commands.script import Script, wants_no_mail
from pbm.commands.seeks import Play
from pbm.commands.words import ME
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.passwords import PasswordHash
from pbm.play.limits import ASIDE, has_said_no, strangers_answers_left
from pbm.play.subjects import answer_subject
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.accounts.first_passwords import hash_of_first
from pbm.service.accounts.handles import choose_handle
from pbm.service.turns.intentions import page_meant, pairs_meant, seat_meant
from pbm.service.turns.mail_turn import MailTurn
from pbm.service.turns.mail_writer import MailWriter
from pbm.service.turns.questions import Welcome, ask_signup
from pbm.service.turns.wishes import Wish
from pbm.store.db import UnitOfWork

_WITH_ANOTHER_LEFT = 2
_LONGEST_WISH = 200  # characters of a line that is kept


def answer_stranger(turn: MailTurn, author: str) -> str:
    """Welcome an unknown address, or help it. Returns the outcome for the operator."""
    context = turn.context(None)
    left = _answers_left(turn, author)
    if not left:
        return f"nothing: {author} had its answers for today"
    if not turn.cause.answer_counted and not ASIDE.take(turn.work, turn.now):
        return f"nothing: {author} is a stranger, and no answer to strangers is left"
    if wants_no_mail(turn.subject, turn.envelope.said):
        return say_goodbye(turn, author)
    script = turn.script(context)
    if help_stranger(context, author, script):
        return "helped a stranger"
    first = script.commands[0] if script.commands else None
    wanted = first.handle if isinstance(first, SignUp) else None
    handle, problem = choose_handle(turn.work, author, wanted)
    problem = problem or _misread_signup(script.problem)
    kept: PasswordHash | None = None
    try:
        kept = hash_of_first(turn, first)
    except Refusal as refusal:
        problem = problem or {"code": refusal.code, "params": refusal.params}
    wish = _wish(turn.work, script)
    others = () if wish else script.commands[1:]
    welcome = Welcome(
        handle,
        problem,
        last=left == 1,
        more=isinstance(first, SignUp) and bool(others or script.comment),
        asked=() if wish else _asked_for(script),
        kept=kept,
        help=_page_meant(context, script),
        wish=wish,
    )
    ask_signup(turn, author, welcome)
    return f"asked {author} to play as {handle}"


def help_stranger(context: Context, author: str, script: Script) -> bool:
    """Send the help that was asked for; False if none was, or none that there is."""
    first = script.commands[0] if script.commands else None
    left = _answers_left(context.turn, author)
    # The last answer of the day is the welcome: with its question one can still sign up.
    if not isinstance(first, Help) or left < _WITH_ANOTHER_LEFT:
        return False
    try:
        told = [event for event in first.run(context) if isinstance(event, Answered)]
    except Refusal:
        return False
    sections = [{"section": item.section, **item.params} for item in told]
    subject = answer_subject(str(told[0].params["title"]))
    MailWriter(context.turn).answer_stranger(author, subject, {"sections": sections, "last": False})
    return True


def say_goodbye(turn: Turn, address: str) -> str:
    """Take leave of an address that wants no mail. Returns the outcome for the operator.

    A no to a question of ours holds for good; a `From:` alone does not tell who wants it.
    """
    left = _answers_left(turn, address)
    if left:
        section = {"section": "goodbye", "for_good": has_said_no(turn.work, address)}
        params = {"sections": [section], "last": left == 1}
        MailWriter(turn).answer_stranger(address, answer_subject("goodbye"), params)
    return f"{address} does not want to play"


def _answers_left(turn: Turn, address: str) -> int:
    """How many answers an address may still get today, with the one that is counted already."""
    return strangers_answers_left(turn.work, address, turn.now) + turn.cause.answer_counted


def _asked_for(script: Script) -> list[str]:
    """The names of the commands that only a player may give; none of a stranger's own words."""
    if script.commands and isinstance(script.commands[0], SignUp):
        return []  # the welcome speaks of the rest of that mail
    others = (item for item in script.commands if not isinstance(item, Help))
    return list(dict.fromkeys(item.words[0] for item in others))


def _wish(work: UnitOfWork, script: Script) -> Wish | None:
    """The one game that a script asks for, if it asks for nothing else that only a player may."""
    pairs = pairs_meant(script)
    if pairs:
        return Wish(pairs, Play.words[0])
    seat = seat_meant(script)
    if seat:
        return Wish(default_game().info.name, seat)
    asked = [item for item in script.commands if not isinstance(item, SignUp)]
    first = asked[0] if len(asked) == 1 else None
    if not isinstance(first, Challenge) or len(first.line) > _LONGEST_WISH:
        return None
    names = {name for team in (*first.opponents, *(first.seats or ())) for name in team} - {ME}
    found = [work.players.by_handle(name) for name in sorted(names) if "@" not in name]
    robots = [player.handle for player in found if player is not None and player.robot]
    if not robots or len(robots) < len(names):
        return None
    return Wish(first.game.info.name, first.line, tuple(robots))


def _page_meant(context: Context, script: Script) -> str | None:
    """The text of the help page that a stranger asks for in plain words."""
    subject = page_meant(script)
    return None if subject is None else str(context.help_page(subject)["text"])


def _misread_signup(problem: Problem | None) -> dict[str, Any] | None:
    """Why a `signup` could not be read, to be said in the welcome."""
    if problem is None or problem.params.get("command") != SignUp.words[0]:
        return None
    return {"code": problem.code, "params": problem.params}
