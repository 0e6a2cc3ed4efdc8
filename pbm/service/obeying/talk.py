"""What players tell each other besides their moves, and how much of it others are sent."""

from collections.abc import Sequence
from hashlib import sha256

from pbm.commands.language.context import Context
from pbm.errors import Refusal
from pbm.events import Answered, Commented, Event, on_boards
from pbm.play.limits import NEWS, SAME_WORDS, SAME_WORDS_TOLD


def count_news(context: Context, events: Sequence[Event]) -> None:
    """Count what a command did that others are mailed about. Raises Refusal where it is too
    much for now; then it must be undone."""
    happened = on_boards(events)
    if any(event.happens_once for event in happened):
        return
    for number in sorted({event.board_id for event in happened if event.counts_as_words}):
        if not NEWS.take(context.work, context.now, number, context.player_id, wait=False):
            raise Refusal("too-much-news", number=number, most=NEWS.most)


def chat(context: Context, number: int, comment: tuple[str, ...]) -> list[Event]:
    """Say something to the others of a board, and nothing else.

    The very same words come from a program that answers every mail: they are sent on a few
    times, come back once, and then end it by being passed over.
    """
    work, now, player = context.work, context.now, context.player
    work.boards.get(number, lock=True)  # where all of this is counted
    said = sha256("\n".join(comment).encode("utf-8", "replace")).hexdigest()[:32]
    if not SAME_WORDS.take(work, now, number, player.id, said, wait=False):
        if not SAME_WORDS_TOLD.take(work, now, number, player.id, wait=False):
            return []
        return [_given_back("said-before", number, comment, SAME_WORDS.most)]
    if not NEWS.take(work, now, number, player.id, wait=False):
        return [_given_back("said-enough", number, comment, NEWS.most)]
    first = work.boards.note_told_of_words(number, player.id)
    return [Commented(number, player.handle, comment, first)]


def _given_back(section: str, number: int, comment: tuple[str, ...], most: int) -> Answered:
    told = {"title": "your words", "number": number, "most": most, "comment": list(comment)}
    return Answered(section, told, number)
