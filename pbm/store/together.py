"""Several pieces of work in one transaction: one commit, one fsync, for all of them."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy.exc import DBAPIError

from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.waking import tell

Piece = Callable[[UnitOfWork], Any]


def do_together(
    database: Database, pieces: Sequence[Piece], then_tell: str | None = None
) -> list[Any]:
    """Do pieces of work in order and commit once; return what each came to.

    Where one of them fails, all are undone and done again, each in a transaction of its own,
    and the exception of the one that fails stands in the list. That is rare, and spares every
    piece its savepoint. `then_tell` is the channel of those who wait for such work. Raises
    DBAPIError where the database is away: then nothing was done since the last commit.
    """
    try:
        return _do(database, pieces, then_tell)
    except Exception as error:
        if isinstance(error, DBAPIError) and is_away(error):
            raise
        if len(pieces) == 1:
            return [error]
    return [do_together(database, [piece], then_tell)[0] for piece in pieces]


def look_up_together(database: Database, pieces: Sequence[Piece]) -> list[Any]:
    """Do pieces of work that only read, in one transaction; return what each came to.

    As with `do_together` the exception of one that fails stands in the list.
    """
    with database.reading() as work:
        return [_outcome(piece, work) for piece in pieces]


def _outcome(piece: Piece, work: UnitOfWork) -> Any:
    try:
        return piece(work)
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - whoever asked hears of it
        return error


def _do(database: Database, pieces: Sequence[Piece], then_tell: str | None) -> list[Any]:
    with database.transaction() as work:
        outcomes = [piece(work) for piece in pieces]
        if then_tell:
            tell(work, then_tell)
        return outcomes
