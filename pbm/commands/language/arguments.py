"""Argument types that few commands have: numbers, times, and the players of a challenge."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from pbm.commands.language.plan_lines import PHRASES, first_move
from pbm.commands.language.words import (
    ArgumentKind,
    MoveText,
    cut_short,
    is_handle,
    lowered,
    misread,
    read_address,
)
from pbm.play.clocks.terms import parse_duration

_RANGE = re.compile(r"(\d{1,4})?-(\d{1,4})?", re.ASCII)
_LAST_PLY = 99_999
_PLIES = re.compile(r"(\d{1,5})?-(\d{1,5})?", re.ASCII)
_SECOND = timedelta(seconds=1)
_SIGNS = ",;:./|> \t"
_BESIDE_MOVES = frozenset(
    ("", *(phrase for name in ("if", "then", "and", "beside") for phrase in PHRASES[name]))
)
_WORDS_OF_A_TIME = 14  # five numbers with units, and "and" between them


class Moves(ArgumentKind):
    """A move, or several, perhaps with numbers, commas or "then" between them."""

    shown = "moves"
    reason = MoveText.reason
    rest = True

    def parse(self, text: str) -> tuple[str, ...] | None:
        move = MoveText().parse(text)
        return (move,) if move else tuple(_moves_in(text.split())) or None


def _moves_in(words: list[str]) -> list[str]:
    """Return the moves in words that hold nothing else; else []."""
    found = list[str]()
    while words:
        move, size = first_move(words)
        beside = words[0].strip(_SIGNS)
        if not move and lowered(beside) not in _BESIDE_MOVES and not beside.isdigit():
            return []
        found += [move] if move else []
        words = words[max(size, 1) :]
    return found


class NumberKind(ArgumentKind):
    """A number within limits. The words `before` and `behind` may stand beside it."""

    def __init__(
        self, shown: str, reason: str, limits: range, *, before: str = "", behind: str = ""
    ) -> None:
        self.shown, self._reason, self._limits = shown, reason, limits
        self.before, self._behind = before.split(), behind.split()

    def read(self, words: list[str]) -> Any:
        number = super().read(words)
        if words and lowered(words[0]) in self._behind:
            words.pop(0)
        return number

    def parse(self, text: str) -> int:
        number, most = text.removeprefix("#") if self.before else text, self._limits[-1]
        is_short = number.isascii() and number.isdigit() and len(number) <= len(str(most))
        if not (is_short and int(number) in self._limits):
            raise misread(self._reason, word=cut_short(text), most=most)
        return int(number)


ROUNDS = NumberKind("n", "rounds", range(2, 21))
PLAYER_COUNT = NumberKind("players", "player-count", range(1, 100), behind="players player")
SEEK_NUMBER = NumberKind("number", "seek", range(10**9), before="seek game number")


class SeekOrAll(ArgumentKind):
    shown = "number"
    ALL = "all"

    def read(self, words: list[str]) -> Any:
        if lowered(words[0]) == self.ALL:
            words.pop(0)
            return self.ALL
        return SEEK_NUMBER.read(words)


class RatingRange(ArgumentKind):
    """A range of ratings: `1200-1600`, `1200-` or `-1600`."""

    shown = "1200-1600"
    reason = "rating-range"

    def parse(self, text: str) -> tuple[int | None, int | None] | None:
        found = _RANGE.fullmatch(text)
        least, most = (part and int(part) for part in found.groups()) if found else (None, None)
        if (not least and not most) or (least and most and least > most):
            return None
        return least or None, most or None


class PlyRange(ArgumentKind):
    """The plies from one to another: `10-40`, `10-` or `-40`."""

    shown = "from-to"
    reason = "ply-range"
    rest = True

    def parse(self, text: str) -> tuple[int, int] | None:
        found = _PLIES.fullmatch(text.replace(" ", "").replace("#", "").replace("to", "-"))
        if not found or not (found[1] or found[2]):
            return None
        return int(found[1] or 1), int(found[2] or _LAST_PLY)


class Span(ArgumentKind):
    """A length of time within limits. `why` is the reason for the limits, told in the refusal."""

    shown = "time"
    reason = "span"

    def __init__(self, shortest: timedelta, longest: timedelta, why: str = "") -> None:
        self._limits = shortest, longest
        self._why = why

    def parse(self, text: str) -> timedelta | None:
        found = parse_duration(text)
        shortest, longest = self._limits
        if found is not None and not shortest <= found <= longest:
            limits = {"shortest": shortest // _SECOND, "longest": longest // _SECOND}
            raise misread("span-limits", word=cut_short(text), why=self._why, **limits)
        return found


class LongSpan(Span):
    """A length of time in several words: `3 days`, `1 week 2 days`."""

    def read(self, words: list[str]) -> Any:
        if words[0] == "time" and parse_duration(" ".join(words[1:2])):
            del words[0]  # copied from the usage line
        count = 1
        for more in range(2, min(len(words), _WORDS_OF_A_TIME) + 1):
            if words[more - 2].isdigit() and words[more - 1][0].isdigit():
                break  # a number without a unit ends the time, as it may be a board
            if not words[more - 1].isdigit() and parse_duration(" ".join(words[:more])) is not None:
                count = more
        text = " ".join(words[:count])
        del words[:count]
        return super().read([text])


class Spans(ArgumentKind):
    """Several lengths of time in one word, such as `1d,3d`. Those at the end may be missing."""

    reason = "span"

    def __init__(self, between: str, *times: Span) -> None:
        self.shown = f"time{between}time"
        self._between, self._times = between, times

    def parse(self, text: str) -> tuple[timedelta, ...] | None:
        found = text.split(self._between)
        if len(found) > len(self._times):
            return None
        return tuple(time.read([word]) for time, word in zip(self._times, found, strict=False))


# Words beside players and between sides; they cannot be handles.
JOINING = frozenset(("and", "&", "with", "please", "pls"))
AGAINST = frozenset(("against", "versus", "vs", "v"))
# One player, or several written as one team; a name is a handle, `me` or an address.
Team = tuple[str, ...]
_BETWEEN = re.compile(r"[ ,;]+")


class Opponents(ArgumentKind):
    """Handles, `me` and mail addresses. Names joined by + or on one side of `vs` are partners."""

    rest = True

    def __init__(self, shown: str = "handle") -> None:
        self.shown = shown

    def parse(self, text: str) -> tuple[Team, ...]:
        sides: list[list[str]] = [[]]
        for word in _split(text):
            if lowered(word) in AGAINST:
                sides.append([])
            elif lowered(word) not in JOINING:
                sides[-1].append(word)
        teams = [_teams(side) for side in sides if side]
        if not teams:
            raise misread("missing", word=self.shown)
        if len(teams) == 1 or all(len(side) == 1 for side in teams):
            return tuple(team for side in teams for team in side)
        return tuple(_together(side) for side in teams)


def _split(text: str) -> Iterator[str]:
    """Return the words of a text. A + is a word of its own."""
    for word in _BETWEEN.split(text):
        apart = word if "@" in word[1:] else word.replace("&", " & ").replace("+", " + ")
        for name in apart.split():
            yield name.rstrip(".").removeprefix("@") or name


def _teams(names: list[str]) -> list[Team]:
    """Group names into teams: names joined by a + are one team."""
    teams: list[Team] = []
    rest = iter(names)
    for name in rest:
        if name == "+" and teams:
            teams[-1] = _together([teams[-1], _one(next(rest, name))])
        else:
            teams.append(_one(name))
    return teams


def _one(word: str) -> Team:
    handle = read_address(word) if "@" in word else lowered(word)
    if "@" not in word and not is_handle(handle):
        raise misread("handle", word=cut_short(word))
    return (handle,)


def _together(teams: list[Team]) -> Team:
    names = tuple(name for team in teams for name in team)
    for name in names:
        if "@" in name:
            raise misread("address-in-team", word=cut_short(name))
    return names
