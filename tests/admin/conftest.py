"""A server with two players and a board, and the operator beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import text

from pbm.config import Settings
from pbm.mail.keys import load_keyring
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from pbm.store.repositories.server_state import Heartbeats
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.queues import Change
from tests.e2e.ports import free_port
from tests.serving import take_next
from tests.table import Person, Table


@dataclass
class Room:
    """The operator's office, and the players around the table."""

    table: Table
    office: OperatorSession
    alice: Person
    bob: Person

    def board(self, number: int = 1) -> Board:
        """A board as it is stored now."""
        with self.table.database.reading() as work:
            return work.boards.get(number)

    def player(self, handle: str) -> Player:
        """A player as stored now."""
        with self.table.database.reading() as work:
            found = work.players.by_handle(handle)
        assert found is not None
        return found

    def journal(self, *, board: int | None = None, handle: str | None = None) -> list[Change]:
        """The journal of a board, or of a player."""
        with self.table.database.reading() as work:
            if board is not None:
                return list(work.changes.about(board_id=board))
            return list(work.changes.about(player_id=self.player(handle or "").id))

    def is_sound(self) -> bool:
        """Whether every board replays to what is stored."""
        wrong = [verdict for verdict in verify(self.office) if verdict.problems]
        assert not wrong, wrong
        return True

    def some_move(self, number: int = 1) -> str:
        """A legal move on a board."""
        return str(self.board(number).position.legal_moves()[0])

    def tampers(self, statement: str) -> None:
        """Change the database behind the server's back."""
        with self.table.database.engine.begin() as connection:
            connection.execute(text(statement))

    def posts(self) -> None:
        """Send what waits."""
        self.table.posts()

    def plays_what_waits(self) -> None:
        """Play what was put aside, as the operator had its board in hand."""
        while take_next(self.table.turns):
            pass

    def everybody_forgets(self, *more: Person) -> None:
        """Take all mails so far as read."""
        for person in (self.alice, self.bob, *more):
            person.forgets()


@pytest.fixture(autouse=True)
def the_databases_clock_is_ours() -> Iterator[None]:
    """Time passes for these tests as they say, and for the database as for them."""
    with pytest.MonkeyPatch.context() as patched:  # another than the one that tests ask for
        patched.setattr(Heartbeats, "clock_ahead", lambda *_: None)
        yield


@pytest.fixture
def room(database_url: str) -> Iterator[Room]:
    """alice and bob play on board 1; alice has moved once."""
    table = Table(database_url)
    alice, bob = table.start("alice", "bob")
    table.opens("alice: a1-c3,d4", lambda: alice.says("a1-c3,d4"))
    office = OperatorSession(table.database, table.site, table.clock, "root")
    made = Room(table, office, alice, bob)
    made.everybody_forgets()
    yield made
    table.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The server's folder, which is the present one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def settings(database_url: str, folder: Path) -> Settings:  # noqa: ARG001 - it is moved into
    """Settings of a server that has run before, and does not run now."""
    made = Settings(
        database_url=database_url,
        address="pbm@games.example",
        operator="op@games.example",
        listen=f"127.0.0.1:{free_port()}",
    )
    load_keyring(made.key_file)
    return made
