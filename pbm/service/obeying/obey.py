"""Obeys a player's script, or asks the player to confirm it first."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import structlog

from pbm.commands.families.account import Delete, NewKey
from pbm.commands.families.status import card
from pbm.commands.families.watch import covering
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command, Danger
from pbm.commands.script import Script
from pbm.commands.sentences.answers import only_thanks
from pbm.commands.sentences.asked import Aim
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import (
    AddressWanted,
    Answered,
    CalledOff,
    Event,
    Forgotten,
    Invited,
    Messaged,
    NeedsConfirmation,
    Proposed,
    Reported,
    on_boards,
)
from pbm.events.board import SeatTakenOver, SubstituteAsked
from pbm.plain import to_plain
from pbm.play.actions import show_life
from pbm.play.begin import robot_to_begin_with
from pbm.play.limits import LEFT_OUT_NOTICES, MOST_ALONE, is_paused
from pbm.rules.registry import default_game
from pbm.service.asking import questions
from pbm.service.asking.challenges import (
    ask_challenged,
    ask_guest,
    ask_invited,
    tell_called_off,
)
from pbm.service.obeying.scripts import (
    Rehearsal,
    giving_back,
    problem_answer,
    refused,
    rehearse,
    run_script,
)
from pbm.service.telling.announce import (
    announce_answer,
    announce_boards,
    announce_seeks,
    answers_stop,
    tell_leaver,
)
from pbm.service.telling.claims import note_unanswered
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.interpret import interpret
from pbm.service.understanding.mail_turn import Reading
from pbm.store.values.mails import Kind, named
from pbm.store.values.players import Player

_FORGED = "enough mails came in their name"  # in the log
_log = structlog.get_logger("pbm.turn")
_SUSPENDED = Answered("suspended", {})


def obey(context: Context, script: Script, *, proven: bool, doubt: str = "") -> str:
    """Run a player's script, or ask the player to confirm it. Returns the outcome in words.

    If the sender is not `proven` to be the player, commands need the player's yes. Exceptions are
    commands that only read, and commands with a standing consent. `doubt` names the mail section
    that says why the sender is in doubt.
    """
    player = context.player
    if not proven:
        claim = questions.claim_of(context.turn, player, script)
        context = replace(context, turn=replace(context.turn, claim=claim))
    if not player.is_active:
        return f"{player.handle} is suspended{tell(context, [_SUSPENDED])}"
    meant = interpret(context, script)
    board, names = next(iter(context.hints), None), _names(meant.commands)
    told = named(context.turn.cause.inbox_id, board=board, player=player.handle, means=names)
    _log.debug("mail understood", **told)
    if not proven and _goes_unanswered(context, meant):
        return f"{player.handle}: {_FORGED}, so neither asked nor done: {_names(meant.commands)}"
    answer = _answer_if_nothing_runs(context, meant)
    if answer is not None:
        outcome, events = answer
        return f"{player.handle}: {outcome}{tell(context, events)}"
    outcome = _obey_interpreted(context, meant, proven=proven, doubt=doubt)
    return f"{outcome}; {ask_first(context, meant.wish, doubt)}" if meant.wish else outcome


def _goes_unanswered(context: Context, meant: Reading) -> bool:
    """Return whether an unproven mail can have no effect, since its player had enough of them."""
    turn, player = context.turn, context.player
    if turn.claim is None or not answers_stop(turn, player):
        return False
    if questions.is_consented(turn, player, meant.commands) and not _only_reads(meant):
        return False
    note_unanswered(turn, turn.claim, player)
    return True


def _answer_if_nothing_runs(context: Context, meant: Reading) -> tuple[str, list[Event]] | None:
    if meant.answer:
        section, told = meant.answer.section, meant.answer.params
        if section == "bare-yes" and not meant.answer.board_id:
            told = {**told, "open": questions.open_questions(context.turn, context.player)}
        return f"answered with {section}", [replace(meant.answer, params=told)]
    if meant.problem:
        return meant.problem.code, [problem_answer(context, meant.problem, meant.comment)]
    if context.turn.notes and not (meant.commands or meant.comment):
        return "words held back", []
    number = context.own_hint if not meant.commands else None
    if meant.commands or (meant.comment and number):
        return None
    if only_thanks(meant.comment):
        return "only thanks", []
    return "nothing to do", [_no_command_answer(context, meant, number)]


def _no_command_answer(context: Context, meant: Reading, number: int | None) -> Answered:
    told: dict[str, Any] = {"number": number, "missing": context.turn.cause.missing}
    if number is None and covering(context):
        told["watches"] = next(iter(context.hints), None)
        told["said"] = questions.shortened(meant.comment)
        return Answered("lost", told, told["watches"])
    if number is None:
        work, player = context.work, context.player
        playing = work.boards.of_player(player.id, playing=True, most=1)
        turns = work.boards.to_move(player.id)
        told["said"] = questions.shortened(meant.comment)
        told["board"] = turns[0] if turns else playing[0].id if playing else None
        told["yours"] = bool(turns)
        told["robot"] = robot_to_begin_with(work, default_game().info.name)
    return Answered("lost", told, number)


def _obey_interpreted(context: Context, meant: Reading, *, proven: bool, doubt: str) -> str:
    """Run what a mail means, or ask to confirm it. Commands tried too often are refused."""
    refusals, player = _tried_too_often(context, meant), context.player
    outcomes = []
    if refusals:
        meant = meant.with_one_comment()
        outcomes = [f"{player.handle}: tried too often{tell(context, [*refusals.values()])}"]
        if any(command.takes_text for command in refusals):
            meant = replace(meant, comment=())
        left = tuple(command for command in meant.commands if command not in refusals)
        meant = replace(meant, commands=left)
    if meant.commands or not refusals:
        if _must_ask(context, meant, proven=proven, doubt=doubt):
            outcomes.append(ask_first(context, meant, doubt, proven=proven))
        else:
            outcomes.append(_do(context, meant))
    return "; ".join(outcomes)


def _do(context: Context, meant: Reading) -> str:
    turn, player, names = context.turn, context.player, _names(meant.commands)
    if _only_reads(meant):
        if not turn.claim and is_paused(turn.work, player.address, turn.now):
            return f"{player.handle} had enough answers, so not done: {names}"
    elif turn.claim:  # a standing consent covers it
        show_life(turn.work, player)
    events = run_script(context, meant)
    if meant.aside:
        events = [*events, meant.aside]
    told = tell(context, events)
    if not events:
        return f"{player.handle}: the same words again, passed over"
    is_done = meant.commands or on_boards(events)
    return f"{player.handle}: {names if is_done else 'words not sent on'}{told}"


def _tried_too_often(context: Context, meant: Reading) -> dict[Command, Answered]:
    told = dict[Command, Answered]()
    for command in meant.commands:
        try:
            if command.tries:
                context.count(command.tries)
        except Refusal as refusal:
            told[command] = refused(command, refusal, context, alone=len(meant.commands) == 1)
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
    codes = [event.params["code"] for event in answered if "code" in event.params]
    turn.refused.extend(codes)
    told = announce_answer(turn, speaker, answered)
    for address in speaker.addresses[1:]:
        for item in (item for item in answered if item.to_all):
            params = {"sections": [{"section": item.section, **item.params}], "last": False}
            MailWriter(turn).notice(address, "answer", params)
    remark = _ask_held(turn, speaker, events)
    _write_others(turn, speaker, events)
    for message in (event for event in events if isinstance(event, Messaged)):
        MailWriter(turn).message(message)
    if told:
        return remark
    refused_as = f"refused as {', '.join(codes)}; " if codes else ""
    return f"{remark} ({refused_as}not answered, had enough answers)"


def _ask_held(turn: Turn, speaker: Player, events: Sequence[Event]) -> str:
    """Ask about commands that have to be confirmed; return a remark if limits forbid it."""
    held = [event for event in events if isinstance(event, NeedsConfirmation)]
    if not held:
        return ""
    together: dict[int | None, list[NeedsConfirmation]] = {}
    for item in held:
        together.setdefault(item.board_id if item.kept else None, []).append(item)
    asked = True
    for some in together.values():
        lines, last = tuple(dict.fromkeys(item.line for item in some)), some[-1]
        told = (last.board_id, lines, last.comment)
        asked &= questions.ask_errand(turn, speaker, told, _reasons(some), kept=last.kept)
    return "" if asked else " (not asked about it, had enough answers)"


def _reasons(held: Sequence[NeedsConfirmation]) -> list[dict[str, Any]]:
    """Return the sections that say why commands wait, each once."""
    reasons: list[dict[str, Any]] = []
    for item in held:
        reason = {"section": item.section, **item.params}
        reasons += [reason] if reason not in reasons else []
    return reasons


def _write_others(turn: Turn, speaker: Player, events: Sequence[Event]) -> None:
    """Write the questions and notices that events cause, but no answer and no mails of boards."""
    for event in events:
        match event:
            case Invited():
                ask_invited(turn, speaker, event)
            case AddressWanted():
                questions.ask_new_address(turn, speaker, event)
            case Forgotten(address, handle):
                told = "forgotten", {"handle": handle}
                MailWriter(turn).notice(address, *told, kind=Kind.FAREWELL)
            case Proposed():
                ask_challenged(turn, event)
            case CalledOff():
                tell_called_off(turn, event)
            case SubstituteAsked():
                ask_guest(turn, event)
            case SeatTakenOver():
                tell_leaver(turn, event, events)
            case Reported(mailed=True):  # `pbm-admin reports` shows the others
                board = turn.work.boards.get(event.about)
                params = {**to_plain(event), "players": [seat.handle for seat in board.seats]}
                MailWriter(turn).notice(turn.site.operator, "report-operator", params)


def _left_out(context: Context, events: Sequence[Event]) -> list[Answered]:
    """Return notes that words of the mail were left out because they may be secret."""
    turn = context.turn
    if not turn.notes:
        return []
    notes = turn.notes.copy()
    turn.notes.clear()
    whose = (context.player_id, turn.claim is not None)  # forged mails have a limit of their own
    if not LEFT_OUT_NOTICES.take(turn.work, turn.now, *whose):
        return []
    numbers = [getattr(event, "board_id", None) for event in events]
    number = numbers[-1] if numbers else context.own_hint
    return [replace(note, board_id=number) for note in notes]


def _must_ask(context: Context, meant: Reading, *, proven: bool, doubt: str) -> bool:
    if is_dangerous(meant.commands) or meant.guess:
        return True
    if proven or _only_reads(meant):
        return False
    return bool(doubt) or not questions.is_consented(context.turn, context.player, meant.commands)


def _only_reads(meant: Reading) -> bool:
    return bool(meant.commands) and all(item.reads_only for item in meant.commands)


def is_dangerous(commands: Sequence[Command]) -> bool:
    """Return whether even a proven sender must confirm one of the commands."""
    return any(command.danger is Danger.ALWAYS for command in commands)


def apart(script: Script, *, proven: bool) -> tuple[Script, Script]:
    runs = (item for item in script.commands if item.danger is not Danger.ALWAYS)
    others = tuple(item for item in runs if proven or item.reads_only)
    alone = tuple(item for item in script.commands if item not in others)
    comment = script.comment if alone and not others else ()
    done = replace(script, commands=others, comment=() if comment else script.comment)
    return done, replace(script, commands=alone, comment=comment)


def ask_first(context: Context, meant: Reading, doubt: str = "", *, proven: bool = False) -> str:
    """Ask to confirm what a mail means. Commands that would fail are refused at once.

    Dangerous commands have a question each. The others share one, or run if they need none.
    """
    meant = meant.with_one_comment()
    limited = questions.within_rate(context, meant.commands)
    parts, refusals = _divided(context, meant)
    # Apart, since no yes may come to what an earlier part asks for.
    rehearsed = [(part, rehearse(limited, part)) for part in parts]
    refusals += [refusal for _, rehearsal in rehearsed for refusal in rehearsal.refusals]
    done = []
    if refusals:
        done.append(f"{context.player.handle}: refused before asking{tell(context, refusals)}")
    for part, rehearsal in rehearsed:
        if rehearsal.refusals and not rehearsal.fit:
            continue
        commands = tuple(command for command, _ in rehearsal.fit)
        fit = replace(part, commands=commands, comment=rehearsal.comment)
        is_part = bool(refusals) or len(parts) > 1
        alone = any(_is_asked_alone(context, command) for command in commands)
        if is_part and not (alone or _must_ask(context, fit, proven=proven, doubt=doubt)):
            done.append(_do(context, fit))
        else:
            done.append(_ask(context, fit, rehearsal, doubt))
    return "; ".join(done)


def _is_asked_alone(context: Context, command: Command) -> bool:
    return command.danger is Danger.ALWAYS or bool(context.turn.claim and command.danger)


def _divided(context: Context, meant: Reading) -> tuple[list[Reading], list[Answered]]:
    """Return the part that shares a question, parts with one each, and refusals."""
    together = [item for item in meant.commands if not _is_asked_alone(context, item)]
    alone, refusals, postage = dict[str, Command](), list[Answered](), context.turn.postage
    for command in meant.commands:
        if command in together:
            continue
        if command.line in alone or postage.asked_alone < MOST_ALONE:
            postage.asked_alone += command.line not in alone
            alone[command.line] = command  # of several new passwords the last one
        else:
            refusal = Refusal("too-many-alone", most=MOST_ALONE)
            refusals.append(refused(command, refusal, context, alone=False))
    parts = [together] if together or not meant.commands else []
    # What ends the reply addresses comes last, or the other questions could not be answered.
    ends = {Delete: 1, NewKey: 2}
    parts += [[item] for item in sorted(alone.values(), key=lambda item: ends.get(type(item), 0))]
    changing = [part for part in parts if not all(item.reads_only for item in part)]
    with_words = (changing or parts or [together])[0 if together in changing else -1]
    divided = []
    for part in parts:
        comment = meant.comment if part is with_words else ()
        unplaced = meant.unplaced if part is parts[0] else ()
        divided.append(replace(meant, commands=tuple(part), comment=comment, unplaced=unplaced))
    if not parts and refusals and meant.comment:
        refusals[-1] = giving_back(refusals[-1], meant.comment)
    return divided, refusals


def _ask(context: Context, meant: Reading, rehearsal: Rehearsal, doubt: str) -> str:
    turn = context.turn
    told = rehearsal.board_id, tuple(line for _, line in rehearsal.fit), meant.comment
    reasons = [
        *([dict(meant.guess)] if meant.guess else []),
        *([{"section": doubt}] if doubt else []),
        *({"section": note.section, **note.params} for note in turn.notes),
        *([{"section": "unplaced", "comment": list(meant.unplaced)}] if meant.unplaced else []),
        *([] if meant.guess else _reasons(rehearsal.submitted)),
    ]
    if meant.aim is Aim.SERVER and context.own_hint:
        board = context.work.boards.get(context.own_hint)
        reasons.append({"section": "card", **card(context, board, meant.comment)})
    turn.notes.clear()
    avoidable = not doubt and not is_dangerous(meant.commands) and not meant.guess
    asked = questions.ask_errand(
        *(turn, context.player, told, reasons),
        avoidable=avoidable,
        vouches=avoidable and not any(command.danger for command in meant.commands),
        guessed=bool(meant.guess),
        password=questions.sealed_for_errand(context, meant.commands),
    )
    handle, names = context.player.handle, _names(meant.commands)
    if not asked:
        return f"{handle}: not asked about {names}, had enough answers"
    return f"{handle}: asked to confirm {names}"


def _names(commands: Sequence[Command]) -> str:
    return ", ".join(command.words[0] for command in commands) or "chat"
