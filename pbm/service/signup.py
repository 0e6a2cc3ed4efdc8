"""Answers to the question whether somebody wants to play, and under which handle."""

from pbm.commands.auth import is_open
from pbm.commands.limits import strangers_answers_left
from pbm.commands.script import answer_to_welcome, read_script
from pbm.commands.subjects import answer_subject
from pbm.commands.words import lowered
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.service.first_passwords import asked_with, hash_of_first
from pbm.service.handles import check_new_handle, choose_handle
from pbm.service.hearing import Hearing
from pbm.service.invitations import called_off, invited_to, said_no, said_yes, start_if_complete
from pbm.service.new_passwords import within_rate
from pbm.service.obey import obey, tell
from pbm.service.questions import ask_signup
from pbm.service.scripts import problem_answer, run_script
from pbm.service.strangers import help_stranger
from pbm.store.values import Player, Question


def hear_signup(hearing: Hearing, question: Question) -> str:
    """Settle the question of an address that nobody plays from. Returns the outcome."""
    work, address = hearing.work, question.address
    context = hearing.context(None)
    script = hearing.script(context)
    if help_stranger(context, hearing.letters, address, script):
        return "helped a stranger"
    yes, rest = answer_to_welcome(hearing.envelope.said)
    if yes is False:
        return _hear_no(hearing, question)
    wanted = question.params["handle"] if yes else _name_in(rest)
    try:
        if not is_open(question, hearing.now):
            raise Refusal("question-closed")
        if wanted is None:
            raise Refusal("answer-yes")
        check_new_handle(work, wanted)
        if yes:
            kept = asked_with(hearing.house.keyring, question)
        else:
            first = next(iter(script.commands), None)
            kept = hash_of_first(work, hearing.passwords, first, hearing.now)
    except Refusal as refusal:
        return _ask_again(hearing, question, refusal)
    player = work.players.add(wanted, address, hearing.now)
    if kept:
        work.players.set_password(player.id, kept)
        player = work.players.get(player.id)
    work.questions.settle(question, "yes")
    _welcome(hearing, question, player, rest if yes else rest[1:])
    return f"{wanted} signed up"


def hear_again(hearing: Hearing, question: Question, player: Player, *, proven: bool) -> str:
    """Hear a further answer from somebody who has become a player since the question."""
    context = hearing.context(player)
    yes, rest = answer_to_welcome(hearing.envelope.said)
    if yes is None or rest or player.status != "active":
        script = hearing.script(context) if yes is None else read_script("", rest, in_answer=False)
        return obey(hearing, context, script, proven=proven)
    errand = invited_to(hearing, question)
    if errand is None or not is_open(question, hearing.now):
        told = [Answered("signed-up", {"handle": player.handle, "again": True})]
        if question.params["invitation"] and is_open(question, hearing.now):
            told.append(called_off())
        tell(hearing, context, told)
        return f"{player.handle} has signed up already"
    work = hearing.work
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        said_no(hearing, errand, question)
        tell(hearing, context, [Answered("dropped", {"title": "dropped"})])
        return f"{player.handle} turned an invitation down"
    tell(hearing, context, [said_yes(hearing, errand, question, player)])
    start_if_complete(hearing, errand)
    return f"{player.handle} took an invitation"


def _welcome(hearing: Hearing, question: Question, player: Player, rest: tuple[str, ...]) -> None:
    """Greet a new player, do what stands below the yes, and start the game that waits."""
    context = hearing.context(player)
    script = read_script("", rest, in_answer=False)
    context = within_rate(hearing, context, script)
    has_one = player.password_hash is not None
    lapsed = question.password is not None and not has_one
    joined = {"handle": player.handle, "password": has_one, "lapsed": lapsed}
    told: list[Event] = [Answered("signed-up", {"title": "welcome", **joined})]
    errand = invited_to(hearing, question)
    if errand is not None:
        told.append(said_yes(hearing, errand, question, player))
    elif question.params["invitation"]:
        told.append(called_off())
    if script.problem:
        told.append(problem_answer(context, script, script.problem))
    elif script.commands:
        told += run_script(context, script)
    tell(hearing, context, told)
    if errand is not None:
        start_if_complete(hearing, errand)


def _hear_no(hearing: Hearing, question: Question) -> str:
    if is_open(question, hearing.now):
        hearing.work.questions.settle(question, "no")
        errand = invited_to(hearing, question)
        if errand is not None:
            said_no(hearing, errand, question)
    left = strangers_answers_left(hearing.work, question.address, hearing.now)
    if left:
        params = {"sections": [{"section": "goodbye"}], "last": left == 1}
        subject = answer_subject("goodbye")
        hearing.letters.answer_stranger(question.address, subject, params)
    return f"{question.address} does not want to play"


def _ask_again(hearing: Hearing, question: Question, refusal: Refusal) -> str:
    work, address = hearing.work, question.address
    left = strangers_answers_left(work, address, hearing.now)
    if not left:
        return f"nothing: {address} had its answers for today"
    ask_signup(
        work,
        hearing.letters,
        address,
        choose_handle(work, address, None)[0],
        {"code": refusal.code, "params": refusal.params},
        last=left == 1,
        now=hearing.now,
        invitation=question.params["invitation"],
        kept=asked_with(hearing.house.keyring, question),
    )
    return f"asked {address} again: {refusal.code}"


def _name_in(body: tuple[str, ...]) -> str | None:
    """The handle that the first line is, alone or as the `signup` command says it."""
    words = body[0].split() if body else []
    if len(words) > 1 and lowered(words[0]) == "signup":
        words = words[1:2]
    if len(words) != 1 or answer_to_welcome([words[0].strip(".!,")])[0] is not None:
        return None
    return lowered(words[0])
