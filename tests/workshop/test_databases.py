"""The databases that the other tests ask for."""

from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, inspect, text

from tests import postgres_server


def test_database_is_empty_and_takes_a_table(database_url: str) -> None:
    engine = create_engine(database_url)
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
