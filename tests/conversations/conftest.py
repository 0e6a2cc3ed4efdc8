"""A table for each conversation, on SQLite and on PostgreSQL, checked when it is left."""

from collections.abc import Iterator

import pytest

from tests.conversations.checks import check_boards, check_mails
from tests.table import Table


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A server of this conversation's own; what holds for every mail is checked at the end."""
    table = Table(database_url)
    yield table
    for mail in (mail for box in table.mailboxes.values() for mail in box):
        check_mails(mail)
    check_boards(table)
    table.close()
