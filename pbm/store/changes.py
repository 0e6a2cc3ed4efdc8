"""The operator's journal: every change with who, when and why."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, insert, select

from pbm.store.schema.people import players
from pbm.store.schema.running import changes
from pbm.store.sql.transaction import Transaction
from pbm.store.values.running import Change

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
        """Write a change down."""
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
