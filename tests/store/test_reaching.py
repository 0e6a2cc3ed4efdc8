"""What the operator is told of a PostgreSQL that cannot be used, and whether it is waited for."""

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from pbm.store.connecting import comes_back, why_unusable
from pbm.store.db import Database
from tests.e2e.ports import free_port


@pytest.mark.parametrize(
    ("changed", "words", "is_waited_for"),
    [
        ({"database": "nix"}, "Make that database: createdb --owner=ROLE", False),
        ({"username": "nobodys"}, "Make that role: createuser --pwprompt ROLE", False),
        ({"host": "127.0.0.1"}, "Does PostgreSQL run, and is it where", True),
        ({"username": "guest"}, "All tables must belong to the role in PBM_DATABASE_URL.", False),
    ],
)
def test_what_is_told(
    postgres_url: str, changed: dict[str, str], words: str, *, is_waited_for: bool
) -> None:
    url = make_url(postgres_url)
    owner = Database(postgres_url)
    with owner.engine.begin() as connection:
        connection.execute(text("DROP ROLE IF EXISTS guest"))
        connection.execute(text("CREATE ROLE guest LOGIN"))
    owner.close()
    if "host" in changed:
        url = url.set(query={}, port=free_port())
    database = Database(url.set(**changed).render_as_string(hide_password=False))
    with pytest.raises(DBAPIError) as raised, database.reading() as work:
        work.facts.find("keys")
    assert words in why_unusable(raised.value)
    assert comes_back(database, raised.value) == is_waited_for
    database.close()
