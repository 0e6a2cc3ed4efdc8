"""Queries about plans."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, select

from pbm.store.schema.plans import plans
from pbm.store.sql.transaction import Repository
from pbm.store.values.boards import Board
from pbm.store.values.plans import Line, Plan


class Plans(Repository):
    """Plans of players on boards. Callers must have locked the board."""

    def on_board(self, board: Board) -> tuple[Plan, ...]:
        if not board.planned:
            return ()
        query = select(plans).where(plans.c.board_id == board.id).order_by(plans.c.player_id)
        return self._all(Plan, query)

    def find(self, board: Board, player_id: int) -> Plan | None:
        of_player = (plan for plan in self.on_board(board) if plan.player_id == player_id)
        return next(of_player, None)

    def set(self, board: Board, player_id: int, lines: Sequence[Line], now: datetime) -> Plan:
        """Store a player's plan from the board's present position on, in place of another one."""
        self.drop(board.id, player_id)
        plan = Plan(board.id, player_id, board.ply, board.taken_back, tuple(lines), now)
        self._insert(plans, **vars(plan))
        return plan

    def follow(self, plan: Plan, ply: int, lines: Sequence[Line]) -> None:
        """Store what is left of a plan after a ply."""
        self._update(plans, *self._its(plan.board_id, plan.player_id), ply=ply, lines=lines)

    def drop(self, board_id: int, player_id: int) -> None:
        self._delete(plans, *self._its(board_id, player_id))

    def _its(self, board_id: int, player_id: int) -> tuple[ColumnElement[bool], ...]:
        return plans.c.board_id == board_id, plans.c.player_id == player_id
