"""Runs a script for a player: one savepoint a command, refusals caught in this one place."""

from dataclasses import dataclass

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.registry import Problem
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.events import (
    Answered,
    BoardClosed,
    BoardStarted,
    Commented,
    Event,
    MovePlayed,
    PlayerLeft,
)

_BOARD_EVENTS = (BoardStarted, MovePlayed, PlayerLeft, BoardClosed)


class _Rehearsed(Exception):  # noqa: N818 - not an error: it only undoes the savepoint
    """The rehearsal is over."""


@dataclass(frozen=True)
class Rehearsal:
    """What a script would do: its lines, pinned to board and ply, or why it cannot."""

    lines: tuple[str, ...]
    refusals: tuple[Answered, ...]
    board_id: int | None


def run_script(context: Context, script: Script) -> list[Event]:
    """Do what a script says and return what happened, refusals and comments included."""
    events: list[Event] = []
    for command in script.commands:
        events += _run(context, command)
    return events + _comment(context, script, events)


def rehearse(context: Context, script: Script) -> Rehearsal:
    """Find out what a script would do, and undo it."""
    lines: list[str] = []
    events: list[Event] = []
    try:
        with context.work.savepoint():
            for command in script.commands:
                lines.append(_pinned(context, command))
                events += _run(context, command)
            events += _comment(context, script, events)
            raise _Rehearsed
    except _Rehearsed:
        pass
    refusals = [e for e in events if isinstance(e, Answered) and e.section == "refusal"]
    # A board that the rehearsal started is gone again.
    told = [e.board_id for e in events if not isinstance(e, Answered | BoardStarted)]
    boards = [number for number in told if number and context.work.boards.find(number)]
    hinted = context.hints[0] if context.hints and not script.commands else None
    return Rehearsal(tuple(lines), tuple(refusals), boards[-1] if boards else hinted)


def problem_answer(context: Context, script: Script, problem: Problem) -> Answered:
    """Answer a line that was meant as a command: nothing was done, nothing was sent on."""
    params = {
        "title": "your line was not understood",
        "line": problem.line,
        "code": problem.code,
        "nearest": problem.nearest,
        "comment": list(script.comment),
        "params": problem.params,
    }
    return Answered("refusal", params, _existing_hint(context))


def refused(command: Command, refusal: Refusal, context: Context | None = None) -> Answered:
    """Answer a command that could not be done."""
    keeps_comment = context is not None and not command.reads_only
    params = {
        "title": command.words[0],
        "line": command.line,
        "code": refusal.code,
        "nearest": None,
        "comment": list(context.comment) if context and keeps_comment else [],
        "params": refusal.params,
    }
    return Answered("refusal", params, _board_concerned(context, refusal) if context else None)


def _run(context: Context, command: Command) -> list[Event]:
    try:
        with context.work.savepoint():
            return list(command.run(context))
    except Refusal as refusal:
        return [refused(command, refusal, context)]


def _board_concerned(context: Context, refusal: Refusal) -> int | None:
    number = refusal.params.get("number")
    board = context.work.boards.find(number) if number else None
    if board is not None and context.actor and board.seats_of(context.actor.id):
        return board.id
    return None


def _existing_hint(context: Context) -> int | None:
    """The board in whose thread an answer belongs, if the speaker sits there."""
    for number in context.hints:
        board = context.work.boards.find(number)
        if board and context.actor and board.seats_of(context.actor.id):
            return number
    return None


def _pinned(context: Context, command: Command) -> str:
    try:
        return command.pinned(context)
    except Refusal:
        return command.line  # running it says why


def _comment(context: Context, script: Script, events: list[Event]) -> list[Event]:
    """Send the comment to the last board touched, or chat on the board that was answered."""
    if not script.comment or script.problem:
        return []
    touched = [event.board_id for event in events if isinstance(event, _BOARD_EVENTS)]
    handle = context.player.handle
    if touched:
        return [Commented(touched[-1], handle, script.comment)]
    number = _existing_hint(context)
    if script.commands or number is None:
        return []
    return [Commented(number, handle, script.comment)]
