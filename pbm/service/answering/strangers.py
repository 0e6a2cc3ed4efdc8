"""Mails from unknown addresses: the sender is welcomed, and no command runs."""

from pbm.commands.families.account import SignUp
from pbm.commands.families.help import Help
from pbm.commands.families.lobby import Challenge
from pbm.commands.families.seeks import Join, Play, SeekOthers
from pbm.commands.language.context import Context
from pbm.commands.language.words import ME
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, wants_no_mail
from pbm.commands.sentences.intentions import asks_who
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.passwords import PasswordHash
from pbm.play.allowance import has_said_no, strangers_answers_left
from pbm.play.limits import ASIDE
from pbm.play.subjects import answer_subject
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.accounts import choose_handle
from pbm.service.answering.invitations import who_asks
from pbm.service.asking.first_games import FirstGame
from pbm.service.asking.passwords import hash_of_first
from pbm.service.asking.questions import Welcome, ask_signup
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.wishes import page_meant, pairs_meant
from pbm.store.db import UnitOfWork

_WITH_ANOTHER_LEFT = 2
_LONGEST_LINE = 200  # characters of a stored line
_LINES_BELOW = 2  # lines below the command that may ask for something


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
    signs_up = signup_of(script)
    handle, problem = choose_handle(turn.work, author, signs_up.handle if signs_up else None)
    problem = problem or misread_signup(script)
    if not script.commands and asks_who(turn.envelope.said):
        problem = who_asks(None)
    kept: PasswordHash | None = None
    try:
        kept = hash_of_first(turn, signs_up)
    except Refusal as refusal:
        problem = problem or refusal
    first_game = _first_game(turn.work, script)
    others = () if first_game else script.commands[1:]
    page = page_meant(script)
    welcome = Welcome(
        handle,
        problem,
        last=left == 1,
        more=signs_up is not None and bool(others or script.comment),
        asked=() if first_game else _asked_for(script),
        kept=kept,
        help=None if page is None else str(context.help_page(page)["text"]),
        first_game=first_game,
    )
    ask_signup(turn, author, welcome)
    return f"asked {author} to play as {handle}"


def help_stranger(context: Context, author: str, script: Script) -> bool:
    """Send the requested help page. Returns whether there was one."""
    first = script.commands[0] if script.commands else None
    left = _answers_left(context.turn, author)
    # The day's last answer is the welcome, as its question still lets them sign up.
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
    """Say goodbye to an address that wants no mail. Returns the outcome for the operator.

    Only a no to a question is final, as a `From:` line proves nothing.
    """
    left = _answers_left(turn, address)
    if left:
        section = {"section": "goodbye", "for_good": has_said_no(turn.work, address)}
        params = {"sections": [section], "last": left == 1}
        MailWriter(turn).answer_stranger(address, answer_subject("goodbye"), params)
    return f"{address} does not want to play"


def _answers_left(turn: Turn, address: str) -> int:
    """How many answers an address may still get today, including the one to this mail."""
    return strangers_answers_left(turn.work, address, turn.now) + turn.cause.answer_counted


def _asked_for(script: Script) -> list[str]:
    """Names of the script's commands that only players may give."""
    if signup_of(script):
        return []  # the welcome mentions the rest of that mail
    others = (item for item in script.commands if not isinstance(item, Help))
    return list(dict.fromkeys(item.words[0] for item in others))


def _first_game(work: UnitOfWork, script: Script) -> FirstGame | None:
    """The only game that a script asks for, by a command or in words; None if it says more."""
    if not script.commands:
        pairs = pairs_meant(script)
        return FirstGame(default_game().info.name, Play.words[0]) if pairs else None
    below = map(parse_line, script.comment[:_LINES_BELOW])
    others = [item for item in script.commands if not isinstance(item, SignUp)]
    asked = [*others, *(item for item in below if item is not None)]
    first = asked[0] if asked else None
    if isinstance(first, Play) and all(isinstance(item, Play) for item in asked):
        return FirstGame(first.game.info.name, Play.words[0])
    if not isinstance(first, Challenge | Join) or len(asked) > 1 or len(first.line) > _LONGEST_LINE:
        return None
    game, line = first.game.info.name, first.of_its_game(first.line)
    if isinstance(first, SeekOthers | Join):
        return FirstGame(game, line)
    robots = _robots_challenged(work, first)
    return FirstGame(game, line, robots) if robots else None


def _robots_challenged(work: UnitOfWork, challenge: Challenge) -> tuple[str, ...]:
    """The handles of the challenged players if all are robots; otherwise empty."""
    teams = (*challenge.opponents, *(challenge.seats or ()))
    names = {name for team in teams for name in team} - {ME}
    found = [work.players.by_handle(name) for name in sorted(names) if "@" not in name]
    robots = tuple(player.handle for player in found if player is not None and player.robot)
    return robots if len(robots) == len(names) else ()


def signup_of(script: Script) -> SignUp | None:
    """The `signup` at the beginning of a script."""
    first = script.commands[0] if script.commands else None
    return first if isinstance(first, SignUp) else None


def misread_signup(script: Script) -> Refusal | None:
    """The refusal of a malformed `signup`."""
    problem = script.problem
    if problem is None or problem.params.get("command") != SignUp.words[0]:
        return None
    return Refusal(problem.code, **problem.params)
