"""The database: one unit of work is one transaction, and a mail is one unit of work."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from pbm.errors import OperatorError
from pbm.store.analyses import Analyses
from pbm.store.awaiting import AwaitingMails
from pbm.store.beginnings import Beginnings
from pbm.store.blocks import Blocks
from pbm.store.boards import Boards
from pbm.store.buckets import Buckets
from pbm.store.challenges import Challenges
from pbm.store.changes import Changes
from pbm.store.facts import Facts
from pbm.store.heartbeats import Heartbeats
from pbm.store.history import History
from pbm.store.inbox import Inbox
from pbm.store.kept_news import KeptNews
from pbm.store.outbox import Outbox
from pbm.store.players import Players
from pbm.store.playing import Playing
from pbm.store.plies import Plies
from pbm.store.questions import Questions
from pbm.store.ratings import Ratings
from pbm.store.reports import Reports
from pbm.store.seeks import Seeks
from pbm.store.statement import execute
from pbm.store.thoughts import Thoughts
from pbm.store.timers import Timers
from pbm.store.vacations import Vacations
from pbm.store.waits import Waits
from pbm.store.words import Words

_BUSY_MILLISECONDS = 30_000
# Nothing is asked of the database for so long by who works: turns that hang end after half of it.
MOST_IDLE_SECONDS = 60
# SQLSTATE classes: connection, rollback, resources, object state, operator, system; and the one
# state of a transaction in which nothing was asked for too long.
_POSTGRESQL_AWAY = ("08", "40", "53", "55", "57", "58", "25P03")
_SQLITE_AWAY = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_NOMEM",
    "SQLITE_PROTOCOL",
)
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


class UnitOfWork:
    """The store as one transaction sees it; commits or rolls back as a whole."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.boards = Boards(connection)
        self.plies = Plies(connection)
        self.beginnings = Beginnings(connection)
        self.playing = Playing(connection, self.boards)
        self.waits = Waits(connection, self.boards)
        self.players = Players(connection)
        self.inbox = Inbox(connection)
        self.outbox = Outbox(connection)
        self.timers = Timers(connection)
        self.questions = Questions(connection, self.timers)
        self.changes = Changes(connection)
        self.buckets = Buckets(connection)
        self.facts = Facts(connection)
        self.heartbeats = Heartbeats(connection)
        self.ratings = Ratings(connection)
        self.vacations = Vacations(connection)
        self.history = History(connection)
        self.seeks = Seeks(connection)
        self.blocks = Blocks(connection)
        self.challenges = Challenges(connection)
        self.words = Words(connection)
        self.reports = Reports(connection)
        self.kept_news = KeptNews(connection)
        self.awaiting = AwaitingMails(connection)
        self.thoughts = Thoughts(connection)
        self.analyses = Analyses(connection)

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use this database, too."""
        return self._connection.dialect.name != "sqlite"

    @property
    def holds_all_up(self) -> bool:
        """Whether all others who end a board, or look for one to play on, wait until the commit.

        Who goes on to another board then may wait for somebody who waits here: it should be the
        last thing done.
        """
        return self.ratings.are_held or self.seeks.are_held

    def run(self, statement: Executable, **values: object) -> None:
        """Run a statement that is about no table."""
        self._connection.execute(statement, values)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside, and only that, if it raises."""
        execute(self._connection, "SAVEPOINT step")  # one inside another hides it until its end
        try:
            yield
        except BaseException:
            if not self._connection.invalidated:
                execute(self._connection, "ROLLBACK TO SAVEPOINT step")
                execute(self._connection, "RELEASE SAVEPOINT step")
            raise
        execute(self._connection, "RELEASE SAVEPOINT step")


class Database:
    """A SQLite file (WAL, synchronous=FULL) or a PostgreSQL server, by URL."""

    def __init__(self, url: str) -> None:
        """Connects to nothing yet. Raises OperatorError for a URL that cannot work."""
        self.engine = _engine(url)
        self._reader = self.engine.execution_options(pbm_reading=True)

    @property
    def embedded(self) -> bool:
        """Whether this is SQLite, which the server migrates by itself."""
        return self.engine.dialect.name == "sqlite"

    @property
    def address(self) -> str:
        """Where a shared database is, with its password, as the driver alone takes it."""
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    @contextmanager
    def transaction(self) -> Iterator[UnitOfWork]:
        """Begin a writing transaction; commit at the end, roll back on an exception."""
        with self.engine.begin() as connection:
            yield UnitOfWork(connection)

    @contextmanager
    def reading(self) -> Iterator[UnitOfWork]:
        """Begin a transaction that only reads, and so waits for no writer."""
        with self._reader.begin() as connection:
            yield UnitOfWork(connection)

    @contextmanager
    def glance(self) -> Iterator[UnitOfWork]:
        """For one look-up, which sees one state anyway: on SQLite without a transaction."""
        with self._reader.connect() if self.embedded else self._reader.begin() as connection:
            yield UnitOfWork(connection)

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def is_away(error: BaseException) -> bool:
    """Whether the database is at fault (gone, full, locked), not what was asked of it."""
    if not isinstance(error, DBAPIError):
        return False
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_SQLITE_AWAY)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_POSTGRESQL_AWAY)
    return isinstance(error, OperationalError | InterfaceError)


def why_unusable(error: DBAPIError) -> str:
    """What the database itself says, in a line, for the operator."""
    return f"The database cannot be used: {str(error.orig).strip().split(chr(10))[0]}"


def parse_url(url: str) -> URL:
    """Read `PBM_DATABASE_URL`. Raises OperatorError, which holds no part of it."""
    try:
        parsed = make_url(url)
        return parsed.set(drivername=_DRIVERS[parsed.drivername])
    except (ArgumentError, KeyError, ValueError):
        raise OperatorError(
            "PBM_DATABASE_URL must look like sqlite:///var/pbm.sqlite3 "
            "or postgresql://user:password@host/name."
        ) from None


def _engine(url: str) -> Engine:
    """An engine whose errors quote no values, which may be somebody's mail."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
        event.listen(engine, "connect", _prepare_postgresql)
        return engine
    if parsed.database in (None, "", ":memory:"):  # of which each connection has its own
        raise OperatorError("PBM_DATABASE_URL must name a file, as sqlite:///var/pbm.sqlite3 does.")
    _make_folder(Path(str(parsed.database)).parent)
    # The connection used last knows the pages: the others must read anew what was written since.
    engine = create_engine(parsed, pool_use_lifo=True, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperatorError(f"The folder {folder} cannot be made: {error.strerror}.") from error


def _prepare_postgresql(dbapi_connection: Any, _record: object) -> None:
    """Let the server end a transaction whose process stands still, or whose machine is gone.

    It would hold its locks for good, and keep every row from being cleaned away. It is no
    parameter of the connection, since poolers let few of those pass.
    """
    dbapi_connection.autocommit = True
    dbapi_connection.execute(f"SET idle_in_transaction_session_timeout = '{MOST_IDLE_SECONDS}s'")
    dbapi_connection.autocommit = False


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # The driver's own transaction handling would let a leading SAVEPOINT outlive its rollback.
    dbapi_connection.isolation_level = None
    for pragma in (
        f"busy_timeout={_BUSY_MILLISECONDS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        dbapi_connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get("pbm_reading", False)
    execute(connection, "BEGIN" if reading else "BEGIN IMMEDIATE")
