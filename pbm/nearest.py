"""What somebody may have meant by a word that is not known here.

Everything that asks "Did you mean ...?" finds its words here, so that they are alike everywhere.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

MOST_NAMED = 2
_LONGEST = 40  # characters; longer words are no slips, and dear to compare
_ALIKE = 0.7


def nearest(
    word: str, known: Iterable[str], *, most: int = MOST_NAMED, alike: float = _ALIKE
) -> list[str]:
    """The known words that one is most like, the likest first; case does not matter.

    `alike` is how much at least, from 0 to 1, as `difflib` counts it.

    >>> nearest("Germna", ["german", "swiss", "dutch"]), nearest("chess", ["german"])
    (['german'], [])
    """
    if len(word) > _LONGEST:
        return []
    as_known = {name.lower(): name for name in known}
    found = get_close_matches(word.lower(), as_known, n=most, cutoff=alike)
    return [as_known[name] for name in found]


def one_slip_away(word: str, letters: str) -> frozenset[str]:
    """The words that one letter makes of another: left out, put in, taken for another, or swapped
    with the next.

    There are some eighty for each letter of it, so that they can be looked up, however many words
    are known.

    >>> sorted(one_slip_away("ab", "b"))
    ['a', 'abb', 'b', 'ba', 'bab', 'bb']
    """
    return frozenset(_slips(word, letters)) - {word}


def _slips(word: str, letters: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in letters:
            yield before + letter + after
            yield before + letter + after[1:]
