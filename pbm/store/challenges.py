"""Challenges that wait for an answer; one that waits no longer is forgotten."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, or_, select, update

from pbm.store.schema.asking import challenged, challenges
from pbm.store.schema.people import players
from pbm.store.sql.transaction import Transaction
from pbm.store.values.challenges import Challenged, PendingChallenge


class Challenges:
    """Queries about challenges that wait, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def find(self, challenge_id: int) -> PendingChallenge | None:
        """Find one that waits still, and let it take no other answer until the commit."""
        its = challenges.c.id == challenge_id
        row = self._transaction.execute(select(challenges).where(its).with_for_update())
        found = row.mappings().one_or_none()
        return self._with_seats(dict(found)) if found else None

    def of_player(self, player_id: int, now: datetime) -> tuple[PendingChallenge, ...]:
        """Those that a player has sent or was asked about, and that have not lapsed; the oldest
        first."""
        sits = select(challenged.c.challenge_id).where(
            challenged.c.player_id == player_id, challenged.c.asked
        )
        query = select(challenges).where(
            or_(challenges.c.by_id == player_id, challenges.c.id.in_(sits)),
            challenges.c.expires_at > now,
        )
        rows = self._transaction.execute(query.order_by(challenges.c.id)).mappings().all()
        return tuple(self._with_seats(dict(row)) for row in rows)

    def with_player(self, player_id: int) -> tuple[int, ...]:
        """The numbers of all in which a player has a seat."""
        query = select(challenged.c.challenge_id).where(challenged.c.player_id == player_id)
        return tuple(
            self._transaction.scalars(query.distinct().order_by(challenged.c.challenge_id))
        )

    def add(
        self,
        by_id: int,
        setup: dict[str, Any],
        player_ids: Sequence[int],
        asked: Collection[int],
        now: datetime,
        expires_at: datetime,
        *,
        first_unsaid: bool,
    ) -> int:
        """Write down a challenge, seats in the order given; return its number."""
        row = {"by_id": by_id, "setup": setup, "comment": [], "first_unsaid": first_unsaid}
        added = self._transaction.execute(
            insert(challenges)
            .values(**row, asked_at=now, expires_at=expires_at)
            .returning(challenges.c.id)
        )
        challenge_id = int(added.scalar_one())
        seats = [
            {
                "challenge_id": challenge_id,
                "seat": seat,
                "player_id": player_id,
                "asked": player_id in asked,
                "waits": player_id in asked,
            }
            for seat, player_id in enumerate(player_ids, start=1)
        ]
        self._transaction.execute(insert(challenged), seats)
        return challenge_id

    def set_comment(self, challenge_id: int, comment: Sequence[str]) -> None:
        """Keep the words that came with a challenge."""
        its = challenges.c.id == challenge_id
        self._transaction.execute(update(challenges).where(its).values(comment=list(comment)))

    def note_yes(self, challenge: PendingChallenge, player_id: int) -> PendingChallenge:
        """Note that a player has said yes."""
        self._transaction.execute(
            update(challenged)
            .where(challenged.c.challenge_id == challenge.id, challenged.c.player_id == player_id)
            .values(waits=False)
        )
        seats = (
            replace(seat, waits=seat.waits and seat.player_id != player_id)
            for seat in challenge.seats
        )
        return replace(challenge, seats=tuple(seats))

    def forget(self, challenge_id: int) -> None:
        """Forget one that waits no longer, with its words."""
        seated = challenged.c.challenge_id == challenge_id
        self._transaction.execute(delete(challenged).where(seated))
        self._transaction.execute(delete(challenges).where(challenges.c.id == challenge_id))

    def _with_seats(self, row: dict[str, Any]) -> PendingChallenge:
        columns = (challenged.c.seat, challenged.c.player_id, players.c.handle)
        query = (
            select(*columns, challenged.c.asked, challenged.c.waits)
            .join(players, players.c.id == challenged.c.player_id)
            .where(challenged.c.challenge_id == row["id"])
            .order_by(challenged.c.seat)
        )
        seats = (Challenged(**seat) for seat in self._transaction.execute(query).mappings())
        comment = tuple(row.pop("comment"))
        return PendingChallenge(**row, comment=comment, seats=tuple(seats))
