"""Tells a sentence for the other players from a mistyped command.

In a reply to a board, "Draw your own conclusions" goes to the others, "move left" does not. A line
is a sentence only if it has words from `languages/sentences.txt`. It must have nothing that may be
a password, and nothing like an argument of a command: no number, option or address.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbm.commands.families.play import PlayMove, Preview
from pbm.commands.language.arguments import Opponents
from pbm.commands.language.around_moves import PHRASES
from pbm.commands.language.declare import Command, Operand
from pbm.commands.language.words import Handle
from pbm.commands.registry import Problem, begun_by
from pbm.commands.sentences.answers import is_greeting
from pbm.commands.sentences.around_lines import are_about
from pbm.commands.sentences.clauses import ANSWER_WORDS, begins, clauses, read_list, small, words_of
from pbm.play.game_words import mentions_place

_FEWEST_WORDS = 3  # of a sentence; shorter lines are mistyped commands
_LISTS: Final = read_list("sentences", ("to you", "words", "ours", "beginnings", "whole"))
TO_YOU, _WORDS, _OURS, _BEGINNINGS, _WHOLE = _LISTS.values()
# A number, an option, an address, a ply, two partners.
_EXACT = re.compile(r"\d|[@#=+*]|(?:^|\s)[-\u2013\u2014]{1,2}\w")
_SENTENCE_ENDS = ".,:;!?…)-"
_DOUBTFUL: Final = ANSWER_WORDS["doubt"] | ANSWER_WORDS["no"] | ANSWER_WORDS["no alone"]
_APOLOGIES: Final = frozenset(map(small, PHRASES["sorry"]))
_WRAPPED = 50  # characters; a wrapped line is longer
_PLAYS = (PlayMove, Preview)  # "move the left one up" can only be a command


def is_talk(line: str, found: Command | Problem) -> bool:
    """Return whether a line, parsed as `found`, is rather a sentence for the other players."""
    if isinstance(found, Command) and not found.reads_only:
        return False
    if isinstance(found, Problem) and (found.code == "unclear-move" or found.params.get("near")):
        return False
    line = " ".join(word for word in line.split() if not mentions_place(word))
    words = words_of(line)
    if _EXACT.search(line) or not words:
        return False
    if isinstance(found, Problem) and found.code == "unknown-command" and words[0] in _WORDS:
        return True  # "How" is no "show"
    if len(words) < _FEWEST_WORDS:
        return " ".join(words) in _WHOLE
    meant = begun_by(line)
    if not meant or any(command.has_secret() for command in meant):
        return False
    return _is_sentence(words, meant)


def _is_sentence(words: Sequence[str], meant: Sequence[type[Command]]) -> bool:
    if any(" ".join(words[:count]) in _BEGINNINGS for count in (2, 3)):
        return not _OURS.intersection(words[3:])
    about_board = words[0] == "board"  # without a number it is an ordinary word
    if _OURS.intersection(words[1:]) and not about_board:
        return False
    if TO_YOU.intersection(words[1:]):
        return True
    is_possible = about_board or all(map(_names_something, meant))
    return is_possible and not _WORDS.isdisjoint(words[1:])


def _names_something(command: type[Command]) -> bool:
    """Return whether a command must have an argument that says what it is about."""
    operands = [field for field in command.fields.values() if isinstance(field, Operand)]
    if command in _PLAYS or any(isinstance(field.kind, Handle | Opponents) for field in operands):
        return False
    return any(not field.optional for field in operands)


def is_in_sentence(lines: Sequence[str], index: int | None) -> bool:
    """Return whether the line at `index` may be inside a sentence with the lines around it."""
    above = lines[index - 1].strip() if index else ""
    if not above or above.endswith(tuple(_SENTENCE_ENDS)) or index is None:
        return False
    below = lines[index + 1].strip() if index + 1 < len(lines) else ""
    negates = not ANSWER_WORDS["not"].isdisjoint(words_of(above))
    return negates or len(above) >= _WRAPPED or (below[:1].islower() and below.endswith("?"))


def is_spoken_of(lines: Sequence[str], index: int | None) -> bool:
    """Return whether a line with a move may be in a sentence, or the lines around deny it."""
    return is_in_sentence(lines, index) or are_about(lines, index, TO_YOU)


def follows_on(lines: Sequence[str], index: int | None) -> bool:
    """Return whether the line at `index` may continue a sentence from the line above."""
    above = lines[index - 1].strip() if index else ""
    return bool(above) and above[-1] not in ".!?…,)" and not all(map(is_greeting, clauses(above)))


def goes_on(lines: Sequence[str], index: int | None) -> bool:
    """Return whether the text below may continue the line at `index`, or revoke that line."""
    if index is None:
        return False
    below = next((line.strip() for line in lines[index + 1 :] if line.strip()), "")
    first = next(iter(clauses(below)), None)
    takes_back = first is not None and (
        not _DOUBTFUL.isdisjoint(first.words[:1]) or begins(first.words, _APOLOGIES)
    )
    return takes_back or (index + 1 < len(lines) and lines[index + 1][:1].islower())


def speaks_to(line: str) -> bool:
    """Return whether a line says "you" or "your"."""
    return not TO_YOU.isdisjoint(words_of(line))
