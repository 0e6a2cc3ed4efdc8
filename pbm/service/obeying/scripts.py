"""Runs a script for a player: one savepoint a command, refusals caught in this one place."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.registry import Problem, nearly_move, whole_move
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.events import (
    AddressWanted,
    Answered,
    CalledOff,
    Commented,
    Event,
    Invited,
    NeedsConfirmation,
    Proposed,
    on_boards,
)
from pbm.play.boards import check_move
from pbm.play.limits import has_said_no, take_unasked_mail
from pbm.play.postage import Postage
from pbm.service.asking.addresses import record_wanted
from pbm.service.asking.questions import record_invited
from pbm.service.obeying.talk import chat, count_news

_REFUSAL = "refusal"
_LINES_READ = 24  # of words that nobody is sent
_PERHAPS_WORDS = ("unclear-move", "no-such-place")
_WITHOUT_A_BOARD = ("seeking", "unseek", "blocks", "invitation-off")  # that words may be meant for


class _Rehearsed(Exception):  # noqa: N818 - not an error: it only undoes the savepoint
    """The rehearsal is over."""


@dataclass(frozen=True)
class Rehearsal:
    """What a script would do: its commands with their lines, pinned to board and ply, and why some
    would be refused. `fit` are the others, `comment` the words that no refusal gives back."""

    lines: tuple[str, ...]
    refusals: tuple[Answered, ...]
    board_id: int | None
    fit: tuple[tuple[Command, str], ...] = ()
    comment: tuple[str, ...] = ()


def run_script(context: Context, script: Script) -> list[Event]:
    """Do what a script says and return what happened, refusals and comments included."""
    alone = len(script.commands) == 1
    happened: list[list[Event]] = []
    for command in script.commands:
        here = _with_text(context, script, command)
        happened.append(_run_next(here, command, happened, alone=alone))
    if script.comment and not script.problem and not _takes_text(script):
        happened.append(_place_comment(context, script, happened))
    if script.unplaced:
        happened.append([Answered("unplaced", {"comment": list(script.unplaced)})])
    events = [event for events in happened for event in events]
    for number in {item.board_id for item in on_boards(events) if item.counts_as_words}:
        context.work.boards.note_answered(number, context.player_id)
    return events


def rehearse(context: Context, script: Script) -> Rehearsal:
    """Find out what a script would do, and undo it."""
    lines: list[str] = []
    # What is undone costs no postage.
    context = replace(context, turn=replace(context.turn, postage=Postage()))
    alone = len(script.commands) == 1
    happened: list[list[Event]] = []
    with suppress(_Rehearsed), context.work.savepoint():
        for command in script.commands:
            here = _with_text(context, script, command)
            lines.append(_pinned(_as_it_sees_it(here, command, happened), command))
            happened.append(_run_next(here, command, happened, alone=alone))
        raise _Rehearsed
    events = [event for some in happened for event in some]
    refusals = [event for event in events if _is_refusal(event)]
    fit = tuple(
        (command, line)
        for command, line, came in zip(script.commands, lines, happened, strict=True)
        if not any(map(_is_refusal, came))
    )
    comment = script.comment
    if comment and refusals and not any(command.takes_text for command, _ in fit):
        refusals[-1] = _giving_back(refusals[-1], comment)
        comment = ()
    # A board that the rehearsal started is gone again.
    started = {event.board_id for event in on_boards(events) if event.begins_board}
    kept = [event.acted_on for event in events if event.acted_on not in (None, *started)]
    number = kept[-1] if kept else context.own_hint
    return Rehearsal(tuple(lines), tuple(refusals), number, fit, comment)


def problem_answer(context: Context, script: Script, problem: Problem) -> Answered:
    """Answer a line that was meant as a command: nothing was done, nothing was sent on."""
    number = problem.params.get("number")
    board_id = _board_of_refusal(context, number, about_board=problem.about_board)
    code, params, nearest = problem.code, problem.params, problem.nearest
    clearer = _what_the_position_says(context, problem, board_id)
    if clearer is not None:
        code, params, nearest = clearer.code, clearer.params, None
    told = {
        "title": "your line was not understood",
        "line": problem.line,
        "code": code,
        "nearest": nearest,
        "example": None if clearer or nearest else problem.example,
        "talk": problem.code in _PERHAPS_WORDS,
        "comment": list(script.comment),
        "alone": True,
        "params": params,
    }
    return Answered(_REFUSAL, told, board_id)


def refused(
    command: Command, refusal: Refusal, context: Context | None = None, *, alone: bool = True
) -> Answered:
    """Answer a command that could not be done; `alone`: no other one came with it."""
    params: dict[str, Any] = {
        "title": command.words[0],
        "line": command.line,
        "code": refusal.code,
        "nearest": None,
        "example": None,
        "talk": False,
        "comment": [],
        "alone": alone,
        "params": refusal.params,
    }
    number = refusal.params.get("number")
    return Answered(
        _REFUSAL, params, _board_of_refusal(context, number, about_board=command.about_board)
    )


def _board_of_refusal(
    context: Context | None, number: int | None, *, about_board: bool
) -> int | None:
    """The board that is shown with a refusal: the one that it names, or where it is about a board
    and names none, the one that the mail points at."""
    if context is None:
        return None
    if number:
        return number if context.sits_at(number) else None
    return context.own_hint if about_board else None


def _takes_text(script: Script) -> bool:
    """Whether the words below are the last command's own."""
    return bool(script.commands) and script.commands[-1].takes_text


def _with_text(context: Context, script: Script, command: Command) -> Context:
    """What a command sees of the words below: the last one only, if they are its own."""
    own = _takes_text(script) and command is script.commands[-1]
    return replace(context, text=script.comment) if own else context


def _run_next(
    context: Context, command: Command, happened: Sequence[Sequence[Event]], *, alone: bool
) -> list[Event]:
    """Run a command after others of the same mail; `happened` is what came of them."""
    here = _as_it_sees_it(context, command, happened)
    # What comes after a move was said about the position that the move was to make.
    before = [event for events in happened for event in events] if command.comes_last else []
    if any(_is_refusal(event) for event in before):
        return [refused(command, Refusal("after-a-refusal"), here, alone=alone)]
    held = [event for event in before if isinstance(event, NeedsConfirmation)]
    if held:
        return [replace(held[-1], line=_pinned(here, command))]
    return _run(here, command, alone=alone)


def _as_it_sees_it(
    context: Context, command: Command, happened: Sequence[Sequence[Event]]
) -> Context:
    """A mail's circumstances after some commands: what comes after a move means its board."""
    before = [event for events in happened for event in events]
    shown = sum(len(item.boards) for item in before if isinstance(item, Answered))
    touched = [event.acted_on for event in before if event.acted_on]
    hints = context.hints or (tuple(touched[-1:]) if command.comes_last else ())
    if (shown, hints) == (context.shown, context.hints):
        return context
    return replace(context, shown=shown, hints=hints)


def _run(context: Context, command: Command, *, alone: bool) -> list[Event]:
    try:
        if context.player.status != "active":  # who has left by a command above
            raise Refusal("not-registered")
        with context.work.savepoint():
            events = [_recorded(context, event) for event in command.run(context)]
            count_news(context, events)
            context.turn.postage.count(context.work, context.player_id, events)
            return events
    except Refusal as refusal:
        return [refused(command, refusal, context, alone=alone)]


def _recorded(context: Context, event: Event) -> Event:
    if isinstance(event, Invited):
        return record_invited(context.turn, context.player, event)
    if isinstance(event, AddressWanted):
        if has_said_no(context.work, event.address):
            raise Refusal("wants-no-mail", address=event.address)
        take_unasked_mail(context.work, context.player, event.address, context.now)
        return record_wanted(context.turn, context.player, event)
    return event


def _place_comment(context: Context, script: Script, happened: list[list[Event]]) -> list[Event]:
    """Find out what becomes of the words below the commands.

    They belong to the last command that changes something, or was to: they go to the board
    that it touched, wait with it, or come back with its refusal. Without any they are chat
    on the board that was answered; with commands that only look they go nowhere, and that
    is said. Without a board it is said of a move only: below may stand anybody's signature.
    """
    for command, events in zip(reversed(script.commands), reversed(happened), strict=True):
        if events and (_is_refusal(events[-1]) or not command.reads_only):
            return _with_words(context, script.comment, events)
    number = context.own_hint
    if number is None and not any(map(whole_move, script.comment[:_LINES_READ])):
        return []
    if script.commands or number is None:
        return [Answered("unsent", {"comment": list(script.comment)}, number)]
    return chat(context, number, script.comment)


def _with_words(context: Context, comment: tuple[str, ...], events: list[Event]) -> list[Event]:
    """Let the words go where a command went; `events` are what came of it."""
    match events[-1]:
        case Answered() as refusal if _is_refusal(refusal):
            events[-1] = _giving_back(refusal, comment)
        case (
            NeedsConfirmation()
            | Invited()
            | Proposed()
            | CalledOff(why="refused" | "withdrawn") as waiting
        ):
            events[-1] = replace(waiting, comment=comment)
            events[:-1] = [_keeping_words(event) for event in events[:-1]]
        case Answered(section="challenge-accepted") as accepted:
            events[-1] = _giving_back(accepted, comment)
    # The first board is the one that was meant; on others something came of it.
    touched = [event.board_id for event in on_boards(events)]
    if not touched and any(map(_is_without_board, events)):
        return [Answered("words-back", {"comment": list(comment)})]
    return [Commented(number, context.player.handle, comment) for number in touched[:1]]


def _is_without_board(event: Event) -> bool:
    return isinstance(event, Answered) and event.section in _WITHOUT_A_BOARD


def _keeping_words(event: Event) -> Event:
    """Let the answer to an invitation or a challenge say that the words wait."""
    if isinstance(event, Answered) and event.section in ("invited", "challenged"):
        return replace(event, params={**event.params, "words": True})
    return event


def _giving_back(refusal: Answered, comment: tuple[str, ...]) -> Answered:
    return replace(refusal, params={**refusal.params, "comment": list(comment)})


def _is_refusal(event: Event) -> TypeGuard[Answered]:
    return isinstance(event, Answered) and event.section == _REFUSAL


def _what_the_position_says(
    context: Context, problem: Problem, board_id: int | None
) -> Refusal | None:
    """A clearer refusal of a move that cannot be read: the board suggests what was meant."""
    unreadable = problem.params.get("reason") == "move" or problem.code == "unclear-move"
    board = context.work.boards.find(board_id) if board_id and unreadable else None
    if board is None or not board.to_move:
        return None
    if context.actor_id and board.to_move.player_id != context.actor_id:
        # An example of another player's moves would mislead.
        is_move = nearly_move(problem.params["word"], board.rules) is not None
        told = {"turn": board.to_move.handle, "number": board.id}
        return Refusal("not-your-turn", **told) if is_move else None
    try:
        check_move(board, problem.params["word"])
    except Refusal as refusal:
        return refusal
    return None


def _pinned(context: Context, command: Command) -> str:
    try:
        return command.pinned(context)
    except Refusal:
        return command.line  # running it says why
