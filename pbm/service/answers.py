"""Answers to questions: `yes`, `no`, or other words."""

from dataclasses import replace

from pbm.commands.auth import Answerer, Elsewhere
from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, confirmation, read_script
from pbm.commands.subjects import answer_subject
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.service.announce import strangers_answers_left
from pbm.service.hearing import Hearing
from pbm.service.obey import obey, tell
from pbm.service.questions import ASK_ABOUT_ALIAS_EVERY, ask_alias, ask_signup
from pbm.service.scripts import rehearse, run_script
from pbm.service.strangers import check_new_handle, choose_handle
from pbm.store.values import Errand, Player, Question


def hear_answer(hearing: Hearing, speaker: Answerer) -> str:
    """Settle a question. Returns the outcome for the operator."""
    question = speaker.question
    if question.kind == "signup":
        return _hear_signup(hearing, question)
    if speaker.player is None:
        return "a question without its player"
    return _hear_player(hearing, question, speaker.player)


def ask_owner(hearing: Hearing, speaker: Elsewhere) -> str:
    """A reply address was used from somewhere else: nothing runs, its owner is asked."""
    work, owner = hearing.work, speaker.owner
    if owner.status != "active":
        return f"{owner.handle} is suspended"
    if work.questions.asked_player("alias", owner.id, hearing.now - ASK_ABOUT_ALIAS_EVERY):
        return f"{owner.handle} was asked today already"
    context = hearing.context(owner, speaker.board_id)
    script = hearing.script(context)
    lines, board_id = [command.line for command in script.commands], speaker.board_id
    if script.commands:
        rehearsal = rehearse(context, script)
        lines, board_id = list(rehearsal.lines), rehearsal.board_id
    told = [script.problem.line] if script.problem else lines
    errand_id = work.questions.add_errand(
        owner.id, board_id, lines, script.comment, hearing.now, status="elsewhere"
    )
    other = work.players.by_address(speaker.author.lower())
    params = {
        "lines": told,
        "comment": list(script.comment),
        "number": speaker.board_id,
        "other": other.handle if other else None,
    }
    ask_alias(work, hearing.letters, owner, speaker.author, errand_id, params, hearing.now)
    return f"asked {owner.handle} about a reply from {speaker.author}"


def _hear_signup(hearing: Hearing, question: Question) -> str:
    work, address = hearing.work, question.address
    player = work.players.by_address(address.lower())
    if player is not None:
        context = hearing.context(player)
        yes, rest = confirmation(hearing.envelope.said)
        script = read_script("", rest, in_answer=False) if yes else hearing.script(context)
        if yes and not rest:
            tell(
                hearing, context, [Answered("signed-up", {"handle": player.handle, "again": True})]
            )
            return f"{player.handle} said yes again"
        return obey(hearing, context, script, proven=True)
    left = strangers_answers_left(work, address, hearing.now)
    if not left:
        return f"nothing: {address} had its answers for today"
    yes, rest = confirmation(hearing.envelope.said)
    if yes is False:
        work.questions.settle(question, "no")
        hearing.letters.answer_stranger(
            address,
            answer_subject("goodbye"),
            {"sections": [{"section": "goodbye"}], "last": False},
        )
        return f"{address} does not want to play"
    wanted = question.params["handle"] if yes else _name_in(rest)
    open_still = question.answer is None and question.expires_at > hearing.now
    try:
        if wanted is None or not open_still:
            raise Refusal("answer-yes" if open_still else "question-closed")
        check_new_handle(work, wanted)
    except Refusal as refusal:
        handle, _ = choose_handle(work, address, None)
        problem = {"code": refusal.code, "params": refusal.params}
        ask_signup(work, hearing.letters, address, handle, problem, last=left == 1, now=hearing.now)
        return f"asked {address} again: {refusal.code}"
    return _sign_up(hearing, question, wanted, rest if yes else rest[1:])


def _sign_up(hearing: Hearing, question: Question, handle: str, rest: tuple[str, ...]) -> str:
    work = hearing.work
    player = work.players.add(handle, question.address, hearing.now)
    work.questions.settle(question, "yes")
    context = hearing.context(player)
    script = read_script("", rest, in_answer=False)
    welcome: list[Event] = [Answered("signed-up", {"title": "welcome", "handle": handle})]
    if script.commands and not script.problem:
        welcome += run_script(replace(context, comment=script.comment), script)
    tell(hearing, context, welcome)
    return f"{handle} signed up"


def _name_in(body: tuple[str, ...]) -> str | None:
    """The handle that the first line is, alone or as the `signup` command says it."""
    words = body[0].split() if body else []
    if len(words) > 1 and words[0].lower() == "signup":
        words = words[1:2]
    if len(words) != 1:
        return None
    return words[0].lower()


def _hear_player(hearing: Hearing, question: Question, player: Player) -> str:
    errands = hearing.work.questions.open_errands(question.params["errands"])
    board_id = errands[-1].board_id if errands else None
    context = hearing.context(player, board_id)
    yes, _ = confirmation(hearing.envelope.said)
    if yes is None:
        script = hearing.script(context)
        return _obey_in_answer(hearing, context, script)
    if question.answer is not None or question.expires_at <= hearing.now:
        tell(hearing, context, [Answered("question-closed", {"title": "too late"})])
        return f"{player.handle}: the question is closed"
    hearing.work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        for errand in errands:
            hearing.work.questions.settle_errand(errand, "dropped")
        tell(hearing, context, [Answered("dropped", {"title": "dropped"})])
        return f"{player.handle} said no"
    return _run_errands(hearing, context, question, errands)


def _obey_in_answer(hearing: Hearing, context: Context, script: Script) -> str:
    """Other words than yes or no: the token proves the player, even for what is dangerous."""
    if script.commands and all(command.dangerous for command in script.commands):
        tell(hearing, context, run_script(context, script))
        return f"{context.player.handle}: {script.commands[0].words[0]}"
    return obey(hearing, context, script, proven=True)


def _run_errands(
    hearing: Hearing, context: Context, question: Question, errands: tuple[Errand, ...]
) -> str:
    events: list[Event] = []
    if question.kind == "alias":
        events += _adopt(hearing, context.player, question.params["author"])
    for errand in errands:
        hearing.work.questions.settle_errand(errand, "done")
        hints = (errand.board_id,) if errand.board_id else ()
        here = replace(context, hints=hints, answered=None, comment=errand.comment)
        events += run_script(here, Script(_commands(errand), errand.comment))
    if not events:
        events.append(Answered("nothing-left", {"title": "nothing left to do"}))
    tell(hearing, replace(context, comment=()), events)
    return f"{context.player.handle} said yes"


def _commands(errand: Errand) -> tuple[Command, ...]:
    found = (parse_line(line) for line in errand.lines)
    return tuple(item for item in found if isinstance(item, Command))


def _adopt(hearing: Hearing, player: Player, address: str) -> list[Event]:
    """Make the other address one of the player's own, unless somebody else plays from it."""
    if hearing.work.players.by_address(address.lower()):
        return []
    hearing.work.players.add_address(player.id, address, hearing.now)
    return [Answered("address-added", {"title": "address added", "address": address})]
