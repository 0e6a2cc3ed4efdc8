"""Robots: which games they play, how many boards per player, and their ratings."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pbm.errors import Refusal
from pbm.play.limits import MOST_WITH_ROBOTS
from pbm.rules.contract import Game, Searches
from pbm.rules.registry import game_named
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player

FOR_BEGINNERS = "pebble"
MEASURED: Mapping[str, int] = MappingProxyType({"pebble": 950, "cobble": 1500, "boulder": 2050})
"""The rating of each robot, which no game changes; `docs/strength.md` says how it was measured."""


def robots_play(game: Game) -> bool:
    """Whether robots know a game: one that cannot be searched they do not."""
    return isinstance(game, Searches)


def check_robots(work: UnitOfWork, game: str, players: Sequence[Player], begun_by: Player) -> None:
    """Raise Refusal where robots among the players of a new board do not play there: they do not
    know the game, or one of the people plays on enough such boards."""
    robots = [player.handle for player in players if player.robot]
    if not robots:
        return
    if not robots_play(game_named(game)):
        handles = list(dict.fromkeys(robots))
        raise Refusal("robots-do-not-play", handles=handles, title=game_named(game).info.title)
    for player in {player.id: player for player in (begun_by, *players)}.values():
        if player.robot is None and boards_with_robots(work, player) >= MOST_WITH_ROBOTS:
            told = {"handle": player.handle, "own": player.id == begun_by.id}
            raise Refusal("enough-with-robots", most=MOST_WITH_ROBOTS, **told)


def boards_with_robots(work: UnitOfWork, player: Player) -> int:
    """On how many boards in progress a player plays against robots; counted up to the most."""
    return work.beginnings.with_robots(player.id, most=MOST_WITH_ROBOTS)


def robot_to_begin_with(work: UnitOfWork, game: str) -> str | None:
    """The robot for beginners, if it plays a game, for whoever wants one at once."""
    robot = work.players.by_handle(FOR_BEGINNERS) if robots_play(game_named(game)) else None
    return robot.handle if robot and robot.robot and robot.status == "active" else None
