"""Tables on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.table import Table


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A server of this test's own."""
    table = Table(database_url)
    yield table
    table.close()


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Table]:
    """A table whose database others use, too."""
    table = Table(postgres_url)
    yield table
    table.close()


@pytest.fixture
def embedded(sqlite_url: str) -> Iterator[Table]:
    """A table whose database nobody else uses."""
    table = Table(sqlite_url)
    yield table
    table.close()
