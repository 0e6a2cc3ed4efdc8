"""Copies of whole databases, by SQLite's backup interface or PostgreSQL's tools."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from psycopg.conninfo import make_conninfo
from sqlalchemy import create_engine, func, inspect, select, text
from sqlalchemy.engine import URL, Engine
from sqlalchemy.pool import NullPool

from pbm.clock import Clock
from pbm.errors import OperatorError
from pbm.service.operator.progress import progress
from pbm.service.running.heartbeat import FORGOTTEN_AFTER, LATE
from pbm.store.db import Database
from pbm.store.migrate import (
    current_version,
    is_current,
    migrate,
    newest_version,
    processes_between,
)
from pbm.store.schema import metadata

_BUSY_SECONDS = 30
_SMALL = 64 << 20  # bytes that are rewritten in a second or two
_PAGES = 2_000  # between two steps of a bar
_OF_ROLE = text(
    "SELECT current_database(), rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
)
# Tables in which an unused server has rows
_SIGNS_OF_LIFE = {"alembic_version", "heartbeats", "facts", "due"}
# Those of other versions, too: a table that stays would be in the way of a migration.
_DROP_ALL = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE 'DROP TABLE ' || quote_ident(name) || ' CASCADE';
    END LOOP;
END $$;
"""


def sqlite_path(url: URL) -> Path:
    if not url.database or url.database == ":memory:":
        raise OperatorError("PBM_DATABASE_URL names no file, so nothing of it can be kept.")
    return Path(url.database)


def copy_out(url: URL, file: Path) -> None:
    """Copy a consistent snapshot of a database into a file."""
    if url.get_backend_name() != "sqlite":
        _run("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", f"--file={file}")
        return
    try:
        with closing(_open(sqlite_path(url))) as source, closing(sqlite3.connect(file)) as copy:
            source.execute("BEGIN")  # all steps copy what was there at one moment
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(copy, pages=_PAGES, progress=partial(_tell, "copying"))
            copy.execute("PRAGMA journal_mode=DELETE")  # a single file
        check_copy(url, file)
    except sqlite3.Error as error:
        raise OperatorError(f"The database cannot be copied: {error}.") from error


def check_copy(url: URL, file: Path) -> None:
    if url.get_backend_name() != "sqlite":
        _run("pg_restore", None, "--file=/dev/null", str(file))
        return
    try:
        progress("checking the copy")
        with closing(sqlite3.connect(file)) as copy:
            (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        raise OperatorError(f"The database cannot be read: {error}.") from error
    if found != "ok":
        raise OperatorError(f"The database is damaged: {found}.")


def copy_in(url: URL, file: Path) -> None:
    """Replace a database by a copy, atomically."""
    if url.get_backend_name() == "sqlite":
        path = sqlite_path(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Moving the file would not do: the old write-ahead log would corrupt it.
        try:
            with closing(sqlite3.connect(file)) as source, closing(_open(path, "rwc")) as target:
                source.backup(target, pages=_PAGES, progress=partial(_tell, "restoring"))
        except sqlite3.Error as error:
            raise OperatorError(f"{path} cannot be restored into: {error}.") from error
        return
    script, drop = file.with_name("restore.sql"), file.with_name("drop.sql")
    _run("pg_restore", None, "--no-owner", "--no-privileges", f"--file={script}", str(file))
    drop.write_text(_DROP_ALL, encoding="ascii")
    options = ["--single-transaction", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
    _run("psql", url, *options, f"--file={drop}", f"--file={script}")


@contextmanager
def scratch_database(url: URL, folder: Path) -> Iterator[URL | None]:
    """Yield the URL of an empty database, which is dropped afterwards.

    It is a file in `folder`, or beside a PostgreSQL database; None if the role may create none.
    """
    if url.get_backend_name() == "sqlite":
        yield url.set(database=str(folder / "trial.sqlite3"))
        return
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        name, may_create = connection.execute(_OF_ROLE).one()
    if not may_create:
        yield None
        return
    scratch = f"{name[:40]}_restored_on_trial"
    quoted = engine.dialect.identifier_preparer.quote(scratch)
    drop = f"DROP DATABASE IF EXISTS {quoted}"  # before, too: its maker may have been killed
    try:
        _execute(engine, drop, f"CREATE DATABASE {quoted} TEMPLATE template0 ENCODING 'UTF8'")
        yield url.set(database=scratch)
    finally:
        _execute(engine, drop)


def _execute(engine: Engine, *statements: str) -> None:
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def counts(database: Database) -> dict[str, int]:
    with database.engine.connect() as connection:
        return {
            name: connection.scalar(select(func.count()).select_from(metadata.tables[name])) or 0
            for name in ("players", "boards", "moves")
        }


def holds_data(database: Database) -> bool:
    """Return whether the database has rows besides those of a new server. Raises DBAPIError."""
    with database.engine.connect() as connection:
        inspector = inspect(connection)
        for name in set(inspector.get_table_names()) - _SIGNS_OF_LIFE:
            rows = database.engine.dialect.identifier_preparer.quote(name)
            if name == "players" and any(
                column["name"] == "robot" for column in inspector.get_columns(name)
            ):
                rows = "players WHERE robot IS NULL"
            if connection.execute(text(f"SELECT 1 FROM {rows} LIMIT 1")).first() is not None:
                return True
    return False


def _tell(what: str, _: int, left: int, total: int) -> None:
    progress(what, total - left, total)


def _open(path: Path, mode: str = "rw") -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)


def _run(program: str, url: URL | None, *options: str) -> None:
    command, environment = [_find(program)], dict(os.environ)
    if url is not None:
        given = url.translate_connect_args(username="user", database="dbname")
        if password := given.pop("password", ""):
            environment["PGPASSWORD"] = password  # hidden, as arguments are not
        given |= {name: ",".join(values) for name, values in url.normalized_query.items()}
        command += ["--no-password", f"--dbname={make_conninfo(**given)}"]
    progress(f"{program} runs")
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = filter(None, map(str.strip, done.stderr.split("\n")))
        raise OperatorError(f"{program} failed: {next(lines, 'it did not say why.')}")


def _find(program: str) -> str:
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{program}")
    found = shutil.which(program) or max(map(str, installed), default=None)
    if found is None:
        raise OperatorError(
            f"{program} is missing; install PostgreSQL's client programs (postgresql-client)."
        )
    return found


def refuse_old_processes(database: Database, clock: Clock) -> None:
    """Raise OperatorError if the tables are old and processes that use them run."""
    if is_current(database):
        return
    now = clock()
    running = processes_between(database, now - LATE, now + FORGOTTEN_AFTER)
    if running:
        raise OperatorError(
            f"The tables are in use by an older pbm: {', '.join(running)}. Stop every process of "
            "the server before you migrate. One that was killed counts as running for a minute."
        )


def bring_up_to_date(database: Database) -> tuple[str, Path | None]:
    """Migrate; on SQLite, make a copy first. Returns the old version ("" for none) and the copy."""
    if is_current(database):
        return newest_version(), None
    before = current_version(database) or ""
    copy = _copy_of(database, before) if database.embedded and before else None
    progress("migrating")
    migrate(database)
    if database.embedded:
        _let_shrink(sqlite_path(database.engine.url))
    return before, copy


def _let_shrink(path: Path) -> None:
    """Let a SQLite file of before 0.4 give free pages back, if it is small enough to rewrite."""
    with suppress(sqlite3.Error), closing(_open(path)) as file:
        if file.execute("PRAGMA auto_vacuum").fetchone() == (0,) and path.stat().st_size < _SMALL:
            file.execute("PRAGMA auto_vacuum=INCREMENTAL")
            file.execute("VACUUM")


def _copy_of(database: Database, version: str) -> Path:
    path = sqlite_path(database.engine.url)
    copy = path.with_name(f"{path.name}-before-{version}")
    draft = path.with_name(f".{copy.name}")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(0o600, exist_ok=False)
        copy_out(database.engine.url, draft)
        draft.replace(copy)
    except (OSError, OperatorError) as error:
        why = f"{error.strerror}." if isinstance(error, OSError) else str(error)
        raise OperatorError(
            f"{path} has to be migrated, and cannot be copied before: {why} The copy needs as "
            "much room as the database."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return copy
