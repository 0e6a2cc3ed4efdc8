"""What several turns need of the database, locked and read for all of them at once."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select

from pbm.store.schema.games import boards
from pbm.store.transaction import Transaction, WouldWaitError


class NotHeldError(WouldWaitError):
    """A turn that may wait for no board asks for one that its transaction has not locked."""

    def __init__(self, board_id: int) -> None:
        super().__init__(f"board {board_id} is not held")
        self.board_id = board_id


@dataclass(frozen=True)
class Ahead:
    """What was locked: the numbers of boards. One that is missing is locked elsewhere, or is not
    there."""

    boards: frozenset[int]


def lock_free(transaction: Transaction, board_ids: Iterable[int]) -> frozenset[int]:
    """Lock some boards in the order of their numbers, but none for which to wait; return those that
    the transaction holds then."""
    query = select(boards.c.id).where(boards.c.id.in_(sorted(set(board_ids))))
    locking = query.order_by(boards.c.id).with_for_update(skip_locked=True, key_share=True)
    found = frozenset(transaction.scalars(locking))
    transaction.held |= found
    return found
