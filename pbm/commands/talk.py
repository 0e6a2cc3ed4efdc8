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
from pbm.commands.language.declare import Command, Operand
from pbm.commands.language.words import Handle
from pbm.commands.registry import Problem, begun_by
from pbm.commands.sentences.clauses import read_list, words_of
from pbm.play.game_words import mentions_place

_FEWEST_WORDS = 3  # of a sentence; shorter lines are mistyped commands
_LISTS: Final = read_list("sentences", ("to you", "words", "ours", "beginnings", "whole"))
TO_YOU, _WORDS, _OURS, _BEGINNINGS, _WHOLE = _LISTS.values()
# A number, an option, an address, a ply, two partners.
_EXACT = re.compile(r"\d|[@#=+*]|(?:^|\s)[-\u2013\u2014]{1,2}\w")
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
