"""Inbox workers: batches on SQLite, several workers on PostgreSQL, and turns that fail."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import event, func, select, text

from pbm.clock import system_clock
from pbm.commands.turn import Turn
from pbm.mail.address import ServerAddress
from pbm.mail.keys import load_keyring
from pbm.mail.site import Site
from pbm.service.intake.keeping import queued
from pbm.service.running import writer as running_writer
from pbm.service.running.writer import Writer, here
from pbm.service.trouble.failures import GIVEN_UP_FOR
from pbm.service.turns.inbox_worker import MOST_TRIES, InboxWorker, Preparation
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.mails import ArrivedMail, InboxMail
from tests.polling import PATIENCE, together
from tests.torture.games import SECRET, SERVER, Game, Letter, begin_games


@dataclass
class Server:
    """Boards in a database, and their players' mails."""

    url: str
    boards: int
    players: int
    database: Database = field(init=False)
    games: Sequence[Game] = field(init=False)
    site: Site = field(init=False)
    _made: int = 0

    def __post_init__(self) -> None:
        self.database = Database(self.url)
        self.games = begin_games(self.database, self.boards, self.players)
        self.site = Site(ServerAddress(SERVER), load_keyring("nowhere", SECRET), "op@b.example")

    def worker(self) -> "Breaking":
        """A worker as in another process."""
        return Breaking(Database(self.url), self.site, system_clock)

    def letter(self, board: int, ply: int) -> Letter:
        """What plays a ply, from whomever's turn it is then."""
        return self.games[board - 1].letter(ply, self.site.keyring)

    def hand_in(self, *letters: Letter) -> list[int]:
        """Keep mails in the inbox; return their numbers."""
        return [self._keep(it.sender, it.recipient, it.raw) for it in letters]

    def _keep(self, sender: str, recipient: str, raw: bytes) -> int:
        self._made += 1
        now = system_clock()
        to = self.site.address.parse(recipient)
        with self.database.transaction() as work:
            number = work.inbox.keep(
                ArrivedMail(
                    digest=str(self._made),
                    recipient=recipient,
                    sender=sender,
                    peer="",
                    raw=raw,
                    now=now,
                    same_for=now - now,
                    queued=queued(to, sender, raw, from_player=False),
                )
            )
        assert number is not None
        return number

    def plies(self) -> list[int]:
        """How many plies each board has."""
        with self.database.reading() as work:
            return [work.boards.get(game.number).ply for game in self.games]

    def mail(self, number: int) -> InboxMail:
        """A mail as it is kept."""
        with self.database.reading() as work:
            return work.inbox.get(number)

    def waiting(self) -> int:
        """How many mails wait for their turns."""
        with self.database.reading() as work:
            return work.inbox.count("new")

    def deadlocks(self) -> int:
        """How many the database has found, as told by connections that are closed."""
        with self.database.engine.connect() as connection:
            query = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            return int(connection.scalar(text(query)))


class Breaking(InboxWorker):
    """Some mails break their turns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.breaks: dict[int, Callable[[UnitOfWork], str]] = {}
        self.obeyed: list[int] = []

    def _handle(self, turn: Turn, prepared: Preparation) -> str:
        self.obeyed.append(prepared.mail.id)
        outcome = super()._handle(turn, prepared)
        breaks = self.breaks.get(prepared.mail.id)
        return breaks(turn.work) if breaks else outcome


@pytest.fixture
def server(database_url: str) -> Iterator[Server]:
    server = Server(database_url, boards=6, players=12)
    yield server
    server.database.close()


def take(worker: InboxWorker) -> None:
    asyncio.run(worker.take(Writer(worker.database, here), worker.claims.most))


def take_all(server: Server, *workers: InboxWorker) -> None:
    """Let workers take turns until no mail waits any more, all beginning together."""
    begin, end = Barrier(len(workers)), time.monotonic() + PATIENCE

    def run(worker: InboxWorker) -> None:
        begin.wait()
        while server.waiting():
            assert time.monotonic() < end, "not done in time"
            take(worker)
        worker.database.close()

    together(*(partial(run, worker) for worker in workers))


@contextmanager
def commits(worker: InboxWorker) -> Iterator[list[int]]:
    """The commits of a worker, one entry each."""
    counted: list[int] = []
    event.listen(worker.database.engine, "commit", lambda _: counted.append(1))
    yield counted


def test_turns_share_a_transaction_on_sqlite(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(sqlite_url, boards=6, players=12)
    server.hand_in(*(server.letter(game.number, 1) for game in server.games))
    worker = server.worker()
    monkeypatch.setattr(running_writer, "SLICE", PATIENCE)
    with commits(worker) as counted:
        take(worker)
    assert len(counted) == 1
    assert server.plies() == [1] * len(server.games)
    worker.database.close()
    server.database.close()


def planted(_: UnitOfWork) -> str:
    raise ZeroDivisionError("a planted bug")


def unwritable(work: UnitOfWork) -> str:
    work.boards.change(1, game=None)
    return "written with the commit, which fails"


@pytest.mark.parametrize("breaks", [planted, unwritable])
def test_a_mail_that_breaks_its_turn_is_stuck_and_no_other(
    server: Server, breaks: Callable[[UnitOfWork], str]
) -> None:
    numbers = server.hand_in(*(server.letter(game.number, 1) for game in server.games))
    bad = numbers[2]
    worker = server.worker()
    worker.breaks[bad] = breaks
    take_all(server, worker)
    assert server.mail(bad).status == "stuck"
    assert server.mail(bad).tries == MOST_TRIES
    assert worker.obeyed.count(bad) <= 2 * MOST_TRIES  # in its group, and alone
    assert server.plies() == [1, 1, 0, 1, 1, 1]
    good = [number for number in numbers if number != bad]
    assert [server.mail(number).tries for number in good] == [0] * len(good)


@pytest.mark.parametrize("place", [0, 2])
def test_a_turn_that_the_database_gives_up_keeps_no_other(postgres_url: str, place: int) -> None:
    server = Server(postgres_url, boards=6, players=12)
    numbers = server.hand_in(*(server.letter(game.number, 1) for game in server.games))
    worker = server.worker()
    worker.breaks[numbers[place]] = too_slow
    event.listen(worker.database.engine, "connect", _in_a_hurry)
    for _ in numbers:
        take(worker)
    played = [1] * len(numbers)
    played[place] = 0
    assert server.plies() == played
    waiting = server.mail(numbers[place])
    assert (waiting.status, waiting.tries) == ("new", 0)
    worker.breaks.clear()
    worker.clock = lambda: system_clock() + GIVEN_UP_FOR
    take_all(server, worker)
    assert server.plies() == [1] * len(numbers)
    server.database.close()


def too_slow(work: UnitOfWork) -> str:
    work.execute(select(func.pg_sleep(PATIENCE)))
    return "never"


def _in_a_hurry(held: Any, _: object) -> None:
    held.execute("SET statement_timeout = '300ms'")


def said(letter: Letter, words: str) -> Letter:
    """The same mail with other words in the place of its move."""
    head, _, body = letter.raw.partition(b"\r\n\r\n")
    rest = body.partition(b"\r\n")[2]
    return replace(letter, raw=b"\r\n".join((head, b"", words.encode(), rest)))


def test_several_workers_obey_each_mail_once_and_in_order(postgres_url: str) -> None:
    """A wrong order, or a mail left out, makes a move that is not its player's turn."""
    server = Server(postgres_url, boards=24, players=8)
    plies = 4
    for ply in range(1, plies + 1):
        server.hand_in(*(server.letter(game.number, ply) for game in server.games))
    take_all(server, *(server.worker() for _ in range(3)))
    assert server.plies() == [plies] * len(server.games)
    assert server.deadlocks() == 0
    server.database.close()


@pytest.mark.parametrize(
    "times", [5, pytest.param(250, marks=pytest.mark.thorough)], ids=["few", "many"]
)
def test_moves_and_words_on_the_same_boards_in_opposite_order(
    postgres_url: str, times: int
) -> None:
    """On each of four boards one player moves, in order, while the other speaks, in reverse."""
    server = Server(postgres_url, boards=4, players=4)
    for ply in range(1, times + 1):
        moves = [server.letter(game.number, ply) for game in server.games]
        words = [said(server.letter(game.number, ply + 1), f"Word {ply}") for game in server.games]
        server.hand_in(*moves, *reversed(words))
        take_all(server, server.worker(), server.worker())
    assert server.plies() == [times] * len(server.games)
    with server.database.engine.connect() as connection:
        query = text(
            "SELECT count(*), count(*) FILTER (WHERE status = 'done'), sum(tries),"
            " count(*) FILTER (WHERE outcome LIKE '%: move') FROM inbox"
        )
        assert tuple(connection.execute(query).one()) == (8 * times, 8 * times, 0, 4 * times)
    assert server.deadlocks() == 0
    server.database.close()
