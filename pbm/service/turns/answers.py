"""Answers to questions: `yes`, `no`, or other words."""

from dataclasses import replace

from pbm.commands.account import NewKey
from pbm.commands.auth import Answerer, is_open
from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, confirmation
from pbm.events import Answered, Event
from pbm.passwords import ConfirmedPassword
from pbm.service.accounts.addresses import KIND as NEW_ADDRESS
from pbm.service.accounts.addresses import hear_new_address
from pbm.service.accounts.aliases import adopt
from pbm.service.accounts.new_passwords import password_of
from pbm.service.accounts.signup import hear_again, hear_signup
from pbm.service.turns.mail_turn import MailTurn
from pbm.service.turns.obey import obey, tell
from pbm.service.turns.scripts import run_script
from pbm.service.turns.vouching import let_stand
from pbm.store.values import PendingCommands, Player, Question


def hear_answer(turn: MailTurn, speaker: Answerer) -> str:
    """Settle a question. Returns the outcome for the operator."""
    question, player = speaker.question, speaker.player
    if question.kind == NEW_ADDRESS:
        return hear_new_address(turn, question)
    if player is None:
        return hear_signup(turn, question)
    if question.player_id is None:
        return hear_again(turn, question, player, proven=speaker.proven)
    return _hear_player(turn, question, player, proven=speaker.proven)


def _hear_player(turn: MailTurn, question: Question, player: Player, *, proven: bool) -> str:
    errands = turn.work.questions.open_errands(question.params["errands"])
    context = turn.context(player, errands[-1].board_id if errands else None)
    yes, _ = confirmation(turn.envelope.said)
    if yes is None or player.status != "active":
        return _obey_in_answer(turn, context, question, proven=proven)
    if not is_open(question, turn.arrived):
        tell(context, [Answered("question-closed", {"title": "too late"})])
        return f"{player.handle}: the question is closed"
    turn.work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        for errand in errands:
            turn.work.questions.settle_errand(errand, "dropped")
        tell(context, [Answered("dropped", {"title": "dropped"})])
        return f"{player.handle} said no"
    if question.params.get("way"):
        let_stand(turn, player, question.params["way"])
    return _run_errands(turn, context, question, errands)


def _obey_in_answer(turn: MailTurn, context: Context, question: Question, *, proven: bool) -> str:
    """Other words than yes or no: an open question's token proves the player, as tags do.

    A new key needs no further question where it answers an open one about a reply from
    elsewhere, which offers it.
    """
    script = turn.script(context)
    offered = question.kind == "alias" and is_open(question, turn.arrived)
    if offered and script.commands and all(isinstance(item, NewKey) for item in script.commands):
        tell(context, run_script(context, script))
        return f"{context.player.handle}: {script.commands[0].words[0]}"
    active = context.player.status == "active"
    if active and not script.commands and not script.problem:
        tell(context, [Answered("yes-or-no", {"title": "yes or no?"})])
        return f"{context.player.handle}: neither yes nor no"
    return obey(context, script, proven=proven)


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
        meant = replace(context, turn=here, hints=hints, answered=None)
        events += run_script(meant, Script(_commands(errand), errand.comment))
    if not events:
        events.append(Answered("nothing-left", {"title": "nothing left to do"}))
    told = tell(context, events)
    return f"{context.player.handle} said yes{told}"


def _commands(errand: PendingCommands) -> tuple[Command, ...]:
    found = (parse_line(line) for line in errand.lines)
    return tuple(item for item in found if isinstance(item, Command))
