"""What several turns need of the database, locked and read for all of them at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    String,
    bindparam,
    column,
    func,
    literal,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, aggregate_order_by

from pbm.store.among import among
from pbm.store.board_rows import SEATED
from pbm.store.players import players_of, with_addresses
from pbm.store.plies import PLY
from pbm.store.remembered import Marks, Remembered
from pbm.store.schema.games import boards, moves, seats
from pbm.store.schema.people import players, vacations
from pbm.store.statement import Statement, rows_of
from pbm.store.transaction import Transaction, WouldWaitError
from pbm.store.vacations import VACATION
from pbm.store.values.players import Vacation
from pbm.store.values.plies import MARK, Ply

Rows = Sequence[dict[str, Any]]
ROUNDS_SHOWN = 5  # of which a board's mail tells
MARKS_READ = 100  # of a board; where more may repeat themselves, which is rare, the database counts
_ASKED = (
    func.unnest(bindparam("boards", type_=ARRAY(Integer)))
    .table_valued(column("id", Integer))
    .render_derived(name="asked")
)


def _latest_by_number() -> Statement:
    """The latest plies of some boards: those whose numbers are near to that of the last one."""
    shown = _shown(boards.c.id).correlate(boards).scalar_subquery()
    return Statement(
        select(moves.c.board_id, *(moves.c[name] for name in PLY))
        .join(boards, boards.c.id == moves.c.board_id)
        .where(among(moves.c.board_id, "boards"), moves.c.ply > boards.c.ply - shown)
        .order_by(moves.c.board_id, moves.c.ply)
    )


def _latest_by_place() -> Statement:
    """The same for PostgreSQL, from the last one backwards: it would read all plies of a board
    otherwise, and for each of them all versions of the board that a snapshot keeps."""
    latest = (
        select(moves.c.board_id, *(moves.c[name] for name in PLY))
        .where(moves.c.board_id == _ASKED.c.id)
        .order_by(moves.c.ply.desc())
        .limit(_shown(_ASKED.c.id).correlate(_ASKED).scalar_subquery())
        .lateral("latest")
    )
    query = select(latest).select_from(_ASKED).join(latest, true())
    return Statement(query.order_by(latest.c.board_id, latest.c.ply))


def _latest_marks() -> Statement:
    """The marks of the latest plies of some boards, for PostgreSQL."""
    latest = (
        select(moves.c.ply, moves.c.stood)
        .where(moves.c.board_id == _ASKED.c.id)
        .order_by(moves.c.ply.desc())
        .limit(MARKS_READ)
        .lateral("latest")
    )
    in_order = aggregate_order_by(literal("", String), latest.c.ply)
    marks = func.string_agg(func.rpad(func.coalesce(latest.c.stood, ""), MARK), in_order)
    columns = (
        _ASKED.c.id.label("board_id"),
        (func.min(latest.c.ply) - 1).label("before"),
        marks.label("text"),
    )
    query = select(*columns).select_from(_ASKED).join(latest, true())
    return Statement(query.group_by(_ASKED.c.id))


def _shown(board_id: ColumnElement[int]) -> Select[int]:
    """How many of the latest plies of a board are shown."""
    seated = select(ROUNDS_SHOWN * func.count()).select_from(seats)
    return seated.where(seats.c.board_id == board_id)


_LOCK_FREE = Statement(
    select(boards)
    .where(among(boards.c.id, "boards"))
    .order_by(boards.c.id)
    .with_for_update(skip_locked=True, key_share=True)
)
_SEATED = Statement(SEATED.where(among(seats.c.board_id, "boards")))
_WRITER = players.alias("writer")
_CONCERNED = union_all(  # one list, not two joined by OR, for which PostgreSQL reads all players
    select(seats.c.player_id).where(among(seats.c.board_id, "boards")),
    select(_WRITER.c.id).where(among(_WRITER.c.id, "players")),
)
_PLAYERS = Statement(  # locked as whatever refers to them does, which then need not wait
    with_addresses(players.c.id.in_(_CONCERNED)).with_for_update(
        key_share=True, read=True, skip_locked=True, of=players
    )
)
_PLIES = {"sqlite": _latest_by_number(), "postgresql": _latest_by_place()}
_MARKS = _latest_marks()
_VACATIONS = Statement(
    select(vacations.c.player_id, *VACATION)
    .where(vacations.c.player_id.in_(_CONCERNED))
    .order_by(vacations.c.first_day, vacations.c.id)
)


class NotHeldError(WouldWaitError):
    """A turn that may wait for no board asks for one that its transaction has not locked."""

    def __init__(self, board_id: int) -> None:
        super().__init__(f"board {board_id} is not held")
        self.board_id = board_id


@dataclass(frozen=True)
class Ahead:
    """What was locked: the numbers of boards, and of players, to whom mails can be written. A board
    that is missing is locked elsewhere, as is one of its players, or is not there."""

    boards: frozenset[int]
    players: frozenset[int]

    def holds(self, player_id: int, board_id: int) -> bool:
        """Whether a turn of a player on a board need wait for nobody."""
        return player_id in self.players and board_id in self.boards


def take_ahead(
    transaction: Transaction, board_ids: Iterable[int], player_ids: Iterable[int]
) -> Ahead:
    """Lock some boards in the order of their numbers, but none for which to wait; remember them,
    their players and the named ones, and whatever else every move's turn looks up."""
    asked = {"boards": sorted(set(board_ids))}
    named = {**asked, "players": sorted(set(player_ids))}
    marks = [(_MARKS, asked)] if transaction.is_shared else []  # else a look costs next to nothing
    locked, seated, people, plies, away, *stood = rows_of(
        transaction,
        (_LOCK_FREE, asked),
        (_SEATED, asked),
        (_PLAYERS, named),
        (_PLIES[transaction.dialect.name], asked),
        (_VACATIONS, named),
        *marks,
    )
    transaction.have_locked(row["id"] for row in locked)
    nobody: dict[int, list[dict[str, Any]]] = {
        row["id"]: [] for row in locked
    }  # a forgotten record
    seats_of = nobody | _by(seated, "board_id")
    for row in locked:
        transaction.known.keep_board(row, seats_of[row["id"]])
    _keep_plies(transaction.known, locked, seats_of, plies, *stood)
    free = _keep_players(transaction.known, people, away)
    return Ahead(
        frozenset(
            row["id"]
            for row in locked
            if free.issuperset(seat["player_id"] for seat in seats_of[row["id"]])
        ),
        free,
    )


def _keep_plies(
    known: Remembered,
    boards: Rows,
    seats_of: Mapping[int, Rows],
    plies: Rows,
    stood: Rows | None = None,
) -> None:
    """Remember the latest plies of boards, and the marks of them and some before, if they were
    read."""
    plies_of = _by(plies, "board_id")
    marks_of = {row["board_id"]: Marks(row["before"], row["text"]) for row in stood or ()}
    for row in boards:
        board_id = row["id"]
        known.keep_plies(
            board_id,
            max(0, row["ply"] - ROUNDS_SHOWN * len(seats_of[board_id])),
            tuple(Ply(**{name: ply[name] for name in PLY}) for ply in plies_of.get(board_id, ())),
            None if stood is None else marks_of.get(board_id, Marks(0, "")),
        )


def _keep_players(known: Remembered, people: Rows, away: Rows) -> frozenset[int]:
    """Remember players and all their vacations; return their numbers."""
    found = tuple(players_of(people))
    known.keep_players(found)
    days_of = _by(away, "player_id")
    for player in found:
        days = tuple(_vacation(row) for row in days_of.get(player.id, ()))
        known.keep_vacations(player.id, date.min, days)
    return frozenset(player.id for player in found)


def _vacation(row: dict[str, Any]) -> Vacation:
    return Vacation(**{column.key: row[column.key] for column in VACATION})


def _by(rows: Rows, key: str) -> dict[int, list[dict[str, Any]]]:
    """Rows by one of their columns."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found
