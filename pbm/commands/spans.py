"""Arguments that are times."""

from datetime import timedelta

from pbm.commands.words import Kind, cut_short, misread
from pbm.play.clocks.durations import parse_duration, spell_duration


class Span(Kind):
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
            limits = {"shortest": spell_duration(shortest), "longest": spell_duration(longest)}
            raise misread("span-limits", word=cut_short(word), why=self._why, **limits)
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
