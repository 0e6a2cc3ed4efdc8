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
"""The fixed rating of each robot; `docs/strength.md` says how it was measured."""


def robots_play(game: Game) -> bool:
    """Whether robots play a game: only one that can be searched."""
    return isinstance(game, Searches)


def check_robots(work: UnitOfWork, game: str, players: Sequence[Player], begun_by: Player) -> None:
    """Raise Refusal if robots among the players cannot join a new board: they do not play the
    game, or a person has the most boards with robots."""
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
    """The number of boards in progress on which a player plays against robots; counted up to the
    limit."""
    return work.beginnings.with_robots(player.id, most=MOST_WITH_ROBOTS)


def robot_to_begin_with(work: UnitOfWork, game: str) -> str | None:
    """The robot for beginners, None if it does not play a game."""
    robot = work.players.by_handle(FOR_BEGINNERS) if robots_play(game_named(game)) else None
    return robot.handle if robot and robot.robot and robot.is_active else None
