"""Tables of what players keep about a board for themselves: plans until they end, and notes."""

from typing import Any

from sqlalchemy import Column, Integer

from pbm.plain import from_plain, to_plain
from pbm.store.schema.columns import JsonOf, Moment, to
from pbm.store.schema.personal import ExportRows, Personal, table
from pbm.store.values.plans import Line


def _lines(plain: list[dict[str, Any]]) -> tuple[Line, ...]:
    return tuple(from_plain(Line, line) for line in plain)


plans = table(
    "plans",
    to("boards", "board_id", primary_key=True),
    to("players", "player_id", primary_key=True, index=True),
    Column("ply", Integer, nullable=False),
    Column("taken_back", Integer, nullable=False),
    Column("lines", JsonOf(_lines, to_plain), nullable=False),
    Column("made_at", Moment, nullable=False),
    mark=Personal(
        ("player_id",),
        export=ExportRows("plans", {"board": "board_id", "lines": "lines", "made": "made_at"}),
    ),
)

notes = table(
    "notes",
    to("boards", "board_id", primary_key=True),
    to("players", "player_id", primary_key=True, index=True),
    Column("lines", JsonOf(tuple), nullable=False),
    Column("noted_at", Moment, nullable=False),
    mark=Personal(
        ("player_id",),
        export=ExportRows("notes", {"board": "board_id", "lines": "lines", "at": "noted_at"}),
    ),
)
