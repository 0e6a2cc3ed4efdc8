"""Each step of the schema keeps what was there, and together they make the tables we use."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from pbm.resources import resource_path
from pbm.store.db import Database
from pbm.store.migrate import current_version, migrate, newest_version
from pbm.store.schema import metadata


def _moved(database: Database, target: str, *, down: bool = False) -> None:
    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if down else command.upgrade)(config, target)


# SQLite's expression indexes cannot be read back; PostgreSQL's are compared.
@pytest.mark.filterwarnings("ignore:.*expression-based index.*")
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
