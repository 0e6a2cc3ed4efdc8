"""Reads the lines of a plan, such as "if MOVE then MOVE", with the words of `plans.txt`."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Final

from pbm.commands.language.around_moves import undressed
from pbm.commands.language.words import is_handle, lowered
from pbm.mail.reading.charsets import fold_typography
from pbm.play.game_words import is_any_bare_move
from pbm.play.plan_lines import Said, Written
from pbm.store.values.plans import ANY
from pbm.word_lists import either, read_sections

_FILE: Final = Path(__file__).parents[1] / "languages" / "plans.txt"
LONGEST_LINE: Final = 400  # characters, as of any command
_IF, _THEN, _ELSE = "if", "then", "otherwise"
_LISTED: Final = re.compile(r"(?:[-*\u2022]|\d{1,2}[.)])\s+", re.ASCII)
_SIGNS: Final = ",;:. \t"
_COMMA: Final = re.compile("[,;:]|[-=]+>")
_WORDS_OF_A_MOVE: Final = 8
_INDENTS: Final = ("   ", "\t")  # before quoted lines, and the lower lines of our trees


PHRASES: Final = read_sections(
    _FILE,
    (_IF, _THEN, _ELSE, "any", "and", "beside"),
    lambda line: map(str.strip, line.casefold().split(",")),
)


def _phrase(section: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{either(PHRASES[section])})(?!\S)")


# Words that part a line; the groups have the names of their sections.
_MARKS: Final = re.compile(
    "|".join(
        rf"(?P<{name}>(?<!\S)(?:{either(PHRASES[name])})(?![^\s,:]))"
        for name in (_ELSE, _THEN, _IF)
    )
)
_FIRST: Final = {phrase.split()[0] for name in (_IF, _ELSE, "and") for phrase in PHRASES[name]}
# Which lines may be one of a plan, found quickly.
_BEGINNING: Final = re.compile(rf"\W*(?:\d{{1,2}}[.)]\s*)?(?:{either(_FIRST)})\b", re.IGNORECASE)
_BESIDE, _ANY_MOVE, _BETWEEN = map(_phrase, ("beside", "any", "and"))
_JOINED: Final = re.compile(rf"^(?:{either(PHRASES['and'])})(?= )")
_JOINS: Final = re.compile(rf"[{_SIGNS}](?:{either(PHRASES['and'])})[{_SIGNS}]*$")


def begins_plan(text: str) -> bool:
    """Return whether a line begins with a word such as "if" or "otherwise", and is not indented."""
    if len(text) > LONGEST_LINE or text.startswith(_INDENTS) or not _BEGINNING.match(text):
        return False
    found = _MARKS.match(_folded(text))
    return found is not None and found.lastgroup in (_IF, _ELSE)


def has_condition(text: str) -> bool:
    """Return whether a line has a word such as "if" anywhere."""
    folded = _folded(text[:LONGEST_LINE])
    return any(found.lastgroup == _IF for found in _MARKS.finditer(folded))


def is_returned(text: str) -> bool:
    """Return whether a line is one of a plan with the mark that our mails put before it."""
    return text.lstrip().startswith("|") and read_plan_line(text.lstrip("| ")) is not None


@lru_cache(maxsize=512)
def read_plan_line(text: str) -> Written | None:
    """Return a line taken apart, or None if it is not wholly a line of a plan.

    >>> from pbm.rules.registry import default_game
    >>> read_plan_line("if you play well then I am lost") is None
    True
    """
    line = _folded(text) if len(text) <= LONGEST_LINE else ""
    pieces = _with_answers(_pieces(line))
    otherwise = [said for mark, said in pieces if mark == _ELSE]
    if move := _move(otherwise[0] if len(pieces) == len(otherwise) == 1 else line):
        return Written(text.strip(), (((), move),))
    parts = list[tuple[tuple[Said, ...], str]]()
    for (first, condition), (second, answer) in zip(pieces[::2], pieces[1::2], strict=False):
        others, move = _condition(condition), _move(answer)
        if (first, second) != (_IF, _THEN) or not others or move is None:
            return None
        parts.append((others, move))
    is_whole = len(pieces) == 2 * len(parts) > 0
    return Written(text.strip(), tuple(parts)) if is_whole else None


def _folded(text: str) -> str:
    line = " ".join(fold_typography(text).casefold().split())
    listed = _LISTED.match(line)
    return _JOINED.sub("", line[listed.end() :] if listed else line).strip()


def _pieces(line: str) -> list[tuple[str, str]]:
    """Return the marking words of a line, each with the text behind it; [] if others come first."""
    found = _without_names(list(_MARKS.finditer(line)))
    if not found or found[0].start() > 0:
        return []
    ends = [item.start() for item in found[1:]] + [len(line)]
    return [
        (item.lastgroup or "", _JOINS.sub("", line[item.end() : end]).strip(_SIGNS))
        for item, end in zip(found, ends, strict=True)
    ]


def _with_answers(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Divide each condition that has its answer behind a comma, and not behind "then"."""
    found = list[tuple[str, str]]()
    for (mark, said), (follows, _) in zip(pieces, [*pieces[1:], ("", "")], strict=False):
        parts = _parts_at_comma(said) if mark == _IF and follows != _THEN else None
        found += [(_IF, parts[0]), (_THEN, parts[1])] if parts else [(mark, said)]
    return found


def _parts_at_comma(text: str) -> tuple[str, str] | None:
    """Split "if R, S" at its comma; return None if no comma fits, or several do."""
    divided = ((text[: at.start()], text[at.end() :]) for at in _COMMA.finditer(text))
    fit = [(told, move) for told, move in divided if _move(move) and _condition(told.strip(_SIGNS))]
    return fit[0] if len(fit) == 1 and "?" not in text else None


def _without_names(found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Leave out marks that name a player, as "dan" and "anders" do: `then` follows them."""
    kept = found[:1]
    for item, follows in pairwise((*found[1:], None)):
        in_condition = kept and kept[-1].lastgroup == _IF
        if not (item and in_condition and follows and follows.lastgroup == _THEN):
            kept += [item] if item else []
    return kept


def _move(text: str) -> str | None:
    text = undressed(text.strip(_SIGNS))
    return text if is_any_bare_move(text) else None


def first_move(words: Sequence[str]) -> tuple[str, int]:
    """Return the move that the first words are, as many as can be, and how many; else "" and 0."""
    for size in range(min(len(words), _WORDS_OF_A_MOVE), 0, -1):
        if move := _move(" ".join(words[:size])):
            return move, size
    return "", 0


def _condition(text: str) -> tuple[Said, ...]:
    """Return the moves of others that a text names, or () if it says anything else, too."""
    words = _BETWEEN.sub(" ", _ANY_MOVE.sub(ANY, _BESIDE.sub(" ", text))).split()
    said, handle = list[Said](), ""
    while words:
        # "I play K-R" is no move of another player, though K-R is one beside "I play".
        near = [*takewhile(lambda word: word != ANY and not _names_player(word), words)]
        move, size = (ANY, 1) if words[0] == ANY else first_move(near)
        if move:
            said.append(Said(move, handle))
            handle = ""
        elif not (near or handle):
            handle, size = lowered(words[0]), 1
        else:
            return ()
        words = words[size:]
    return () if handle else tuple(said)


def _names_player(word: str) -> bool:
    plain = lowered(word).strip(_SIGNS)
    return is_handle(plain) and not any(char.isdigit() for char in plain[1:2])
