"""Answers to the question whether somebody wants to play, and under which handle."""

from pbm.commands.auth import is_open
from pbm.commands.everyday import is_everyday
from pbm.commands.script import answer_to_welcome, read_script, wants_no_mail
from pbm.commands.words import lowered
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.limits import strangers_answers_left
from pbm.service.accounts.first_passwords import asked_with, hash_of_first
from pbm.service.accounts.handles import check_new_handle, choose_handle
from pbm.service.accounts.new_passwords import within_rate
from pbm.service.turns.invitations import (
    called_off,
    invited_to,
    said_no,
    said_yes,
    start_if_complete,
)
from pbm.service.turns.mail_turn import MailTurn
from pbm.service.turns.obey import ask_first, is_dangerous, obey, tell
from pbm.service.turns.questions import Welcome, ask_signup
from pbm.service.turns.scripts import problem_answer, run_script
from pbm.service.turns.strangers import help_stranger, say_goodbye
from pbm.store.values import Player, Question

_NO_NAME_ENDS = (",", "!", "?", ":")  # somebody is spoken to, or asked


def hear_signup(turn: MailTurn, question: Question) -> str:
    """Settle the question of an address that nobody plays from. Returns the outcome."""
    work, address = turn.work, question.address
    context = turn.context(None)
    script = turn.script(context)
    yes, rest = answer_to_welcome(turn.envelope.said)
    if yes is False or wants_no_mail(turn.subject, ()):
        return _hear_no(turn, question)
    if help_stranger(context, address, script):
        return "helped a stranger"
    wanted = question.params["handle"] if yes else _name_in(rest)
    try:
        if not is_open(question, turn.arrived):
            raise Refusal("question-closed")
        if wanted is None:
            raise Refusal("answer-yes")
        check_new_handle(work, wanted)
        if not yes and _are_words(rest[1:]):
            raise Refusal("perhaps-a-name", handle=wanted)
        if yes:
            kept = asked_with(turn.site.keyring, question)
        else:
            first = next(iter(script.commands), None)
            kept = hash_of_first(turn, first)
    except Refusal as refusal:
        return _ask_again(turn, question, refusal, wanted)
    player = work.players.add(wanted, address, turn.now)
    if kept:
        work.players.set_password(player.id, kept)
        player = work.players.get(player.id)
    work.questions.settle(question, "yes")
    _welcome(turn, question, player, rest if yes else rest[1:])
    return f"{wanted} signed up"


def hear_again(turn: MailTurn, question: Question, player: Player, *, proven: bool) -> str:
    """Hear a further answer from somebody who has become a player since the question."""
    context = turn.context(player)
    script = turn.script(context)
    yes, rest = answer_to_welcome(turn.envelope.said)
    if yes is False and script.commands:
        yes = None  # "stop" and "delete" are a player's commands
    if yes is None or rest or player.status != "active":
        script = script if yes is None else turn.held(read_script("", rest, in_answer=False))
        return obey(context, script, proven=proven)
    errand = invited_to(turn, question)
    if errand is None or not is_open(question, turn.arrived):
        told = [Answered("signed-up", {"handle": player.handle, "again": True})]
        if question.params["invitation"] and is_open(question, turn.arrived):
            told.append(called_off())
        tell(context, told)
        return f"{player.handle} has signed up already"
    work = turn.work
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        said_no(turn, errand, question)
        tell(context, [Answered("dropped", {"title": "dropped"})])
        return f"{player.handle} turned an invitation down"
    tell(context, [said_yes(turn, errand, question, player)])
    start_if_complete(turn, errand)
    return f"{player.handle} took an invitation"


def _welcome(turn: MailTurn, question: Question, player: Player, rest: tuple[str, ...]) -> None:
    """Greet a new player, do what stands below the yes, and start the game that waits."""
    context = turn.context(player)
    script = turn.held(read_script("", rest, in_answer=False))
    has_one = player.password_hash is not None
    lapsed = question.password is not None and not has_one
    joined = {"handle": player.handle, "password": has_one, "lapsed": lapsed}
    told: list[Event] = [Answered("signed-up", {"title": "welcome", **joined})]
    errand = invited_to(turn, question)
    if errand is not None:
        told.append(said_yes(turn, errand, question, player))
    elif question.params["invitation"]:
        told.append(called_off())
    if script.problem:
        told.append(problem_answer(context, script, script.problem))
    elif script.commands and not is_dangerous(script):
        told += run_script(within_rate(context, script), script)
    tell(context, told)
    if errand is not None:
        start_if_complete(turn, errand)
    if is_dangerous(script):
        ask_first(context, script)


def _hear_no(turn: MailTurn, question: Question) -> str:
    """Settle it for ever, however late: nobody else makes us write to that address again."""
    if question.answer is None:
        turn.work.questions.settle(question, "no")
    errand = invited_to(turn, question)
    if errand is not None:
        said_no(turn, errand, question)
    return say_goodbye(turn, question.address)


def _ask_again(turn: MailTurn, question: Question, refusal: Refusal, wanted: str | None) -> str:
    work, address = turn.work, question.address
    left = strangers_answers_left(work, address, turn.now)
    if not left:
        return f"nothing: {address} had its answers for today"
    wished = wanted if refusal.code == "perhaps-a-name" else None
    welcome = Welcome(
        choose_handle(work, address, wished)[0],
        {"code": refusal.code, "params": refusal.params},
        last=left == 1,
        invitation=question.params["invitation"],
        kept=asked_with(turn.site.keyring, question),
    )
    ask_signup(turn, address, welcome)
    return f"asked {address} again: {refusal.code}"


def _name_in(body: tuple[str, ...]) -> str | None:
    """The handle that the first line is, alone or as the `signup` command says it."""
    words = body[0].split() if body else []
    if len(words) > 1 and lowered(words[0]) == "signup":
        words = words[1:2]
    if len(words) != 1:
        return None
    if words[0].endswith(_NO_NAME_ENDS) or is_everyday(lowered(words[0].rstrip("."))):
        return None
    return lowered(words[0])


def _are_words(below: tuple[str, ...]) -> bool:
    """Whether there is more than commands below what may be a name: then it may be none."""
    script = read_script("", below, in_answer=False)
    return bool(script.comment or script.problem) and not script.commands
