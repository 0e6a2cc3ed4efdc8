"""Robots become players, under names that nobody else may take."""

from collections.abc import Iterator
from datetime import datetime

from pbm.robots.players import ROBOTS
from pbm.store.db import UnitOfWork


def enlist(work: UnitOfWork, now: datetime) -> None:
    """Let all robots be players. One whose handle somebody has, or has had, is none."""
    for name in ROBOTS:
        work.players.add_robot(name, now)


def missing(work: UnitOfWork) -> Iterator[str]:
    """The robots that are no players, as people have their handles."""
    for name in ROBOTS:
        player = work.players.by_handle(name)
        if player is None or player.robot != name:
            yield name
