"""Finds out what a mail's words mean beside its commands and its comment.

Each reader is a function from what is known and the words to a script, or to None for words that
are not its business. No reader calls another: `interpret` alone tries them, in order.
"""

from dataclasses import replace

from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem
from pbm.commands.script import Script, is_bare_no, is_bare_yes, trimmed
from pbm.commands.sentences.around_lines import is_in_sentence
from pbm.play.limits import OFFER_UNCLEAR
from pbm.play.offers import mark_of
from pbm.service.understanding.board_lines import read_board_lines
from pbm.service.understanding.known import Known
from pbm.service.understanding.move_line import read_described_move, read_move_line
from pbm.service.understanding.offers import (
    answering_words,
    read_offer_answer,
    read_yes_to_nothing,
    yes_to_what,
)
from pbm.service.understanding.wishes import only_wishes, read_decline, read_question, read_wish

_READERS = (read_wish, read_board_lines, read_move_line, read_described_move)
_MOST_LINES = 24  # lines of a comment that are searched for wishes


def interpret(context: Context, script: Script) -> Script:
    if not script.comment and [type(command) for command in script.commands] == [PlayMove]:
        return script  # a move and nothing else
    known = Known(**vars(context))
    meant = _answer(known, script) or _first(known, script) or script
    if meant.answer:
        return meant
    meant = _which_of_several(known, meant) or _without_wish(known, meant)
    return read_question(known, meant) or meant


def _first(known: Known, script: Script) -> Script | None:
    return next(filter(None, (read(known, script) for read in _READERS)), None)


def _answer(known: Known, script: Script) -> Script | None:
    """Return the script for words that answer an offer, or would if there were one, or None."""
    words = answering_words(known, script)
    if words is None:
        return None
    answer = read_offer_answer(known, words)
    if answer is None:
        return read_decline(known, words) or read_yes_to_nothing(known, words)
    # After a no, a move is played; it rejects the offer, too.
    moved = read_move_line(known, words) if answer.says_no else None
    if answer.yes or moved:
        return answer.yes or moved
    others = answer.others
    if others.commands or others.problem or read_wish(known, others):
        return Script(answer=yes_to_what(known))
    return answer.no or _unclear(known, words)


def _unclear(known: Known, words: Script) -> Script:
    """Return a script for words that begin like an answer to an offer, and are none.

    Words for the others are sent to them, and the sender is asked once. If the words may ask for
    something else, nobody gets them.
    """
    is_bare = is_bare_yes(words) or is_bare_no(words)
    if is_bare or read_board_lines(known, words) or read_move_line(known, words):
        return Script(answer=yes_to_what(known))
    offers = ",".join(map(mark_of, known.asked))
    now, whose = known.now, (known.player_id, known.number, offers)
    if not OFFER_UNCLEAR.take(known.work, now, *whose):
        return words
    return replace(words, aside=yes_to_what(known, sent=True))


def _which_of_several(known: Known, script: Script) -> Script | None:
    """If a script has different moves for one board, return a script that asks which is meant."""
    moves = [command for command in script.commands if isinstance(command, PlayMove)]
    if len(moves) <= 1:
        return None
    found: dict[int | None, dict[str, str]] = {}
    for move in moves:
        meant = None if move.named_board else known.meant()
        number = meant.id if meant else move.named_board  # None: running the move says why
        lines = found.setdefault(number, {})
        lines.setdefault("".join(lowered(move.move).split()), move.line)
    for number, lines in found.items():
        if number and len(lines) > 1:
            told = {"lines": list(lines.values()), "number": number}
            return Script(comment=script.comment, problem=Problem("", "which-move", told))
    return None


def _without_wish(known: Known, script: Script) -> Script:
    """Move a request such as "draw?" from the comment below a move to the script's `wish`."""
    moves = script.commands and all(isinstance(item, PlayMove) for item in script.commands)
    if not moves or script.guess:
        return script
    for index, line in enumerate(script.comment[:_MOST_LINES]):
        if only_wishes(line) and not is_in_sentence(script.comment, index):
            wish = read_wish(known, Script(comment=(line,), said=(line,)))
            kept = (*script.comment[:index], *script.comment[index + 1 :])
            return replace(script, comment=trimmed(kept), wish=wish)
    return script
