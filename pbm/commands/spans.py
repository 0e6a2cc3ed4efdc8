"""Arguments that are times."""

from datetime import timedelta

from pbm.commands.words import Kind, cut_short, misread
from pbm.play.clocks.durations import parse_duration, spell_duration


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
