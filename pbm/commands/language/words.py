"""The common argument types. Each parses words from a list; wrong words raise Refusal `syntax`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from pbm.commands.language.around_moves import undressed
from pbm.errors import Refusal
from pbm.mail.address import AddressError, parse_address
from pbm.nearest import nearest
from pbm.play.game_words import may_be_move, mentions_place
from pbm.play.listings import Which
from pbm.rules.registry import games

_HANDLE = re.compile(r"[a-z][a-z0-9_-]{1,15}", re.ASCII)
_LOGIN = 2  # words: userid, password
_BOARD = re.compile(r"(\d{1,9})?(?:#(-?\d{1,5}))?:?", re.ASCII)
ME = "me"
_LONGEST_SHOWN = 40
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_MARK = re.compile(r"#(\d{1,5})", re.ASCII)
# Command words of game servers, and possible ones of ours: not allowed as handles.
KEPT_FREE = frozenset(
    "accept add back block broadcast chat change claim delete draw drop export history import "
    "info invite join limit list message new note notify offer offers pass password preview "
    "propose queue quit ratings reject rematch report seek set settings signoff standings stop "
    "submit subscribe substitute takeback tournament unblock undo unseek unsubscribe vacation "
    "who".split()
)


def lowered(text: str) -> str:
    """Lower-case the ASCII letters only. The Kelvin sign, which looks like a K, stays:

    >>> lowered("\u212aATE")
    '\u212aate'
    """
    return text.lower() if text.isascii() else text.translate(_LOWER)


def is_handle(word: str) -> bool:
    """Return whether a lower-case word has the form of a handle."""
    return _HANDLE.fullmatch(word) is not None


def is_board(word: str) -> bool:
    """Return whether a word has the form of a board's number, perhaps with a ply or a colon."""
    return _BOARD.fullmatch(word) is not None


def misread(reason: str, **params: Any) -> Refusal:
    """Return the refusal of words that cannot be parsed. `reason` is the code of its sentence."""
    return Refusal("syntax", reason=reason, **params)


def read_address(word: str) -> str:
    """Parse a word as a mail address. Raises Refusal."""
    try:
        return parse_address(word)
    except AddressError as error:
        raise misread("address", word=cut_short(word)) from error


def cut_short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


@dataclass(frozen=True)
class BoardRef:
    """A board as a command names it: number, ply, or both. Ply -1 is the latest ply."""

    number: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        mark = "" if self.ply is None else f"#{self.ply}"
        return f"{'' if self.number is None else self.number}{mark}"


class ArgumentKind:
    shown = ""  # its name in a usage line
    reason = ""  # names the sentence of its refusal
    before: Sequence[str] = ()  # words that are skipped in front of it
    rest = False  # takes all remaining words
    explains = False  # its refusal is shown even if it is optional

    def read(self, words: list[str]) -> Any:
        """Remove the first words of `words`, and return their value. Raises Refusal."""
        self.skip(words)
        taken = " ".join(words) if self.rest else words[0]
        value = self.parse(taken)
        if value is None:
            raise misread(self.reason, word=cut_short(taken))
        del words[: None if self.rest else 1]
        return value

    def skip(self, words: list[str]) -> None:
        if len(words) > 1 and lowered(words[0]) in self.before:
            words.pop(0)

    def parse(self, text: str) -> Any:
        """Return the value of a text. If it is invalid, return None or raise a precise Refusal."""
        raise NotImplementedError


class BoardKind(ArgumentKind):
    """A board's number, a ply, or both: `12`, `#17`, `12#17`. `#-3` counts from the end."""

    shown = "board"
    reason = "board"

    def parse(self, text: str) -> BoardRef | None:
        found = _BOARD.fullmatch(text)
        if not found or not (found[1] or found[2]):
            return None
        return BoardRef(*(int(number) if number else None for number in found.groups()))


class PlyMark(ArgumentKind):
    """The ply a move is meant for: `#17`."""

    shown = "#ply"
    reason = "ply"

    def parse(self, text: str) -> int | None:
        found = _MARK.fullmatch(text)
        return int(found[1]) if found else None


class MoveText(ArgumentKind):
    """A move, with blanks anywhere in it; it need not be legal."""

    shown = "move"
    reason = "move"
    rest = True

    def parse(self, text: str) -> str | None:
        forms = (text, undressed(text, numbered=False))
        return next(filter(may_be_move, forms), None)


class Handle(ArgumentKind):
    shown = "handle"
    reason = "handle"

    def parse(self, text: str) -> str | None:
        handle = lowered(text)
        return handle if is_handle(handle) else None


class Address(ArgumentKind):
    shown = "address"
    before = (shown,)

    def parse(self, text: str) -> str:
        return read_address(text.strip("<>,;"))


class Word(ArgumentKind):
    def __init__(self, shown: str, *, rest: bool = False) -> None:
        self.shown, self.rest = shown, rest

    def parse(self, text: str) -> str:
        return text


class Sentence(Word):
    def __init__(self) -> None:
        super().__init__("text", rest=True)


class OneOf(ArgumentKind):
    """One of the words `choices`; `read_as` maps synonyms to them."""

    explains = True

    def __init__(self, *choices: str, shown: str = "", **read_as: str) -> None:
        self._read_as = {choice: choice for choice in choices} | read_as
        self._choices = "|".join(dict.fromkeys(self._read_as.values()))
        self.shown = shown or self._choices

    def parse(self, text: str) -> str:
        meant = self._read_as.get(lowered(text).replace("-", ""))
        if meant is None:
            near = nearest(text, self._choices.split("|"))
            raise misread("one-of", word=cut_short(text), choice=self._choices, near=near)
        return meant


class Shown(ArgumentKind):
    """A board's number or else an argument of the kind `other`, by default a handle."""

    no_handles: Collection[str] = ()

    def __init__(self, shown: str, other: ArgumentKind | None = None) -> None:
        self.shown, self._other = shown, other

    def read(self, words: list[str]) -> Any:
        self.skip(words)
        if words[0][0].isdigit() or words[0][0] == "#":
            return BoardKind().read(words)
        if self._other:
            return self._other.read(words)
        if mentions_place(words[0]) or lowered(words[0]) in self.no_handles:
            raise misread("handle", word=cut_short(words[0]))
        return Handle().read(words)


WHICH = {
    **{which.value: which for which in Which},
    "waiting": Which.NEXT,
    "playing": Which.ACTIVE,
    "inactive": Which.OVER,
    "finished": Which.OVER,
}


class GameName(ArgumentKind):
    shown = "game"

    def __init__(self, *, explains: bool = True) -> None:
        self.explains = explains

    def parse(self, text: str) -> str:
        if lowered(text) not in games():
            raise misread("game", word=cut_short(text), names=sorted(games()))
        return lowered(text)


class JoinedWords(ArgumentKind):
    """One word, or several with commas or "and" between them."""

    shown = "value"

    def read(self, words: list[str]) -> str:
        taken = [words.pop(0)]
        while words and (taken[-1].endswith((",", "&")) or _joins(taken[-1]) or _joins(words[0])):
            taken.append(words.pop(0))
        return " ".join(taken)


def _joins(word: str) -> bool:
    return word.startswith((",", "&")) or lowered(word) == "and"


@dataclass(frozen=True)
class SecretText:
    value: str = field(repr=False)


@dataclass(frozen=True)
class Login:
    """A handle and a password in a command's line, as older servers required."""

    handle: str
    password: SecretText


class Secret(ArgumentKind):
    shown = "password"

    def parse(self, text: str) -> SecretText:
        return SecretText(text)


def login_at(words: list[str]) -> int | None:
    """Return the index of the handle in words such as "BOARD HANDLE PASSWORD".

    Returns None if they have no handle and password.

    >>> login_at("12 alice secret".split())
    1
    """

    def is_own(at: int) -> bool:
        return at < len(words) and lowered(words[at]).replace("-", "") in KEPT_FREE

    at = int(is_own(0))
    if at >= len(words) or not is_board(words[at]):
        return None
    at += 1 + is_own(at + 1)
    userid = lowered(words[at]) if len(words) >= at + _LOGIN else ""
    return at if is_handle(userid) and not mentions_place(userid) else None


def begins_with_login(words: list[str]) -> bool:
    """Return whether words begin with a handle and a password. Neither may name a board."""
    first = [lowered(word) for word in words[:_LOGIN]]
    names_board = any(word in WHICH or is_board(word) for word in first)
    return len(first) == _LOGIN and is_handle(first[0]) and not names_board
