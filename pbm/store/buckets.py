"""Token buckets: how often something may happen, for each key, across all processes."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Float, case, func, type_coerce
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.expression import ColumnElement

from pbm.store.schema import buckets

_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_DAY_SECONDS = 86_400.0
_ROUNDING = 1e-6  # of a token, that sums of fractions may be short of


class Buckets:
    """Queries about rates, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, key: str, capacity: float, per: timedelta, now: datetime) -> bool:
        """Take a token from a bucket that fills up to `capacity` over the time `per`.

        False when it is empty; nothing changes then. A key that was never seen has a full
        bucket. One statement, so that processes beside each other take no token twice; a clock
        that goes back fills nothing. Raises ValueError for a capacity below one token.
        """
        if capacity < 1:
            raise ValueError("a bucket must hold a token at least")
        insert = _INSERT[self._connection.dialect.name](buckets)
        filled = self._filled(insert, capacity, per)
        taken = insert.values(key=key, tokens=capacity - 1, filled_at=now).on_conflict_do_update(
            index_elements=["key"],
            set_={
                "tokens": filled - 1,
                "filled_at": _the_greater(insert.excluded.filled_at, buckets.c.filled_at),
            },
            where=filled >= 1 - _ROUNDING,
        )
        return self._connection.scalar(taken.returning(buckets.c.tokens)) is not None

    def _filled(self, insert: Any, capacity: float, per: timedelta) -> ColumnElement[float]:
        """What is in the bucket at the moment of the insert."""
        seconds = self._seconds(insert.excluded.filled_at) - self._seconds(buckets.c.filled_at)
        added = _the_greater(seconds, 0.0) * (capacity / per.total_seconds())
        full = buckets.c.tokens + added
        return case((full > capacity, capacity), else_=full)

    def _seconds(self, moment: ColumnElement[Any]) -> ColumnElement[float]:
        """A moment as a number, so that two can be subtracted."""
        if self._connection.dialect.name == "sqlite":
            return type_coerce(func.julianday(moment), Float) * _DAY_SECONDS
        return type_coerce(func.extract("epoch", moment), Float)


def _the_greater(one: Any, other: Any) -> ColumnElement[Any]:
    return case((one > other, one), else_=other)
