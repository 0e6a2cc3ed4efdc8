"""The database, and the unit of work: a transaction with all repositories."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

from sqlalchemy import Engine

from pbm.store.queues.inbox import Inbox
from pbm.store.queues.outbox import Outbox
from pbm.store.queues.search_jobs import SearchJobs
from pbm.store.queues.timers import Timers
from pbm.store.repositories.boards import Boards
from pbm.store.repositories.buckets import Buckets
from pbm.store.repositories.challenges import Beginnings, Challenges, Expiring
from pbm.store.repositories.clocks import Reminders, Vacations
from pbm.store.repositories.happened import Happened, KeptNotices, Readers
from pbm.store.repositories.history import Analyses, History
from pbm.store.repositories.personal_data import PersonalData
from pbm.store.repositories.plans import Plans
from pbm.store.repositories.players import Players
from pbm.store.repositories.plies import Playing, Plies
from pbm.store.repositories.questions import Consents, Questions
from pbm.store.repositories.ratings import Ratings
from pbm.store.repositories.seeks import Seeks
from pbm.store.repositories.server_state import Bans, Changes, Counts, Facts, Heartbeats
from pbm.store.repositories.talk import Blocks, Notes, Reports, Words
from pbm.store.repositories.watching import Watchings
from pbm.store.sql.driver import make_engine, refuse_writes
from pbm.store.sql.statement import Read, rows_of
from pbm.store.sql.transaction import Transaction

R = TypeVar("R")


class _Repository(Generic[R]):
    """A descriptor that creates a repository at each use, since repositories have no state."""

    def __init__(self, make: Callable[[Transaction], R]) -> None:
        self._make = make

    def __get__(self, work: Transaction, owner: type) -> R:
        return self._make(work)


class UnitOfWork(Transaction):
    """A transaction that gives access to all repositories."""

    analyses = _Repository(Analyses)
    bans = _Repository(Bans)
    beginnings = _Repository(Beginnings)
    blocks = _Repository(Blocks)
    boards = _Repository(Boards)
    buckets = _Repository(Buckets)
    challenges = _Repository(Challenges)
    changes = _Repository(Changes)
    consents = _Repository(Consents)
    counts = _Repository(Counts)
    expiring = _Repository(Expiring)
    facts = _Repository(Facts)
    happened = _Repository(Happened)
    heartbeats = _Repository(Heartbeats)
    history = _Repository(History)
    inbox = _Repository(Inbox)
    kept_notices = _Repository(KeptNotices)
    notes = _Repository(Notes)
    outbox = _Repository(Outbox)
    personal_data = _Repository(PersonalData)
    players = _Repository(Players)
    plans = _Repository(Plans)
    playing = _Repository(Playing)
    plies = _Repository(Plies)
    questions = _Repository(Questions)
    ratings = _Repository(Ratings)
    readers = _Repository(Readers)
    reminders = _Repository(Reminders)
    reports = _Repository(Reports)
    seeks = _Repository(Seeks)
    search_jobs = _Repository(SearchJobs)
    timers = _Repository(Timers)
    vacations = _Repository(Vacations)
    watchings = _Repository(Watchings)
    words = _Repository(Words)

    def prefetch(self, *reads: Read) -> None:
        """Run queries in one round trip, and cache their rows for later. Raises DBAPIError."""
        rows_of(self, *reads)


class Database:
    """A SQLite file (in WAL mode) if `embedded` is True, otherwise a PostgreSQL database."""

    def __init__(self, url: str, *, reads_only: bool = False) -> None:
        """Create the engine, without connecting. Raises OperatorError for an invalid URL."""
        self.engine = make_engine(url)
        if reads_only:
            refuse_writes(self.engine)
            self.engine = self.engine.execution_options(pbm_reading=True)
        self.embedded = self.engine.dialect.name == "sqlite"
        self._writer = self.engine.execution_options(pbm_begins_itself=True)
        self._reader = self._writer.execution_options(pbm_reading=True)

    @property
    def address(self) -> str:
        """The connection string for PostgreSQL, with the password. SQLite has none."""
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def transaction(self) -> AbstractContextManager[UnitOfWork]:
        """Begin a transaction that writes; commit at the end, roll back on an exception."""
        return self._begin(self._writer)

    def reading(self) -> AbstractContextManager[UnitOfWork]:
        """Begin a transaction that only reads, and so does not wait for writers."""
        return self._begin(self._reader)

    @contextmanager
    def _begin(self, engine: Engine) -> Iterator[UnitOfWork]:
        with engine.begin() as connection:
            work = UnitOfWork(connection, begins=not self.embedded)
            yield work
            work.end()

    @contextmanager
    def glance(self) -> Iterator[UnitOfWork]:
        """Open a connection for a single query, without a transaction."""
        with self._reader.connect() as connection:
            work = UnitOfWork(connection)
            yield work
            work.flush()

    def close(self) -> None:
        self.engine.dispose()
