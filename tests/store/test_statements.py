"""What a turn asks of the database: locks where something changes, and no more statements."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from tests.table import Person, Table

MOVE = "a1-c3,d4"


@contextmanager
def counted(table: Table) -> Iterator[list[str]]:
    """The statements issued inside, savepoints among them."""
    statements: list[str] = []
    engine = table.database.engine

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(" ".join(statement.split()))

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def turn(table: Table, person: Person, said: str) -> list[str]:
    """The statements of the one turn that obeys an answer to the newest mail."""
    mail = person.newest
    thread = {"In-Reply-To": mail["Message-ID"]}
    raw = person.mail_bytes(f"Re: {mail['Subject']}", said, to=mail.reply_to, headers=thread)
    table.hand_in(person.address, mail.reply_to, raw)
    with counted(table) as statements:
        assert table.turns.take_next()
    table.posts()
    return statements


def board_reads(statements: list[str]) -> list[bool]:
    """Whether each reading of a board locks it."""
    return ["FOR UPDATE" in item for item in statements if " FROM boards WHERE boards.id" in item]


def test_whoever_changes_or_tells_a_board_locks_it(postgres_url: str) -> None:
    table = Table(postgres_url)
    alice, _ = table.start("alice", "bob")
    assert board_reads(turn(table, alice, MOVE)).count(True) == len(["move", "mails"])
    table.database.close()


def test_whoever_looks_locks_nothing(postgres_url: str) -> None:
    table = Table(postgres_url)
    alice, _ = table.start("alice", "bob")
    reads = board_reads(turn(table, alice, "show 1"))
    assert reads
    assert not any(reads)
    table.database.close()
