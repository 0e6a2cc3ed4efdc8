"""Queries about challenges that wait for answers, about who began boards, and about expiry."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Table,
    distinct,
    exists,
    func,
    insert,
    or_,
    select,
    true,
)

from pbm.store.schema.asking import challenged, challenges, questions, seeks
from pbm.store.schema.columns import OPEN
from pbm.store.schema.games import boards, seats
from pbm.store.schema.people import players
from pbm.store.sql.transaction import Repository, known, read_as
from pbm.store.values.asking import Challenged, PendingChallenge


class Challenges(Repository):
    def find(self, challenge_id: int) -> PendingChallenge | None:
        """Find a challenge that still waits for answers, and lock it until the commit."""
        query = select(challenges).where(challenges.c.id == challenge_id)
        row = self._row(query.with_for_update())
        return self._with_seats(row) if row else None

    def get(self, challenge_id: int) -> PendingChallenge:
        """Return a challenge that is known to wait for answers, and lock it until the commit."""
        return known(self.find(challenge_id), f"challenge {challenge_id}")

    def of_player(self, player_id: int, now: datetime) -> tuple[PendingChallenge, ...]:
        """Return the challenges that a player made or was asked about, oldest first.

        Expired challenges are left out. So are those that wait for people without an account.
        """
        sits = select(challenged.c.challenge_id).where(
            challenged.c.player_id == player_id, challenged.c.asked
        )
        query = select(challenges).where(
            or_(challenges.c.by_id == player_id, challenges.c.id.in_(sits)),
            challenges.c.expires_at > now,
            challenges.c.command.is_(None),
        )
        return tuple(map(self._with_seats, self._rows(query.order_by(challenges.c.id))))

    def with_player(self, player_id: int) -> tuple[int, ...]:
        query = select(challenged.c.challenge_id).where(challenged.c.player_id == player_id)
        return self._scalars(query.distinct().order_by(challenged.c.challenge_id))

    def with_guest(self, address_keys: Collection[str]) -> tuple[int, ...]:
        waits = func.lower(challenged.c.address).in_(address_keys)
        query = select(challenged.c.challenge_id).where(waits).distinct()
        return self._scalars(query.order_by(challenged.c.challenge_id))

    def guests_of(self, player_id: int, since: datetime) -> int:
        """Count people asked by a player after `since` who have no account and have not agreed."""
        query = (
            select(func.count(challenged.c.address))
            .join(challenges, challenges.c.id == challenged.c.challenge_id)
            .where(challenges.c.by_id == player_id, challenges.c.asked_at > since)
        )
        return self._count(query)

    def add(
        self,
        by_id: int,
        setup: dict[str, Any],
        guests: Sequence[int | str],
        asked: Collection[int | str],
        now: datetime,
        expires_at: datetime,
        *,
        first_unsaid: bool = False,
        command: str | None = None,
    ) -> int:
        """Add a challenge, and return its number.

        `guests` has the number of a player or a mail address for each seat. Those who are also in
        `asked` must say yes. `PendingChallenge` explains `first_unsaid` and `command`.
        """
        row = {"by_id": by_id, "setup": setup, "comment": [], "first_unsaid": first_unsaid}
        challenge_id = self._add(
            challenges, **row, command=command, asked_at=now, expires_at=expires_at
        )
        seats = [
            {
                "challenge_id": challenge_id,
                "seat": seat,
                "player_id": None if isinstance(guest, str) else guest,
                "address": guest if isinstance(guest, str) else None,
                "asked": guest in asked,
                "waits": guest in asked,
            }
            for seat, guest in enumerate(guests, start=1)
        ]
        self._transaction.execute(insert(challenged), seats)
        return challenge_id

    def set_comment(self, challenge_id: int, comment: Sequence[str]) -> None:
        self._update(challenges, challenges.c.id == challenge_id, comment=comment)

    def seat_guest(self, challenge_id: int, address_key: str, player_id: int) -> None:
        """Give a guest's seat to a player, since the guest has said yes and signed up.

        `address_key` is the guest's mail address in lower case.
        """
        its = challenged.c.challenge_id == challenge_id
        is_guest = func.lower(challenged.c.address) == address_key
        self._update(challenged, its, is_guest, player_id=player_id, address=None, waits=False)

    def ask(
        self, challenge_id: int, player_ids: Collection[int], now: datetime, expires_at: datetime
    ) -> None:
        """Note that these players are asked now. They are asked after all guests have said yes."""
        its = challenges.c.id == challenge_id
        self._update(challenges, its, command=None, asked_at=now, expires_at=expires_at)
        seats = challenged.c.challenge_id == challenge_id
        self._update(
            challenged, seats, challenged.c.player_id.in_(player_ids), asked=True, waits=True
        )

    def note_yes(self, challenge: PendingChallenge, player_id: int) -> PendingChallenge:
        its = challenged.c.challenge_id == challenge.id
        self._update(challenged, its, challenged.c.player_id == player_id, waits=False)
        return self.get(challenge.id)

    def forget(self, challenge_id: int) -> None:
        self._delete(challenged, challenged.c.challenge_id == challenge_id)
        self._delete(challenges, challenges.c.id == challenge_id)

    def _with_seats(self, row: RowMapping) -> PendingChallenge:
        query = (
            select(challenged, players.c.handle)
            .outerjoin(players, players.c.id == challenged.c.player_id)
            .where(challenged.c.challenge_id == row["id"])
            .order_by(challenged.c.seat)
        )
        return read_as(PendingChallenge, row, seats=self._all(Challenged, query))


_NEWEST = 100
_elsewhere = seats.alias()


class Beginnings(Repository):
    """Queries about who began boards. The results are used for limits and for hints to players."""

    def unanswered(self, begun_by: int, player_id: int, since: datetime, *, most: int) -> int:
        """Count the boards on which a player has neither moved nor written.

        Only boards begun by `begun_by` count that are in progress, or were begun after `since`. The
        result is at most `most`.
        """
        is_over = ~seats.c.playing & (boards.c.started_at > since)
        its = (boards.c.begun_by_id == begun_by, ~seats.c.answered)
        playing = self._of_player(player_id, most, seats.c.playing, *its)
        return playing + self._of_player(player_id, most - playing, is_over, *its)

    def by_others(self, player_id: int, *, most: int) -> int:
        """Count up to `most` of a player's boards in progress that other players began.

        The player who challenged to a match counts as having begun all its rounds.
        """
        first = boards.alias()
        own = exists().where(
            first.c.id == func.coalesce(boards.c.match_id, boards.c.id),
            first.c.begun_by_id == player_id,
        )
        return self._of_player(player_id, most, seats.c.playing, ~own)

    def taken_up(self, begun_by: int) -> int:
        """Count boards that a player began. One counts only if another person has moved on it.

        Only the newest `_NEWEST` boards that the player began are examined. Robots do not count.
        """
        own = select(boards.c.id).where(boards.c.begun_by_id == begun_by)
        newest = self._scalars(own.order_by(boards.c.started_at.desc()).limit(_NEWEST))
        moved = (
            select(func.count(distinct(seats.c.board_id)))
            .join(players, players.c.id == seats.c.player_id)
            .where(
                seats.c.board_id.in_(newest),
                seats.c.player_id != begun_by,
                seats.c.last_ply > 0,
                players.c.robot.is_(None),
            )
        )
        return self._count(moved)

    def with_robots(self, player_id: int, *, most: int) -> int:
        against = exists().where(
            _elsewhere.c.board_id == seats.c.board_id,
            _elsewhere.c.player_id == players.c.id,
            players.c.robot.is_not(None),
        )
        return self._of_player(player_id, most, seats.c.playing, against)

    def _of_player(self, player_id: int, most: int, *where: ColumnElement[bool]) -> int:
        """Count up to `most` of a player's boards that meet the conditions."""
        its = (seats.c.player_id == player_id, *where)
        query = select(boards.c.id).join(seats, seats.c.board_id == boards.c.id).where(*its)
        return len(self._scalars(query.distinct().limit(most)))

    def newcomers(self, board_id: int) -> frozenset[int]:
        """Return the numbers of those players of a board who have never had another board."""
        other = exists().where(
            _elsewhere.c.player_id == seats.c.player_id, _elsewhere.c.board_id != seats.c.board_id
        )
        query = select(seats.c.player_id).where(seats.c.board_id == board_id, ~other)
        return frozenset(self._scalars(query))


Shift = tuple[datetime, timedelta]  # what was open at the moment expires later by the delay


class Expiring(Repository):
    """Queries that postpone the expiry of questions, challenges and seeks."""

    def put_off_answers(self, shifts: Iterable[Shift]) -> None:
        self._put_off(shifts, questions, questions.c.asked_at, questions.c.answer.is_(None))
        self._put_off(shifts, challenges, challenges.c.asked_at, true())

    def put_off_seeks(self, shifts: Iterable[Shift]) -> None:
        """Postpone the expiry of open challenges (seeks). Callers must have locked all seeks."""
        self._put_off(shifts, seeks, seeks.c.made_at, seeks.c.status == OPEN)

    def _put_off(
        self,
        shifts: Iterable[Shift],
        table: Table,
        begun_at: ColumnElement[Any],
        is_open: ColumnElement[bool],
    ) -> None:
        for since, by in shifts:
            was_open = (is_open, begun_at <= since, table.c.expires_at > since)
            query = select(table.c.id, table.c.expires_at).where(*was_open).order_by(table.c.id)
            for row in self._rows(query.with_for_update()):
                self._update(table, table.c.id == row["id"], expires_at=row["expires_at"] + by)
