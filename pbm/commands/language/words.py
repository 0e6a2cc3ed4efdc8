"""Argument types: the only parsers of arguments; each has a name for usage lines.

A type takes words from the front of the remaining ones, and raises `Refusal` with code `syntax`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from pbm.commands.language.around_moves import undressed
from pbm.errors import Refusal
from pbm.mail.address import AddressError, parse_address
from pbm.nearest import nearest
from pbm.play.game_words import is_game, may_be_move, mentions_place
from pbm.rules.registry import games

_HANDLE = re.compile(r"[a-z][a-z0-9_-]{1,15}", re.ASCII)
_BOARD = re.compile(r"(\d{1,9})?(?:#(-?\d{1,5}))?:?", re.ASCII)
ME = "me"
_LONGEST_SHOWN = 40
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_MARK = re.compile(r"#(\d{1,5})", re.ASCII)
# Command words of game servers by mail, including future ones of ours: not allowed as handles.
KEPT_FREE = frozenset(
    "accept add back block broadcast chat change claim delete draw drop export history import "
    "info invite join limit list message new note notify offer offers pass password preview "
    "propose queue quit ratings reject rematch report seek set settings signoff standings stop "
    "submit subscribe substitute takeback tournament unblock undo unseek unsubscribe vacation "
    "who".split()
)


def lowered(text: str) -> str:
    """Lower-case ASCII letters only: other letters may be look-alikes.

    >>> lowered("KATE")
    'Kate'
    """
    return text.lower() if text.isascii() else text.translate(_LOWER)


def is_handle(word: str) -> bool:
    """Whether a lower-case word has the form of a handle."""
    return _HANDLE.fullmatch(word) is not None


def is_board(word: str) -> bool:
    """Whether a word has the form of a board with or without a ply; `:` alone does, too."""
    return _BOARD.fullmatch(word) is not None


def misread(reason: str, **params: Any) -> Refusal:
    """Build the refusal for words that cannot be parsed; `reason` names its sentence."""
    return Refusal("syntax", reason=reason, **params)


def read_address(word: str) -> str:
    """Parse a word as a mail address. Raises Refusal."""
    try:
        return parse_address(word)
    except AddressError as error:
        raise misread("address", word=cut_short(word)) from error


def cut_short(text: str) -> str:
    """A player's word, cut short enough to quote in a sentence."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


@dataclass(frozen=True)
class BoardRef:
    """A board as a player names it: number, ply, either or both. Ply -3 is the third last."""

    number: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        mark = "" if self.ply is None else f"#{self.ply}"
        return f"{'' if self.number is None else self.number}{mark}"


class ArgumentKind:
    """One argument type; `shown` is its name in a usage line."""

    shown = ""
    rest = False  # takes all remaining words
    anywhere = False  # may stand before, between or after the other words
    explains = False  # its refusal is shown even if it is optional

    def read(self, words: list[str]) -> Any:
        """Take words from the front and return the value. Raises Refusal."""
        raise NotImplementedError

    def fits(self, word: str) -> bool:
        """Whether a word is meant for this argument, wherever it stands."""
        return False


class BoardKind(ArgumentKind):
    """A board's number, with an optional ply: `12`, `12#17`, `#-3`."""

    shown = "board"

    def read(self, words: list[str]) -> BoardRef:
        """Parse one word."""
        found = _BOARD.fullmatch(words[0])
        if not found or not (found[1] or found[2]):
            raise misread("board", word=cut_short(words[0]))
        number, ply = found.groups()
        words.pop(0)
        return BoardRef(int(number) if number else None, int(ply) if ply else None)


class StrayBoard(BoardKind):
    """A board that may be named before or after the other words."""

    anywhere = True

    def fits(self, word: str) -> bool:
        """Whether a word is a board's number or a ply."""
        return is_board(word) and word != ":"


class PlyMark(ArgumentKind):
    """The ply a move is meant for: `#17`."""

    shown = "#ply"
    anywhere = True

    def fits(self, word: str) -> bool:
        """Whether a word is a ply."""
        return bool(_MARK.fullmatch(word))

    def read(self, words: list[str]) -> int:
        """Parse one word."""
        found = _MARK.fullmatch(words[0])
        if not found:
            raise misread("ply", word=cut_short(words[0]))
        words.pop(0)
        return int(found[1])


class MoveText(ArgumentKind):
    """A move, blanks anywhere; the position decides whether it is legal."""

    shown = "move"
    rest = True

    def read(self, words: list[str]) -> str:
        """Parse all remaining words."""
        written = " ".join(words)
        found = (
            text for text in (written, undressed(written, numbered=False)) if may_be_move(text)
        )
        text = next(found, None)
        if text is None:
            raise misread("move", word=cut_short(written))
        words.clear()
        return text


class Handle(ArgumentKind):
    """A player's userid."""

    shown = "handle"

    def read(self, words: list[str]) -> str:
        """Parse one word; it need not be an existing handle."""
        if not is_handle(lowered(words[0])):
            raise misread("handle", word=cut_short(words[0]))
        return lowered(words.pop(0))


class Address(ArgumentKind):
    """A mail address; certain words in front of it are skipped."""

    shown = "address"

    def __init__(self, *before: str) -> None:
        self._before = before

    def read(self, words: list[str]) -> str:
        """Parse one word."""
        if len(words) > 1 and lowered(words[0]) in self._before:
            words.pop(0)
        address = read_address(words[0].strip("<>,;"))
        words.pop(0)
        return address


class Word(ArgumentKind):
    """Any one word."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> str:
        """Parse one word."""
        return words.pop(0)


class Sentence(ArgumentKind):
    """Words as somebody writes them."""

    shown = "text"
    rest = True

    def read(self, words: list[str]) -> str:
        """Take all remaining words."""
        text = " ".join(words)
        words.clear()
        return text


class OneOf(ArgumentKind):
    """One of some words; `read_as` maps other spellings to them."""

    explains = True

    def __init__(self, *choices: str, shown: str = "", **read_as: str) -> None:
        self._read_as = {choice: choice for choice in choices} | read_as
        self._choices = "|".join(dict.fromkeys(self._read_as.values()))
        self.shown = shown or self._choices

    def read(self, words: list[str]) -> str:
        """Parse one word."""
        meant = self._read_as.get(lowered(words[0]).replace("-", ""))
        if meant is None:
            near = nearest(words[0], self._choices.split("|"))
            raise misread("one-of", word=cut_short(words[0]), choice=self._choices, near=near)
        words.pop(0)
        return meant


class Shown(ArgumentKind):
    """A board, a handle, or one of a command's own words."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> BoardRef | str:
        """Parse one word."""
        if words[0][0].isdigit() or words[0][0] == "#":
            return BoardKind().read(words)
        if mentions_place(words[0]):
            raise misread("handle", word=cut_short(words[0]))
        return Handle().read(words)


class Which(StrEnum):
    """The boards of a player to list."""

    NEXT = "next"
    ACTIVE = "active"
    OVER = "over"
    ALL = "all"


WHICH = {
    **{which.value: which for which in Which},
    "waiting": Which.NEXT,
    "playing": Which.ACTIVE,
    "inactive": Which.OVER,
    "finished": Which.OVER,
}


class OwnBoards(ArgumentKind):
    """A board, or a selection of the speaker's own."""

    shown = "board|next|active|over|all"

    def read(self, words: list[str]) -> BoardRef | str:
        """Parse one word."""
        if words[0][0].isdigit() or words[0][0] == "#":
            return BoardKind().read(words)
        return OneOf(shown=self.shown, **WHICH).read(words)


class Topic(ArgumentKind):
    """The subject of a help page: a word or two."""

    shown = "subject"
    rest = True

    def read(self, words: list[str]) -> str:
        """Take all remaining words."""
        text = lowered(" ".join(words))
        words.clear()
        return text


class GameName(ArgumentKind):
    """A game by its name."""

    shown = "game"

    def __init__(self, *, explains: bool = True) -> None:
        self.explains = explains

    def read(self, words: list[str]) -> str:
        """Parse one word."""
        name = lowered(words[0])
        if not is_game(name):
            raise misread("game", word=cut_short(words[0]), names=sorted(games()))
        words.pop(0)
        return name


class JoinedWords(ArgumentKind):
    """One word, or several with commas or "and" between them."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> str:
        """Take one word, and more while commas or "and" join them."""
        taken = [words.pop(0)]
        while words and (taken[-1].endswith((",", "&")) or _joins(taken[-1]) or _joins(words[0])):
            taken.append(words.pop(0))
        return " ".join(taken)


def _joins(word: str) -> bool:
    return word.startswith((",", "&")) or lowered(word) == "and"


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
