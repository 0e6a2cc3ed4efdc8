"""The seats of partners, as the game defines them."""

from collections import Counter
from collections.abc import Sequence

from pbm.errors import Refusal
from pbm.rules.contract import Game, Option, SetupError, completed

_NO_CHANCE = 0
Team = Sequence[str]


def partners_option(game: Game) -> Option | None:
    """The option for partners who are written with a +, if the game has one."""
    return next((option for option in game.info.options if option.partners), None)


def in_seats(game: Game, teams: Sequence[Team]) -> list[str]:
    """The names of all teams in the order of their seats. Raises Refusal."""
    option = partners_option(game)
    if option is None:
        raise Refusal("no-partners", title=game.info.title)
    found = [sides for players in _numbers(game, option) if (sides := _sides(game, players))]
    for sides in found:
        if list(Counter(sides).values()) == [len(team) for team in teams]:
            names = [iter(team) for team in teams]
            places = list(dict.fromkeys(sides))
            return [next(names[places.index(side)]) for side in sides]
    raise Refusal("bad-partners", teams=[list(Counter(sides).values()) for sides in found])


def in_teams(game: Game, names: Sequence[str]) -> list[Team]:
    """The names in the order of the seats, those of partners together."""
    sides = _sides(game, len(names)) or tuple(range(len(names)))
    return [
        [name for name, own in zip(names, sides, strict=True) if own == side]
        for side in dict.fromkeys(sides)
    ]


def _numbers(game: Game, option: Option) -> Sequence[int]:
    return option.seats or game.info.seats


def _sides(game: Game, players: int) -> tuple[int, ...] | None:
    """The side of each seat if so many can play as partners, else None."""
    option = partners_option(game)
    if option is None:
        return None
    chosen = completed(game.info.options, {option.name: True})
    try:
        return game.start(players, chosen, _NO_CHANCE).sides
    except SetupError:
        return None
