"""Several pieces of work in one transaction: one commit, one fsync, for all of them."""

from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from sqlalchemy.exc import DBAPIError

from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.waking import tell

Steps = Generator[bool, None, Any]
"""Work that others may come between: it yields before each step, True if that may take long."""
Piece = Callable[[UnitOfWork], Any]
"""Work within a transaction. What it returns may be `Steps`, which end with its outcome."""


def at_once(outcome: Any) -> Any:
    """The outcome of a piece of work, whose steps, if it has any, are all done here and now."""
    if not isinstance(outcome, Generator):
        return outcome
    while True:
        try:
            next(outcome)
        except StopIteration as ended:
            return ended.value


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
        if is_database_away(error):
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


@asynccontextmanager
async def transaction_beside(
    database: Database, in_thread: Callable[[Callable[[], Any]], Any]
) -> AsyncIterator[UnitOfWork]:
    """A writing transaction whose begin and end are in a thread: both may have to wait."""
    transaction = database.transaction()
    work: UnitOfWork = await in_thread(transaction.__enter__)
    try:
        yield work
    except BaseException as error:
        await in_thread(partial(transaction.__exit__, type(error), error, error.__traceback__))
        raise
    await in_thread(partial(transaction.__exit__, None, None, None))


def is_database_away(error: Exception) -> bool:
    """Whether the database is at fault, and not what was asked of it."""
    return isinstance(error, DBAPIError) and is_away(error)


def _outcome(piece: Piece, work: UnitOfWork) -> Any:
    try:
        return piece(work)
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - whoever asked hears of it
        return error


def _do(database: Database, pieces: Sequence[Piece], then_tell: str | None) -> list[Any]:
    with database.transaction() as work:
        outcomes = [at_once(piece(work)) for piece in pieces]
        if then_tell:
            tell(work, then_tell)
        return outcomes
