"""Answers to questions: `yes`, `no`, or other words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pbm.commands.auth import Answerer, is_open
from pbm.commands.families.account import NewKey
from pbm.commands.families.leaving import Delete, ExplainStop
from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, begins_answer, behind_answer, confirmation, read_script
from pbm.events import Answered, Event
from pbm.passwords import ConfirmedPassword
from pbm.service.answering.aliases import adopt
from pbm.service.answering.challenge_answers import hear_challenge
from pbm.service.answering.new_address import hear_new_address
from pbm.service.answering.signup import hear_again, hear_signup
from pbm.service.asking.addresses import KIND as NEW_ADDRESS
from pbm.service.asking.challenges import CHALLENGE
from pbm.service.asking.passwords import password_of
from pbm.service.asking.questions import as_shown, ask_once_more
from pbm.service.asking.standing_consent import give_consent
from pbm.service.obeying.obey import obey, tell
from pbm.service.obeying.scripts import run_script
from pbm.service.understanding.interpret import interpret
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.players import Player
from pbm.store.values.questions import PendingCommands, Question

_OF_A_MOVE = ("bare-move", "unclear-move", "no-such-place", "which-move")


def hear_answer(turn: MailTurn, speaker: Answerer) -> str:
    """Settle a question. Returns the outcome for the operator."""
    question, player = speaker.question, speaker.player
    if question.kind == NEW_ADDRESS:
        return hear_new_address(turn, question, speaker.token)
    if player is None:
        return hear_signup(turn, question)
    if question.player_id is None:
        return hear_again(turn, speaker, player)
    if question.kind == CHALLENGE:
        return hear_challenge(turn, speaker, player)
    return _hear_player(turn, speaker, player)


def _hear_player(turn: MailTurn, speaker: Answerer, player: Player) -> str:
    question = speaker.question
    errands = turn.work.questions.open_errands(question.params["errands"])
    context = turn.context(player, errands[-1].board_id if errands else None)
    yes = _answer(turn, context, question, errands)
    if yes is None or player.status != "active":
        return _obey_in_answer(turn, context, speaker, errands)
    if not is_open(question, turn.arrived):
        return _is_closed(context)
    turn.work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        return _drop(turn, context, speaker, errands)
    if question.params.get("way"):
        give_consent(turn, player, question.params["way"])
    return _run_errands(turn, context, question, errands)


def _drop(
    turn: MailTurn, context: Context, speaker: Answerer, errands: Sequence[PendingCommands]
) -> str:
    """Drop what was asked about. A move behind the no answers the board; other words go to nobody,
    which is said."""
    for errand in errands:
        turn.work.questions.settle_errand(errand, "dropped")
    others = turn.held(_behind_answer(turn, context))
    instead = bool(context.hints) and _is_of_a_move(interpret(context, others))
    told = {"lines": _lines_asked(errands), "unread": [] if instead else _as_read(others)}
    tell(context, [Answered("dropped", {"title": "dropped", **told})])
    said_no = f"{context.player.handle} said no"
    return f"{said_no}; {obey(context, others, proven=speaker.proven)}" if instead else said_no


def _is_of_a_move(script: Script) -> bool:
    """Whether a script only moves, or has a line that went wrong as a move."""
    if script.problem:
        return script.problem.code in _OF_A_MOVE
    return bool(script.commands) and all(isinstance(item, PlayMove) for item in script.commands)


def _as_read(script: Script) -> list[str]:
    """The lines of a script, without the secrets in them."""
    commands = [command.line for command in script.commands]
    return [*commands, *([script.problem.line] if script.problem else []), *script.comment]


def _behind_answer(turn: MailTurn, context: Context) -> Script:
    """What stands behind a yes or a no, in its line and below, as an answer to the board."""
    game = context.game_meant
    words = behind_answer(turn.envelope.said)
    return read_script("", words, in_answer=bool(context.hints), game=game)


def _answer(
    turn: MailTurn, context: Context, question: Question, errands: Sequence[PendingCommands]
) -> bool | None:
    """The answer to a question; a clear one, where something dangerous or an address is at stake.

    As long as it is open, `stop` is a no; other commands are no answer.
    """
    commands = turn.script(context).commands
    stops = (
        bool(commands) and isinstance(commands[0], ExplainStop) and is_open(question, turn.arrived)
    )
    if commands and not stops:
        return None
    asked = [item for errand in errands for item in _commands(errand)]
    clearly = any(item.dangerous for item in asked) or question.kind == "alias"
    leaving = bool(asked) and all(isinstance(item, Delete) for item in asked)
    return confirmation(turn.envelope.said, clearly=clearly, leaving=leaving)[0]


def _obey_in_answer(
    turn: MailTurn, context: Context, speaker: Answerer, errands: Sequence[PendingCommands]
) -> str:
    """Other words than yes or no: an open question's token proves the player, as tags do.

    A new key needs no further question where it answers an open one about a reply from
    elsewhere, which offers it.
    """
    question, player = speaker.question, context.player
    script = turn.script(context)
    offered = question.kind == "alias" and is_open(question, turn.arrived)
    if offered and script.commands and all(isinstance(item, NewKey) for item in script.commands):
        tell(context, run_script(context, script))
        return f"{player.handle}: {script.commands[0].words[0]}"
    neither = not script.commands and (begins_answer(turn.envelope.said) or not script.problem)
    if player.status == "active" and neither:
        if not is_open(question, turn.arrived):
            return _is_closed(context)
        ask_once_more(turn, player, question, speaker.token, _asked(question, errands))
        return f"{player.handle}: neither yes nor no"
    return obey(context, script, proven=speaker.proven)


def _asked(question: Question, errands: Sequence[PendingCommands]) -> dict[str, Any]:
    """What a question asks, to be said once more."""
    if question.kind == "alias":
        return {"author": question.params["author"]}
    return {"lines": _lines_asked(errands)}


def _lines_asked(errands: Sequence[PendingCommands]) -> list[str]:
    return [as_shown(line) for errand in errands for line in errand.lines]


def _is_closed(context: Context) -> str:
    tell(context, [Answered("question-closed", {"title": "too late"})])
    return f"{context.player.handle}: the question is closed"


def _run_errands(
    turn: MailTurn, context: Context, question: Question, errands: tuple[PendingCommands, ...]
) -> str:
    events: list[Event] = []
    if question.kind == "alias":
        events += adopt(turn, context.player, question.params["author"])
    for errand in errands:
        turn.work.questions.settle_errand(errand, "done")
        hints = (errand.board_id,) if errand.board_id else ()
        confirmed = ConfirmedPassword(password_of(turn.site.keyring, errand))
        here = replace(turn, passwords=confirmed)
        meant = replace(context, turn=here, hints=hints, mailed=())
        events += run_script(meant, Script(_commands(errand), errand.comment))
    if not events:
        events.append(Answered("nothing-left", {"title": "nothing left to do"}))
    told = tell(context, events)
    return f"{context.player.handle} said yes{told}"


def _commands(errand: PendingCommands) -> tuple[Command, ...]:
    found = (parse_line(line) for line in errand.lines)
    return tuple(item for item in found if isinstance(item, Command))
