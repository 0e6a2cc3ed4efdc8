"""What turns cost, from the operating system's counters and the database's own.

Not from a clock: what else the machine does changes these figures little, and a rate much.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from subprocess import Popen
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from bench import running
from bench.counting import CountingProcesses
from tests.postgres_server import PostgresServer, running_postgres

PROCESSOR, BACKENDS, STATEMENTS, ROUND_TRIPS = "ms", "database ms", "statements", "round trips"
COMMITS, WAL, SYNCS, LOCKED = "commits", "WAL KB", "fsyncs", "ms in locks"
COUNTERS = (PROCESSOR, BACKENDS, STATEMENTS, ROUND_TRIPS, COMMITS, WAL, SYNCS, LOCKED)
DATABASE = "the database"  # what it does for nobody alone: checkpoints, writing ahead, vacuum
_LOOK = 0.02  # seconds between two looks at who waits for a lock
_COUNTED = {"shared_preload_libraries": "pg_stat_statements"}
_USERS = ("pbm", "listen", "turn", "post")
_STATEMENTS = """
SELECT rolname, sum(calls), sum(calls) FILTER (WHERE query = 'COMMIT')
FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = %s) AND rolname = ANY(%s)
GROUP BY rolname
"""
_BACKENDS = """
SELECT pid, CASE WHEN datname = %s THEN usename END
FROM pg_stat_activity WHERE backend_type = 'client backend'
"""
_WAITING = (
    "SELECT usename, count(*) FROM pg_stat_activity"
    " WHERE datname = %s AND wait_event_type = 'Lock' GROUP BY usename"
)
_WAL = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"

Used = defaultdict[tuple[str, str], float]
"""How much of each counter, by process and counter."""


@dataclass(frozen=True)
class OnSqlite:
    """Counts what one process does that has the database in it."""

    counting: CountingProcesses
    processes: Mapping[str, Sequence[Popen[bytes]]]

    @contextmanager
    def watched(self, used: Used) -> Iterator[None]:
        """Add to `used` what happens meanwhile."""
        with _difference(used, self._read):
            yield

    def _read(self) -> Used:
        counted = self.counting.read()
        read = _processors(self.processes)
        for name, processes in self.processes.items():
            for number in running.with_children(processes):
                if number in counted:
                    read[name, SYNCS] += counted[number].syncs
        return read


@dataclass
class OnPostgres:
    """Counts what processes do, each set of roles with a user of its own, and what PostgreSQL
    does for them."""

    counting: CountingProcesses
    processes: Mapping[str, Sequence[Popen[bytes]]]
    server: PostgresServer
    database: str
    # Of each backend that has a client; None for one of another database, such as the bench's own.
    _users: dict[int, str | None] = field(default_factory=dict)
    _seconds: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def watched(self, used: Used) -> Iterator[None]:
        """Add to `used` what happens meanwhile."""
        with ExitStack() as stack:
            ours = [stack.enter_context(self.server.connected("postgres")) for _ in range(2)]
            stack.enter_context(_difference(used, lambda: self._read(ours[0])))
            stack.enter_context(self._waiting(ours[1], used))
            yield

    def _read(self, connection: psycopg.Connection[Any]) -> Used:
        self._users |= dict(connection.execute(_BACKENDS, [self.database]).fetchall())
        counted = self.counting.read()
        read = _processors(self.processes)
        for number in {*running.descendants([self._postmaster()]), *self._seconds}:
            name = self._users.get(number, DATABASE)
            if name is None:
                continue
            # What one that has ended by now used was seen before.
            seconds = running.processor_seconds(number) or self._seconds.get(number, 0.0)
            self._seconds[number] = seconds
            read[name, BACKENDS] += 1000 * seconds
            if number in counted:
                read[name, SYNCS] += counted[number].syncs
            if number in counted and name != DATABASE:
                read[name, ROUND_TRIPS] += counted[number].round_trips
        names = list(self.processes)
        for name, calls, commits in connection.execute(_STATEMENTS, [self.database, names]):
            read[name, STATEMENTS] += float(calls)
            read[name, COMMITS] += float(commits or 0)
        ((written,),) = connection.execute(_WAL).fetchall()
        read[DATABASE, WAL] = float(written) / 1000
        return read

    def _postmaster(self) -> int:
        file = self.server.folder / "data" / "postmaster.pid"
        return int(file.read_text("ascii").split()[0])

    @contextmanager
    def _waiting(self, connection: psycopg.Connection[Any], used: Used) -> Iterator[None]:
        """Look again and again who waits for a lock: each is taken to wait until the next look."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(_LOOK):
                for name, count in connection.execute(_WAITING, [self.database]).fetchall():
                    used[name, LOCKED] += 1000 * _LOOK * count

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            for name in self.processes:
                used[name, LOCKED] += 0


@contextmanager
def counted_postgres(
    settings: Mapping[str, str], counting: CountingProcesses
) -> Iterator[PostgresServer]:
    """A PostgreSQL that counts statements and round trips, with a user for each set of roles."""
    with running_postgres({**settings, **_COUNTED}, counting.variables) as server:
        with server.connected("postgres") as connection:
            connection.execute("CREATE EXTENSION pg_stat_statements")
            for name in _USERS:
                connection.execute(f"CREATE ROLE {name} SUPERUSER LOGIN")
        yield server


def meter(
    url: str,
    processes: Sequence[tuple[str, Popen[bytes]]],
    counting: CountingProcesses,
    server: PostgresServer,
) -> OnSqlite | OnPostgres:
    """What counts the costs of these processes, each with its name, on the database at `url`."""
    named: dict[str, list[Popen[bytes]]] = {}
    for name, process in processes:
        named.setdefault(name, []).append(process)
    database = make_url(url)
    if database.get_backend_name() == "sqlite":
        return OnSqlite(counting, named)
    return OnPostgres(counting, named, server, database.database or "")


def _processors(processes: Mapping[str, Sequence[Popen[bytes]]]) -> Used:
    """Milliseconds of the processor that each of them has used so far, with its children."""
    read: Used = defaultdict(float)
    for name, of_one_name in processes.items():
        seconds = map(running.processor_seconds, running.with_children(of_one_name))
        read[name, PROCESSOR] += 1000 * sum(seconds)
    return read


@contextmanager
def _difference(used: Used, read: Callable[[], Used]) -> Iterator[None]:
    before = read()
    yield
    for key, amount in read().items():
        used[key] += amount - before[key]
