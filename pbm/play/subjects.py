"""The subjects of our own mails: formatted here, and recognised here in replies."""

import re
from collections.abc import Sequence
from functools import cache

from pbm.play.game_words import mentions_place
from pbm.rules.registry import game_named, games

# Also the classic form, `... Board 12 alice **`: the player to move, and a mark for words.
_BOARD = r" Board (\d{1,9})(?::|(?= [a-z][a-z0-9_-]{1,15}(?: \*\*)?$))"
_OTHERS = ("please confirm:", "pbm:")
_OWNER = "(?:your|[a-z][a-z0-9_-]{1,15}'s)"
_GAMES = re.compile(
    f"{_OWNER}(?: and {_OWNER})? games:|games of \\d+ players:", re.ASCII | re.IGNORECASE
)
_LONGEST_ASKED = 60
_NAMED = 2  # handles named in a subject


def board_subject(game: str, handles: Sequence[str]) -> str:
    """Return the frozen subject of a board, with `{number}` for its number."""
    title = game_named(game).info.title
    if len(handles) == _NAMED:
        return f"{title} Board {{number}}: {handles[0]} v {handles[1]}"
    more = len(handles) - _NAMED
    return f"{title} Board {{number}}: {', '.join(handles[:_NAMED])} +{more}"


def classic_subject(game: str, number: int, turn: str | None, *, words: bool) -> str:
    """Return a board's subject as on older servers: the player to move, and ` **` for words."""
    title = game_named(game).info.title
    return f"{title} Board {number} {turn or 'over'}{' **' if words else ''}"


def question_subject(what: str) -> str:
    """Return the subject of a question."""
    shown = what if len(what) <= _LONGEST_ASKED else f"{what[:_LONGEST_ASKED]}..."
    return f"Please confirm: {shown}"


def answer_subject(what: str) -> str:
    """Return the subject of an answer about no board."""
    return f"pbm: {what}"


def games_subject(owners: Sequence[str | None], what: str) -> str:
    """Return the subject of a list of games; an owner is a handle, None for the reader.

    >>> games_subject([None], "none"), games_subject(["bob", None], "none")
    ('Your games: none', "bob's and your games: none")
    """
    if len(owners) > _NAMED:
        return f"Games of {len(owners)} players: {what}"
    whose = " and ".join(f"{owner}'s" if owner else "your" for owner in owners)
    return f"{whose if owners[0] else whose.capitalize()} games: {what}"


def is_own(subject: str) -> bool:
    """Whether a cleaned subject is one of ours, and so not a command."""
    if board_named(subject) is not None or subject.lower().startswith(_OTHERS):
        return True
    return _GAMES.match(subject) is not None


def board_named(subject: str) -> int | None:
    """Return the board's number in a cleaned subject of ours, else None.

    A subject with a cell is a player's line: `Abalone board 12: a1-c3,d4`.

    >>> board_named("Abalone Board 12: alice v bob"), board_named("Abalone Board 12 alice **")
    (12, 12)
    """
    found = _board().match(subject)
    return int(found[1]) if found and not mentions_place(subject) else None


@cache
def _board() -> re.Pattern[str]:
    """The pattern of board subjects, of all games."""
    titles = "|".join(re.escape(game.info.title) for game in games().values())
    return re.compile(f"(?:{titles}){_BOARD}", re.ASCII | re.IGNORECASE)
