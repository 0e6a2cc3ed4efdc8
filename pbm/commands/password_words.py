"""Finds possible passwords in words for others, in bounded time.

A password follows its userid or the word "password". In a line like a command of an older server,
with a userid and more, it always counts; elsewhere each word that is long enough is a candidate.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import islice

from pbm.commands.families.play import PlayMove
from pbm.commands.language.words import KEPT_FREE
from pbm.commands.registry import COMMANDS
from pbm.passwords import LONGEST, SHORTEST
from pbm.play.game_words import is_any_bare_move
from pbm.rules.registry import games

_MOST_WORDS = 5  # searched behind a userid
_UNSEEN = re.compile("[\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
# Encoded and non-breaking blanks, too.
_BLANK = re.compile("%20|=20|[^\\S\n]")
_WORD = re.compile(rf"\S{{1,{LONGEST + 8}}}")
_OPENS, _CLOSES = (
    "\"'`([{<*_:=/|,;.>~-\u2018\u201c\u201e\u00ab",
    ".,;:!?)]}>\"'`*_|~\u2019\u201d\u00bb",
)
_CALLED = (
    *"password passwd passwort kennwort passphrase contraseña senha wachtwoord lösenord".split(),
    *("hasło", "heslo", "пароль", "mot de passe"),
)
# Words allowed between a userid and its password.
_BETWEEN = frozenset(
    "pass pw pwd mot de passe userid user login is was my mine the and with und mit ist"
    " mein et est mon s of to new old".split()
) | frozenset(_CALLED)
_WITH_LOGIN = {word for command in COMMANDS if command.takes_login for word in command.words}
_CLASSIC_WORDS = KEPT_FREE | _WITH_LOGIN
_MOVE_WORDS = "|".join(PlayMove.words)
_MOVE = re.compile(
    rf"(?:{_MOVE_WORDS}) \d{{1,9}}(?:#\d{{1,5}})? (.{{1,80}})", re.ASCII | re.IGNORECASE
)
_MARKS = "[ \t>|*_\"'`(\\[{<\u2018\u201c\u201e\u00ab\u2022\u00b7#+\u2013\u2014-]"
_CLASSIC = re.compile(
    rf"(?<![a-z0-9])({'|'.join(sorted(map(re.escape, _CLASSIC_WORDS)))})"
    rf"([ \t]*#?-?\d{{1,9}}(?:#-?\d{{1,5}})?:?)?\s+(?:({'|'.join(sorted(KEPT_FREE))})\s+)?"
    rf"{_MARKS}{{0,3}}([a-z][a-z0-9_-]{{1,15}})(?![a-z0-9_@-])[\s:,;=/|\"'`*_>)\]-]{{1,8}}(\S{{1,80}})",
    re.ASCII | re.IGNORECASE,
)
# The text allowed before a command's word. Searched only near the word, as there may be much.
_BEGINS = rf"(?:^|[:;,.!?>|*\"'`(\u201c\u201e\u00ab\u2013\u2014]){_MARKS}{{0,8}}(?:pbm\s{{1,9}})?"
_MOST_BEFORE = 40  # characters
_NEW = re.compile(
    rf"(?<![a-z0-9])(?:change|set)[ \t]+(?:my[ \t]+)?(password)[\s:=]+(\S{{{SHORTEST},80}})",
    re.ASCII | re.IGNORECASE,
)

# A line that is only a password.
_ALONE = re.compile(
    rf"^[ \t]{{0,8}}(?:(?:my|mein|mon|mi|il mio|mijn|mitt)[ \t]{{1,8}})?({'|'.join(_CALLED)})"
    rf"[ \t]{{0,8}}[:=]?[ \t]{{0,8}}(?:(?:is|ist|est|es|è)[ \t:]{{1,8}})?"
    rf"(\S{{{SHORTEST},80}})[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)


def may_hold_password(text: str) -> bool:
    """Whether a text needs a closer search; most mails are a move and a few short words."""
    long = (word for word in text.split() if len(word) >= SHORTEST)
    if not all(map(is_any_bare_move, long)):
        return True
    if next(classic_userids(text), None) is None:
        return False
    found = _MOVE.fullmatch(text.strip())  # a `move` line, as in our own mails
    return found is None or not is_any_bare_move(found[1])


def new_password(text: str) -> str | None:
    """The word before a new password, in a line that sets or names a password; else None."""
    text = _seen(text)
    for found in _NEW.finditer(text):
        if _begins().search(text, max(0, found.start() - _MOST_BEFORE), found.start()):
            return found[1]
    alone = _ALONE.search(text)
    return alone[1] if alone else None


def classic_userids(text: str) -> Iterator[tuple[str, bool]]:
    """The userids in lines like commands of an older server, and whether our commands take them.

    Without a board, a word long enough for a password must follow.
    """
    text, at = _seen(text), 0
    while (found := _CLASSIC.search(text, at)) is not None:
        start = found.start()
        if not _begins().search(text, max(0, start - _MOST_BEFORE), start):
            at = start + 1
            continue
        at = found.end()
        word, board, _, handle, behind = found.groups()
        is_ours = word.lower() in _WITH_LOGIN
        if not is_ours and "\n" in found[0]:
            continue
        if board or len(behind.strip(_OPENS + _CLOSES)) >= SHORTEST:
            yield handle.lower(), is_ours


def perhaps_passwords(
    text: str, handles: Collection[str], own: str | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield the handle (`own` without a userid), the word before, and each possible password."""
    if not handles:
        return
    called = f"|{'|'.join(_CALLED)}" if own in handles else ""
    userid = re.compile(
        rf"(?<![a-z0-9_-])(?:(?a:({'|'.join(map(re.escape, handles))}))(?:@[a-z0-9.-]++)?{called})"
        rf"(?![a-z0-9_@-])",
        re.IGNORECASE,
    )
    for seen in dict.fromkeys((_seen(text), _seen(text, " "))):
        for found in userid.finditer(seen):
            before = (found[1] or found[0]).lower()
            handle = before if found[1] else own or ""
            for behind in islice(_WORD.finditer(seen, found.end()), _MOST_WORDS):
                yield from ((handle, before, spelt) for spelt in _spellings(behind[0]))
                bare = behind[0].strip(_OPENS + _CLOSES).lower()
                if bare and bare not in _BETWEEN:
                    break


@cache
def _begins() -> re.Pattern[str]:
    """A pattern for what may precede a command's word, including the name of a game."""
    names = "|".join(games())
    pattern = rf"{_BEGINS}(?:(?:{names})\s{{1,9}})?\Z"
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.MULTILINE)


def _spellings(word: str) -> dict[str, None]:
    """The word with and without surrounding marks, if long enough."""
    left = word.lstrip(_OPENS)
    forms = (word, left, word.rstrip(_CLOSES), left.rstrip(_CLOSES))
    return dict.fromkeys(form for form in forms if SHORTEST <= len(form) <= LONGEST)


def _seen(text: str, unseen: str = "") -> str:
    """The text as readers see it, without invisible characters and with plain blanks."""
    return _BLANK.sub(" ", text if text.isascii() else _UNSEEN.sub(unseen, text))
