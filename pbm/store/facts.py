"""What the server knows of its surroundings, each under a name, with the moment it was noted."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.schema.running import facts
from pbm.store.sql.transaction import Transaction
from pbm.store.values.running import Fact

_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Facts:
    """Queries about facts, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def find(self, name: str, *, lock: bool = False) -> Fact | None:
        """Find what was noted last under a name; with `lock` nobody else notes it meanwhile."""
        query = select(facts.c.value, facts.c.noted_at).where(facts.c.name == name)
        if lock:
            query = query.with_for_update()
        row = self._transaction.execute(query).one_or_none()
        return Fact(row.value, row.noted_at) if row else None

    def note(self, name: str, value: Any, now: datetime) -> None:
        """Note a fact, over what was noted before; `value` is plain JSON."""
        insert = _INSERT[self._transaction.dialect.name](facts)
        noted = {"value": value, "noted_at": now}
        self._transaction.execute(
            insert.values(name=name, **noted).on_conflict_do_update(
                index_elements=["name"], set_=noted
            )
        )

    def take(self, name: str) -> Fact | None:
        """Forget what was noted under a name, and return it: only one process gets it."""
        taken = delete(facts).where(facts.c.name == name)
        row = self._transaction.execute(
            taken.returning(facts.c.value, facts.c.noted_at)
        ).one_or_none()
        return Fact(row.value, row.noted_at) if row else None

    def forget(self, name: str) -> None:
        """Know nothing under this name any more."""
        self._transaction.execute(delete(facts).where(facts.c.name == name))
