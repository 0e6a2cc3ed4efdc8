"""Words to other players: the board they go to, and their rate limits."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from pbm.commands.language.context import Context
from pbm.commands.registry import whole_move
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.events import (
    Answered,
    CalledOff,
    Commented,
    Event,
    Invited,
    NeedsConfirmation,
    Proposed,
    on_boards,
)
from pbm.play.limits import NEWS, SAME_WORDS, SAME_WORDS_NOTICES
from pbm.service.obeying.refusals import is_refusal

_LINES_READ = 24  # lines of unsent words that are searched for a move
_WITHOUT_A_BOARD = ("seeking", "unseek", "blocks", "invitation-off")  # sections about no board


def count_news(context: Context, events: Sequence[Event]) -> None:
    """Count the news that a command mails to others. Raises Refusal over the rate."""
    happened = on_boards(events)
    if any(event.happens_once for event in happened):
        return
    for number in sorted({event.board_id for event in happened if event.counts_as_words}):
        if not NEWS.take(context.work, context.now, number, context.player_id, wait=False):
            raise Refusal("too-much-news", number=number, most=NEWS.most)


def place_comment(context: Context, script: Script, happened: list[list[Event]]) -> list[Event]:
    """Decide where the words below the commands go.

    They belong to the last command that changes something: they go to its board, wait with it, or
    come back with its refusal. Without commands they are chat on the answered board. With commands
    that only read they are not sent, and the sender is told; without a board only if they hold a
    move, as they may be a signature.
    """
    for command, events in zip(reversed(script.commands), reversed(happened), strict=True):
        if events and (is_refusal(events[-1]) or not command.reads_only):
            return _with_words(context, script.comment, events)
    number = context.own_hint
    if number is None and not any(map(whole_move, script.comment[:_LINES_READ])):
        return []
    if script.commands or number is None:
        return [Answered("unsent", {"comment": list(script.comment)}, number)]
    return _chat(context, number, script.comment)


def _with_words(context: Context, comment: tuple[str, ...], events: list[Event]) -> list[Event]:
    """Send the words to the board of a command; `events` are the command's."""
    match events[-1]:
        case Answered() as refusal if is_refusal(refusal):
            events[-1] = giving_back(refusal, comment)
        case (
            NeedsConfirmation()
            | Invited()
            | Proposed()
            | CalledOff(why="refused" | "withdrawn") as waiting
        ):
            events[-1] = replace(waiting, comment=comment)
            events[:-1] = [_keeping_words(event) for event in events[:-1]]
        case Answered(section="challenge-accepted") as accepted:
            events[-1] = giving_back(accepted, comment)
    # The first board is the one meant; the others had consequences.
    touched = [event.board_id for event in on_boards(events)]
    sections = {event.section for event in events if isinstance(event, Answered)}
    if not touched and not sections.isdisjoint(_WITHOUT_A_BOARD):
        return [Answered("words-back", {"comment": list(comment)})]
    return [Commented(number, context.player.handle, comment) for number in touched[:1]]


def _keeping_words(event: Event) -> Event:
    """Say in the answer to an invitation or a challenge that the words wait."""
    if isinstance(event, Answered) and event.section in ("invited", "challenged"):
        return replace(event, params={**event.params, "words": True})
    return event


def giving_back(refusal: Answered, comment: tuple[str, ...]) -> Answered:
    """The answer with the words given back."""
    return replace(refusal, params={**refusal.params, "comment": list(comment)})


def _chat(context: Context, number: int, comment: tuple[str, ...]) -> list[Event]:
    """Send words to the others of a board.

    Identical words come from a program that answers every mail. They are sent a few times, returned
    once, and then ignored, which ends the loop.
    """
    work, now, player = context.work, context.now, context.player
    work.boards.get(number, lock=True)  # serialises the counting below
    told = {"title": "your words", "number": number, "comment": list(comment)}
    said = sha256("\n".join(comment).encode("utf-8", "replace")).hexdigest()[:32]
    if not SAME_WORDS.take(work, now, number, player.id, said, wait=False):
        if not SAME_WORDS_NOTICES.take(work, now, number, player.id, wait=False):
            return []
        return [Answered("said-before", {**told, "most": SAME_WORDS.most}, number)]
    if not NEWS.take(work, now, number, player.id, wait=False):
        return [Answered("said-enough", {**told, "most": NEWS.most}, number)]
    first = work.boards.note_told_of_words(number, player.id)
    return [Commented(number, player.handle, comment, first)]
