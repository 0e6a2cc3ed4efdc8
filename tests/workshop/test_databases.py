"""The databases that the other tests ask for."""

from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, inspect, text

from tests import postgres_server
from tests.postgres_tables import PostgresTables
from tests.table import Table


def test_database_is_empty_and_takes_a_table(bare_database_url: str) -> None:
    engine = create_engine(bare_database_url)
    assert inspect(engine).get_table_names() == []
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE left_behind (n INTEGER)"))
    assert inspect(engine).get_table_names() == ["left_behind"]
    engine.dispose()


def test_each_database_is_its_own(postgres_server: postgres_server.PostgresServer) -> None:
    with postgres_server.new_database() as first, postgres_server.new_database() as second:
        assert first != second
        engines = create_engine(first), create_engine(second)
        with engines[0].begin() as connection:
            connection.execute(text("CREATE TABLE left_behind (n INTEGER)"))
        assert inspect(engines[1]).get_table_names() == []
        for engine in engines:
            engine.dispose()


def test_a_database_goes_even_with_a_connection_open(
    postgres_server: postgres_server.PostgresServer,
) -> None:
    with postgres_server.new_database() as url:
        connection = create_engine(url).connect()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(url.replace("+psycopg", ""))
    connection.invalidate()
    connection.close()


def test_what_a_test_leaves_behind_is_not_found_by_the_next(
    postgres_tables: PostgresTables,
) -> None:
    with postgres_tables.lent() as url:
        before = _everything(url)
        left = Table(url)  # whose connections stay open
        left.start("alice", "bob")
    with postgres_tables.lent() as again:
        assert again == url
        assert _everything(url) == before
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute("ALTER TABLE boards ADD COLUMN more integer")
    with postgres_tables.lent() as another:
        assert another != url
        assert _everything(another) == before
    left.database.close()


def test_missing_postgres_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(postgres_server.MissingPostgresError, match="make deps"):
        postgres_server.find_programs(tmp_path)


def test_the_newest_postgres_is_taken(tmp_path: Path) -> None:
    for version in ("9.6", "15", "16", "notes"):
        (tmp_path / version / "bin").mkdir(parents=True)
    for version in ("9.6", "15"):
        (tmp_path / version / "bin" / "initdb").touch()
    assert postgres_server.find_programs(tmp_path) == tmp_path / "15" / "bin"


def _everything(url: str) -> list[object]:
    """All rows and the next numbers, which the tables' own sequences give."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        names = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        found: list[object] = []
        for kind in "rS":
            for (name,) in connection.execute(names + "AND relkind = %s ORDER BY 1", [kind]):
                found += [name, *connection.execute(f'SELECT * FROM "{name}"')]
        return found
