"""Answers to the welcome: whether to sign up, and under which handle."""

from dataclasses import replace
from typing import Any

from pbm.commands.auth import Answerer, is_open
from pbm.commands.families.seeks import Play, SeekOthers, offered
from pbm.commands.language.words import lowered
from pbm.commands.script import answer_to_welcome, begins_answer, read_script, wants_no_mail
from pbm.commands.sentences.everyday import name_alone, name_given
from pbm.commands.sentences.intentions import asks_who
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.allowance import strangers_answers_left
from pbm.play.begin import robot_to_begin_with
from pbm.rules.registry import default_game
from pbm.service.accounts import check_new_handle, choose_handle, suggest_handle
from pbm.service.answering.invitations import (
    call_off,
    called_off,
    invited_to,
    said_yes,
    start_if_complete,
    who_asks,
)
from pbm.service.answering.strangers import help_stranger, misread_signup, say_goodbye, signup_of
from pbm.service.asking.first_games import FIRST_GAMES, first_game_kept
from pbm.service.asking.passwords import hash_of_first, stored_password, within_rate
from pbm.service.asking.questions import Welcome, ask_once_more, ask_signup, invitation_to
from pbm.service.obeying.obey import ask_first, is_dangerous, obey, tell
from pbm.service.obeying.refusals import problem_answer
from pbm.service.obeying.scripts import run_script
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import Question
from pbm.store.values.players import Player


def settle_signup(turn: MailTurn, question: Question) -> str:
    """Settle the welcome to an unknown address. Returns the outcome."""
    work, address = turn.work, question.address
    script = turn.script(turn.context(None))
    yes, rest = answer_to_welcome(turn.envelope.said)
    first = next(filter(str.strip, turn.envelope.said), "")
    if yes is None and _is_name_offered(turn, question):
        yes, rest = True, ()
    name = name_given(first)  # "No, call me marta" is no no
    if wants_no_mail(turn.subject, ()) or (yes is False and not name):
        return _settle_no(turn, question)
    if help_stranger(turn.context(None), address, script):
        return "helped a stranger"
    signs_up = None if yes else signup_of(script)
    try:
        if not is_open(question, turn.arrived):
            raise Refusal("question-closed")
        if name or not (yes or signs_up):
            misread = misread_signup(script)
            if misread:
                raise misread
            if not name and asks_who(turn.envelope.said):
                raise who_asks(invited_to(turn, question))
            is_answer = begins_answer(turn.envelope.said)
            return _ask_back(turn, question, name or (None if is_answer else name_alone(first)))
        handle = signs_up.handle if signs_up else question.params["handle"]
        check_new_handle(work, handle)
        waits = stored_password(turn.site.keyring, question)
        kept = hash_of_first(turn, signs_up) if signs_up else waits
    except Refusal as refusal:
        return _ask_again(turn, question, refusal)
    player = work.players.add(handle, address, turn.now)
    if kept:
        work.players.set_password(player.id, kept)
        player = work.players.get(player.id)
    work.questions.settle(question, "yes")
    _welcome(turn, question, player, rest[1:] if signs_up else rest)
    return f"{handle} signed up"


def handle_again(turn: MailTurn, speaker: Answerer, player: Player) -> str:
    """Handle a later answer to the welcome, from a player by now."""
    question = speaker.question
    context = turn.context(player)
    script = turn.script(context)
    yes, rest = answer_to_welcome(turn.envelope.said)
    if yes is False and script.commands:
        yes = None  # "stop" and "delete" are a player's commands
    challenge = invited_to(turn, question) if is_open(question, turn.arrived) else None
    if challenge and player.is_active and yes is None and turn.is_unclear(script):
        about = {"inviter": challenge.handle_of(challenge.by_id)}
        ask_once_more(turn, player, question, speaker.token, about)
        return f"{player.handle}: neither yes nor no"
    if yes is None or rest or not player.is_active:
        script = script if yes is None else turn.held(read_script("", rest, in_answer=False))
        return obey(context, script, proven=speaker.proven)
    if challenge is None:
        told = [Answered("signed-up", {"handle": player.handle, "again": True})]
        if question.params["invitation"] and is_open(question, turn.arrived):
            told.append(called_off())
        tell(context, told)
        return f"{player.handle} has signed up already"
    work = turn.work
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        call_off(turn, challenge, question, "turned-down")
        tell(context, [Answered("dropped", {"title": "dropped"})])
        return f"{player.handle} turned an invitation down"
    tell(context, [said_yes(turn, challenge, question, player)])
    start_if_complete(turn, challenge.id)
    return f"{player.handle} took an invitation"


def _welcome(turn: MailTurn, question: Question, player: Player, rest: tuple[str, ...]) -> None:
    """Greet a new player, run the commands below the yes, and start the requested game."""
    context = turn.context(player)
    script = turn.held(read_script("", rest, in_answer=False))
    has_one = player.password_hash is not None
    lapsed = question.password is not None and not has_one
    joined: dict[str, Any] = {"handle": player.handle, "password": has_one, "lapsed": lapsed}
    challenge = invited_to(turn, question)
    asks_more = script.commands or script.problem or challenge is not None
    kept = None if asks_more else first_game_kept(question.params)
    if kept is not None:
        script = kept.script
    told: list[Event] = []
    if challenge is not None:
        told.append(said_yes(turn, challenge, question, player))
    elif question.params["invitation"]:
        told.append(called_off())
    if script.problem:
        told.append(problem_answer(context, script, script.problem))
    elif script.commands and not is_dangerous(script):
        told += run_script(within_rate(context, script), script)
    begins = any(isinstance(command, FIRST_GAMES) for command in script.commands)
    pairs = any(isinstance(command, Play | SeekOthers) for command in script.commands)
    joined["pairs"] = pairs or kept is not None
    joined["robot"] = None if begins else robot_to_begin_with(turn.work, default_game().info.name)
    joined["open"] = offered(context)  # after the commands above
    told.insert(0, Answered("signed-up", {"title": "welcome", **joined}))
    tell(context, told)
    if challenge is not None:
        start_if_complete(turn, challenge.id)
    if is_dangerous(script):
        ask_first(context, script)


def _settle_no(turn: MailTurn, question: Question) -> str:
    """Settle a no for good, even a late one: that address is never asked again."""
    if question.answer is None:
        turn.work.questions.settle(question, "no")
    challenge = invited_to(turn, question)
    if challenge is not None:
        call_off(turn, challenge, question, "turned-down")
    return say_goodbye(turn, question.address)


def _is_name_offered(turn: MailTurn, question: Question) -> bool:
    """Whether a mail says only the offered handle, which is a yes.

    Not if a password waits: a sender without one was told to answer with a name.
    """
    if question.password is not None:
        return False
    words = " ".join(turn.envelope.said).split()
    return [lowered(word.rstrip(".!")) for word in words] == [question.params["handle"]]


def _ask_back(turn: MailTurn, question: Question, name: str | None) -> str:
    """Ask whether a name in the answer was meant; without one, ask again.

    Deletes a waiting password. Raises Refusal.
    """
    if name is None:
        raise Refusal("answer-yes")
    handle = lowered(name)
    check_new_handle(turn.work, handle)
    turn.work.questions.forget_password(question)
    more = bool(read_script("", turn.envelope.said[1:], in_answer=False).commands)
    welcome = Welcome(handle, None, last=False, named=True, more=more)
    return _ask(turn, question, welcome)


def _ask_again(turn: MailTurn, question: Question, refusal: Refusal) -> str:
    """Give the reason, and ask again about this handle, or a free one."""
    handle, taken = choose_handle(turn.work, question.address, question.params["handle"])
    if taken:
        handle = suggest_handle(turn.work, question.address)
    kept = stored_password(turn.site.keyring, question)
    return _ask(turn, question, Welcome(handle, refusal, last=False, kept=kept))


def _ask(turn: MailTurn, question: Question, welcome: Welcome) -> str:
    """Ask again, about the same invitation, if the address may still get answers."""
    left = strangers_answers_left(turn.work, question.address, turn.now)
    if not left:
        return f"nothing: {question.address} had its answers for today"
    challenge = invited_to(turn, question)
    about = {
        "last": left == 1,
        "invitation": question.params["invitation"],
        "invited": invitation_to(challenge) if challenge else None,
        "first_game": first_game_kept(question.params),
    }
    ask_signup(turn, question.address, replace(welcome, **about))
    why = welcome.problem.code if welcome.problem else welcome.handle
    return f"asked {question.address} again: {why}"
