"""What one transaction has read, as its own writes have left it: rows that need no second look.

Rows are remembered as the database gives them, so that a write changes the columns that it writes,
and what is told of a row is the same whether it was read or remembered. A write of which nobody
says what it leaves lets everything of its table be forgotten.
"""

from collections.abc import Collection, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from pbm.store.board_rows import board_of
from pbm.store.schema.games import FORGOTTEN
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, Vacation
from pbm.store.values.plies import MARK, NewPly, Ply

Row = dict[str, Any]
_MOST = 1000  # of a kind; far more than a group of turns has to do with
_MOST_PLIES = 60  # of a board; twice as many as its mail tells of
TIMES_NEEDED = 3  # that a position had stood; no claim asks for more


@dataclass(frozen=True)
class Marks:
    """The marks of what stood after the latest plies of a board, those behind `before`: `MARK`
    characters each, in one text, as they may be many."""

    before: int
    text: str

    @property
    def latest(self) -> int:
        """The last ply that has one here."""
        return self.before + len(self.text) // MARK

    def and_then(self, mark: str | None) -> "Marks":
        """With that of one ply more."""
        return Marks(self.before, self.text + (mark or "").ljust(MARK))

    def count(self, mark: str | None, since: int) -> int | None:
        """How often a mark stands among those from the ply `since` on, as far as claims ask; None
        where that depends on some that are not here."""
        if mark is None:
            return 0
        found, at = 0, self.text.find(mark, MARK * max(since - 1 - self.before, 0))
        while at >= 0 and found < TIMES_NEEDED:
            found += at % MARK == 0
            at = self.text.find(mark, at + 1)
        is_known = found == TIMES_NEEDED or max(since, 1) > self.before
        return found if is_known else None


class Remembered:
    """Boards with their seats and latest plies, players, and vacations, by their numbers."""

    def __init__(self) -> None:
        self._boards: dict[int, Row] = {}
        self._seats: dict[int, list[Row]] = {}
        self._built: dict[int, Board] = {}
        self._players: dict[int, Player] = {}
        self._owners: dict[str, int] = {}  # of addresses, as far as they are so still
        self._plies: dict[int, tuple[int, tuple[Ply, ...]]] = {}
        self._marks: dict[int, Marks] = {}
        self._uncounted: dict[int, int] = {}
        self._vacations: dict[int, tuple[date, tuple[Vacation, ...]]] = {}

    # -- what is known -----------------------------------------------------------------------

    def board(self, board_id: int) -> Board | None:
        """A board, where it and its seats are known."""
        found = self._built.get(board_id)
        if found is None and board_id in self._boards and board_id in self._seats:
            found = board_of(self._boards[board_id], self._seats[board_id])
            self._built[board_id] = found
        return found

    def seated(self, board_id: int) -> tuple[Player, ...] | None:
        """Those who sit at a board, in the order of joining, where all of them are known."""
        if board_id not in self._seats:
            return None
        numbers = sorted({seat["player_id"] for seat in self._seats[board_id]})
        found = [self._players.get(number) for number in numbers]
        known = tuple(player for player in found if player)
        return known if len(known) == len(found) else None

    def player(self, player_id: int) -> Player | None:
        """A player who is known."""
        return self._players.get(player_id)

    def owner(self, address_key: str) -> Player | None:
        """The player to whom an address belongs, if that one is known."""
        player = self._players.get(self._owners.get(address_key, 0))
        owns = player is not None and address_key in map(str.lower, player.addresses)
        return player if owns else None

    def plies(self, board_id: int, since: int) -> tuple[Ply, ...] | None:
        """The plies of a board after one, where all of them are known."""
        if board_id in self._uncounted:
            return None
        first, plies = self._plies.get(board_id, (since + 1, ()))
        return tuple(ply for ply in plies if ply.ply > since) if first <= since else None

    def uncounted(self, board_id: int) -> int | None:
        """The latest ply of a board, where only how often its position has stood is not known."""
        return self._uncounted.get(board_id)

    def vacations(self, player_id: int, since: date) -> tuple[Vacation, ...] | None:
        """A player's vacations that last until a day or longer, where all of them are known."""
        first, found = self._vacations.get(player_id, (None, ()))
        if first is None or first > since:
            return None
        return tuple(item for item in found if item.last_day >= since)

    # -- what was read -----------------------------------------------------------------------

    def keep_board(self, row: Row, seats: Iterable[Row]) -> None:
        """Remember a board's row and those of its seats; not one that is forgotten."""
        if row["status"] == FORGOTTEN:
            return
        self._make_room("boards", self._boards)
        self._boards[row["id"]] = row
        self._seats[row["id"]] = list(seats)
        self._built.pop(row["id"], None)

    def keep_players(self, players: Iterable[Player]) -> None:
        """Remember players."""
        for player in players:
            self._make_room("players", self._players)
            self._players[player.id] = player
            for address in player.addresses:
                self._owners[address.lower()] = player.id

    def keep_plies(
        self,
        board_id: int,
        since: int,
        plies: Sequence[Ply],
        marks: Marks | None = None,
    ) -> None:
        """Remember a board's plies after one, unless they are many, and the marks of its latest."""
        self._make_room("moves", self._plies)
        if len(plies) > _MOST_PLIES:
            return
        self._plies[board_id] = since, tuple(plies)
        self._uncounted.pop(board_id, None)
        if marks is not None:
            self._marks[board_id] = marks

    def keep_vacations(self, player_id: int, since: date, found: Sequence[Vacation]) -> None:
        """Remember a player's vacations that last until a day or longer."""
        self._make_room("vacations", self._vacations)
        self._vacations[player_id] = since, tuple(found)

    def _make_room(self, table: str, known: Sized) -> None:
        """Who goes through all there is reads everything once anyway."""
        if len(known) >= _MOST:
            self.forget(table)

    # -- what was written --------------------------------------------------------------------

    def change_board(self, board_id: int, columns: Row) -> None:
        """Columns of a board were written."""
        row = self._boards.get(board_id)
        if row is not None:
            self._boards[board_id] = {**row, **columns}
        self._built.pop(board_id, None)

    def change_seats(self, board_id: int, key: str, value: int, columns: Row) -> None:
        """Columns of those seats at a board were written of which a column holds a value."""
        seats = self._seats.get(board_id)
        if seats is not None:
            self._seats[board_id] = [
                {**seat, **columns} if seat[key] == value else seat for seat in seats
            ]
        self._built.pop(board_id, None)

    def add_ply(
        self, board_id: int, played: NewPly, now: datetime, *, since: int, first: int
    ) -> None:
        """A ply was written. How often what stands after it had stood counts from `first` up,
        among the plies from `since` on; where their marks are not known, that is to be asked."""
        marks = self._marks.get(board_id)
        is_behind = marks is not None and marks.latest != played.ply - 1
        if is_behind or board_id not in self._plies or board_id in self._uncounted:
            self.forget_plies(board_id)
            return
        counted = None
        if marks is not None:
            self._marks[board_id] = marks.and_then(played.stood)
            counted = marks.count(played.stood, since)
        if counted is None:
            self._uncounted[board_id] = played.ply
        times = None if counted is None else first + counted
        values = {name: getattr(played, name) for name in ("ply", "seat", "text", "effect")}
        earliest, plies = self._plies[board_id]
        self._plies[board_id] = earliest, (*plies, Ply(**values, played_at=now, times=times))

    def count_latest(self, board_id: int, times: int | None) -> None:
        """How often the position after the latest ply of a board has stood was asked for."""
        earliest, plies = self._plies[board_id]
        self._plies[board_id] = earliest, (*plies[:-1], replace(plies[-1], times=times))
        del self._uncounted[board_id]

    def forget(self, table: str) -> None:
        """Rows of a table were written, and nobody says which."""
        for name in _TOLD_FROM.get(table, ()):
            getattr(self, name).clear()

    def forget_board(self, board_id: int) -> None:
        """A board or its seats were written."""
        for known in (self._boards, self._seats, self._built):
            known.pop(board_id, None)

    def forget_plies(self, board_id: int) -> None:
        """Plies of a board were written."""
        self._plies.pop(board_id, None)
        self._marks.pop(board_id, None)
        self._uncounted.pop(board_id, None)

    def forget_player(self, player_id: int) -> None:
        """A player was written, of whom the seats tell, too."""
        self._players.pop(player_id, None)
        for board_id, seats in list(self._seats.items()):
            if any(seat["player_id"] == player_id for seat in seats):
                self.forget_board(board_id)

    def forget_all(self) -> None:
        """It is not known what was written, or what was written is undone."""
        for table in _TOLD_FROM:
            self.forget(table)

    def forget_all_but(self, held: Collection[int]) -> None:
        """Others may have written meanwhile what the transaction has not locked: all but some
        boards and their plies."""
        for board_id in {*self._boards, *self._plies, *self._marks}.difference(held):
            self.forget_board(board_id)
            self.forget_plies(board_id)
        for name in ("_players", "_owners", "_seats", "_built", "_vacations"):
            getattr(self, name).clear()


# What is told from the rows of each table.
_TOLD_FROM = {
    "boards": ("_boards", "_seats", "_built"),
    "seats": ("_seats", "_built"),
    "players": ("_players", "_owners", "_seats", "_built"),
    "addresses": ("_players", "_owners"),
    "moves": ("_plies", "_marks", "_uncounted"),
    "vacations": ("_vacations",),
}
