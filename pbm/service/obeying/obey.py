"""Obeys a player's script, or asks the player to confirm it first."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pbm.commands.language.context import Context
from pbm.commands.script import Script
from pbm.commands.sentences.answers import only_thanks
from pbm.errors import Refusal
from pbm.events import (
    AddressWanted,
    Answered,
    CalledOff,
    Event,
    Forgotten,
    Invited,
    NeedsConfirmation,
    Proposed,
    Reported,
)
from pbm.plain import to_plain
from pbm.play.actions import show_life
from pbm.play.begin import robot_to_begin_with
from pbm.play.limits import LEFT_OUT_NOTICES, is_paused
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.asking import questions
from pbm.service.asking.challenges import ask_challenged, ask_invited, tell_called_off
from pbm.service.obeying.scripts import Rehearsal, problem_answer, refused, rehearse, run_script
from pbm.service.telling.announce import announce_answer, announce_boards, announce_seeks
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.interpret import interpret
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player

_SUSPENDED = Answered("suspended", {"title": "your account"})


def obey(context: Context, script: Script, *, proven: bool, doubt: str = "") -> str:
    """Run a player's script, or ask the player to confirm it. Returns the outcome in words.

    If the sender is not `proven` to be the player, commands need the player's yes. Exceptions are
    commands that only read, and commands with a standing consent. `doubt` names the mail section
    that says why the sender is in doubt.
    """
    player = context.player
    if not proven:
        context = replace(context, turn=replace(context.turn, unproven=True))
    if not player.is_active:
        return f"{player.handle} is suspended{tell(context, [_SUSPENDED])}"
    script = interpret(context, script)
    answer = _answer_if_nothing_runs(context, script)
    if answer is not None:
        outcome, events = answer
        return f"{player.handle}: {outcome}{tell(context, events)}"
    outcome = _obey_interpreted(context, player, script, proven=proven, doubt=doubt)
    return f"{outcome}; {ask_first(context, script.wish, doubt)}" if script.wish else outcome


def _answer_if_nothing_runs(context: Context, script: Script) -> tuple[str, list[Event]] | None:
    if script.answer:
        return f"answered with {script.answer.section}", [script.answer]
    if script.problem:
        return script.problem.code, [problem_answer(context, script, script.problem)]
    if context.turn.notes and script.is_empty:
        return "words held back", []
    number = context.own_hint if not script.commands else None
    if script.commands or (script.comment and number):
        return None
    if only_thanks(script.comment):
        return "only thanks", []
    return "nothing to do", [_no_command_answer(context, script, number)]


def _no_command_answer(context: Context, script: Script, number: int | None) -> Answered:
    missing = context.turn.cause.missing
    told: dict[str, Any] = {"title": "no command found", "number": number, "missing": missing}
    if number is None:
        work, player = context.work, context.player
        playing = work.boards.of_player(player.id, playing=True, most=1)
        turns = work.boards.to_move(player.id)
        told["said"] = questions.shortened(script.comment)
        told["board"] = turns[0] if turns else playing[0].id if playing else None
        told["yours"] = bool(turns)
        told["robot"] = robot_to_begin_with(work, default_game().info.name)
    return Answered("lost", told, number)


def _obey_interpreted(
    context: Context, player: Player, script: Script, *, proven: bool, doubt: str
) -> str:
    """Run an interpreted script, or ask to confirm it. Commands tried too often are refused."""
    refusals = _tried_too_often(context, script)
    outcomes = []
    if refusals:
        script = script.with_one_comment()
        outcomes = [f"{player.handle}: tried too often{tell(context, [*refusals.values()])}"]
        left = {place: item for place, item in enumerate(script.commands) if place not in refusals}
        lost_text = any(script.commands[place].takes_text for place in refusals)
        comment = () if lost_text else script.comment
        script = replace(script, commands=tuple(left.values()), comment=comment)
    if script.commands or not refusals:
        if _must_ask(context, script, proven=proven, doubt=doubt):
            outcomes.append(ask_first(context, script, doubt, proven=proven))
        else:
            outcomes.append(_do(context, player, script))
    return "; ".join(outcomes)


def _do(context: Context, player: Player, script: Script) -> str:
    turn = context.turn
    names = ", ".join(_named(script))
    if _only_reads(script):
        if is_paused(turn.work, player.address, turn.now, unproven=turn.unproven):
            return f"{player.handle} had enough answers, so not done: {names}"
    elif turn.unproven:  # a standing consent covers it
        show_life(turn.work, player)
    events = run_script(context, script)
    if script.aside:
        events = [*events, script.aside]
    told = tell(context, events)
    if not events:
        return f"{player.handle}: the same words again, passed over"
    return f"{player.handle}: {names or 'chat'}{told}"


def _tried_too_often(context: Context, script: Script) -> dict[int, Answered]:
    """Count tries of expensive commands; return refusals of those tried too often, by index."""
    told = dict[int, Answered]()
    for place, command in enumerate(script.commands):
        try:
            if command.tries:
                context.count(command.tries)
        except Refusal as refusal:
            told[place] = refused(command, refusal, context, alone=len(script.commands) == 1)
    return told


def tell(context: Context, events: Sequence[Event]) -> str:
    """Write the mails about events. Return a remark if limits allow no answer, else ""."""
    turn = context.turn
    announce_boards(turn, [*turn.news, *events])
    announce_seeks(turn, events)
    turn.news.clear()
    events = [*events, *_left_out(context, events)]
    if not any(event.for_sender for event in events):
        return ""  # the boards' mails tell the sender everything
    # Read the player again, since a command may have renewed the reply addresses.
    speaker = turn.work.players.get(context.player_id)
    answered = [event for event in events if isinstance(event, Answered)]
    told = announce_answer(turn, speaker, answered)
    for address in speaker.addresses[1:]:
        for item in (item for item in answered if item.to_all):
            params = {"sections": [{"section": item.section, **item.params}], "last": False}
            MailWriter(turn).notice(address, "answer", str(item.params["title"]), params)
    _write_others(turn, speaker, events)
    if told:
        return ""
    codes = [event.params["code"] for event in answered if "code" in event.params]
    refused_as = f"refused as {', '.join(codes)}; " if codes else ""
    return f" ({refused_as}not answered, had enough answers)"


def _write_others(turn: Turn, speaker: Player, events: Sequence[Event]) -> None:
    """Write the questions and notices that events cause, but no answer and no mails of boards."""
    held = [event for event in events if isinstance(event, NeedsConfirmation)]
    if held:
        reasons: list[dict[str, Any]] = []
        for item in held:
            reason = {"section": item.section, **item.params}
            reasons += [reason] if reason not in reasons else []
        lines, last = tuple(item.line for item in held), held[-1]
        questions.ask_errand(turn, speaker, (last.board_id, lines, last.comment), reasons)
    for event in events:
        match event:
            case Invited():
                ask_invited(turn, speaker, event)
            case AddressWanted():
                questions.ask_new_address(turn, speaker, event)
            case Forgotten(address, handle):
                told = "forgotten", "you have left", {"handle": handle}
                MailWriter(turn).notice(address, *told, kind=Kind.FAREWELL)
            case Proposed():
                ask_challenged(turn, event)
            case CalledOff():
                tell_called_off(turn, event)
            case Reported() if turn.site.operator:  # without one, `pbm-admin reports` shows it
                board = turn.work.boards.get(event.about)
                params = {**to_plain(event), "players": [seat.handle for seat in board.seats]}
                subject = f"{event.handle} reports board {event.about}"
                MailWriter(turn).notice(turn.site.operator, "report-operator", subject, params)


def _left_out(context: Context, events: Sequence[Event]) -> list[Answered]:
    """Return notes that words of the mail were left out because they may be secret."""
    turn = context.turn
    if not turn.notes:
        return []
    notes = turn.notes.copy()
    turn.notes.clear()
    whose = (context.player_id, turn.unproven)  # forged mails have a limit of their own
    if not LEFT_OUT_NOTICES.take(turn.work, turn.now, *whose):
        return []
    numbers = [getattr(event, "board_id", None) for event in events]
    number = numbers[-1] if numbers else context.own_hint
    return [replace(note, board_id=number) for note in notes]


def _must_ask(context: Context, script: Script, *, proven: bool, doubt: str) -> bool:
    if is_dangerous(script) or script.guess:
        return True
    if proven or _only_reads(script):
        return False
    return bool(doubt) or not questions.is_consented(context.turn, context.player, script)


def _only_reads(script: Script) -> bool:
    return bool(script.commands) and all(item.reads_only for item in script.commands)


def is_dangerous(script: Script) -> bool:
    """Return whether even a proven sender must confirm the script."""
    return any(command.dangerous for command in script.commands)


def ask_first(context: Context, script: Script, doubt: str = "", *, proven: bool = False) -> str:
    """Ask to confirm a script. Commands that would fail are refused at once."""
    script = script.with_one_comment()
    rehearsal = rehearse(questions.within_rate(context, script), script)
    if not rehearsal.refusals:
        return _ask(context, script, rehearsal, doubt)
    done = [f"{context.player.handle}: refused before asking{tell(context, rehearsal.refusals)}"]
    fit = tuple(command for command, _ in rehearsal.fit)
    script = replace(script, commands=fit, comment=rehearsal.comment)
    if fit and not _must_ask(context, script, proven=proven, doubt=doubt):
        done.append(_do(context, context.player, script))
    elif fit:
        done.append(_ask(context, script, rehearsal, doubt))
    return "; ".join(done)


def _ask(context: Context, script: Script, rehearsal: Rehearsal, doubt: str) -> str:
    turn = context.turn
    reasons = [
        *([dict(script.guess)] if script.guess else []),
        *([{"section": doubt}] if doubt else []),
        *({"section": note.section, **note.params} for note in turn.notes),
        *([{"section": "unplaced", "comment": list(script.unplaced)}] if script.unplaced else []),
    ]
    turn.notes.clear()
    lines = tuple(line for _, line in rehearsal.fit)
    questions.ask_errand(
        turn,
        context.player,
        (rehearsal.board_id, lines, script.comment),
        reasons,
        avoidable=not doubt and not is_dangerous(script) and not script.guess,
        guessed=bool(script.guess),
        password=questions.sealed_for_errand(context, script),
    )
    return f"{context.player.handle}: asked to confirm {', '.join(_named(script)) or 'chat'}"


def _named(script: Script) -> list[str]:
    return [command.words[0] for command in script.commands]
