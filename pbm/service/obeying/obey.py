"""Does what a player's script says, or asks the player first."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pbm.commands.language.context import Context
from pbm.commands.script import Script
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
from pbm.play.absence import show_life
from pbm.play.limits import LEFT_OUT_TOLD, is_paused, minute_after
from pbm.play.turn import Turn
from pbm.service.asking.addresses import ask_new_address, tell_other_addresses
from pbm.service.asking.challenges import ask_challenged, tell_called_off
from pbm.service.asking.passwords import sealed_for_errand, within_rate
from pbm.service.asking.questions import ToConfirm, ask_errand, ask_invited
from pbm.service.asking.standing_consent import is_consented
from pbm.service.obeying.scripts import Rehearsal, problem_answer, refused, rehearse, run_script
from pbm.service.telling.announce import announce_boards, announce_seeks
from pbm.service.telling.answer import announce_answer
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.interpret import interpret
from pbm.store.values.players import Player


def obey(context: Context, script: Script, *, proven: bool, doubt: str = "") -> str:
    """Obey a player's script. Returns the outcome for the operator.

    Without a proof only what reads is done, and moves for which a yes of the day stands; for
    anything else the player is asked. What is `dangerous` is asked about even after a proof.
    `doubt` names the section that says why a reply address is none.
    """
    player = context.player
    if not proven:
        context = replace(context, turn=replace(context.turn, unproven=True))
    if player.status != "active":
        told = tell(context, [Answered("suspended", {"title": "your account"})])
        return f"{player.handle} is suspended{told}"
    script = interpret(context, script)
    if script.answer:
        told = tell(context, [script.answer])
        return f"{player.handle}: answered with {script.answer.section}{told}"
    if script.problem:
        told = tell(context, [problem_answer(context, script, script.problem)])
        return f"{player.handle}: {script.problem.code}{told}"
    if script.is_empty and context.turn.notes:
        told = tell(context, [])
        return f"{player.handle}: words held back{told}"
    if not script.commands and not (script.comment and context.own_hint):
        number = context.own_hint
        lost = {"title": "no command found", "number": number}
        told = tell(context, [Answered("lost", lost, number)])
        return f"{player.handle}: nothing to do{told}"
    if script.wish:
        done = _obey_meant(context, replace(script, wish=None), proven=proven, doubt=doubt)
        return f"{done}; {ask_first(context, script.wish, doubt)}"
    return _obey_meant(context, script, proven=proven, doubt=doubt)


def _obey_meant(context: Context, script: Script, *, proven: bool, doubt: str) -> str:
    """Obey a script that is as its sender means it, or ask first."""
    player = context.player
    too_often = _tried_too_often(context, script)
    if too_often:
        told = f"{player.handle}: tried too often{tell(context, [*too_often.values()])}"
        script = _without(script, too_often)
        if not script.commands:
            return told
        return f"{told}; {_ask_or_do(context, script, proven=proven, doubt=doubt)}"
    return _ask_or_do(context, script, proven=proven, doubt=doubt)


def _ask_or_do(context: Context, script: Script, *, proven: bool, doubt: str) -> str:
    """Ask about a script, or run it."""
    if _must_ask(context, script, proven=proven, doubt=doubt):
        return ask_first(context, script, doubt, proven=proven)
    return _do(context, script)


def _do(context: Context, script: Script) -> str:
    """Run a script that nobody need be asked about."""
    player = context.player
    if _only_reads(script):
        if _is_paused(context.turn, player):
            return f"{player.handle} had enough answers, so not done: {', '.join(_named(script))}"
    elif context.turn.unproven:  # a yes of the day stands for it
        show_life(context.turn.work, player)
    events = run_script(context, script)
    told = tell(context, events)
    if not events:
        return f"{player.handle}: the same words again, passed over"
    return f"{player.handle}: {', '.join(_named(script)) or 'chat'}{told}"


def _tried_too_often(context: Context, script: Script) -> dict[int, Answered]:
    """Count what is dear to try, before it costs anything; by their places, the refusals of the
    commands that are too much."""
    turn, told = context.turn, dict[int, Answered]()
    for place, command in enumerate(script.commands):
        rate, whose = command.tries, (context.player.id, *(["unproven"] if turn.unproven else []))
        if rate and not rate.take(turn.work, turn.now, *whose):
            again = minute_after(rate.free_at(turn.work, turn.now, *whose))
            refusal = Refusal("too-often", most=rate.most, again=again)
            told[place] = refused(command, refusal, context, alone=len(script.commands) == 1)
    return told


def _without(script: Script, places: Collection[int]) -> Script:
    """A script without some of its commands, and without the text that was theirs."""
    left = [item for place, item in enumerate(script.commands) if place not in places]
    lost_text = any(script.commands[place].takes_text for place in places)
    return replace(script, commands=tuple(left), comment=() if lost_text else script.comment)


def tell(context: Context, events: Sequence[Event]) -> str:
    """Write the mails for what happened: to the boards, to the speaker, and what is asked.

    Returns what the outcome is to say besides: what was refused, where no answer says so.
    """
    turn = context.turn
    announce_boards(turn, [*turn.news, *events])
    announce_seeks(turn, events)
    turn.news.clear()
    events = [*events, *_left_out(context, events)]
    if not any(event.for_sender for event in events):
        return ""  # the boards say it all
    # Read again, since a command may have renewed the reply addresses.
    speaker = turn.work.players.get(context.player_id)
    answered = [event for event in events if isinstance(event, Answered)]
    told = announce_answer(turn, speaker, answered)
    tell_other_addresses(turn, speaker, [item for item in answered if item.to_all])
    _ask_held(turn, speaker, [event for event in events if isinstance(event, NeedsConfirmation)])
    for event in events:
        match event:
            case Invited():
                ask_invited(turn, speaker, event)
            case AddressWanted():
                ask_new_address(turn, speaker, event)
            case Forgotten(address, handle):
                MailWriter(turn).farewell(address, handle)
            case Proposed():
                ask_challenged(turn, event)
            case CalledOff():
                tell_called_off(turn, event)
            case Reported():
                pass_on(turn, event)
    return "" if told else _withheld(answered)


def _left_out(context: Context, events: Sequence[Event]) -> list[Answered]:
    """What the sender is to know of words that went to nobody, in the answer that there is."""
    turn = context.turn
    notes = turn.notes.copy()
    turn.notes.clear()
    whose = (context.player_id, turn.unproven)  # forgers use up nobody's
    if not notes or not LEFT_OUT_TOLD.take(turn.work, turn.now, *whose):
        return []
    numbers = [getattr(event, "board_id", None) for event in events]
    number = numbers[-1] if numbers else context.own_hint
    return [replace(note, board_id=number) for note in notes]


def _withheld(answered: Sequence[Answered]) -> str:
    codes = [event.params["code"] for event in answered if "code" in event.params]
    refused = f"refused as {', '.join(codes)}; " if codes else ""
    return f" ({refused}not answered, had enough answers)"


def _ask_held(turn: Turn, player: Player, held: Sequence[NeedsConfirmation]) -> None:
    if not held:
        return
    reasons: list[dict[str, Any]] = []
    for event in held:
        reason = {"section": event.section, **event.params}
        reasons += [reason] if reason not in reasons else []
    lines, last = tuple(event.line for event in held), held[-1]
    ask_errand(turn, player, ToConfirm(lines, last.comment, last.board_id, reasons))


def _is_paused(turn: Turn, player: Player) -> bool:
    return is_paused(turn.work, player.address, turn.now, unproven=turn.unproven)


def _must_ask(context: Context, script: Script, *, proven: bool, doubt: str) -> bool:
    if is_dangerous(script) or script.guess:
        return True
    if proven or _only_reads(script):
        return False
    return bool(doubt) or not is_consented(context.turn, context.player, script)


def _only_reads(script: Script) -> bool:
    return bool(script.commands) and all(item.reads_only for item in script.commands)


def is_dangerous(script: Script) -> bool:
    """Whether it is asked about even after a proof."""
    return any(command.dangerous for command in script.commands)


def ask_first(context: Context, script: Script, doubt: str = "", *, proven: bool = False) -> str:
    """Ask for a `yes`. What would be refused anyway is refused at once, and the rest obeyed."""
    handle = context.player.handle
    rehearsal = rehearse(within_rate(context, script), script)
    if rehearsal.refusals:
        told = tell(context, rehearsal.refusals)
        fit = tuple(command for command, _ in rehearsal.fit)
        script = replace(script, commands=fit, comment=rehearsal.comment)
        done = [f"{handle}: refused before asking{told}"]
        if rehearsal.fit and not _must_ask(context, script, proven=proven, doubt=doubt):
            done.append(_do(context, script))
        elif rehearsal.fit:
            done.append(_ask(context, script, rehearsal, doubt))
        return "; ".join(done)
    return _ask(context, script, rehearsal, doubt)


def _ask(context: Context, script: Script, rehearsal: Rehearsal, doubt: str) -> str:
    """Ask for a `yes` to what would not be refused."""
    to_confirm = ToConfirm(
        tuple(line for _, line in rehearsal.fit),
        script.comment,
        rehearsal.board_id,
        reasons=[
            *([dict(script.guess)] if script.guess else []),
            *([{"section": doubt}] if doubt else []),
            *_noted(context.turn),
            *([_unplaced(script)] if script.unplaced else []),
        ],
        avoidable=not doubt and not is_dangerous(script) and not script.guess,
        guessed=bool(script.guess),
        password=sealed_for_errand(context, script),
    )
    ask_errand(context.turn, context.player, to_confirm)
    handle = context.player.handle
    return f"{handle}: asked to confirm {', '.join(_named(script)) or 'chat'}"


def _unplaced(script: Script) -> dict[str, Any]:
    """What a question says of words that belong to no board for sure."""
    return {"section": "unplaced", "comment": list(script.unplaced)}


def _noted(turn: Turn) -> list[dict[str, Any]]:
    """What a question says of words that went to nobody."""
    notes = [{"section": note.section, **note.params} for note in turn.notes]
    turn.notes.clear()
    return notes


def _named(script: Script) -> list[str]:
    return [command.words[0] for command in script.commands]


def pass_on(turn: Turn, event: Reported) -> None:
    """Mail a report to the operator; without one it is kept, and `pbm-admin reports` shows it."""
    if not turn.site.operator:
        return
    board = turn.work.boards.get(event.about)
    told = {**to_plain(event), "players": [seat.handle for seat in board.seats]}
    subject = f"{event.handle} reports board {event.about}"
    MailWriter(turn).notice(turn.site.operator, "report-operator", subject, told)
