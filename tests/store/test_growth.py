"""A turn costs the same however much is stored; counted, not timed."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import text

from pbm.store.schema import metadata
from tests.growth import Cost, Season, SendingTable, asked, work_for
from tests.plans import read_whole
from tests.store.filling import Size, fill

pytestmark = pytest.mark.thorough

MUCH = Size(finished=3000, running=60, pairs=1200, plies=4)
AT_MOST = 1.2  # times what it costs in an empty database
# Of who leaves for good, buckets are looked for in all there are: those of a week.
GROWING = frozenset(metadata.tables) - {"facts"}
LOOK_AT_ALL_BUCKETS, FOR_EACH = ("leaving", "gone"), 8


ALL_BUCKETS = (
    "DELETE FROM buckets WHERE (buckets.key LIKE",
    "DELETE FROM buckets WHERE buckets.key IN",  # many are old, for all a generic plan knows
    'DELETE FROM buckets WHERE (buckets."key" LIKE',
)
FEW = 60  # rows: for the little tables of an empty database PostgreSQL has other plans


@pytest.fixture
def full(bare_database_url: str) -> Iterator[SendingTable]:
    """A table beside thousands of boards that others have played.

    Its database is new: where rows lie, which plans depend on, is no trace of other tests.
    """
    table = SendingTable(bare_database_url)
    fill(table.database, MUCH)
    yield table
    table.leave()


@pytest.fixture
def empty(full: SendingTable, request: pytest.FixtureRequest, tmp_path_factory: Any) -> Any:
    """A table of its own on a database of the same kind."""
    with ExitStack() as stack:
        if full.database.embedded:
            url = f"sqlite:///{tmp_path_factory.mktemp('empty') / 'pbm.sqlite3'}"
        else:
            server = request.getfixturevalue("postgres_server")
            url = stack.enter_context(server.new_database())
        table = SendingTable(url)
        yield table
        table.leave()


def test_a_turn_costs_no_more_in_a_full_database(empty: SendingTable, full: SendingTable) -> None:
    little, much = costs(empty), costs(full)
    for name, cost in little.items():
        most = AT_MOST * cost.work + (0 if full.database.embedded else FEW)
        if name in LOOK_AT_ALL_BUCKETS:
            most += FOR_EACH * len(full.rows("buckets"))
        assert much[name].statements == cost.statements, name
        assert much[name].work <= most, (name, much[name], cost)


def test_every_statement_of_a_season_finds_what_it_asks_for_by_an_index(full: SendingTable) -> None:
    season = Season.begun(full)
    with asked(full) as statements:
        # Of tables with so few rows PostgreSQL reads all, where it wants those of thirty players.
        for look in season.looks() if full.database.embedded else ():
            look()
        for _, step, _ in season.steps():
            step()
        with full.database.transaction() as work:
            work.buckets.forget_full(full.clock())
    found = dict(statements)
    assert len(found) > 70
    wrong = read_whole(full.database, found.items(), GROWING)
    assert not [it for it in wrong if not it.startswith(ALL_BUCKETS)]
    assert not [it for it in wrong if ALL_BUCKETS[1] in it and "these values" in it]


def costs(table: SendingTable) -> dict[str, Cost]:
    """What each step of a season costs."""
    found = {}
    for name, step, outcome in Season.begun(table).steps():
        with work_for(table) as cost, asked(table) as statements:
            step()
        cost.statements = len(statements)
        found[name] = cost
        assert outcome in newest_outcome(table), name
    return found


def newest_outcome(table: SendingTable) -> str:
    with table.database.engine.connect() as connection:
        query = text("SELECT outcome FROM inbox ORDER BY id DESC LIMIT 1")
        return str(connection.scalar(query))
