"""How long boards wait for their players: reminders, gifts, stops, and the time used."""

from dataclasses import replace
from typing import Any

from sqlalchemy import update

from pbm.store.board_rows import plain_stops
from pbm.store.boards import Boards
from pbm.store.schema.games import seats
from pbm.store.sql.transaction import Transaction
from pbm.store.values.boards import Board


class Waits:
    """Writes down what is kept of the clocks of boards, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._boards = Boards(transaction)

    def note_reminded(self, board: Board, times: int) -> None:
        """Note how often a player was reminded of the move that a board waits for."""
        self._boards.change(board.id, reminded=times)

    def set(self, board: Board, **changed: Any) -> Board:
        """Change what is kept of a board's clock: `given`, `stops`, `reminded`, `paused_since`."""
        stored = dict(changed)
        if "stops" in changed:
            stored["stops"] = plain_stops(changed["stops"])
        self._boards.change(board.id, **stored)
        return replace(board, **changed)

    def set_stopped(self, board: Board, seat: int, stopped: int) -> None:
        """Note the seconds for which a clock has stood still as mail to its player came back."""
        self._transaction.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(stopped=stopped),
        )

    def set_used(self, board: Board, seat: int, used: int, banked: int | None) -> None:
        """Note the seconds that a seat has used of its clock, and those left in its bank."""
        self._transaction.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(used=used, banked=banked),
        )
