"""Masks secrets in text for the operator and the log.

Tags of reply addresses and question tokens are recognised by their form. A password is recognised
by its position in a command, such as `signup alice secret`. Players who know other servers may also
write `move 12 alice secret MOVE`. If in doubt, a word is masked.
"""

import re
from difflib import get_close_matches
from functools import cache
from traceback import format_exception

from pbm.mail.reading.tag_masking import MASK, mask_tags
from pbm.play.game_words import is_any_bare_move
from pbm.rules.registry import games

# Our own addresses, also if quoted, percent-encoded or truncated by a mail program.
_SECRET = re.compile(
    r"((?:(?<![a-z0-9])|%2b)(?:(?:u\d{1,9}|b\.\d{1,9}\.[a-z0-9]{8})\.(?=[a-z0-9]{4})"
    r"|(?:c|probe)\.(?=[a-z0-9]{12})))[a-z0-9]+",
    re.ASCII | re.IGNORECASE,
)
_PASSWORD = re.compile(  # atomic, so that a word that repeats "passwd" takes linear time
    r"(?<!\S)((?>\S*?passw(?:or)?d\b\S*))[ \t]+\S.*", re.ASCII | re.IGNORECASE
)
_KEPT = re.compile(r"#?-?\d{1,9}(?:#-?\d{1,5})?|\*\*|[-–—]{1,2}[a-z].*", re.ASCII | re.IGNORECASE)
_WORDS = re.compile(r"\S+")
_QUOTE_MARKS = ">|*\"'([ \t"
_ALIKE = 0.75
_WITHOUT_PASSWORD = ("help", "chall", "show", "games")
_FEWEST = 3  # words of a command with a password
_LONGEST = 300  # characters of an error


def in_a_line(error: Exception) -> str:
    """Format an error as one short printable line, masked."""
    return masked(one_line(f"{type(error).__name__}: {error}"))[:_LONGEST]


def one_line(text: str) -> str:
    """Return the text on one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def printable(text: str) -> str:
    """Replace control characters, except line ends, since a terminal would obey them."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def traceback_of(error: BaseException) -> str:
    """Return an error's traceback for the log, masked."""
    return masked("".join(format_exception(error)).rstrip("\n"))


def masked(text: str) -> str:
    lines = map(_masked_command, _SECRET.sub(rf"\g<1>{MASK}", text).split("\n"))
    text = _PASSWORD.sub(rf"\g<1> {MASK}", "\n".join(lines))
    return mask_tags(text, lambda _: False)  # tags in other spellings


def _masked_command(line: str) -> str:
    """Mask the words after the handle in a command; keep board numbers, moves and options."""
    words = list(_WORDS.finditer(line))
    at = _command_at([word[0] for word in words]) if len(words) >= _FEWEST else None
    if at is None:
        return line
    others = [word for word in words[at + 1 :] if not _KEPT.fullmatch(word[0])]
    secret = {word.start() for word in others[1:] if not is_any_bare_move(word[0])}
    return _WORDS.sub(lambda word: MASK if word.start() in secret else word[0], line)


def _command_at(words: list[str]) -> int | None:
    """Return the index of a line's command word, None if no password can follow that command."""
    from pbm.commands.language.words import lowered
    from pbm.commands.registry import find_command  # takes long to import

    for at, word in enumerate(words):
        bare = word.strip(_QUOTE_MARKS).lower()
        if not bare or bare.endswith((":", "]")) or bare == "pbm" or bare in games():
            continue
        if find_command(bare) is None:
            return at if get_close_matches(lowered(bare), _secretive(), 1, _ALIKE) else None
        return None if bare.startswith(_WITHOUT_PASSWORD) else at
    return None


@cache
def _secretive() -> list[str]:
    """Return the words of commands that may hold a password."""
    from pbm.commands.registry import COMMANDS

    return [word for command in COMMANDS if command.has_secret() for word in command.words]
