"""Queries about boards and their seats."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    bindparam,
    case,
    exists,
    func,
    insert,
    select,
    update,
)

from pbm.rules.contract import Options, Position
from pbm.rules.registry import game_named
from pbm.rules.sides import mover
from pbm.store.repositories.happened import Readers
from pbm.store.repositories.watching import is_watched
from pbm.store.schema.games import boards, handovers, moves, seats
from pbm.store.schema.happened import readers
from pbm.store.schema.people import players
from pbm.store.schema.plans import notes, plans
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import ColumnSetter, Read, Statement, among, rows_of
from pbm.store.sql.transaction import Repository, known, read_as
from pbm.store.values.boards import Board, BoardStatus, Handover, Round, Seat
from pbm.store.values.players import PlayerStatus

SEATED = (
    select(
        seats,
        func.coalesce(seats.c.name, players.c.handle).label("handle"),
        seats.c.name.is_not(None).label("from_record"),
        (seats.c.name.is_(None) & players.c.unreachable_since.is_not(None)).label("unreachable"),
        (seats.c.name.is_(None) & (players.c.status == PlayerStatus.REMOVED)).label("removed"),
        case((seats.c.name.is_(None), players.c.robot)).label("robot"),
    )
    .join(players, players.c.id == seats.c.player_id)
    .order_by(seats.c.board_id, seats.c.seat)
)


def board_of(row: Row, seated: Iterable[Row]) -> Board:
    number, seats = row["round"], tuple(read_as(Seat, seat) for seat in seated)
    place = Round(row["match_id"], number, row["rounds"]) if number else None
    offers, stops = row["offers"] or (), row["stops"] or ()
    return read_as(Board, row, seats=seats, offers=offers, stops=stops, round=place)


_IT = boards.c.id == bindparam("number")
_BEHIND = exists().where(readers.c.board_id == boards.c.id, readers.c.since.is_not(None))
_PLANNED = exists().where(plans.c.board_id == boards.c.id)
_NOTED = exists().where(notes.c.board_id == boards.c.id)
_BOARDS = select(
    boards,
    _BEHIND.label("news_waits"),
    _PLANNED.label("planned"),
    is_watched().label("watched"),
    _NOTED.label("noted"),
)
_FIND = Statement(_BOARDS.where(_IT))
# A weaker lock than FOR UPDATE, so that inserting mails that refer to a board does not wait.
_LOCK = Statement(select(boards.c.id).where(_IT).with_for_update(key_share=True))
_SEATED_AT = Statement(SEATED.where(seats.c.board_id == bindparam("board_id")))
_SET = ColumnSetter(boards)
_OF_PLAYER = update(seats).where(
    seats.c.board_id == bindparam("number"), seats.c.player_id == bindparam("player")
)
_ANSWERED = Statement(_OF_PLAYER.where(~seats.c.answered).values(answered=True))
_TOLD_OF_WORDS = Statement(
    _OF_PLAYER.where(~seats.c.told_of_words).values(told_of_words=True).returning(seats.c.seat)
)
_FIND_MANY = Statement(_BOARDS.where(among(boards.c.id, "numbers")))
_SEATED_AT_MANY = Statement(SEATED.where(among(seats.c.board_id, "numbers")))


def _sat(player_id: int) -> CompoundSelect[Any]:
    """Return a query of the boards of a player, also of those that another one took over."""
    own = select(seats.c.board_id).where(seats.c.player_id == player_id, seats.c.name.is_(None))
    return own.union(select(handovers.c.board_id).where(handovers.c.player_id == player_id))


def board_reads(board_id: int) -> tuple[Read, Read]:
    """Return the two queries of `Boards.find`, as arguments for `UnitOfWork.prefetch`."""
    return (_FIND, {"number": board_id}), (_SEATED_AT, {"board_id": board_id})


class Boards(Repository):
    def find(self, board_id: int, *, lock: bool = False) -> Board | None:
        transaction, reads = self._transaction, board_reads(board_id)
        if lock and not transaction.holds(board_id):
            locked, found, seated = rows_of(transaction, (_LOCK, {"number": board_id}), *reads)
            transaction.locked_boards.update(row["id"] for row in locked)
        elif (known := transaction.cache.get(("board", board_id))) is not None:
            board: Board = known
            return board
        else:
            found, seated = rows_of(transaction, *reads)
        if not found or found[0]["status"] == BoardStatus.FORGOTTEN:
            return None
        return self.keep(board_of(found[0], seated))

    def keep(self, board: Board) -> Board:
        """Put a board, just read or written, into the transaction's cache, and return it."""
        self._transaction.cache.keep(("board", board.id), _FIND.tables | _SEATED_AT.tables, board)
        return board

    def get(self, board_id: int, *, lock: bool = False) -> Board:
        """Return a board. If `lock` is True, lock it until the commit. Raises LookupError."""
        return known(self.find(board_id, lock=lock), f"board {board_id}")

    def lock_if_free(self, board_id: int) -> bool:
        """Lock a board until the commit. If others have locked it, return False at once."""
        query = select(boards.c.id).where(boards.c.id == board_id)
        free = query.with_for_update(skip_locked=True, key_share=True)
        found = self._scalars(free)
        self._transaction.locked_boards.update(found)
        return bool(found)

    def get_many(self, board_ids: Sequence[int]) -> tuple[Board, ...]:
        """Return the boards with these numbers, in the order given. All of them must exist."""
        rows = _FIND_MANY.rows(self._transaction, numbers=list(board_ids)) if board_ids else ()
        found = {board.id: board for board in self._with_seats(rows)}
        return tuple(found[board_id] for board_id in board_ids)

    def longest_waiting(self, player_id: int, but: int, most: int) -> tuple[Board, ...]:
        """Lock and return up to `most` boards on which it is a player's turn, longest wait first.

        The board `but` is left out, and so are boards that others have locked.
        """
        query = _BOARDS.where(boards.c.to_move_id == player_id, boards.c.id != but)
        query = query.order_by(boards.c.waits_since, boards.c.id).limit(most)
        free = query.with_for_update(skip_locked=True, key_share=True)
        found = tuple(self._with_seats(self._rows(free)))
        self._transaction.locked_boards.update(board.id for board in found)
        return found

    def to_move(self, player_id: int) -> tuple[int, ...]:
        """Return the numbers of the boards on which it is this player's turn, oldest first."""
        query = select(boards.c.id).where(boards.c.to_move_id == player_id)
        return self._scalars(query.order_by(boards.c.id))

    def waiting_for(self, player_id: int, games: Collection[str]) -> tuple[int, ...]:
        """Return the numbers of the boards on which it is a player's turn, longest wait first."""
        query = select(boards.c.id).where(
            boards.c.to_move_id == player_id, boards.c.game.in_(tuple(games))
        )
        longest_first = func.coalesce(boards.c.waits_since, boards.c.changed_at)
        return self._scalars(query.order_by(longest_first, boards.c.id))

    def of_player(self, player_id: int, *, playing: bool, most: int) -> tuple[Board, ...]:
        """Return a player's newest boards in progress. If `playing` is False, return ended ones."""
        return self.get_many(self.numbers_of(player_id, seats.c.playing == playing, most=most))

    def game_of(self, board_id: int) -> str | None:
        query = select(boards.c.game).where(boards.c.id == board_id)
        return next(iter(self._scalars(query)), None)

    def numbers_of(self, player_id: int, *where: ColumnElement[bool], most: int) -> tuple[int, ...]:
        """Return the numbers of a player's newest boards. The conditions are about their seats."""
        query = select(seats.c.board_id).where(seats.c.player_id == player_id, *where).distinct()
        return self._scalars(query.order_by(seats.c.board_id.desc()).limit(most))

    def played_by_both(self, one: int, other: int, *, most: int) -> tuple[int, ...]:
        """Return the newest boards in progress on which two players sit."""
        theirs = select(seats.c.board_id).where(seats.c.player_id == other)
        return self.numbers_of(one, seats.c.playing, seats.c.board_id.in_(theirs), most=most)

    def have_met(self, one: int, other: int) -> bool:
        """Return whether there is a board on which two players sit or sat."""
        mine = _sat(one).subquery()
        return self._exists(select(mine).where(mine.c.board_id.in_(_sat(other))))

    def numbers(
        self,
        *,
        status: BoardStatus | None = None,
        since: datetime | None = None,
        player_id: int | None = None,
        most: int | None = None,
    ) -> tuple[int, ...]:
        """Return the numbers of all boards, or of those that have changed since a moment.

        With `most`, return the newest.
        """
        query = select(boards.c.id).where(boards.c.status != BoardStatus.FORGOTTEN)
        if status is not None:
            query = query.where(boards.c.status == status)
        if since is not None:
            query = query.where(boards.c.changed_at >= since)
        if player_id is not None:
            query = query.where(boards.c.id.in_(_sat(player_id)))
        return self._scalars(query.order_by(boards.c.id.desc()).limit(most))[::-1]

    def newest(self, status: BoardStatus, below: int, most: int) -> tuple[int, ...]:
        """Return the highest numbers below `below` of boards that are not private."""
        its = (boards.c.status == status, ~boards.c.private, boards.c.id < below)
        query = select(boards.c.id).where(*its)
        return self._scalars(query.order_by(boards.c.id.desc()).limit(most))

    def last_number(self) -> int:
        return self._count(select(func.max(boards.c.id)))

    def have_sat(self, board_ids: Collection[int]) -> dict[int, set[int]]:
        """Return who sits on boards or sat there before, by the boards' numbers."""
        here, before = (
            select(table.c.board_id, table.c.player_id).where(table.c.board_id.in_(board_ids))
            for table in (seats, handovers)
        )
        found: dict[int, set[int]] = {number: set() for number in board_ids}
        for row in self._rows(here.union(before)) if board_ids else ():
            found[row["board_id"]].add(row["player_id"])
        return found

    def of_match(self, match_id: int) -> tuple[Board, ...]:
        """Return the boards of a match, in the order of its rounds."""
        return self._where(boards.c.match_id == match_id)

    def rematches(self, board_id: int) -> tuple[Board, ...]:
        return self._where(boards.c.rematch_of == board_id)

    def _where(self, condition: ColumnElement[bool]) -> tuple[Board, ...]:
        rows = self._rows(_BOARDS.where(condition).order_by(boards.c.id))
        return tuple(self._with_seats(rows))

    def derived(self, board_id: int) -> tuple[int | None, frozenset[bool]]:
        """Return stored columns that follow from a board's position, so that they can be checked.

        They are `to_move_id`, the player whose turn it is, and the `playing` flags of the seats.
        """
        (to_move,) = self._scalars(select(boards.c.to_move_id).where(boards.c.id == board_id))
        playing = self._scalars(select(seats.c.playing).where(seats.c.board_id == board_id))
        return to_move, frozenset(playing)

    def add(
        self,
        game: str,
        options: Options,
        position: Position,
        player_ids: Sequence[int],
        subject: str,
        now: datetime,
        *,
        names: Sequence[str] | None = None,
        round_of: Round | None = None,
        rounds: int | None = None,
        begun_by: int | None = None,
        **others: Any,
    ) -> Board:
        """Add a board. In `subject`, `{number}` is replaced by the board's number.

        `begun_by` is the player who made the challenge. The first board of a match gets the number
        of `rounds`, and each later board gets `round_of`. Only an imported record of a game has
        `names` and `tags`. Of the `others`, each is stored in the column of its name.
        """
        state = position.state()
        board_id = self._add(
            boards,
            game=game,
            rules_version=game_named(game).info.version,
            options=dict(options),
            subject=subject,
            start_state=state,
            state=state,
            ply=0,
            status=BoardStatus.PLAYING,
            to_move_id=player_ids[(mover(position) or 1) - 1],
            started_at=now,
            changed_at=now,
            begun_by_id=begun_by,
            waits_since=now,
            **others,
        )
        columns: dict[str, Any] = {"subject": subject.format(number=board_id)}
        if place := round_of or (Round(board_id, 1, rounds) if rounds else None):
            columns |= {"match_id": place.match_id, "round": place.number, "rounds": place.rounds}
        self.change(board_id, **columns)
        self._transaction.execute(
            insert(seats),
            [
                {
                    "board_id": board_id,
                    "seat": seat,
                    "player_id": player_id,
                    "playing": True,
                    "last_ply": 0,
                    "name": names[seat - 1] if names else None,
                    "answered": player_id == begun_by,
                }
                for seat, player_id in enumerate(player_ids, start=1)
            ],
        )
        Readers(self._transaction).seat(board_id, player_ids)
        return self.get(board_id)

    def note_answered(self, board_id: int, player_id: int) -> None:
        _ANSWERED.run(self._transaction, {"number": board_id, "player": player_id})

    def note_told_of_words(self, board_id: int, player_id: int) -> bool:
        """Note that a player knows who gets a board's comments. Returns False if noted before."""
        whose = {"number": board_id, "player": player_id}
        return _TOLD_OF_WORDS.value(self._transaction, **whose) is not None

    def hand_over(
        self, board: Board, before: int, player_id: int, behind: Collection[int], now: datetime
    ) -> Board:
        """Move all seats of the player `before` to another player, whose clock starts anew.

        `behind` names the seats that were behind in score. All offers are deleted.
        """
        left = {"board_id": board.id, "after_ply": board.ply, "player_id": before, "at": now}
        for seat in (seat.seat for seat in board.seats_of(before)):
            self._insert(handovers, **left, seat=seat, behind=seat in behind)
            of_seat = (moves.c.board_id == board.id, moves.c.seat == seat)
            self._update(moves, *of_seat, spent=None, banked=None)  # of another clock
        anew: dict[str, Any] = {"player_id": player_id, "taken_over": True, "answered": True}
        anew |= {"told_of_words": False, "used": 0, "banked": None, "stopped": 0}
        self._update(seats, seats.c.board_id == board.id, seats.c.player_id == before, **anew)
        changed: dict[str, Any] = {"changed_at": now, "offers": None}
        if board.to_move and board.to_move.player_id == before:
            changed |= {"to_move_id": player_id, "waits_since": now}
            changed |= {"reminded": 0, "given": 0, "stops": None}
        self.change(board.id, **changed)
        read = Readers(self._transaction)
        read.seat(board.id, [player_id])
        read.leave(board.id, before)
        return self.get(board.id)

    def handovers(self, board: Board) -> tuple[Handover, ...]:
        """Return who had seats before, the earliest first."""
        if not any(seat.taken_over for seat in board.seats):
            return ()
        query = select(handovers).where(handovers.c.board_id == board.id)
        return self._all(Handover, query.order_by(handovers.c.id))

    def change(self, board_id: int, **values: Any) -> None:
        """Update columns of a board's row. Callers must have locked the row."""
        _SET.run(self._transaction, board_id, values)

    def set(self, board: Board, **changed: Any) -> Board:
        """Change fields of a locked board in the database, and return the changed board."""
        self.change(board.id, **changed)
        return replace(board, **changed)

    def set_seat(self, board: Board, seat: int, **columns: Any) -> None:
        self._update(seats, seats.c.board_id == board.id, seats.c.seat == seat, **columns)

    def _with_seats(self, rows: Sequence[Row]) -> Iterator[Board]:
        """Yield boards built from rows of the table, with their seats.

        A second statement reads the seats. After a wait for a lock, a join would return old seats.
        """
        seated: dict[int, list[Row]] = {row["id"]: [] for row in rows}
        reads = _SEATED_AT_MANY.rows(self._transaction, numbers=list(seated)) if rows else ()
        for seat in reads:
            seated[seat["board_id"]].append(seat)
        for row in rows:
            yield board_of(row, seated[row["id"]])
