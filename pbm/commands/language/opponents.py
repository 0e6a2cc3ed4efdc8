"""The players of a challenge, as people name them."""

import re
from collections.abc import Iterator

from pbm.commands.language.words import (
    ArgumentKind,
    cut_short,
    is_handle,
    lowered,
    misread,
    read_address,
)

# Words beside players and between sides; they cannot be handles.
JOINING = frozenset(("and", "&", "with", "please", "pls"))
AGAINST = frozenset(("against", "versus", "vs", "v"))
# One player, or several written as one team; a name is a handle, `me` or an address.
Team = tuple[str, ...]
_BETWEEN = re.compile(r"[ ,;]+")


class Opponents(ArgumentKind):
    """Handles, `me` and mail addresses, perhaps with commas and words such as `and`.

    Partners are joined by a +, or are on one side of a `vs`.
    """

    shown = "handle"
    rest = True

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


class Seats(Opponents):
    """The players in the order of their seats, as one word."""

    shown = "handle,..."


def _split(text: str) -> Iterator[str]:
    """The words of a text; a + is a word of its own."""
    for word in _BETWEEN.split(text):
        apart = word if "@" in word[1:] else word.replace("&", " & ").replace("+", " + ")
        for name in apart.split():
            yield name.rstrip(".").removeprefix("@") or name


def _teams(names: list[str]) -> list[Team]:
    """The teams of one side; names joined by a + are one team."""
    teams: list[Team] = []
    joined = False
    for name in names:
        if name == "+" and teams and not joined:
            joined = True
        elif joined:
            teams[-1] = _together([teams[-1], _one(name)])
            joined = False
        else:
            teams.append(_one(name))
    if joined:
        raise misread("handle", word="+")
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
