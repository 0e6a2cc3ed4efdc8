"""Suggestions for unknown words, for every "Did you mean ...?"."""

from collections.abc import Iterable
from difflib import get_close_matches

MOST_NAMED = 2
_LONGEST = 40  # characters; longer words are no typos, and slow to compare
_ALIKE = 0.7


def nearest(
    word: str, known: Iterable[str], *, most: int = MOST_NAMED, alike: float = _ALIKE
) -> list[str]:
    """Return the known words most similar to a word, best first; case does not matter.

    `alike` is the least similarity, from 0 to 1, as `difflib` counts it.

    >>> nearest("Germna", ["german", "swiss", "dutch"]), nearest("chess", ["german"])
    (['german'], [])
    """
    if len(word) > _LONGEST:
        return []
    as_known = {name.lower(): name for name in known}
    found = get_close_matches(word.lower(), as_known, n=most, cutoff=alike)
    return [as_known[name] for name in found]


def one_slip_away(word: str, letters: str) -> frozenset[str]:
    """Return the words at edit distance 1: a letter deleted, added, replaced or transposed.

    >>> sorted(one_slip_away("ab", "b"))
    ['a', 'abb', 'b', 'ba', 'bab', 'bb']
    """
    slips = set()
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        slips |= {before + after[1:], before + after[1:2] + after[:1] + after[2:]}
        slips |= {before + letter + rest for letter in letters for rest in (after, after[1:])}
    return frozenset(slips - {word})
