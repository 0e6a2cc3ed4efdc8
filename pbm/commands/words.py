"""Argument types. They are the only parsers of arguments, and they name themselves.

Every kind takes what it can from the front of the words left and raises `Refusal` with
code `syntax` and a sentence's reason when the words cannot be read.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from pbm.commands.around_moves import undressed
from pbm.errors import Refusal
from pbm.mail.address import AddressError, parse_address
from pbm.nearest import nearest
from pbm.play.clocks.durations import parse_duration, spell_duration
from pbm.play.game_words import is_game, may_be_move, mentions_place
from pbm.rules.registry import games

_HANDLE = re.compile(r"[a-z][a-z0-9_-]{1,15}", re.ASCII)
_BOARD = re.compile(r"(\d{1,9})?(?:#(-?\d{1,5}))?:?", re.ASCII)
ME = "me"
MOST_ROUNDS = 20
_LONGEST_SHOWN = 40
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_LOGIN = 2  # words: userid, password
_RANGE = re.compile(r"(\d{1,4})?-(\d{1,4})?", re.ASCII)
_MARK = re.compile(r"#(\d{1,5})", re.ASCII)
# Commands of game servers by mail, ours to come among them: no player may be called so.
KEPT_FREE = frozenset(
    "accept add back block broadcast chat change claim delete draw drop export history import "
    "info invite join limit list message new note notify offer offers pass password preview "
    "propose queue quit ratings reject rematch report seek set settings signoff standings stop "
    "submit subscribe substitute takeback tournament unblock undo unseek unsubscribe vacation "
    "who".split()
)


def lowered(text: str) -> str:
    """ASCII letters in lower case, and nothing else changed: other letters look alike, and may be
    meant to.

    >>> lowered("KATE")
    'Kate'
    """
    return text.lower() if text.isascii() else text.translate(_LOWER)


def is_handle(word: str) -> bool:
    """Whether a word, in small letters, has the form of a handle."""
    return _HANDLE.fullmatch(word) is not None


def misread(reason: str, **params: Any) -> Refusal:
    """Build the refusal for words that cannot be read; `reason` names its sentence."""
    return Refusal("syntax", reason=reason, **params)


def read_address(word: str) -> str:
    """Read a word as a mail address. Raises Refusal."""
    try:
        return parse_address(word)
    except AddressError as error:
        raise misread("address", word=cut_short(word)) from error


def cut_short(text: str) -> str:
    """A word of a player's, short enough to be quoted in a sentence."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


@dataclass(frozen=True)
class BoardRef:
    """A board as a player names it: number, ply, either or both. Ply -3 is the third last."""

    number: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        mark = "" if self.ply is None else f"#{self.ply}"
        return f"{'' if self.number is None else self.number}{mark}"


class Kind:
    """One argument type; `shown` is its name in a usage line."""

    shown = ""
    rest = False  # takes all the words that are left
    anywhere = False  # may stand before, between or after the other words
    explains = False  # its refusal says best what may stand there, also where nothing may

    def read(self, words: list[str]) -> Any:
        """Take words from the front and return the value. Raises Refusal."""
        raise NotImplementedError

    def fits(self, word: str) -> bool:  # noqa: ARG002 - only kinds that stand anywhere are asked
        """Whether a word is meant for this argument, wherever it stands."""
        return False


class BoardKind(Kind):
    """A board's number, with an optional ply: `12`, `12#17`, `#-3`."""

    shown = "board"

    def read(self, words: list[str]) -> BoardRef:
        """Take one word."""
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
        """Whether it is a number, or a ply."""
        return bool(_BOARD.fullmatch(word)) and word != ":"


class PlyMark(Kind):
    """The ply a move is meant for: `#17`."""

    shown = "#ply"
    anywhere = True

    def fits(self, word: str) -> bool:
        """Whether it is a ply."""
        return bool(_MARK.fullmatch(word))

    def read(self, words: list[str]) -> int:
        """Take one word."""
        found = _MARK.fullmatch(words[0])
        if not found:
            raise misread("ply", word=cut_short(words[0]))
        words.pop(0)
        return int(found[1])


class MoveText(Kind):
    """A move, blanks anywhere; whether it is legal is for the position to say."""

    shown = "move"
    rest = True

    def read(self, words: list[str]) -> str:
        """Take all the words that are left."""
        written = " ".join(words)
        found = (
            text for text in (written, undressed(written, numbered=False)) if may_be_move(text)
        )
        text = next(found, None)
        if text is None:
            raise misread("move", word=cut_short(written))
        words.clear()
        return text


class Handle(Kind):
    """A player's userid."""

    shown = "handle"

    def read(self, words: list[str]) -> str:
        """Take one word, which need not be anybody's handle yet."""
        if not is_handle(lowered(words[0])):
            raise misread("handle", word=cut_short(words[0]))
        return lowered(words.pop(0))


class Address(Kind):
    """A mail address; some words may stand before it, which say nothing more."""

    shown = "address"

    def __init__(self, *before: str) -> None:
        self._before = before

    def read(self, words: list[str]) -> str:
        """Take one word."""
        if len(words) > 1 and lowered(words[0]) in self._before:
            words.pop(0)
        address = read_address(words[0].strip("<>,;"))
        words.pop(0)
        return address


class Word(Kind):
    """Any one word."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> str:
        """Take one word."""
        return words.pop(0)


class Sentence(Kind):
    """Words as somebody writes them."""

    shown = "text"
    rest = True

    def read(self, words: list[str]) -> str:
        """Take all the words that are left."""
        text = " ".join(words)
        words.clear()
        return text


class Rounds(Kind):
    """The number of games in a match."""

    shown = "n"

    def read(self, words: list[str]) -> int:
        """Take one word."""
        word = words[0]
        if not (word.isascii() and word.isdigit() and 2 <= int(word[:3]) <= MOST_ROUNDS):
            raise misread("rounds", word=cut_short(word), most=MOST_ROUNDS)
        words.pop(0)
        return int(word)


class PlayerCount(Kind):
    """How many play: `3`, or `3 players`."""

    shown = "players"

    def read(self, words: list[str]) -> int:
        """Take one word, and the one that says what is counted."""
        word = words[0]
        if not (word.isascii() and word.isdigit() and len(word) <= 2 and int(word)):
            raise misread("player-count", word=cut_short(word))
        words.pop(0)
        if words and lowered(words[0]) in ("players", "player"):
            words.pop(0)
        return int(word)


class SeekNumber(Kind):
    """The number of a seek: `3`, `#3` or `seek 3`."""

    shown = "number"

    def read(self, words: list[str]) -> int:
        """Take one word, and the one before it that says what is meant."""
        if len(words) > 1 and lowered(words[0]) in ("seek", "game", "number"):
            words.pop(0)
        word = words[0].removeprefix("#")
        if not (word.isascii() and word.isdigit() and len(word) <= 9):
            raise misread("seek", word=cut_short(words[0]))
        words.pop(0)
        return int(word)


class SeekOrAll(Kind):
    """The number of a seek, or `all`."""

    shown = "number"
    ALL = "all"

    def read(self, words: list[str]) -> int | str:
        """Take what it is."""
        if lowered(words[0]) == self.ALL:
            words.pop(0)
            return self.ALL
        return SeekNumber().read(words)


class RatingRange(Kind):
    """From which rating to which: `1200-1600`, `1200-` or `-1600`."""

    shown = "1200-1600"

    def read(self, words: list[str]) -> tuple[int | None, int | None]:
        """Take one word."""
        found = _RANGE.fullmatch(words[0])
        least, most = (part and int(part) for part in found.groups()) if found else (None, None)
        if (not least and not most) or (least and most and least > most):
            raise misread("rating-range", word=cut_short(words[0]))
        words.pop(0)
        return least or None, most or None


class Span(Kind):
    """A time, as people write it, within limits."""

    shown = "time"

    def __init__(self, shortest: timedelta, longest: timedelta) -> None:
        self._limits = shortest, longest

    def read(self, words: list[str]) -> timedelta:
        """Take one word."""
        word = words.pop(0)
        found = parse_duration(word)
        shortest, longest = self._limits
        if found is None:
            raise misread("span", word=cut_short(word))
        if not shortest <= found <= longest:
            limits = {"shortest": spell_duration(shortest), "longest": spell_duration(longest)}
            raise misread("span-limits", word=cut_short(word), **limits)
        return found


_WORDS_OF_A_TIME = 14  # a number and its unit for each of five, with "and" between them


class LongSpan(Span):
    """A time that may be of several words: `3 days`, `1 week 2 days`."""

    def read(self, words: list[str]) -> timedelta:
        """Take a number with its unit, and as many more of them as there are."""
        count = 1
        for more in range(2, min(len(words), _WORDS_OF_A_TIME) + 1):
            if words[more - 2].isdigit() and words[more - 1][0].isdigit():
                break  # a number without a unit is none of several: it may be a board
            if not words[more - 1].isdigit() and parse_duration(" ".join(words[:more])) is not None:
                count = more
        text = " ".join(words[:count])
        del words[:count]
        return super().read([text])


class Spans(Kind):
    """Several times, with a sign between them."""

    def __init__(self, between: str, most: int, each: Span) -> None:
        self.shown = f"time{between}time"
        self._between, self._most, self._each = between, most, each

    def read(self, words: list[str]) -> tuple[timedelta, ...]:
        """Take one word."""
        found = words[0].split(self._between)
        if len(found) > self._most:
            raise misread("span", word=cut_short(words[0]))
        del words[0]
        return tuple(self._each.read([word]) for word in found)


class OneOf(Kind):
    """One of some words; `read_as` has other spellings, and which of them each means."""

    explains = True

    def __init__(self, *choices: str, shown: str = "", **read_as: str) -> None:
        self._read_as = {choice: choice for choice in choices} | read_as
        self._choices = "|".join(dict.fromkeys(self._read_as.values()))
        self.shown = shown or self._choices

    def read(self, words: list[str]) -> str:
        """Take one word."""
        meant = self._read_as.get(lowered(words[0]).replace("-", ""))
        if meant is None:
            near = nearest(words[0], self._choices.split("|"))
            raise misread("one-of", word=cut_short(words[0]), choice=self._choices, near=near)
        words.pop(0)
        return meant


class Shown(Kind):
    """A board, a handle, or one of a command's own words."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> BoardRef | str:
        """Take one word."""
        if words[0][0].isdigit() or words[0][0] == "#":
            return BoardKind().read(words)
        if mentions_place(words[0]):
            raise misread("handle", word=cut_short(words[0]))
        return Handle().read(words)


class Which(StrEnum):
    """Which of a player's boards are asked for."""

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


class OwnBoards(Kind):
    """A board, or which of one's own are meant."""

    shown = "board|next|active|over|all"

    def read(self, words: list[str]) -> BoardRef | str:
        """Take one word."""
        if words[0][0].isdigit() or words[0][0] == "#":
            return BoardKind().read(words)
        return OneOf(shown=self.shown, **WHICH).read(words)


class Topic(Kind):
    """The subject of a help page: a word or two."""

    shown = "subject"
    rest = True

    def read(self, words: list[str]) -> str:
        """Take all the words that are left."""
        text = lowered(" ".join(words))
        words.clear()
        return text


class GameName(Kind):
    """A game by its name."""

    shown = "game"

    def __init__(self, *, explains: bool = True) -> None:
        self.explains = explains

    def read(self, words: list[str]) -> str:
        """Take one word."""
        name = lowered(words[0])
        if not is_game(name):
            raise misread("game", word=cut_short(words[0]), names=sorted(games()))
        words.pop(0)
        return name


class Words(Kind):
    """One word, or several with commas or "and" between them."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def read(self, words: list[str]) -> str:
        """Take as many words as hang together."""
        taken = [words.pop(0)]
        while words and (taken[-1].endswith((",", "&")) or _joins(taken[-1]) or _joins(words[0])):
            taken.append(words.pop(0))
        return " ".join(taken)


def _joins(word: str) -> bool:
    return word.startswith((",", "&")) or lowered(word) == "and"


@dataclass(frozen=True, repr=False)
class SecretText:
    """A word that must not be seen again; it prints masked."""

    value: str

    def __repr__(self) -> str:
        return "SecretText('****')"

    __str__ = __repr__


@dataclass(frozen=True)
class Login:
    """A userid and a password, as older servers wanted them in a command's line."""

    handle: str
    password: SecretText


class Secret(Kind):
    """A password."""

    shown = "password"

    def read(self, words: list[str]) -> SecretText:
        """Take one word."""
        return SecretText(words.pop(0))


def login_at(words: list[str]) -> int | None:
    """Where a userid and a password stand, None if they do not.

    Older servers wanted them after the board's number: `12 alice secret a1-c3,d4`. A word of
    the command's own may stand before it or after it: `draw 12 alice secret`.
    """
    if len(words) <= _LOGIN:  # besides the board's number
        return None
    at = int(_is_own_word(words, 0))
    if at >= len(words) or not _BOARD.fullmatch(words[at]):
        return None
    at += 1
    at += _is_own_word(words, at)
    userid = lowered(words[at]) if len(words) >= at + _LOGIN else ""
    return at if is_handle(userid) and not mentions_place(userid) else None


def login_first(words: list[str]) -> int | None:
    """Where a userid and a password stand before all else, as some commands had them; None if they
    do not."""
    if len(words) < _LOGIN or not is_handle(lowered(words[0])):
        return None
    others = [word for word in words[:_LOGIN] if lowered(word) in WHICH or _BOARD.fullmatch(word)]
    return None if others else 0


def _is_own_word(words: list[str], at: int) -> bool:
    """Whether a word that can be nobody's userid stands in a place."""
    return at < len(words) and lowered(words[at]).replace("-", "") in KEPT_FREE
