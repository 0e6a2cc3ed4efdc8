"""A table on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.table import Table


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A server of this test's own."""
    table = Table(database_url)
    yield table
    table.close()
