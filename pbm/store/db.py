"""The database: one unit of work is one transaction, and a mail is one unit of work."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from pbm.store.channels import MAIL_KEPT, MAIL_WRITTEN, THOUGHT_ASKED, TIMER_SET, Channel
from pbm.store.consents import Consents
from pbm.store.driver import Call, execute
from pbm.store.expiring import Expiring
from pbm.store.facts import Facts
from pbm.store.heartbeats import Heartbeats
from pbm.store.history import History
from pbm.store.inbox import Inbox
from pbm.store.kept_news import KeptNews
from pbm.store.looks import Look, look_ahead
from pbm.store.outbox import Outbox
from pbm.store.personal_data import PersonalData
from pbm.store.players import Players
from pbm.store.playing import Playing
from pbm.store.plies import Plies
from pbm.store.postgresql import postgresql_engine
from pbm.store.questions import Questions
from pbm.store.ratings import Ratings
from pbm.store.read_ahead import Ahead, take_ahead
from pbm.store.reminders import Reminders
from pbm.store.reports import Reports
from pbm.store.seeks import Seeks
from pbm.store.thoughts import Thoughts
from pbm.store.timers import Timers
from pbm.store.transaction import Transaction
from pbm.store.vacations import Vacations
from pbm.store.waits import Waits
from pbm.store.words import Words

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


class UnitOfWork:
    """The store as one transaction sees it; commits or rolls back as a whole."""

    def __init__(self, connection: Connection, *, begins: bool = False) -> None:
        """`begins`: the database has not been told yet that a transaction begins."""
        self._transaction = transaction = Transaction(connection, begins=begins)
        self.boards = Boards(transaction)
        self.plies = Plies(transaction)
        self.beginnings = Beginnings(transaction)
        self.playing = Playing(transaction, self.boards)
        self.waits = Waits(transaction, self.boards)
        self.players = Players(transaction)
        self.personal_data = PersonalData(transaction)
        self.inbox = Inbox(transaction)
        self.outbox = Outbox(transaction)
        self.reminders = Reminders(transaction)
        self.timers = Timers(transaction)
        self.questions = Questions(transaction, self.timers)
        self.expiring = Expiring(transaction)
        self.changes = Changes(transaction)
        self.buckets = Buckets(transaction)
        self.facts = Facts(transaction)
        self.heartbeats = Heartbeats(transaction)
        self.ratings = Ratings(transaction)
        self.vacations = Vacations(transaction)
        self.history = History(transaction)
        self.seeks = Seeks(transaction)
        self.blocks = Blocks(transaction)
        self.consents = Consents(transaction)
        self.challenges = Challenges(transaction)
        self.words = Words(transaction)
        self.reports = Reports(transaction)
        self.kept_news = KeptNews(transaction)
        self.awaiting = AwaitingMails(transaction)
        self.thoughts = Thoughts(transaction)
        self.analyses = Analyses(transaction)

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use this database, too."""
        return self._transaction.is_shared

    @property
    def holds_all_up(self) -> bool:
        """Whether all others who end a board, or look for one to play on, wait until the commit.

        Who goes on to another board then may wait for somebody who waits here: it should be the
        last thing done.
        """
        return self.ratings.are_held or self.seeks.are_held

    @property
    def waited_for(self) -> frozenset[Channel]:
        """The channels on which others wait for what was written here, and hear of it after the
        commit."""
        found = {
            MAIL_KEPT: self.inbox.were_kept,
            MAIL_WRITTEN: self.outbox.were_written,
            TIMER_SET: self.timers.were_set,
            THOUGHT_ASKED: self.thoughts.were_asked,
        }
        return frozenset(channel for channel, is_waited_for in found.items() if is_waited_for)

    @property
    def in_group(self) -> bool:
        """Whether several turns share this transaction, of which none may wait for anybody."""
        return self._transaction.in_group

    @in_group.setter
    def in_group(self, shared: bool) -> None:
        self._transaction.in_group = shared

    def holding(self, board_id: int) -> bool:
        """Whether nobody else can change a board until the commit."""
        return self._transaction.holds(board_id)

    def take_ahead(self, board_ids: Iterable[int], player_ids: Iterable[int]) -> Ahead:
        """Lock some boards without waiting for anybody, and read what turns on them look up: their
        players and the named ones, and whatever else is shown with every board.

        One that was locked already stays so.
        """
        return take_ahead(self._transaction, board_ids, player_ids)

    def look_ahead(self, *looks: Look) -> None:
        """Ask at once what stores tell of later from memory. Raises DBAPIError."""
        look_ahead(self._transaction, looks)

    def flush(self) -> None:
        """Run now what waits to be written, for whoever has to know that it can be. Raises
        DBAPIError."""
        self._transaction.flush()

    def end(self) -> None:
        """Run what waits to be written, and commit where nobody else does. Raises DBAPIError."""
        self._transaction.end()

    def run(self, statement: Executable, **values: object) -> None:
        """Run a statement that is about no table."""
        self._transaction.run_anything(statement, values)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside, and only that, if it raises."""
        with self._transaction.savepoint():
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
        work.end()

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
