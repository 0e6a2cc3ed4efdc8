"""Writes that wait for each other, so that they go to the database together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Insert, Table, Update
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.sql.visitors import iterate

from pbm.store.driver import Call


@dataclass(frozen=True)
class Reach:
    """The tables that a statement has to do with, by which it is told what it may go before.

    It writes `target`; `touched` are that table and those that it reads, `needed` those in which
    the database looks for the rows that it refers to, and `moves_rows`: rows come or go by it.
    """

    target: str
    touched: frozenset[str]
    needed: frozenset[str]
    moves_rows: bool

    def commutes_with(self, other: "Reach") -> bool:
        """Whether it makes no difference which of the two comes first."""
        return not (
            self.target in other.touched
            or other.target in self.touched
            or (self.moves_rows and self.target in other.needed)
            or (other.moves_rows and other.target in self.needed)
        )


def reach_of(built: ClauseElement) -> Reach | None:
    """The reach of a statement that writes, None for one that only reads."""
    target = getattr(built, "table", None)
    if not isinstance(target, Table):
        return None
    named = {item.name for item in iterate(built) if isinstance(item, Table)}
    needed = {key.column.table.name for key in target.foreign_keys}
    is_kept = isinstance(built, Insert | Update)
    return Reach(
        target.name,
        frozenset({target.name, *named}),
        frozenset(needed if is_kept else ()),
        moves_rows=not isinstance(built, Update),
    )


@dataclass
class Waiting:
    """SQL that waits to be run; without a reach nothing goes past it."""

    sql: str
    sets: list[Any]
    reach: Reach | None = None


def merged(waiting: Iterable[Waiting]) -> list[Call]:
    """What waits, in an order that comes to the same, each statement as seldom as that allows."""
    found: list[Waiting] = []
    for one in waiting:
        same = _to_join(found, one)
        if same is None:
            found.append(Waiting(one.sql, list(one.sets), one.reach))
        else:
            same.sets += one.sets
    return [Call(one.sql, one.sets) for one in found]


def _to_join(found: Sequence[Waiting], one: Waiting) -> Waiting | None:
    """The same statement, if nothing stands between that has to come before."""
    for earlier in reversed(found):
        if one.reach is None or earlier.reach is None:
            return None
        if earlier.sql == one.sql:
            return earlier
        if not earlier.reach.commutes_with(one.reach):
            return None
    return None
