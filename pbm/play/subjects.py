"""The subjects of boards, questions and lists of games; all subjects of ours are recognised here.

Answers and notices have their subject from their template, and `pbm:` before it in any language.

A reply's subject cannot be compared with a stored one, since stored subjects are erased once a mail
is sent. So replies are recognised by patterns. The patterns are made from the same texts as the
subjects.
"""

import re
from collections.abc import Sequence
from functools import cache
from string import Formatter

from pbm.play.game_words import mentions_place
from pbm.rules.registry import game_named, games

_BOARD = "{title} Board {number}: {names}"
_CLASSIC = "{title} Board {number} {turn}{words}"
_QUESTION, _ANSWER = "Please confirm: {what}", "pbm: {what}"
_GAMES, _GAMES_OF_TWO = "{owner} games: {what}", "{owner} and {other} games: {what}"
_GAMES_OF_MORE = "Games of {count} players: {what}"
_YOURS, _THEIRS, _WORDS = "your", "{handle}'s", " **"
_LONGEST_ASKED = 60
_NAMED = 2  # handles named in a subject

_HANDLE = "[a-z][a-z0-9_-]{1,15}"
_OWNER = f"(?:{_YOURS}|{_THEIRS.format(handle=_HANDLE)})"
_FIELDS = {
    "number": r"(\d{1,9})",
    "turn": _HANDLE,
    "words": f"(?:{re.escape(_WORDS)})?$",
    "owner": _OWNER,
    "other": _OWNER,
    "count": r"\d+",
}


def board_subject(game: str, handles: Sequence[str]) -> str:
    """Return the lasting subject of a board, with the placeholder `{number}` for its number."""
    more = f" +{len(handles) - _NAMED}"
    names = " v ".join(handles) if len(handles) == _NAMED else ", ".join(handles[:_NAMED]) + more
    return _BOARD.format(title=game_named(game).info.title, number="{number}", names=names)


def classic_subject(game: str, number: int, turn: str | None, *, words: bool) -> str:
    """Return a board's subject in the form that older servers used.

    `turn` is None if the game is over. `words` says whether the mail has comments.
    """
    title = game_named(game).info.title
    marked = _WORDS if words else ""
    return _CLASSIC.format(title=title, number=number, turn=turn or "over", words=marked)


def question_subject(what: str) -> str:
    shown = what if len(what) <= _LONGEST_ASKED else f"{what[:_LONGEST_ASKED]}..."
    return _QUESTION.format(what=shown)


def games_subject(owners: Sequence[str | None], what: str) -> str:
    """Return the subject of a list of games. An owner of None is the reader of the mail.

    >>> games_subject([None], "none"), games_subject(["bob", None], "none")
    ('Your games: none', "bob's and your games: none")
    """
    if len(owners) > _NAMED:
        return _GAMES_OF_MORE.format(count=len(owners), what=what)
    owner, *other = (_THEIRS.format(handle=name) if name else _YOURS for name in owners)
    owner = owner if owners[0] else owner.capitalize()
    text = _GAMES_OF_TWO if other else _GAMES
    return text.format(owner=owner, other="".join(other), what=what)


def is_own(subject: str) -> bool:
    """Return whether a subject without `Re:` is that of our own mails, and so no command."""
    return board_named(subject) is not None or _OTHERS.match(subject) is not None


def board_named(subject: str) -> int | None:
    """Return the board's number if the subject is our own subject of a board, else None.

    The subject is without `Re:`. If it mentions a place on a board, it is a player's command.

    >>> board_named("Abalone Board 12: alice v bob"), board_named("Abalone Board 12 alice **")
    (12, 12)
    """
    for pattern in _boards():
        found = pattern.match(subject)
        if found and not mentions_place(subject):
            return int(found[1])
    return None


def _pattern(*texts: str, **fields: str) -> re.Pattern[str]:
    """Return a pattern that matches the beginning of a subject made from one of these texts."""
    fields = {**_FIELDS, **fields}
    patterns = (
        "".join(
            re.escape(words) + fields.get(field or "", "")
            for words, field, *_ in Formatter().parse(text)
        ).removesuffix(r"\ ")
        for text in texts
    )
    return re.compile("|".join(patterns), re.ASCII | re.IGNORECASE)


_OTHERS = _pattern(_QUESTION, _ANSWER, _GAMES, _GAMES_OF_TWO, _GAMES_OF_MORE)


@cache
def _boards() -> tuple[re.Pattern[str], ...]:
    titles = "|".join(re.escape(game.info.title) for game in games().values())
    return tuple(_pattern(text, title=f"(?:{titles})") for text in (_BOARD, _CLASSIC))
