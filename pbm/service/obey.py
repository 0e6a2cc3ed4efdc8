"""Does what a player's script says, or asks the player first."""

from collections.abc import Sequence
from dataclasses import replace

from pbm.commands.context import Context
from pbm.commands.script import Script
from pbm.events import Answered, Event, Held
from pbm.service.announce import announce_answer, announce_boards
from pbm.service.hearing import Hearing
from pbm.service.questions import ask_errand
from pbm.service.scripts import problem_answer, rehearse, run_script


def obey(hearing: Hearing, context: Context, script: Script, *, proven: bool) -> str:
    """Obey a player's script. Returns the outcome for the operator.

    Without a proof only what reads is done; for anything else the player is asked. What is
    `dangerous` is asked about even then.
    """
    context = replace(context, comment=script.comment)
    player = context.player
    if player.status != "active":
        tell(hearing, context, [Answered("suspended", {})])
        return f"{player.handle} is suspended"
    if script.problem:
        tell(hearing, context, [problem_answer(context, script, script.problem)])
        return f"{player.handle}: {script.problem.code}"
    if not script.commands and not (script.comment and context.hints):
        tell(hearing, context, [Answered("lost", {"server": context.server})])
        return f"{player.handle}: nothing to do"
    if _must_ask(script, proven=proven):
        return _ask(hearing, context, script)
    events = run_script(context, script)
    tell(hearing, context, events)
    return f"{player.handle}: {', '.join(_named(script)) or 'chat'}"


def tell(hearing: Hearing, context: Context, events: Sequence[Event]) -> None:
    """Write the mails for what happened: to the boards, to the speaker, and what is asked."""
    announce_boards(hearing.work, hearing.letters, events)
    speaker = hearing.work.players.get(context.player.id)
    answered = [event for event in events if isinstance(event, Answered)]
    announce_answer(hearing.work, hearing.letters, speaker, answered, hearing.now)
    held = [event for event in events if isinstance(event, Held)]
    if held:
        ask_errand(
            hearing.work,
            hearing.letters,
            speaker,
            [event.line for event in held],
            context.comment,
            held[-1].board_id,
            hearing.now,
            [{"section": event.section, **event.params} for event in held],
        )


def _must_ask(script: Script, *, proven: bool) -> bool:
    if any(command.dangerous for command in script.commands):
        return True
    only_reads = bool(script.commands) and all(item.reads_only for item in script.commands)
    return not proven and not only_reads


def _ask(hearing: Hearing, context: Context, script: Script) -> str:
    """Ask for a `yes`, unless the script would be refused anyway: then say so at once."""
    rehearsal = rehearse(context, script)
    handle = context.player.handle
    if rehearsal.refusals:
        tell(hearing, context, rehearsal.refusals)
        return f"{handle}: refused before asking"
    ask_errand(
        hearing.work,
        hearing.letters,
        context.player,
        rehearsal.lines,
        script.comment,
        rehearsal.board_id,
        hearing.now,
    )
    return f"{handle}: asked to confirm {', '.join(_named(script)) or 'chat'}"


def _named(script: Script) -> list[str]:
    return [command.words[0] for command in script.commands]
