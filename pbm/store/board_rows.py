"""How the rows of a board and of its seats become a value."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, select

from pbm.plain import from_plain
from pbm.store.schema.games import seats
from pbm.store.schema.people import players
from pbm.store.sql.driver import Row
from pbm.store.values.boards import Board, Offer, Round, Seat, Stop

SEATED = (
    select(
        seats.c.board_id,
        seats.c.seat,
        seats.c.player_id,
        func.coalesce(seats.c.name, players.c.handle).label("handle"),
        seats.c.last_ply,
        seats.c.answered,
        seats.c.used,
        seats.c.banked,
        seats.c.stopped,
        seats.c.name.is_not(None).label("from_record"),
        (seats.c.name.is_(None) & players.c.unreachable_since.is_not(None)).label("unreachable"),
        (seats.c.name.is_(None) & (players.c.status == "removed")).label("removed"),
        case((seats.c.name.is_(None), players.c.robot)).label("robot"),
    )
    .join(players, players.c.id == seats.c.player_id)
    .order_by(seats.c.board_id, seats.c.seat)
)
_SEAT = tuple(item.name for item in fields(Seat))
_AS_STORED = (
    *("id", "game", "rules_version", "options", "subject", "start_state", "state", "ply", "status"),
    *("ended_by", "started_at", "changed_at", "taken_back", "rematch_of"),
    *("rated", "clock", "waits_since", "reminded", "given", "paused_since"),
)


def board_of(row: Row, seated: Iterable[Row]) -> Board:
    """The board of its row, and of the rows of its seats."""
    values = {name: row[name] for name in _AS_STORED}
    winners, round_number, tags = row["winners"], row["round"], row["tags"]
    return Board(
        **values,
        winners=None if winners is None else tuple(winners),
        seats=tuple(Seat(**{name: seat[name] for name in _SEAT}) for seat in seated),
        offers=tuple(from_plain(Offer, offer) for offer in row["offers"] or ()),
        stops=tuple(_stops(row["stops"])),
        round=Round(row["match_id"], round_number, row["rounds"]) if round_number else None,
        tags=None if tags is None else tuple((name, value) for name, value in tags),
    )


def _stops(plain: Iterable[tuple[str, str, bool]] | None) -> Iterator[Stop]:
    for begin, end, bounced in plain or ():
        yield Stop(datetime.fromisoformat(begin), datetime.fromisoformat(end), bounced)


def plain_stops(stops: Iterable[Stop]) -> list[list[Any]] | None:
    """Stops as JSON has them; None for none."""
    return [[stop.begin.isoformat(), stop.end.isoformat(), stop.bounced] for stop in stops] or None
