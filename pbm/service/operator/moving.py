"""`pbm-admin copy-database`: copies a database into one of the other kind, or of the same."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from sqlalchemy import JSON, Column, Connection, MetaData, String, Table, func, insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError, WrongArgumentError
from pbm.service.health.processes import refuse_processes
from pbm.service.operator.copies import holds_data
from pbm.service.operator.database_state import database_state
from pbm.service.operator.progress import counted, progress
from pbm.service.operator.verify import Verdict, verdict_in, verdict_on
from pbm.store.connecting import why_unusable
from pbm.store.db import Database, UnitOfWork
from pbm.store.id_sequences import highest_given, set_highest
from pbm.store.migrate import migrate
from pbm.store.processes.locks import acquire_server_lock
from pbm.store.schema import metadata
from pbm.store.schema.columns import JsonOf, Word
from pbm.store.sql.driver import parse_url, shown_url

_AT_ONCE = 500  # rows in memory
_ONE_MOMENT = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
_NO_HURRY = text("SET LOCAL idle_in_transaction_session_timeout = 0")


def copy_database(settings: Settings, from_url: str, to_url: str, clock: Clock) -> dict[str, int]:
    """Copy all rows, and return how many by table. Raises OperatorError; then nothing is copied.

    The target is committed only if it has as many rows, and all its boards are right.
    """
    try:
        is_same = parse_url(from_url) == parse_url(to_url)
    except OperatorError as error:
        raise WrongArgumentError(str(error)) from error
    if is_same:
        raise WrongArgumentError("Both URLs name the same database. Name an empty one to copy to.")
    database_state(replace(settings, database_url=from_url))
    with _alone(from_url, clock) as source, _alone(to_url, clock) as target:
        name = shown_url(target.engine.url)
        if holds_data(target):
            raise OperatorError(f"{name} holds data already. Name a database that is empty.")
        migrate(target)
        try:
            return _copy(source, target, clock)
        except (DBAPIError, OperatorError) as error:
            why = why_unusable(error) if isinstance(error, DBAPIError) else str(error)
            raise OperatorError(
                f"{why} Nothing was copied: {name} has tables without rows, and is of no use."
            ) from error


@contextmanager
def _alone(url: str, clock: Clock) -> Iterator[Database]:
    """Open a database that no server uses; on SQLite, none can start meanwhile either."""
    with closing(Database(url)) as database, acquire_server_lock(database) or nullcontext():
        refuse_processes(database, clock)
        yield database


def _copy(source: Database, target: Database, clock: Clock) -> dict[str, int]:
    tables = metadata.sorted_tables
    with source.reading() as work:
        boards = work.boards.numbers()
    _refuse_wrong(verdict_on(source, each) for each in counted(boards, "verifying the source"))
    highest = highest_given(source, [table.name for table in tables if "id" in table.c])
    with target.engine.begin() as into:
        if not target.embedded:
            into.execute(_NO_HURRY)
        for table in reversed(tables):
            into.execute(table.delete())  # what an unused server has noted
        with source.engine.begin() as of:
            if not source.embedded:
                of.execute(_ONE_MOMENT)
            copied = {table.name: _copy_rows(of, into, table) for table in tables}
        set_highest(into, highest)
        if not target.embedded:
            into.execute(text("ANALYZE"))
        work = UnitOfWork(into)
        _refuse_wrong(verdict_in(work, each) for each in counted(boards, "verifying the copy"))
        refuse_processes(source, clock)
    return copied


def _refuse_wrong(verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        for problem in verdict.problems:
            raise OperatorError(f"Board {verdict.number}: {problem}. See: pbm-admin verify.")


def _copy_rows(of: Connection, into: Connection, table: Table) -> int:
    plain = _plain(table)
    count = select(func.count()).select_from(plain)
    total, done, add = of.scalar(count) or 0, 0, insert(plain)
    rows = select(plain).order_by(*plain.primary_key.columns)
    with of.execute(rows.execution_options(yield_per=_AT_ONCE)) as found:
        for part in found.mappings().partitions():
            into.execute(add, [dict(row) for row in part])
            done += len(part)
            progress(f"copying {table.name}", done, total)
    arrived = into.scalar(count) or 0
    if not total == done == arrived:
        raise OperatorError(f"{table.name} has {total} rows, and {arrived} of them arrived.")
    return arrived


def _plain(table: Table) -> Table:
    """Return a table whose columns take what is stored as it is, without making values of it."""
    columns = [Column(its.name, _stored(its), primary_key=its.primary_key) for its in table.c]
    return Table(table.name, MetaData(), *columns)


def _stored(column: Column[Any]) -> TypeEngine[Any]:
    if isinstance(column.type, JsonOf | JSON):
        return JSON(none_as_null=bool(column.nullable))
    return String() if isinstance(column.type, Word) else column.type
