"""Each step of the schema keeps what was there, and together they make the tables we use."""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import text

from pbm.resources import resource_path
from pbm.store.db import Database
from pbm.store.migrate import current_version, migrate, newest_version
from pbm.store.schema import metadata

ROWS = "......./......./......"  # stands for any position; migrations read the end of the line


def _moved(database: Database, target: str, *, down: bool = False) -> None:
    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if down else command.upgrade)(config, target)


def test_the_steps_make_the_tables_of_the_schema(database_url: str) -> None:
    database = Database(database_url)
    migrate(database)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


def test_down_and_up_again(database_url: str) -> None:
    database = Database(database_url)
    migrate(database)
    _moved(database, "base", down=True)
    assert current_version(database) is None
    migrate(database)
    assert current_version(database) == newest_version()
    database.close()


def test_results_are_read_from_the_state_lines(database_url: str) -> None:
    """0002: who had won by then stood in the state line alone."""
    database = Database(database_url)
    _moved(database, "0001")
    kept = [
        ("playing", f"{ROWS} 1 0,0 quiet=7", None),
        ("finished", f"{ROWS} - 6,0 won=1", (1,)),
        ("finished", f"{ROWS} - 0,0 out=2;quiet=7;won=1", (1,)),
        ("finished", f"{ROWS} - 0,0,0,0 won=1+3", (1, 3)),
        ("finished", f"{ROWS} - 0,0 quiet=9;draw", ()),
        ("closed", f"{ROWS} 1 0,0 -", None),
    ]
    with database.engine.begin() as connection:
        for number, (status, state, _) in enumerate(kept, start=1):
            connection.execute(
                text(
                    "INSERT INTO boards (id, layout, rules_version, subject, start_state, state,"
                    " ply, status, started_at, changed_at) VALUES (:id, 'standard', 1, 's',"
                    " :state, :state, 0, :status, :now, :now)"
                ),
                {"id": number, "state": state, "status": status, "now": "2026-11-21 12:00:00"},
            )
    migrate(database)
    with database.reading() as work:
        found = [(board.status, board.winners) for board in map(work.boards.get, range(1, 7))]
    assert found == [(status, winners) for status, _, winners in kept]
    database.close()
