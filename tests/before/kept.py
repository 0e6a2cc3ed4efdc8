"""A database as it is kept in the repository, and the mails that its players have.

A folder is named after its version of the tables. `rows.jsonl.gz` holds every row as SQLite has
it: for each table a line of JSON with its name and columns, then a line for each row.
`mails.tar.xz` holds what the players have in their mailboxes, and `waiting.txt` the words of the
mails that wait in the outbox. `keys` signed their reply addresses.
"""

import gzip
import json
import tarfile
import warnings
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Boolean, Connection, DateTime, LargeBinary, MetaData, Table, text
from sqlalchemy.exc import SAWarning

from pbm.mail.keys import Keyring, parse_keys
from pbm.resources import resource_path
from pbm.store.db import Database
from tests.table import Mail

_NOT_OURS = {"alembic_version", "sqlite_sequence"}


@dataclass(frozen=True)
class Kept:
    """One such folder."""

    folder: Path

    @property
    def version(self) -> str:
        """The version of its tables."""
        return self.folder.name

    @property
    def keyring(self) -> Keyring:
        """The keys that sign its reply addresses."""
        return Keyring(parse_keys((self.folder / "keys").read_text("ascii"), "the fixture"))

    @property
    def about(self) -> dict[str, Any]:
        """When the season ended, and the numbers of boards by what is special about them."""
        found: dict[str, Any] = json.loads((self.folder / "about.json").read_text("utf-8"))
        return found

    @property
    def waiting(self) -> str:
        """What the mails in the outbox say, as `said` puts it."""
        return (self.folder / "waiting.txt").read_text("utf-8")

    def keep_waiting(self, mails: Iterable[Mail]) -> None:
        """Write down what mails say."""
        (self.folder / "waiting.txt").write_text(said(mails), "utf-8", newline="\n")

    def keep_about(self, ended_at: datetime, boards: Mapping[str, int]) -> None:
        """Write down when the season ended, and which board is which."""
        about = {"ended_at": ended_at.isoformat(), "boards": boards}
        text = json.dumps(about, indent=1)
        (self.folder / "about.json").write_text(f"{text}\n", "utf-8")

    def mails(self) -> dict[str, Mail]:
        """The mails of players, by their names: `boards/12/bob`, `questions/new address`."""
        found = {}
        with tarfile.open(self.folder / "mails.tar.xz") as archive:
            for entry in archive:
                file = archive.extractfile(entry)
                assert file is not None
                raw = file.read()
                found[entry.name.removesuffix(".eml")] = Mail(raw, "")
        return found

    def keep_mails(self, mails: Mapping[str, Mail]) -> None:
        """Write mails down."""
        with tarfile.open(self.folder / "mails.tar.xz", "w:xz") as archive:
            for name, mail in sorted(mails.items()):
                entry = tarfile.TarInfo(f"{name}.eml")
                entry.size = len(mail.raw)
                archive.addfile(entry, BytesIO(mail.raw))

    def keep_rows(self, database: Database) -> None:
        """Write all rows of a SQLite database down."""
        with database.engine.connect() as connection:
            lines = "".join(f"{json.dumps(row)}\n" for row in _rows(connection))
        (self.folder / "rows.jsonl.gz").write_bytes(gzip.compress(lines.encode(), 9, mtime=0))

    def fill(self, database: Database) -> None:
        """Put the tables of that version and all rows into an empty database."""
        lines = gzip.decompress((self.folder / "rows.jsonl.gz").read_bytes()).decode()
        config = Config()
        config.set_main_option("script_location", str(resource_path("migrations")))
        with database.engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, self.version)
            tables = _tables(connection)
            for name, columns, rows in _by_table(map(json.loads, lines.splitlines())):
                _insert(connection, tables.tables[name], columns, rows)


def said(mails: Iterable[Mail]) -> str:
    """The words of mails as one text, to be compared."""
    heads = ("To", "Subject", "Message-ID", "In-Reply-To")
    return "".join(
        "\n".join(["=" * 76, *(f"{head}: {mail[head]}" for head in heads), "", mail.text, ""])
        for mail in sorted(mails, key=lambda mail: mail["Message-ID"])
    )


def _tables(connection: Connection) -> MetaData:
    tables = MetaData()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # of indexes, which nobody needs here
        tables.reflect(connection)
    return tables


def _rows(connection: Connection) -> Iterator[dict[str, Any] | list[Any]]:
    """The lines of the file, in an order in which they can be inserted."""
    for table in _tables(connection).sorted_tables:
        if table.name not in _NOT_OURS:
            columns = [column.name for column in table.columns]
            yield {"table": table.name, "columns": columns}
            key = ", ".join(column.name for column in table.primary_key)
            asked = text(f"SELECT {', '.join(columns)} FROM {table.name} ORDER BY {key}")
            for row in connection.execute(asked):
                yield [_plain(value) for value in row]


def _by_table(lines: Iterable[Any]) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Each table with its columns and rows."""
    found: list[tuple[str, list[str], list[list[Any]]]] = []
    for line in lines:
        if isinstance(line, dict):
            found.append((line["table"], line["columns"], []))
        else:
            found[-1][2].append(line)
    return (table for table in found if table[2])


def _plain(value: Any) -> Any:
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _insert(
    connection: Connection, table: Table, columns: list[str], rows: Iterable[list[Any]]
) -> None:
    """Insert rows as they are, past what SQLAlchemy would make of them."""
    is_sqlite = connection.dialect.name == "sqlite"
    kinds = [table.columns[name].type for name in columns]
    places = ", ".join(["?" if is_sqlite else "%s"] * len(columns))
    written = [
        tuple(_stored(*pair, is_sqlite=is_sqlite) for pair in zip(row, kinds, strict=True))
        for row in rows
    ]
    into = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({places})"
    connection.exec_driver_sql(into, written)
    if not is_sqlite and "id" in columns:
        numbers = f"pg_get_serial_sequence('{table.name}', 'id')"
        connection.execute(text(f"SELECT setval({numbers}, max(id)) FROM {table.name}"))


def _stored(value: Any, kind: Any, *, is_sqlite: bool) -> Any:
    """A value as the database takes it; the fixture has it as SQLite gives it."""
    if value is None:
        return None
    if isinstance(kind, LargeBinary):
        return b64decode(value)
    if is_sqlite:
        return value
    if isinstance(kind, Boolean):
        return bool(value)
    return f"{value}+00:00" if isinstance(kind, DateTime) else value
