"""A database without rows, and a server on one."""

from collections.abc import Iterator

import pytest

from pbm.store.db import Database
from tests.table import Table


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database with the schema."""
    database = Database(database_url)
    yield database
    database.close()


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
