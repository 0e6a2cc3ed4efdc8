"""Arguments that are numbers."""

import re
from datetime import timedelta

from pbm.commands.language.words import ArgumentKind, cut_short, lowered, misread
from pbm.play.clocks.durations import parse_duration

MOST_ROUNDS = 20
_RANGE = re.compile(r"(\d{1,4})?-(\d{1,4})?", re.ASCII)


class Rounds(ArgumentKind):
    """The number of games in a match."""

    shown = "n"

    def read(self, words: list[str]) -> int:
        """Take one word."""
        word = words[0]
        if not (word.isascii() and word.isdigit() and 2 <= int(word[:3]) <= MOST_ROUNDS):
            raise misread("rounds", word=cut_short(word), most=MOST_ROUNDS)
        words.pop(0)
        return int(word)


class PlayerCount(ArgumentKind):
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


class SeekNumber(ArgumentKind):
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


class SeekOrAll(ArgumentKind):
    """The number of a seek, or `all`."""

    shown = "number"
    ALL = "all"

    def read(self, words: list[str]) -> int | str:
        """Take what it is."""
        if lowered(words[0]) == self.ALL:
            words.pop(0)
            return self.ALL
        return SeekNumber().read(words)


class RatingRange(ArgumentKind):
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


class Span(ArgumentKind):
    """A time, as people write it, within limits; the refusal of another one may say `why`."""

    shown = "time"

    def __init__(self, shortest: timedelta, longest: timedelta, why: str = "") -> None:
        self._limits = shortest, longest
        self._why = why

    def read(self, words: list[str]) -> timedelta:
        """Take one word."""
        word = words.pop(0)
        found = parse_duration(word)
        shortest, longest = self._limits
        if found is None:
            raise misread("span", word=cut_short(word))
        if not shortest <= found <= longest:
            limits = {"shortest": shortest // _SECOND, "longest": longest // _SECOND}
            raise misread("span-limits", word=cut_short(word), why=self._why, **limits)
        return found


_SECOND = timedelta(seconds=1)
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


class Spans(ArgumentKind):
    """Times with a sign between them, some of the given ones at least."""

    def __init__(self, between: str, *times: Span) -> None:
        self.shown = f"time{between}time"
        self._between, self._times = between, times

    def read(self, words: list[str]) -> tuple[timedelta, ...]:
        """Take one word."""
        found = words[0].split(self._between)
        if len(found) > len(self._times):
            raise misread("span", word=cut_short(words[0]))
        del words[0]
        return tuple(time.read([word]) for time, word in zip(self._times, found, strict=False))
