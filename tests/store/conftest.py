"""A database without rows."""

from collections.abc import Iterator

import pytest

from pbm.store.db import Database


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database with the schema."""
    database = Database(database_url)
    yield database
    database.close()
