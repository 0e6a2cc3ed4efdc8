"""Which database URLs are refused at once."""

import pytest

from pbm.errors import OperatorError
from pbm.store.db import Database


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    with pytest.raises(OperatorError, match="must name a file"):
        Database(url)
