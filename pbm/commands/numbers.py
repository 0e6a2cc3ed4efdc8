"""Arguments that are numbers."""

import re

from pbm.commands.words import Kind, cut_short, lowered, misread

MOST_ROUNDS = 20
_RANGE = re.compile(r"(\d{1,4})?-(\d{1,4})?", re.ASCII)


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
