"""The database: one unit of work is one transaction, and a mail is one unit of work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine, Executable, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from pbm.errors import OperatorError
from pbm.files import refuse_anothers, trouble
from pbm.store.analyses import Analyses
from pbm.store.awaiting import AwaitingMails
from pbm.store.beginnings import Beginnings
from pbm.store.blocks import Blocks
from pbm.store.boards import Boards
from pbm.store.buckets import Buckets
from pbm.store.challenges import Challenges
from pbm.store.changes import Changes
from pbm.store.consents import Consents
from pbm.store.expiring import Expiring
from pbm.store.facts import Facts
from pbm.store.heartbeats import Heartbeats
from pbm.store.history import History
from pbm.store.inbox import Inbox
from pbm.store.kept_news import KeptNews
from pbm.store.outbox import Outbox
from pbm.store.personal_data import PersonalData
from pbm.store.players import Players
from pbm.store.playing import Playing
from pbm.store.plies import Plies
from pbm.store.postgresql import postgresql_engine
from pbm.store.questions import Questions
from pbm.store.ratings import Ratings
from pbm.store.reminders import Reminders
from pbm.store.reports import Reports
from pbm.store.seeks import Seeks
from pbm.store.sql.driver import Call, execute
from pbm.store.sql.statement import Read, rows_of
from pbm.store.sql.transaction import Transaction
from pbm.store.thoughts import Thoughts
from pbm.store.timers import Timers
from pbm.store.vacations import Vacations
from pbm.store.waits import Waits
from pbm.store.words import Words

R = TypeVar("R")
_BUSY_MILLISECONDS = 30_000
# SQLSTATE classes: connection, rollback, resources, object state, operator, system; and the one
# state of a transaction in which nothing was asked for too long.
_POSTGRESQL_AWAY = ("08", "40", "53", "55", "57", "58", "25P03")
_POSTGRESQL_UNDONE = "40"  # among them deadlocks
_POSTGRESQL_GIVES_UP = ("53200", "53400", "55P03", "57014")  # memory, a limit, a lock, too long
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


_FORMS = (
    "sqlite:///var/pbm.sqlite3 or postgresql://user:password@host/name. In a user's name or a "
    "password, percent-encode what is neither letter nor digit: an @ is %40, a slash %2F."
)


class _Repository(Generic[R]):
    """A repository as an attribute, made when a unit of work first asks for it."""

    def __init__(self, make: Callable[[Transaction], R]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, work: "UnitOfWork", owner: type) -> R:
        made = work.__dict__[self._name] = self._make(work.transaction)
        return made


class UnitOfWork:
    """The store as one transaction sees it; commits or rolls back as a whole."""

    analyses = _Repository(Analyses)
    awaiting = _Repository(AwaitingMails)
    beginnings = _Repository(Beginnings)
    blocks = _Repository(Blocks)
    boards = _Repository(Boards)
    buckets = _Repository(Buckets)
    challenges = _Repository(Challenges)
    changes = _Repository(Changes)
    consents = _Repository(Consents)
    expiring = _Repository(Expiring)
    facts = _Repository(Facts)
    heartbeats = _Repository(Heartbeats)
    history = _Repository(History)
    inbox = _Repository(Inbox)
    kept_news = _Repository(KeptNews)
    outbox = _Repository(Outbox)
    personal_data = _Repository(PersonalData)
    players = _Repository(Players)
    playing = _Repository(Playing)
    plies = _Repository(Plies)
    questions = _Repository(Questions)
    ratings = _Repository(Ratings)
    reminders = _Repository(Reminders)
    reports = _Repository(Reports)
    seeks = _Repository(Seeks)
    thoughts = _Repository(Thoughts)
    timers = _Repository(Timers)
    vacations = _Repository(Vacations)
    waits = _Repository(Waits)
    words = _Repository(Words)

    def __init__(self, connection: Connection, *, begins: bool = False) -> None:
        """`begins`: the database has not been told yet that a transaction begins."""
        self.transaction = Transaction(connection, begins=begins)

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use this database, too."""
        return self.transaction.is_shared

    def prefetch(self, *reads: Read) -> None:
        """Make several reads in one round trip; the repositories find their rows in the cache.
        Raises DBAPIError."""
        rows_of(self.transaction, *reads)

    def flush(self) -> None:
        """Run the buffered writes now, to learn whether they succeed. Raises DBAPIError."""
        self.transaction.flush()

    def finish_turn(self) -> None:
        """Run the buffered writes; on a shared database also commit, in the same round trip, so
        that a turn is the last thing in its unit of work. Raises DBAPIError."""
        self.transaction.end()

    def run(self, statement: Executable, **values: object) -> None:
        """Run a statement that is about no table."""
        self.transaction.execute(statement, values)
        self.transaction.forget_rows()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside, and only that, if it raises."""
        with self.transaction.savepoint():
            yield


class Database:
    """A SQLite file (WAL, synchronous=FULL) or a PostgreSQL server, by URL."""

    def __init__(self, url: str) -> None:
        """Connects to nothing yet. Raises OperatorError for a URL that cannot work."""
        self.engine = _engine(url)
        self._writer = self.engine.execution_options(pbm_begins_itself=True)
        self._reader = self._writer.execution_options(pbm_reading=True)

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
        with self._writer.begin() as connection, self._unit(connection) as work:
            yield work

    @contextmanager
    def reading(self) -> Iterator[UnitOfWork]:
        """Begin a transaction that only reads, and so waits for no writer."""
        with self._reader.begin() as connection, self._unit(connection) as work:
            yield work

    @contextmanager
    def glance(self) -> Iterator[UnitOfWork]:
        """For one look-up, which sees one state anyway: without a transaction."""
        with self._reader.connect() as connection:
            work = UnitOfWork(connection)
            yield work
            work.flush()

    @contextmanager
    def _unit(self, connection: Connection) -> Iterator[UnitOfWork]:
        work = UnitOfWork(connection, begins=not self.embedded)
        yield work
        work.transaction.end()

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


def lost_a_race(error: BaseException) -> bool:
    """Whether the database has undone a transaction for the sake of another: done once more, it may
    succeed."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return str(state).startswith(_POSTGRESQL_UNDONE)


def gave_up(error: BaseException) -> bool:
    """Whether a database that goes on has given up what it was asked: it took too long, waited for
    too long or needed too much. Done once more it may succeed, and others may meanwhile."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return state in _POSTGRESQL_GIVES_UP


def parse_url(url: str) -> URL:
    """Read `PBM_DATABASE_URL`. Raises OperatorError, which holds no part of it."""
    try:
        parsed = make_url(url)
        parsed = parsed.set(drivername=_DRIVERS[parsed.drivername])
    except (ArgumentError, KeyError, ValueError):
        raise OperatorError(f"PBM_DATABASE_URL must look like {_FORMS}") from None
    if parsed.get_backend_name() != "sqlite" and "@" in f"{parsed.host}{parsed.database}":
        # A part of the password is taken for the host's name, and would be told as that.
        raise OperatorError(
            f"PBM_DATABASE_URL has an @ behind the host. It must look like {_FORMS}"
        )
    return parsed


def shown_url(url: URL) -> str:
    """A database's URL for the operator, without what may be a password."""
    told = {name: url.query[name] for name in ("host", "port") if name in url.query}
    return url.set(query=told).render_as_string(hide_password=True)


def _engine(url: str) -> Engine:
    """An engine whose errors quote no values, which may be somebody's mail."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        return postgresql_engine(parsed)
    if parsed.database in (None, "", ":memory:"):  # of which each connection has its own
        raise OperatorError("PBM_DATABASE_URL must name a file, as sqlite:///var/pbm.sqlite3 does.")
    file = Path(str(parsed.database))
    _make_folder(file.parent)
    refuse_anothers(file.parent, file, *(Path(f"{file}-{log}") for log in ("wal", "shm")))
    # The connection used last knows the pages: the others must read anew what was written since.
    engine = create_engine(parsed, pool_use_lifo=True, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperatorError(
            f"The folder {folder} cannot be made: {trouble(folder, error)}"
        ) from error


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
    execute(connection, Call("BEGIN" if reading else "BEGIN IMMEDIATE"))
