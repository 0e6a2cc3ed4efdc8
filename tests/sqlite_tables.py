"""SQLite files that have our tables already, all empty: to migrate takes longer than most tests."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pbm.store.db import Database
from pbm.store.migrate import migrate


@cache
def empty_tables() -> bytes:
    """What such a file holds; made once in a process."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "pbm.sqlite3")
        database = Database(f"sqlite:///{file}")
        migrate(database)
        database.close()
        return file.read_bytes()


def make_tables(url: str) -> None:
    """Make the file that a URL names, unless it is there, or the URL names no file."""
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(empty_tables())
