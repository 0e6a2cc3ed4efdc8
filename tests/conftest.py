"""What every test may ask for: databases of both kinds, and the wheel as a stranger has it."""

import gc
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.browser import Browser, running_browser
from tests.installed_wheel import InstalledWheel, install_wheel_once
from tests.longest_first import longest_first
from tests.openings import Opening
from tests.postgres_server import MissingPostgresError, PostgresServer, running_postgres
from tests.postgres_tables import PostgresTables
from tests.quick_databases import make_databases_quick
from tests.secrets_issued import ISSUED
from tests.sqlite_tables import make_tables
from tests.table import Table

# Here a test plays on one database: on PostgreSQL if it is marked, else on SQLite.
PLAYED_ON_ONE = [
    Path(__file__).parent / name
    for name in (
        "admin",
        "conversations",
        "pairs",
        "service/test_beside_robots.py",
        "service/test_faults.py",
        "service/test_front.py",
        "service/test_hashing.py",
        "service/test_order.py",
        "service/test_outages.py",
        "service/test_robots.py",
        "store/test_migrations.py",
    )
]
CONVERSATIONS = Path(__file__).parent / "conversations"
OF_EACH_DATABASE = ("database_url", "new_database_url", "bare_database_url", "scene")
# What hypothesis tries is right or wrong, however long a busy machine takes for it.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
# Plans must not change by lot: nothing is analysed behind a test's back, nor from a sample of rows.
STEADY = {"autovacuum": "off", "default_statistics_target": "200"}
LENT = os.environ.get("TESTS_LENT", "").split()  # databases, by the run that began this one
Report = pytest.TestReport | pytest.CollectReport


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this process, started when the first one asks."""
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL server for all tests of this process, made when the first one asks."""
    try:
        with running_postgres(STEADY) as server:
            yield server
    except MissingPostgresError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def postgres_tables(postgres_server: PostgresServer) -> PostgresTables:
    """The databases of that server which have our tables already."""
    return PostgresTables(postgres_server)


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with our tables, to be copied."""
    file = tmp_path_factory.mktemp("tables") / "pbm.sqlite3"
    make_tables(f"sqlite:///{file}")
    return file


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a PostgreSQL database that only this test has: our tables, all empty."""
    if LENT:
        yield LENT.pop()
        return
    tables: PostgresTables = request.getfixturevalue("postgres_tables")
    with tables.lent() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that only this test has: our tables, all empty."""
    url = f"sqlite:///{tmp_path / 'pbm.sqlite3'}"
    make_tables(url)
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The test runs twice: on SQLite and on PostgreSQL, with our tables, all empty."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """As `database_url`, for who counts the rows that are read: no test has been there before."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_url")
        return
    tables: PostgresTables = request.getfixturevalue("postgres_tables")
    with tables.lent(new=True) as url:
        yield url


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A server of this test's own; the test runs twice, as for `database_url`."""
    yield from _table(database_url)


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Table]:
    """A server of this test's own, on a database that others may use, too."""
    yield from _table(postgres_url)


@pytest.fixture
def embedded(sqlite_url: str) -> Iterator[Table]:
    """A server of this test's own, on SQLite."""
    yield from _table(sqlite_url)


def _table(url: str) -> Iterator[Table]:
    table = Table(url)
    yield table
    table.close()


@pytest.fixture
def bare_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a PostgreSQL database without any tables, which takes long to make."""
    with postgres_server.new_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def bare_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The test runs twice: on SQLite and on PostgreSQL, without any tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'pbm.sqlite3'}"
    url: str = request.getfixturevalue("bare_postgres_url")
    return url


@pytest.fixture
def monkeypatch() -> Iterator[pytest.MonkeyPatch]:
    """Pytest's own; who changes the program with it plays the openings with what it is then."""
    with pytest.MonkeyPatch.context() as patches:
        for name in ("setattr", "delattr", "setitem", "delitem"):
            setattr(patches, name, _ending_openings(getattr(patches, name)))
        yield patches


def _ending_openings(change: Callable[..., None]) -> Callable[..., None]:
    def changing(*args: Any, **options: Any) -> None:
        Opening.in_use = False
        change(*args, **options)

    return changing


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def installed_wheel(run_folder: Path) -> InstalledWheel:
    """The project's wheel in an environment without the checkout, and an empty folder.

    All processes of a run share it.
    """
    return install_wheel_once(run_folder / "wheel")


def pytest_configure() -> None:
    """Note every secret that the tests issue; let their databases wait for no disk.

    While tests are collected, hardly anything becomes garbage.
    """
    gc.disable()
    # As servers log, unless they are told otherwise; to write the rest takes long.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    ISSUED.watch()
    make_databases_quick()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What plays on both databases plays on one of them in `make test-all`, in these folders.

    Of a conversation's rows four do: the others have other words, and the same SQL. What needs an
    installed wheel runs there, too.
    """
    rows = defaultdict(list)
    for item in items:
        if "installed_wheel" in getattr(item, "fixturenames", ()):
            item.add_marker("thorough")  # to build and install it takes longer than most folders
        if _is_second(item) and any(map(item.path.is_relative_to, PLAYED_ON_ONE)):
            item.add_marker("thorough")
            if item.path.is_relative_to(CONVERSATIONS):
                rows[item.nodeid.partition("[")[0]].append(item)
    for table in rows.values():
        played = {0, len(table) // 3, len(table) * 2 // 3, len(table) - 1}
        for place, item in enumerate(table):
            if place not in played:
                item.add_marker("alike")


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_begin_with_the_longest(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of what was chosen, and in whatever order the rest is."""
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    items[:] = longest_first(items, workers)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What thousands of tests are made of stays, so garbage is looked for only in the rest, and
    less often: that took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


def pytest_runtest_setup() -> None:
    """A test that has changed nothing of the program yet may go on from openings of others."""
    Opening.in_use = True


def _is_second(item: pytest.Item) -> bool:
    params = getattr(getattr(item, "callspec", None), "params", {})
    first = "sqlite" if item.get_closest_marker("on_postgresql") is None else "postgresql"
    return any(params.get(fixture, first) != first for fixture in OF_EACH_DATABASE)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests are for the rooms of pbm; what the tests share is not collected."""
    shared = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if shared else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Report, Report]:
    """Nothing is skipped: what a test misses is installed, or the run fails.

    And nothing that a test logs or prints holds a secret (promise 22).
    """
    report = yield
    return _refuse_to_leak(_refuse_to_skip(report))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Report, Report]:
    """The same for a whole module; what pytest makes of its source is made by one worker."""
    with _by_one(collector.path) if isinstance(collector, pytest.File) else nullcontext():
        report = yield
    return _refuse_to_skip(report)


@contextmanager
def _by_one(file: Path) -> Iterator[None]:
    """Let the other workers wait, who then find kept what this one has compiled."""
    with file.open("rb") as opened:
        flock(opened, LOCK_EX)
        yield


def _refuse_to_skip(report: Report) -> Report:
    if report.skipped:
        report.outcome = "failed"
        vars(report).pop("wasxfail", None)
        report.longrepr = f"Nothing is skipped in this project, but: {report.longrepr}"
    return report


def _refuse_to_leak(report: Report) -> Report:
    found = ISSUED.found_in("\n".join(text for _, text in report.sections))
    if found and not report.failed:
        report.outcome = "failed"
        report.longrepr = f"What was logged or printed holds {' and '.join(found)}."
    return report
