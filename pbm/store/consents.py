"""Consents: from where a player lets mails move without a further question, and since when."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.schema.asking import consents
from pbm.store.sql.transaction import Transaction
from pbm.store.values.players import Player

_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Consents:
    """Queries about consents, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def give(self, player: Player, origin: str, now: datetime, *, over: datetime) -> None:
        """Write one down; one that stands already, given after `over`, is not prolonged."""
        row = {"player_id": player.id, "origin": origin, "epoch": player.epoch, "given_at": now}
        insert = _INSERT[self._transaction.dialect.name](consents).values(**row)
        new, key = insert.excluded, (consents.c.player_id, consents.c.origin)
        self._transaction.execute(
            insert.on_conflict_do_update(
                index_elements=key,
                set_={"epoch": new.epoch, "given_at": new.given_at},
                where=or_(consents.c.given_at <= over, consents.c.epoch != new.epoch),
            )
        )

    def stands(self, player: Player, origin: str, *, since: datetime) -> bool:
        """Whether one was given after a moment, and no `newkey` has come since."""
        query = select(consents.c.given_at).where(
            consents.c.player_id == player.id,
            consents.c.origin == origin,
            consents.c.epoch == player.epoch,
            consents.c.given_at > since,
        )
        return self._transaction.scalars(query).first() is not None

    def forget_before(self, moment: datetime) -> None:
        """Delete those that were given before a moment."""
        self._transaction.execute(delete(consents).where(consents.c.given_at < moment))
