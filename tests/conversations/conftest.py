"""A table for each conversation, on SQLite and on PostgreSQL, checked when it is left."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy.pool import QueuePool

from pbm import passwords
from tests.conversations.checks import HARMLESS, check_boards, check_mails
from tests.conversations.quick_passwords import QUICK
from tests.sqlite_tables import make_tables
from tests.table import Table

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of all conversations lie: each would take long to make a folder for."""
    return tmp_path_factory.mktemp("conversations")


@pytest.fixture(scope="session", autouse=True)
def harmless(run_folder: Path) -> None:
    """What one process of the run has found harmless none of them checks again."""
    HARMLESS.folder = run_folder / "harmless"
    HARMLESS.folder.mkdir(exist_ok=True)


@pytest.fixture
def sqlite_url(folder: Path) -> Iterator[str]:
    """As everywhere: the URL of a SQLite file that only this test has."""
    file = folder / f"{next(_NUMBERS)}.sqlite3"
    url = f"sqlite:///{file}"
    make_tables(url)
    yield url
    for end in ("", "-wal", "-shm"):
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A server of this conversation's own; what holds for every mail is checked at the end."""
    table = Table(database_url)
    with pytest.MonkeyPatch.context() as patched:  # another than the one that tests ask for
        for name in ("hash_password", "check_password"):
            patched.setattr(passwords, name, _outside_transactions(table, name))
        patched.setattr(passwords, "_hasher", lambda: QUICK)
        yield table
    for mail in (mail for box in table.mailboxes.values() for mail in box):
        check_mails(mail)
    check_boards(table)
    table.close()


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were really hashed and compared."""
    done: list[str] = []
    check = passwords.check_password

    def counting(kept: passwords.PasswordHash, password: str) -> bool:
        done.append(password)
        return check(kept, password)

    monkeypatch.setattr(passwords, "check_password", counting)
    return done


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were really hashed, to be kept."""
    done: list[str] = []
    make = passwords.hash_password

    def counting(password: str) -> passwords.PasswordHash:
        done.append(password)
        return make(password)

    monkeypatch.setattr(passwords, "hash_password", counting)
    return done


def _outside_transactions(table: Table, name: str) -> Callable[..., object]:
    """What hashes, and fails while a transaction is open: it would hold up everybody else."""
    original = getattr(passwords, name)

    def checked(*args: object) -> object:
        pool = table.database.engine.pool
        assert isinstance(pool, QueuePool)
        assert pool.checkedout() == 0, f"{name} in a transaction"
        return original(*args)

    return checked
