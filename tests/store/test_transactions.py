"""One transaction a mail, one savepoint a command: on both databases the same."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from pbm.play.boards import add_move
from pbm.rules import abalone as rules
from pbm.store.db import Database, UnitOfWork
from pbm.store.schema import metadata
from pbm.store.sql.driver import is_away
from pbm.store.values.boards import Board
from pbm.store.values.mails import ArrivedMail, Kind, NewMail

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Undo(Exception):  # noqa: N818 - it only undoes
    """Nothing is wrong."""


@contextmanager
def undone(work: UnitOfWork) -> Iterator[None]:
    """A savepoint that is undone at its end."""
    with suppress(Undo), work.savepoint():
        yield
        raise Undo


def handles(database: Database) -> list[str]:
    with database.reading() as work:
        return [player.handle for player in work.players.all()]


def start(work: UnitOfWork) -> Board:
    alice = work.players.add("alice", "alice@example.org", NOW)
    bob = work.players.add("bob", "bob@example.org", NOW)
    start = rules.GAME.start(2, {"layout": "standard"})
    chosen = {"layout": "standard"}
    return work.boards.add("abalone", chosen, start, [alice.id, bob.id], "Board {number}", NOW)


def test_a_savepoint_that_comes_first_is_undone_alone(database: Database) -> None:
    with database.transaction() as work:
        with undone(work):
            work.players.add("alice", "alice@example.org", NOW)
        work.players.add("bob", "bob@example.org", NOW)
    assert handles(database) == ["bob"]


def test_a_transaction_takes_its_savepoints_along(database: Database) -> None:
    with suppress(Undo), database.transaction() as work:
        with work.savepoint():
            work.players.add("alice", "alice@example.org", NOW)
        raise Undo
    assert handles(database) == []


def test_savepoints_within_savepoints(database: Database) -> None:
    with database.transaction() as work, work.savepoint():
        work.players.add("alice", "alice@example.org", NOW)
        with undone(work):
            work.players.add("bob", "bob@example.org", NOW)
            with work.savepoint():
                work.players.add("carol", "carol@example.org", NOW)
    assert handles(database) == ["alice"]


def test_a_failed_statement_spoils_only_its_savepoint(database: Database) -> None:
    with database.transaction() as work:
        work.players.add("alice", "alice@example.org", NOW)
        with pytest.raises(IntegrityError), work.savepoint():
            work.players.add("alice", "other@example.org", NOW)
        work.players.add("bob", "bob@example.org", NOW)
    assert handles(database) == ["alice", "bob"]


def test_an_error_names_no_values(database: Database) -> None:
    with database.transaction() as work:
        work.players.add("alice", "secret@example.org", NOW)
    with pytest.raises(IntegrityError) as caught, database.transaction() as work:
        work.players.add("alice", "secret@example.org", NOW)
    assert "secret@example.org" not in str(caught.value)


def test_who_is_at_fault(database: Database) -> None:
    with database.engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("SELECT nothing FROM nowhere"))
    assert not is_away(caught.value)
    elsewhere = Database("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(OperationalError) as away, elsewhere.reading():
        pass
    assert is_away(away.value)


# -- constraints -------------------------------------------------------------------------------


def test_a_ply_is_played_once(database: Database) -> None:
    with database.transaction() as work:
        board = start(work)
    first, second = board.position.legal_moves()[:2]
    with database.transaction() as work:
        add_move(work, board, str(first), NOW)
    # Another writer who had read the board before:
    with pytest.raises(IntegrityError), database.transaction() as work:
        add_move(work, board, str(second), NOW)
    with database.reading() as work:
        assert [ply.text for ply in work.plies.of(1)] == [str(first)]


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("addresses", {"address_key": "bob@example.org"}),
        ("players", {"handle": "bob"}),
        ("seats", {"board_id": 1, "seat": 2}),
        ("outbox", {"message_id": "<2@x>"}),
        ("questions", {"token_digest": "two"}),
        ("inbox", {"digest": "two", "recipient": "r"}),
    ],
)
def test_what_is_there_once_only(table: str, values: dict[str, str], database: Database) -> None:
    fill(database)
    first = metadata.tables[table].primary_key.columns.values()[-1]
    with pytest.raises(IntegrityError), database.engine.begin() as connection:
        connection.execute(metadata.tables[table].update().where(first == 1).values(**values))


def fill(database: Database) -> None:
    with database.transaction() as work:
        board = start(work)
        for name in ("one", "two"):
            work.inbox.keep(
                ArrivedMail(
                    digest=name,
                    recipient="r",
                    sender="s",
                    peer="",
                    raw=b"",
                    now=NOW,
                    same_for=NOW - NOW,
                )
            )
            work.questions.ask("signup", f"{name}@example.org", name, {}, NOW, NOW)
        work.outbox.add(*(new_mail(f"<{number}@x>", board.id) for number in (1, 2)))


def new_mail(message_id: str, board_id: int) -> NewMail:
    return NewMail(
        kind=Kind.BOARD,
        recipient="bob@example.org",
        template="board",
        params={},
        headers={},
        message_id=message_id,
        sender="",
        written_at=NOW,
        player_id=None,
        board_id=board_id,
        inbox_id=None,
    )


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("addresses", {"player_id": 99}),
        ("boards", {"to_move_id": 99}),
        ("seats", {"player_id": 99}),
        ("outbox", {"board_id": 99}),
    ],
)
def test_what_is_referred_to_is_there(
    table: str, values: dict[str, int], database: Database
) -> None:
    fill(database)
    with pytest.raises(IntegrityError), database.engine.begin() as connection:
        connection.execute(metadata.tables[table].update().values(**values))


def test_moments_are_aware_and_come_back_as_utc(database: Database) -> None:
    with pytest.raises(Exception, match="aware"), database.transaction() as work:
        work.players.add("alice", "alice@example.org", NOW.replace(tzinfo=None))
    with database.transaction() as work:
        work.players.add("alice", "alice@example.org", NOW)
    with database.reading() as work:
        (player,) = work.players.all()
    assert player.joined_at == NOW
    assert player.joined_at.tzinfo is UTC


def test_numbers_are_not_given_again(database: Database) -> None:
    with database.transaction() as work:
        first = work.players.add("alice", "alice@example.org", NOW)
        work.players.set_addresses(first.id, (), NOW)
    with database.engine.begin() as connection:
        connection.execute(metadata.tables["players"].delete())
    with database.transaction() as work:
        assert work.players.add("bob", "bob@example.org", NOW).id > first.id


def test_what_a_savepoint_may_undo_is_in_no_file(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    mail = {"recipient": "r", "sender": "s", "peer": "p", "raw": b"x" * 4000}
    with database.transaction() as work:
        for number in range(200):
            arrived = ArrivedMail(**mail, digest=str(number), now=NOW, same_for=NOW - NOW)
            work.inbox.keep(arrived)
        with work.savepoint():
            work.inbox.finish([(number, "done") for number in range(1, 201)], NOW)
            work.flush()
            opened = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    database.close()
    assert any(name.startswith(str(database.engine.url.database)) for name in opened)
    assert not [name for name in opened if "etilqs" in name]


def test_a_new_connection_writes_nothing_and_waits_for_no_writer(sqlite_url: str) -> None:
    first, second = Database(sqlite_url), Database(sqlite_url)
    with first.transaction() as work:
        work.players.add("alice", "alice@example.org", NOW)
        work.flush()
        assert handles(second) == []
    assert handles(second) == ["alice"]
    first.close()
    second.close()
