"""Queries about the server's environment and size, the operator's changes, and heartbeats.

A heartbeat is a row that shows when a process was last alive.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.clock import Clock
from pbm.store.schema.games import boards, moves
from pbm.store.schema.mails import inbox, outbox
from pbm.store.schema.people import addresses, players
from pbm.store.schema.running import bans, changes, facts, heartbeats
from pbm.store.sql.driver import Call
from pbm.store.sql.transaction import Repository
from pbm.store.values.boards import BoardStatus
from pbm.store.values.mails import OutboxStatus
from pbm.store.values.queues import Ban, Change, Fact, Heartbeat


class Facts(Repository):
    def find(self, name: str, *, lock: bool = False) -> Fact | None:
        query = select(facts).where(facts.c.name == name)
        return self._first(Fact, query.with_for_update() if lock else query)

    def note(self, name: str, value: Any, now: datetime) -> None:
        """Store a fact, replacing an older fact of that name; `value` is plain JSON."""
        noted = {"value": value, "noted_at": now}
        added = upsert(facts).values(name=name, **noted)
        self._transaction.execute(added.on_conflict_do_update(index_elements=["name"], set_=noted))

    def take(self, name: str) -> Fact | None:
        """Delete a fact and return it. Only one of several processes can get it."""
        return self._first(Fact, delete(facts).where(facts.c.name == name).returning(facts))

    def forget(self, name: str) -> None:
        self._delete(facts, facts.c.name == name)


_QUERY = select(changes, players.c.handle).outerjoin(players, players.c.id == changes.c.player_id)


class Changes(Repository):
    def add(self, *, who: str, why: str, what: str, now: datetime, **others: Any) -> None:
        """Store a change with its `details`; it may have a `player_id` and a `board_id`."""
        self._insert(changes, at=now, who=who, why=why, what=what, **others)

    def about(self, **about: int) -> tuple[Change, ...]:
        """Return the operator's changes to a player or board, oldest first.

        For example, `about(board_id=12)` returns the changes to board 12.
        """
        its = (changes.c[name] == number for name, number in about.items())
        return self._all(Change, _QUERY.where(*its).order_by(changes.c.id))

    def newest(self, most: int, **about: int) -> tuple[Change, ...]:
        """Return the newest changes, all or those `about` something, oldest first."""
        its = (changes.c[name] == number for name, number in about.items())
        query = _QUERY.where(*its).order_by(changes.c.id.desc()).limit(most)
        return self._all(Change, query)[::-1]


_WHOSE = addresses.c.player_id == bans.c.player_id
_BANS = select(bans, addresses.c.address_key).outerjoin(addresses, _WHOSE)


class Bans(Repository):
    def all(self) -> tuple[Ban, ...]:
        """Return all bans, the oldest first."""
        return self._found(_BANS)

    def named(self, names: Collection[str]) -> tuple[Ban, ...]:
        """Return those of some addresses, domains and networks that are banned."""
        return self._found(_BANS.where(bans.c.what.in_(names)))

    def _found(self, query: Select[Any]) -> tuple[Ban, ...]:
        found: dict[str, Ban] = {}
        for row in self._rows(query.order_by(bans.c.at, bans.c.what)):
            known = found.get(row["what"]) or Ban(row["what"], row["at"], row["who"], row["why"])
            more = (row["address_key"],) if row["address_key"] else ()
            found[known.what] = replace(known, addresses=(*known.addresses, *more))
        return tuple(found.values())

    def add(self, ban: Ban, player_id: int | None) -> None:
        row = {"what": ban.what, "at": ban.at, "who": ban.who, "why": ban.why}
        self._insert(bans, **row, player_id=player_id)

    def drop(self, what: str) -> bool:
        return self._delete(bans, bans.c.what == what) > 0


MOST_ROWS = 300  # far more than there are processes; the rest are dead


class Heartbeats(Repository):
    def beat(self, beats: Sequence[Heartbeat]) -> None:
        """Store heartbeats. Each replaces the earlier one of the same process and role."""
        insert = upsert(heartbeats)
        statement = insert.on_conflict_do_update(
            index_elements=["process", "role"],
            set_={name: insert.excluded[name] for name in ("beat_at", "alive_at", "ahead")},
        )
        self._transaction.execute(statement, [vars(beat) for beat in beats])

    def clock_ahead(self, clock: Clock) -> float | None:
        """Return by how many seconds a clock is ahead of PostgreSQL's clock; None for SQLite."""
        if not self._transaction.is_shared:
            return None
        there: datetime = self._transaction.execute(select(func.clock_timestamp())).scalar_one()
        return (clock() - there).total_seconds()

    def all(self) -> tuple[Heartbeat, ...]:
        """Return all heartbeats, the latest first."""
        query = select(heartbeats).order_by(heartbeats.c.beat_at.desc(), heartbeats.c.process)
        return self._all(Heartbeat, query)

    def forget(self, process: str) -> None:
        self._delete(heartbeats, heartbeats.c.process == process)

    def forget_dead(self, before: datetime) -> None:
        """Delete heartbeats older than `before`, and the oldest if more than `MOST_ROWS` remain."""
        newest = select(heartbeats.c.beat_at).order_by(heartbeats.c.beat_at.desc())
        last_kept = newest.offset(MOST_ROWS - 1).limit(1).scalar_subquery()
        beat_at = heartbeats.c.beat_at
        self._delete(heartbeats, or_(beat_at < before, beat_at < last_kept))

    def forget_all(self) -> None:
        self._delete(heartbeats)


_BYTES = {
    False: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    True: "SELECT pg_database_size(current_database())",
}


_FREE = text(
    "SELECT page_count, freelist_count, auto_vacuum FROM pragma_page_count(), "
    "pragma_freelist_count(), pragma_auto_vacuum()"
)
_INCREMENTAL, _KEPT_FREE = 2, 10  # a tenth stays, for the rows of the next days
_GIVE_BACK = Call("PRAGMA incremental_vacuum(1)")  # the driver runs it for one page at a time


class Counts(Repository):
    """What is stored, and what happened lately. Some of these queries read whole tables."""

    def bytes_stored(self) -> int:
        return int(self._transaction.scalar(text(_BYTES[self._transaction.is_shared])) or 0)

    def give_back_pages(self, most: int) -> bool:
        """Shrink a SQLite file by some of its free pages; return whether there are more."""
        if self._transaction.is_shared:
            return False
        pages, free, mode = self._transaction.execute(_FREE).one()
        more = free - pages // _KEPT_FREE if mode == _INCREMENTAL else 0
        self._transaction.run(*[_GIVE_BACK] * min(more, most))
        return more > most

    def boards(self) -> int:
        """Return how many boards are played on."""
        return self._count(select(func.count()).where(boards.c.status == BoardStatus.PLAYING))

    def since(self, moment: datetime) -> tuple[int, int, int]:
        """Return how many moves were made, mails came in, and mails went out since a moment."""
        is_sent = outbox.c.status == OutboxStatus.SENT
        happened = (
            (moves.c.played_at >= moment,),
            (inbox.c.received_at >= moment,),
            (outbox.c.finished_at >= moment, is_sent),
        )
        moved, came, went = (self._count(select(func.count()).where(*its)) for its in happened)
        return moved, came, went
