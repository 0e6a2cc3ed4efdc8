"""Facts about the server's environment, and the journal of the operator's changes."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.schema.people import players
from pbm.store.schema.running import changes, facts
from pbm.store.sql.transaction import Transaction
from pbm.store.values.queues import Change, Fact

_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Facts:
    """Queries about facts, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def find(self, name: str, *, lock: bool = False) -> Fact | None:
        """Find the fact stored under a name; `lock` locks it until the commit."""
        query = select(facts.c.value, facts.c.noted_at).where(facts.c.name == name)
        if lock:
            query = query.with_for_update()
        row = self._transaction.execute(query).one_or_none()
        return Fact(row.value, row.noted_at) if row else None

    def note(self, name: str, value: Any, now: datetime) -> None:
        """Store a fact, replacing an older one; `value` is plain JSON."""
        insert = _INSERT[self._transaction.dialect.name](facts)
        noted = {"value": value, "noted_at": now}
        self._transaction.execute(
            insert.values(name=name, **noted).on_conflict_do_update(
                index_elements=["name"], set_=noted
            )
        )

    def take(self, name: str) -> Fact | None:
        """Delete a fact, and return it: only one process gets it."""
        taken = delete(facts).where(facts.c.name == name)
        row = self._transaction.execute(
            taken.returning(facts.c.value, facts.c.noted_at)
        ).one_or_none()
        return Fact(row.value, row.noted_at) if row else None

    def forget(self, name: str) -> None:
        """Delete the fact under a name."""
        self._transaction.execute(delete(facts).where(facts.c.name == name))


_QUERY = select(
    *(column for column in changes.c if column.name not in ("id", "player_id")), players.c.handle
).outerjoin(players, players.c.id == changes.c.player_id)


class Changes:
    """Queries about the operator's changes, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(
        self,
        *,
        who: str,
        why: str,
        what: str,
        now: datetime,
        player_id: int | None = None,
        board_id: int | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        """Add a change to the journal."""
        self._transaction.execute(
            insert(changes).values(
                at=now,
                who=who,
                why=why,
                what=what,
                player_id=player_id,
                board_id=board_id,
                details=details or {},
            )
        )

    def of_player(self, player_id: int) -> tuple[Change, ...]:
        """The changes that concern a player, oldest first."""
        return self._select(changes.c.player_id == player_id)

    def of_board(self, board_id: int) -> tuple[Change, ...]:
        """The changes that concern a board, oldest first."""
        return self._select(changes.c.board_id == board_id)

    def newest(self, most: int) -> tuple[Change, ...]:
        """The newest changes of any kind, the newest last."""
        query = _QUERY.order_by(changes.c.id.desc()).limit(most)
        return self._read(query)[::-1]

    def _select(self, condition: ColumnElement[bool]) -> tuple[Change, ...]:
        return self._read(_QUERY.where(condition).order_by(changes.c.id))

    def _read(self, query: Select[Any]) -> tuple[Change, ...]:
        return tuple(Change(**row) for row in self._transaction.execute(query).mappings())
