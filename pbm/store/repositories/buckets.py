"""Token buckets, which limit how often something may happen.

Each key, such as an address, has a bucket that fills slowly. Each event takes a token from it. If
the bucket is empty, the event is not allowed. All processes share the buckets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Float, String, bindparam, case, func, select, true, type_coerce
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.sql.expression import ColumnElement

from pbm.store.schema.running import buckets
from pbm.store.sql.statement import BoundList, Statement, among, rows_of
from pbm.store.sql.transaction import Repository, Transaction

_DAY_SECONDS = 86_400.0
LONGEST = timedelta(days=7)  # longest fill time of a bucket; if unused for so long, it is full
MOST_FORGOTTEN = 10_000  # buckets at once; far more than are made between two mails
_LOCK_CLASS = 0x70626C  # of the advisory locks on buckets
_ASKED_TOGETHER = 5  # keys; for many more PostgreSQL reads the whole table
_ROUNDING = 1e-6  # of a token, for the rounding errors of sums


@dataclass(frozen=True)
class Rate:
    """A limit that each owner has, such as an address or a network: a bucket of `most` tokens."""

    name: str
    most: int
    within: timedelta  # until an empty bucket is full again

    def key(self, *whose: object) -> str:
        return ":".join(map(str, (self.name, *whose)))

    def take(self, work: Transaction, now: datetime, *whose: object, wait: bool = True) -> bool:
        """Take a token, and return whether there was one. A rollback puts the token back.

        Another open transaction may have locked the bucket by taking a token. Then this call waits
        until that transaction ends. With `wait=False` the call does not wait for a locked bucket.
        It takes no token, and returns whether the bucket had one. Raises ValueError if `most` is
        below 1, or if `within` is above `LONGEST`.
        """
        if self.most < 1:
            raise ValueError("a bucket must hold a token at least")
        if self.within > LONGEST:
            raise ValueError(f"a bucket must fill within {LONGEST.days} days")
        key = self.key(*whose)
        if work.is_shared and not wait:
            return key in self.take_each(work, now, [key])
        # A single statement, so that two processes cannot take the same token.
        take = _TAKE[work.dialect.name]
        return take.value(work, whose=key, **self._values(now)) is not None

    def take_each(self, work: Transaction, now: datetime, keys: Sequence[str]) -> dict[str, float]:
        """Take a token from each of several buckets, in one statement and without waiting.

        Returns how many tokens each bucket had before, without empty buckets. A bucket that another
        transaction has locked is in the result, but no token is taken from it.
        """
        rows = _TAKE_EACH[work.dialect.name].rows(work, keys=list(keys), **self._values(now))
        taken = {row["key"]: row["tokens"] + 1 for row in rows}
        if work.is_shared:  # those that are empty, or locked by another process
            left = {key: self._left(work, now, key) for key in keys if key not in taken}
            taken |= {key: tokens for key, tokens in left.items() if tokens >= 1 - _ROUNDING}
        return taken

    def is_empty(self, work: Transaction, now: datetime, *whose: object) -> bool:
        return self.left(work, now, *whose) < 1 - _ROUNDING

    def left(self, work: Transaction, now: datetime, *whose: object) -> float:
        """Return how many tokens a bucket has. The result may be more than `most`."""
        return self._left(work, now, self.key(*whose))

    def free_at(self, work: Transaction, now: datetime, *whose: object) -> datetime:
        """Return the time when a bucket will have a token. If it has one now, return `now`."""
        missing = 1 - self.left(work, now, *whose)
        return now + max(0.0, missing) / self.most * self.within

    def _left(self, work: Transaction, now: datetime, key: str) -> float:
        row = _READ_ONE.row(work, whose=key)
        if row is None:
            return self.most
        filled = max(0.0, (now - row["filled_at"]) / self.within) * self.most
        return float(row["tokens"] + filled)

    def _values(self, now: datetime) -> dict[str, Any]:
        rate, most = self.most / self.within.total_seconds(), float(self.most)
        return {"now": now, "most": most, "left": most - 1, "a_second": rate}


class Buckets(Repository):
    def beginning(self, begin: str) -> dict[str, datetime]:
        """Return the rest of the keys that begin so, each with the time of the last event."""
        its = buckets.c.key.startswith(begin, autoescape=True)
        rows = self._rows(select(buckets.c.key, buckets.c.filled_at).where(its))
        return {row["key"].removeprefix(begin): row["filled_at"] for row in rows}

    def forget_full(self, now: datetime) -> bool:
        """Delete buckets that were not used for `LONGEST`. Returns True if there may be more."""
        oldest = (
            select(buckets.c.key)
            .where(buckets.c.filled_at < now - LONGEST)
            .order_by(buckets.c.filled_at)
            .limit(MOST_FORGOTTEN)
            .with_for_update(skip_locked=True)
        )
        return self._delete(buckets, buckets.c.key.in_(oldest)) == MOST_FORGOTTEN

    def forget_all(self, name: str) -> None:
        """Delete all buckets of the rate limit `name`; a deleted bucket counts as full."""
        self._delete(buckets, buckets.c.key.startswith(f"{name}:", autoescape=True))

    def taken_since(self, keys: Sequence[str], since: datetime) -> int:
        """Return the number of those buckets from which a token was taken after `since`."""
        parts = (keys[at : at + _ASKED_TOGETHER] for at in range(0, len(keys), _ASKED_TOGETHER))
        reads = ((_TAKEN_SINCE, {"keys": list(part), "since": since}) for part in parts)
        return sum(rows[0]["taken"] for rows in rows_of(self._transaction, *reads))

    def first_taken(self, keys: Sequence[str]) -> datetime | None:
        """Return when the longest unused bucket was last used, or None if none is stored."""
        query = select(func.min(buckets.c.filled_at, type_=buckets.c.filled_at.type))
        found: datetime | None = self._transaction.scalar(query.where(buckets.c.key.in_(keys)))
        return found


def _take(dialect: str, *, each: bool = False) -> Statement:
    """Return the statement that takes a token from a bucket, or from several if `each` is True."""
    insert = upsert(buckets)
    seconds = _seconds(dialect, insert.excluded.filled_at) - _seconds(dialect, buckets.c.filled_at)
    full = buckets.c.tokens + _the_greater(seconds, 0.0) * _A_SECOND
    filled = case((full > _MOST, _MOST), else_=full)
    row: dict[str, ColumnElement[Any]] = {
        "key": bindparam("whose", type_=buckets.c.key.type),
        "tokens": bindparam("left", type_=Float),
        "filled_at": bindparam("now", type_=buckets.c.filled_at.type),
    }
    begun = _of_each(insert, dialect, row) if each else insert.values(row)
    return Statement(
        begun.on_conflict_do_update(
            index_elements=["key"],
            set_={
                "tokens": filled - 1,
                "filled_at": _the_greater(insert.excluded.filled_at, buckets.c.filled_at),
            },
            where=filled >= 1 - _ROUNDING,
        ).returning(buckets.c.key, *([buckets.c.tokens] if each else []))
    )


def _of_each(insert: Any, dialect: str, row: dict[str, ColumnElement[Any]]) -> Any:
    """Let an INSERT add a row for each unlocked key. The SQL parameter `keys` has the keys."""
    if dialect == "sqlite":
        key = func.json_each(_KEYS).table_valued("value").c.value
        free: ColumnElement[Any] = true()
    else:
        key = _ASKED
        free = func.pg_try_advisory_xact_lock(_LOCK_CLASS, func.hashtext(key))
    return insert.from_select(list(row), select(key, row["tokens"], row["filled_at"]).where(free))


def _seconds(dialect: str, moment: ColumnElement[Any]) -> ColumnElement[float]:
    """Return SQL that converts a moment to seconds. The starting point depends on `dialect`."""
    if dialect == "sqlite":
        return type_coerce(func.julianday(moment), Float) * _DAY_SECONDS
    return type_coerce(func.extract("epoch", moment), Float)


def _the_greater(one: Any, other: Any) -> ColumnElement[Any]:
    return case((one > other, one), else_=other)


_KEYS = bindparam("keys", type_=BoundList(String()))
_A_SECOND = bindparam("a_second", type_=Float)
_MOST = bindparam("most", type_=Float)
_ASKED = func.unnest(_KEYS).column_valued("asked")
_TAKE = {dialect: _take(dialect) for dialect in ("sqlite", "postgresql")}
_TAKE_EACH = {dialect: _take(dialect, each=True) for dialect in ("sqlite", "postgresql")}
_TAKEN_SINCE = Statement(
    select(func.count().label("taken")).where(
        buckets.c.filled_at > bindparam("since"), among(buckets.c.key, "keys")
    )
)
_READ_ONE = Statement(select(buckets).where(buckets.c.key == bindparam("whose")))
