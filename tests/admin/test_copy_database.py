"""`pbm-admin copy-database`: from SQLite to PostgreSQL and back, all or nothing."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.play.ratings import STALE
from pbm.service.operator.moving import copy_database
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.progress import watched_by
from pbm.service.operator.verify import verify
from pbm.service.running.heartbeat import Heart
from pbm.store.db import Database
from pbm.store.id_sequences import highest_given, set_highest
from pbm.store.migrate import current_version, migrate
from pbm.store.processes.locks import acquire_server_lock
from pbm.store.schema import metadata
from tests.admin.checking import beats
from tests.admin.conftest import Room
from tests.store.test_personal_data import insert_row
from tests.table import START

LONG_AGO = START - timedelta(days=1)
NUMBERED = ("boards", "players", "outbox", "questions")
Copy = Callable[[str, str], dict[str, int]]


@pytest.fixture
def copy(room: Room, folder: Path) -> Copy:
    settings = Settings(address="pbm@games.example")
    assert folder
    return lambda of, to: copy_database(settings, of, to, room.table.clock)


def url_of(database: Database) -> str:
    return database.engine.url.render_as_string(hide_password=False)


def values(database: Database) -> dict[str, list[Any]]:
    with database.engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for table in metadata.sorted_tables
        }


def stored(database: Database) -> dict[str, set[str]]:
    """What is in the file, before it is made values of."""
    with database.engine.connect() as connection:
        rows = {name: connection.execute(text(f"SELECT * FROM {name}")) for name in metadata.tables}
        return {name: set(map(repr, found)) for name, found in rows.items()}


def test_there_and_back_each_table_is_the_same(
    room: Room, bare_postgres_url: str, tmp_path: Path, copy: Copy
) -> None:
    room.bob.says("resign").says("yes")
    first, third = room.table.database, f"sqlite:///{tmp_path}/back/pbm.sqlite3"
    with first.transaction() as work:
        work.facts.note(STALE, 0, START)  # the ratings below are about no game that was played
    with first.engine.begin() as connection:
        for table in metadata.sorted_tables:
            if connection.execute(select(table).limit(1)).first() is None:
                insert_row(connection, table, {"beat_at": LONG_AGO} if "beat_at" in table.c else {})
        set_highest(connection, {"boards": 77})  # boards that are gone
    told: list[tuple[str, int, int | None]] = []
    with watched_by(lambda *progress: told.append(progress)):
        copied = copy(url_of(first), bare_postgres_url)
    assert copied == {name: len(rows) for name, rows in values(first).items()}
    assert all(copied.values())
    assert {("verifying the source", 1, 1), ("verifying the copy", 1, 1)} < set(told)
    copy(bare_postgres_url, third)
    with closing(Database(bare_postgres_url)) as second, closing(Database(third)) as last:
        assert values(first) == values(second) == values(last)
        assert not first.embedded or stored(first) == stored(last)
        given = highest_given(first, NUMBERED)
        assert given["boards"] == 77
        assert given == highest_given(second, NUMBERED) == highest_given(last, NUMBERED)
        for database in (second, last):
            office = OperatorSession(database, room.table.site, room.table.clock, "root")
            assert not any(verdict.problems for verdict in verify(office))


class TestNothingIsCopied:
    def test_where_a_server_lives(self, room: Room, bare_postgres_url: str, copy: Copy) -> None:
        source = url_of(room.table.database)
        with closing(Database(bare_postgres_url)) as database:
            migrate(database)
        heart = Heart(room.table.clock, ["turn"])
        beats(Settings(database_url=bare_postgres_url), heart)
        with pytest.raises(OperatorError, match=r"is used by process .* Stop all processes"):
            copy(source, bare_postgres_url)
        room.table.clock.passes(minutes=2)
        if lock := acquire_server_lock(room.table.database):
            with pytest.raises(OperatorError, match="Another pbm serve"):
                copy(source, bare_postgres_url)
            lock.close()
        assert copy(source, bare_postgres_url)["boards"] == 1

    def test_where_something_is_wrong(self, room: Room, tmp_path: Path, copy: Copy) -> None:
        source = url_of(room.table.database)
        target = f"sqlite:///{tmp_path}/target.sqlite3"
        with pytest.raises(OperatorError, match="name the same database"):
            copy(source, source)
        with pytest.raises(OperatorError, match="There is no database at"):
            copy(f"sqlite:///{tmp_path}/none.sqlite3", target)
        room.tampers("UPDATE boards SET ply = 7")
        with pytest.raises(OperatorError, match=r"Board 1: it counts 7 plies.* Nothing was copied"):
            copy(source, target)
        room.tampers("UPDATE boards SET ply = 1")
        with closing(Database(target)) as database:
            with database.engine.begin() as connection:
                connection.execute(
                    text("CREATE TRIGGER lost AFTER INSERT ON moves BEGIN DELETE FROM moves; END")
                )
            with pytest.raises(
                OperatorError, match=r"moves has 1 rows, and 0 of them arrived.* is of no use"
            ):
                copy(source, target)
            assert not any(values(database).values())
            with database.engine.begin() as connection:
                connection.execute(text("DROP TRIGGER lost"))
        copy(source, target)
        with closing(Database(target)) as database:
            with database.engine.begin() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = '0047'"))
            with pytest.raises(OperatorError, match="holds data already"):
                copy(source, target)
            assert current_version(database) == "0047"  # its tables are left alone
