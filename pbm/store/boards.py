"""Boards: who sits there, what was played, who has left."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    distinct,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    update,
)

from pbm.plain import from_plain, to_plain
from pbm.rules.contract import Options, Position
from pbm.rules.registry import game_named
from pbm.rules.sides import mover
from pbm.store.schema import boards, departures, moves, players, seats
from pbm.store.statement import Row, Statement
from pbm.store.values import (
    Board,
    Bookkeeping,
    Departure,
    NewPly,
    Offer,
    Ply,
    Progress,
    Round,
    Seat,
    Stop,
)

_NEWEST = 100  # boards of one player that are looked at
_SEATED = (
    select(
        seats.c.board_id,
        seats.c.seat,
        seats.c.player_id,
        func.coalesce(seats.c.name, players.c.handle).label("handle"),
        seats.c.last_ply,
        seats.c.answered,
        seats.c.used,
        seats.c.banked,
        seats.c.name.is_not(None).label("from_record"),
        (seats.c.name.is_(None) & players.c.unreachable_since.is_not(None)).label("unreachable"),
        (seats.c.name.is_(None) & (players.c.status == "removed")).label("removed"),
        (seats.c.name.is_(None) & players.c.absent_since.is_not(None)).label("absent"),
        case((seats.c.name.is_(None), players.c.robot)).label("robot"),
    )
    .join(players, players.c.id == seats.c.player_id)
    .order_by(seats.c.board_id, seats.c.seat)
)
_SEAT = tuple(item.name for item in fields(Seat))
_PLY = tuple(item.name for item in fields(Ply))
_AS_STORED = (
    *("id", "game", "rules_version", "options", "subject", "start_state", "state", "ply", "status"),
    *("ended_by", "started_at", "changed_at", "taken_back", "rematch_of"),
    *("rated", "clock", "waits_since", "reminded", "given", "paused_since"),
)
_IT = boards.c.id == bindparam("number")
_FIND = Statement(select(boards).where(_IT))
_FIND_LOCKED = Statement(select(boards).where(_IT).with_for_update())
_SEATED_AT = Statement(_SEATED.where(seats.c.board_id == bindparam("board_id")))
_PLIES = Statement(
    select(*(column for column in moves.c if column.key not in ("board_id", "stood")))
    .where(moves.c.board_id == bindparam("board_id"), moves.c.ply > bindparam("since"))
    .order_by(moves.c.ply)
)
_elsewhere = seats.alias()
_AT_NO_OTHER = Statement(
    select(seats.c.player_id)
    .where(
        seats.c.board_id == bindparam("number"),
        ~exists().where(
            _elsewhere.c.player_id == seats.c.player_id,
            _elsewhere.c.board_id != seats.c.board_id,
        ),
    )
    .distinct()
)
_TIMES_NEEDED = 3  # more often than any claim asks for, nobody counts
_STOOD_BEFORE = (
    select(moves.c.ply)
    .where(
        moves.c.board_id == bindparam("number"),
        moves.c.stood == bindparam("mark"),
        moves.c.ply >= bindparam("since"),
    )
    .limit(_TIMES_NEEDED)
    .subquery()
)
_ADD_PLY = Statement(
    insert(moves).values(
        {column.key: bindparam(column.key) for column in moves.c if column.key != "times"}
        | {
            "times": select(func.count() + bindparam("first", type_=Integer))
            .select_from(_STOOD_BEFORE)
            .scalar_subquery()
        }
    )
)
_SET_LAST_PLY = Statement(
    update(seats)
    .where(seats.c.board_id == bindparam("number"), seats.c.seat == bindparam("mover"))
    .values(last_ply=bindparam("ply"), answered=True)
)
_NOTE_ANSWERED = Statement(
    update(seats)
    .where(
        seats.c.board_id == bindparam("number"),
        seats.c.player_id == bindparam("player"),
        ~seats.c.answered,
    )
    .values(answered=True)
)
_NOTE_TOLD_OF_WORDS = Statement(
    update(seats)
    .where(
        seats.c.board_id == bindparam("number"),
        seats.c.player_id == bindparam("player"),
        ~seats.c.told_of_words,
    )
    .values(told_of_words=True)
    .returning(seats.c.seat)
)
_POSITION = (
    *("state", "ply", "status", "ended_by", "winners", "to_move_id", "changed_at"),
    *("waits_since", "reminded", "given", "stops"),
)
_SET_POSITION = Statement(
    update(boards).where(_IT).values({name: bindparam(name) for name in _POSITION})
)
_AT_ONCE = 500  # boards that one statement names, well below what a database takes


class Boards:
    """Queries about boards, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # -- reading ---------------------------------------------------------------------------

    def find(self, board_id: int, *, lock: bool = False) -> Board | None:
        """Find a board; with `lock` nobody else changes it until the commit."""
        find = _FIND_LOCKED if lock else _FIND
        row = find.row(self._connection, number=board_id)
        if row is None:
            return None
        return _board(row, _SEATED_AT.rows(self._connection, board_id=board_id))

    def get(self, board_id: int, *, lock: bool = False) -> Board:
        """Return a board by number, as `find` does. Raises LookupError."""
        board = self.find(board_id, lock=lock)
        if board is None:
            raise LookupError(f"no board {board_id}")
        return board

    def get_many(self, board_ids: Sequence[int]) -> tuple[Board, ...]:
        """Several boards that exist, in the order given."""
        found: dict[int, Board] = {}
        for first in range(0, len(board_ids), _AT_ONCE):
            some = board_ids[first : first + _AT_ONCE]
            query = select(boards).where(boards.c.id.in_(some))
            found |= {board.id: board for board in self._read(query)}
        return tuple(found[board_id] for board_id in board_ids)

    def longest_waiting(self, player_id: int, but: int, most: int) -> tuple[Board, ...]:
        """The boards that have waited for a player's move for longest, `but` one, locked.

        Those that somebody else has in hand are passed over, so that nobody waits for anybody.
        """
        query = select(boards).where(boards.c.to_move_id == player_id, boards.c.id != but)
        query = query.order_by(boards.c.waits_since, boards.c.id).limit(most)
        return tuple(self._read(query.with_for_update(skip_locked=True)))

    def to_move(self, player_id: int) -> tuple[int, ...]:
        """The numbers of the boards on which it is this player's turn, oldest first."""
        query = select(boards.c.id).where(boards.c.to_move_id == player_id)
        return tuple(self._connection.scalars(query.order_by(boards.c.id)))

    def waiting_for(self, player_id: int, games: Collection[str]) -> tuple[int, ...]:
        """The numbers of the boards of some games on which it is this player's turn, the one that
        has waited longest first."""
        query = select(boards.c.id).where(
            boards.c.to_move_id == player_id, boards.c.game.in_(tuple(games))
        )
        longest_first = func.coalesce(boards.c.waits_since, boards.c.changed_at)
        return tuple(self._connection.scalars(query.order_by(longest_first, boards.c.id)))

    def of_player(self, player_id: int, *, playing: bool, most: int) -> tuple[Board, ...]:
        """A player's boards, the newest first, still being played or over."""
        numbers = (
            select(seats.c.board_id)
            .where(seats.c.player_id == player_id, seats.c.playing == playing)
            .distinct()
            .order_by(seats.c.board_id.desc())
            .limit(most)
        )
        return self.get_many(self._connection.scalars(numbers).all())

    def game_of(self, board_id: int) -> str | None:
        """The name of the game that a board holds; None if there is no such board."""
        return self._connection.scalar(select(boards.c.game).where(boards.c.id == board_id))

    def numbers_of(self, player_id: int, *, most: int) -> tuple[int, ...]:
        """The numbers of a player's boards, the newest first."""
        query = select(seats.c.board_id).where(seats.c.player_id == player_id).distinct()
        query = query.order_by(seats.c.board_id.desc()).limit(most)
        return tuple(self._connection.scalars(query))

    def numbers(self, *, status: str | None = None) -> tuple[int, ...]:
        """The numbers of all boards, or of those with one status."""
        query = select(boards.c.id).order_by(boards.c.id)
        if status is not None:
            query = query.where(boards.c.status == status)
        return tuple(self._connection.scalars(query))

    def plies(self, board_id: int, *, since: int = 0) -> tuple[Ply, ...]:
        """The moves played after ply `since`, in order."""
        rows = _PLIES.rows(self._connection, board_id=board_id, since=since)
        return tuple(Ply(**row) for row in rows)

    def plies_of(self, since: Mapping[int, int]) -> dict[int, tuple[Ply, ...]]:
        """The moves of several boards, each after the ply that stands behind its number, in order;
        by few boards, as one statement names them all."""
        found: dict[int, list[Ply]] = {board_id: [] for board_id in since}
        wanted = [
            and_(moves.c.board_id == board_id, moves.c.ply > ply) for board_id, ply in since.items()
        ]
        query = select(moves).where(or_(false(), *wanted)).order_by(moves.c.board_id, moves.c.ply)
        for row in self._connection.execute(query).mappings() if wanted else ():
            values = {name: row[name] for name in _PLY}
            found[row["board_id"]].append(Ply(**values))
        return {board_id: tuple(plies) for board_id, plies in found.items()}

    def departures(self, board_id: int) -> tuple[Departure, ...]:
        """The seats given up, in order."""
        columns = (
            departures.c.after_ply,
            departures.c.seat,
            departures.c.how,
            departures.c.left_at,
            departures.c.spared,
        )
        query = select(*columns).where(departures.c.board_id == board_id)
        rows = self._connection.execute(query.order_by(departures.c.id)).mappings()
        return tuple(Departure(**row) for row in rows)

    def of_match(self, match_id: int) -> tuple[Board, ...]:
        """The boards of a match, in the order of its rounds."""
        query = select(boards).where(boards.c.match_id == match_id)
        return tuple(self._read(query.order_by(boards.c.id)))

    def rematches(self, board_id: int) -> tuple[Board, ...]:
        """The boards that were begun as a rematch of this one."""
        query = select(boards).where(boards.c.rematch_of == board_id)
        return tuple(self._read(query.order_by(boards.c.id)))

    def unanswered(self, begun_by: int, player_id: int, *, most: int) -> int:
        """How many boards in progress that one player began another has not answered, by a move
        or by words; counted up to `most`."""
        waiting = (
            select(boards.c.id)
            .join(seats, seats.c.board_id == boards.c.id)
            .where(
                seats.c.player_id == player_id,
                seats.c.playing,
                ~seats.c.answered,
                boards.c.begun_by_id == begun_by,
            )
            .limit(most)
        )
        return self._count(waiting)

    def begun_by_others(self, player_id: int, *, most: int) -> int:
        """On how many boards in progress a player sits that others began; counted up to `most`.

        Whoever began a match began all its rounds.
        """
        first = boards.alias()
        found = (
            select(boards.c.id)
            .join(seats, seats.c.board_id == boards.c.id)
            .join(first, first.c.id == func.coalesce(boards.c.match_id, boards.c.id))
            .where(
                seats.c.player_id == player_id,
                seats.c.playing,
                first.c.begun_by_id.is_distinct_from(player_id),
            )
            .distinct()
            .limit(most)
        )
        return self._count(found)

    def taken_up(self, begun_by: int) -> int:
        """On how many of the newest boards that a player began somebody else has moved."""
        newest = self._connection.scalars(
            select(boards.c.id)
            .where(boards.c.begun_by_id == begun_by)
            .order_by(boards.c.started_at.desc())
            .limit(_NEWEST)
        ).all()
        moved = select(func.count(distinct(seats.c.board_id))).where(
            seats.c.board_id.in_(newest),
            seats.c.player_id.in_(select(players.c.id).where(players.c.robot.is_(None))),
            seats.c.player_id != begun_by,
            seats.c.last_ply > 0,
        )
        return int(self._connection.scalar(moved) or 0)

    def newcomers(self, board_id: int) -> frozenset[int]:
        """The players of a board who have never sat at another one."""
        rows = _AT_NO_OTHER.rows(self._connection, number=board_id)
        return frozenset(row["player_id"] for row in rows)

    def moves_by_seat(self, board_id: int, *, since: int) -> dict[int, int]:
        """How many moves each seat made after ply `since`; seats without any are left out."""
        rows = self._connection.execute(
            select(moves.c.seat, func.count())
            .where(moves.c.board_id == board_id, moves.c.ply > since)
            .group_by(moves.c.seat)
        )
        return {int(seat): int(count) for seat, count in rows}

    def bookkeeping(self, board_id: int) -> Bookkeeping:
        """What is kept beside a board to find it by."""
        mover = self._connection.scalars(
            select(boards.c.to_move_id).where(boards.c.id == board_id)
        ).one()
        marks = self._connection.scalars(
            select(seats.c.playing).where(seats.c.board_id == board_id)
        )
        return Bookkeeping(mover, frozenset(marks))

    # -- writing ---------------------------------------------------------------------------

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
        rematch_of: int | None = None,
        begun_by: int | None = None,
        tags: Sequence[tuple[str, str]] | None = None,
        rated: bool = True,
        clock: dict[str, Any] | None = None,
    ) -> Board:
        """Put a new board on the server; `{number}` in `subject` becomes its number.

        `names` and `tags` are those in a record. `round_of` is its place in a match; with `rounds`
        instead it begins one. `begun_by` is the player who challenged the others.
        """
        state = position.state()
        added = self._connection.execute(
            insert(boards)
            .values(
                game=game,
                rules_version=game_named(game).info.version,
                options=dict(options),
                subject=subject,
                start_state=state,
                state=state,
                ply=0,
                status="playing",
                to_move_id=player_ids[(mover(position) or 1) - 1],
                started_at=now,
                changed_at=now,
                rematch_of=rematch_of,
                begun_by_id=begun_by,
                rated=rated,
                clock=clock,
                waits_since=now,
                tags=None if tags is None else list(map(list, tags)),
            )
            .returning(boards.c.id)
        )
        board_id = added.scalar_one()
        place = round_of or (Round(board_id, 1, rounds) if rounds else None)
        self._set(board_id, subject=subject.format(number=board_id), **_round_columns(place))
        self._connection.execute(
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
        return self.get(board_id)

    def fill(
        self,
        board: Board,
        played: Sequence[NewPly],
        left: Sequence[tuple[int, int, str]],
        progress: Progress,
        now: datetime,
    ) -> Board:
        """Write down at once what was played elsewhere on a new board.

        `left` holds plies played before, seat and how for each seat given up; `progress` is what
        all that leads to.
        """
        if played:
            rows = [{"board_id": board.id, "played_at": now, **vars(ply)} for ply in played]
            self._connection.execute(insert(moves), rows)
        if left:
            rows = [
                {"board_id": board.id, "after_ply": ply, "seat": seat, "how": how, "left_at": now}
                for ply, seat, how in left
            ]
            self._connection.execute(insert(departures), rows)
        self._set_last_ply(board.id, {item.seat: item.ply for item in played})
        return self.set_progress(self.get(board.id), progress, now)

    def add_ply(
        self,
        board: Board,
        played: NewPly,
        progress: Progress,
        now: datetime,
        *,
        since: int = 0,
        first: int = 1,
    ) -> Board:
        """Record a move; the primary key (board, ply) lets nobody play a ply twice.

        How often its position has stood is counted among the plies from `since` on, and from
        `first` up.
        """
        ply, seat = played.ply, played.seat
        counted = {"number": board.id, "mark": played.stood, "since": since, "first": first}
        row = {"board_id": board.id, "played_at": now, **vars(played), **counted}
        _ADD_PLY.run(self._connection, row)
        self._set_last_ply(board.id, {seat: ply})
        seated = tuple(
            replace(item, last_ply=ply, answered=True) if item.seat == seat else item
            for item in board.seats
        )
        return self.set_progress(replace(board, seats=seated), progress, now)

    def add_departure(
        self,
        board: Board,
        seat: int,
        how: str,
        progress: Progress,
        now: datetime,
        *,
        spared: bool = False,
    ) -> Board:
        """Record that a seat was given up, and what stands after it."""
        left = {"after_ply": board.ply, "seat": seat, "how": how, "left_at": now}
        self._connection.execute(
            insert(departures).values(board_id=board.id, **left, spared=spared)
        )
        return self.set_progress(board, progress, now)

    def set_progress(self, board: Board, progress: Progress, now: datetime) -> Board:
        """Store how far a board has got."""
        kept: dict[str, Any] = {**vars(progress), "changed_at": now, **_wait(board, progress, now)}
        mover, winners = kept.pop("to_move_id"), progress.winners
        stored = {
            "number": board.id,
            "to_move_id": mover,
            "winners": None if winners is None else list(winners),
            "stops": _plain_stops(kept["stops"]),
        }
        _SET_POSITION.run(self._connection, kept | stored)
        after = replace(board, **kept)
        if after.playing != board.playing:
            self._set_playing(board.id, after.playing)
        return after

    def go_back(self, board: Board, progress: Progress, now: datetime) -> Board:
        """Return to an earlier ply: all that came after it goes, departures and offers too."""
        ply = progress.ply
        for table, column in ((moves, moves.c.ply), (departures, departures.c.after_ply)):
            self._connection.execute(
                delete(table).where(table.c.board_id == board.id, column > ply)
            )
        played = select(func.coalesce(func.max(moves.c.ply), 0)).where(
            moves.c.board_id == seats.c.board_id, moves.c.seat == seats.c.seat
        )
        self._connection.execute(
            update(seats)
            .where(seats.c.board_id == board.id)
            .values(last_ply=played.scalar_subquery())
        )
        self._set(board.id, offers=None, taken_back=board.taken_back + 1)
        return self.set_progress(self.get(board.id), progress, now)

    def note_reminded(self, board: Board, times: int) -> None:
        """Note how often a player was reminded of the move that a board waits for."""
        self._set(board.id, reminded=times)

    def set_wait(self, board: Board, **changed: Any) -> Board:
        """Change what is kept of a board's clock: `given`, `stops`, `reminded`, `paused_since`."""
        stored = dict(changed)
        if "stops" in changed:
            stored["stops"] = _plain_stops(changed["stops"])
        self._set(board.id, **stored)
        return replace(board, **changed)

    def set_used(self, board: Board, seat: int, used: int, banked: int | None) -> None:
        """Note the seconds that a seat has used of its clock, and those left in its bank."""
        self._connection.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(used=used, banked=banked)
        )

    def note_answered(self, board_id: int, player_id: int) -> None:
        """Note that a player has said something on a board."""
        _NOTE_ANSWERED.run(self._connection, {"number": board_id, "player": player_id})

    def note_told_of_words(self, board_id: int, player_id: int) -> bool:
        """Note that a player is told where words go on a board; whether that is the first time."""
        whose = {"number": board_id, "player": player_id}
        return _NOTE_TOLD_OF_WORDS.value(self._connection, **whose) is not None

    def set_offers(self, board: Board, offers: Sequence[Offer]) -> Board:
        """Write down what is asked for on a board."""
        self._set(board.id, offers=to_plain(offers) or None)
        return replace(board, offers=tuple(offers))

    def replace_player(self, board: Board, seat: int, player_id: int, now: datetime) -> Board:
        """Hand a seat over to another player."""
        self._connection.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(player_id=player_id, told_of_words=False, used=0, banked=None)
        )
        waited_for = board.to_move
        moves_now = waited_for is not None and waited_for.seat == seat
        anew = {"waits_since": now, "reminded": 0, "given": 0, "stops": None}
        changed: dict[str, Any] = {"to_move_id": player_id, **anew} if moves_now else {}
        self._set(board.id, changed_at=now, **changed)
        return self.get(board.id)

    def _count(self, query: Select[Any]) -> int:
        return len(self._connection.scalars(query).all())

    def _set(self, board_id: int, **values: Any) -> None:
        self._connection.execute(update(boards).where(boards.c.id == board_id).values(**values))

    def _set_last_ply(self, board_id: int, plies: Mapping[int | None, int]) -> None:
        for seat, ply in plies.items():
            told = {"number": board_id, "mover": seat, "ply": ply}
            _SET_LAST_PLY.run(self._connection, told)

    def _set_playing(self, board_id: int, playing: bool) -> None:
        self._connection.execute(
            update(seats)
            .where(seats.c.board_id == board_id, seats.c.playing != playing)
            .values(playing=playing)
        )

    def _read(self, query: Select[Any]) -> Iterator[Board]:
        """The boards of a query, in its order, with their seats.

        The seats are a second statement on purpose: joined to the row that is locked, they
        would be as they were before the lock was waited for.
        """
        rows = self._connection.execute(query).mappings().all()
        seated = self._seats([row["id"] for row in rows])
        for row in rows:
            yield _board(row, seated[row["id"]])

    def _seats(self, board_ids: Sequence[int]) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {board_id: [] for board_id in board_ids}
        query = _SEATED.where(seats.c.board_id.in_(board_ids))
        for row in self._connection.execute(query).mappings() if board_ids else ():
            found[row["board_id"]].append(row)
        return found


def _wait(board: Board, progress: Progress, now: datetime) -> dict[str, Any]:
    """Since when a board waits for a player, and how often that one was reminded."""
    mover = board.to_move
    same_move = mover is not None and (board.ply, mover.player_id) == (
        progress.ply,
        progress.to_move_id,
    )
    return {
        "waits_since": board.waits_since if same_move else now,
        "reminded": board.reminded if same_move else 0,
        "given": board.given if same_move else 0,
        "stops": board.stops if same_move else (),
    }


def _plain_stops(stops: Iterable[Stop]) -> list[list[Any]] | None:
    """Stops as JSON has them; None for none."""
    return [[stop.begin.isoformat(), stop.end.isoformat(), stop.bounced] for stop in stops] or None


def _stops(plain: Iterable[tuple[str, str, bool]] | None) -> Iterator[Stop]:
    for begin, end, bounced in plain or ():
        yield Stop(datetime.fromisoformat(begin), datetime.fromisoformat(end), bounced)


def _board(row: Row, seated: Iterable[Row]) -> Board:
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


def _round_columns(place: Round | None) -> dict[str, Any]:
    if place is None:
        return {}
    return {"match_id": place.match_id, "round": place.number, "rounds": place.rounds}
