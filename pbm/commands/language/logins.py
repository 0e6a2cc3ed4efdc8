"""Userids and passwords in command lines, as on older servers."""

from dataclasses import dataclass

from pbm.commands.language.words import KEPT_FREE, WHICH, ArgumentKind, is_board, is_handle, lowered
from pbm.play.game_words import mentions_place

_LOGIN = 2  # words: userid, password


@dataclass(frozen=True, repr=False)
class SecretText:
    """A secret word; its `repr` is masked."""

    value: str

    def __repr__(self) -> str:
        return "SecretText('****')"

    __str__ = __repr__


@dataclass(frozen=True)
class Login:
    """A userid and a password, as older servers required in a command's line."""

    handle: str
    password: SecretText


class Secret(ArgumentKind):
    """A password."""

    shown = "password"

    def read(self, words: list[str]) -> SecretText:
        """Parse one word."""
        return SecretText(words.pop(0))


def login_at(words: list[str]) -> int | None:
    """The index of a userid and a password; None if there is none.

    On older servers they followed the board's number: `12 alice secret a1-c3,d4`, perhaps with a
    word of the command beside it: `draw 12 alice secret`.
    """
    if len(words) <= _LOGIN:  # besides the board's number
        return None
    at = int(_is_own_word(words, 0))
    if at >= len(words) or not is_board(words[at]):
        return None
    at += 1
    at += _is_own_word(words, at)
    userid = lowered(words[at]) if len(words) >= at + _LOGIN else ""
    return at if is_handle(userid) and not mentions_place(userid) else None


def login_first(words: list[str]) -> int | None:
    """The index of a userid and a password if they come first, else None."""
    if len(words) < _LOGIN or not is_handle(lowered(words[0])):
        return None
    others = [word for word in words[:_LOGIN] if lowered(word) in WHICH or is_board(word)]
    return None if others else 0


def _is_own_word(words: list[str], at: int) -> bool:
    """Whether the word at an index is a command's own and so not a userid."""
    return at < len(words) and lowered(words[at]).replace("-", "") in KEPT_FREE
