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

    `then_tell` is the channel of those who wait for such work.

    A piece that fails undoes itself alone, and its exception stands in the list. Raises what
    the commit raises, and DBAPIError where the database is away: then nothing was done.
    """
    with database.transaction() as work:
        outcomes = [_do(work, piece) for piece in pieces]
        if then_tell:
            tell(work, then_tell)
        return outcomes


def _do(work: UnitOfWork, piece: Piece) -> Any:
    try:
        with work.savepoint():
            return piece(work)
    except Exception as error:
        if isinstance(error, DBAPIError) and is_away(error):
            raise
        return error
