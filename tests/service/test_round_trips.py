"""How often PostgreSQL is asked, as the protocol itself shows it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.mail.tags import load_keyring
from pbm.service.intake.arriving import queued
from pbm.service.intake.receive import Intake, Named
from pbm.service.running.steps import at_once
from pbm.service.turns.turn import Turns
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.mails import ArrivedMail
from tests.torture.games import SECRET, SERVER, Letter, begin_games

TOGETHER = 16
OF_A_GROUP = 4  # to claim, to read ahead, to write, and to commit
OF_ONE_ALONE = 5  # as its own fault is to be told from one of the end
TO_KEEP = 3  # to look, to write, and to commit
OF_ALL_KEPT = 7  # statements: beginning, two of rates, copies, rates again, what mails hold, end
_ANSWERED = re.compile(r"^B\s\d+\sReadyForQuery", re.MULTILINE)  # and nothing is left to answer
_WITHOUT_TIMES = 1  # PQTRACE_SUPPRESS_TIMESTAMPS


@contextmanager
def traced(database: Database, file: Path) -> Iterator[UnitOfWork]:
    """A transaction; all that goes over its connection until it is over is written into a file."""
    lent: list[Any] = []

    def note(held: object, *_: object) -> None:
        lent.append(held)

    event.listen(database.engine, "checkout", note)
    with file.open("wb") as stream:
        with database.transaction() as work:
            (held,) = lent
            held.pgconn.trace(stream.fileno())
            held.pgconn.set_trace_flags(_WITHOUT_TIMES)
            yield work
        held.pgconn.untrace()
    event.remove(database.engine, "checkout", note)


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    """The statements that are run inside."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        found.append(sql)

    event.listen(database.engine, "before_cursor_execute", note)
    yield found
    event.remove(database.engine, "before_cursor_execute", note)


def hand_in(database: Database, site: Site, letters: list[Letter], ply: int) -> None:
    """Let mails wait for their turns."""
    now = system_clock()
    with database.transaction() as work:
        for number, letter in enumerate(letters):
            to = site.address.parse(letter.recipient)
            work.inbox.keep(
                ArrivedMail(
                    digest=f"{ply}.{number}",
                    recipient=letter.recipient,
                    sender=letter.sender,
                    peer="",
                    raw=letter.raw,
                    now=now,
                    same_for=now - now,
                    queued=queued(to, letter.sender, letter.raw, from_player=False),
                )
            )


@pytest.mark.parametrize(("together", "trips"), [(TOGETHER, OF_A_GROUP), (1, OF_ONE_ALONE)])
def test_moves_are_few_round_trips(
    postgres_url: str, tmp_path: Path, together: int, trips: int
) -> None:
    database = Database(postgres_url)
    games = begin_games(database, together, 2 * together)
    site = Site(ServerAddress(SERVER), load_keyring("nowhere", SECRET), "op@b.example")
    turns = Turns(database, site, system_clock)
    turns.seconds = lambda: 0.0  # no turn takes long
    file = tmp_path / "trace"
    for ply in (1, 2, 3):  # with the first of a player time begins to run
        hand_in(database, site, [game.letter(ply, site.keyring) for game in games], ply)
        with counted(database) as statements, traced(database, file) as work:
            taken = at_once(turns.take_some(work, together))
        assert taken.mails == together
    assert len(_ANSWERED.findall(file.read_text())) == trips
    assert len(statements) == 16, statements
    with database.reading() as work:
        assert [work.boards.get(game.number).ply for game in games] == [3] * together
    database.close()


def test_sixteen_mails_are_looked_up_and_kept_in_four_round_trips(
    postgres_url: str, tmp_path: Path
) -> None:
    database = Database(postgres_url)
    games = begin_games(database, TOGETHER, 2 * TOGETHER)
    site = Site(ServerAddress(SERVER), load_keyring("nowhere", SECRET), "op@b.example")
    intake = Intake(site, system_clock)
    looked, kept = tmp_path / "looked", tmp_path / "kept"
    for ply in (1, 2, 3):  # statements are prepared by then, and buckets are there
        letters = [game.letter(ply, site.keyring) for game in games]
        named = [Named(letter.recipient, letter.sender) for letter in letters]
        with counted(database) as looks, traced(database, looked) as work:
            assert intake.accept_recipients(work, named) == [None] * TOGETHER
        mails = [
            intake.look_at(letter.sender, (letter.recipient,), letter.raw, UNKNOWN)
            for letter in letters
        ]
        with counted(database) as statements, traced(database, kept) as work:
            assert len(set(intake.keep_arrived(work, mails))) == TOGETHER
    assert len(_ANSWERED.findall(looked.read_text())) == 2  # a glance needs no commit
    assert [sql for sql in looks if sql not in ("BEGIN", "COMMIT")] == looks[1:2]
    assert len(_ANSWERED.findall(kept.read_text())) == TO_KEEP
    assert len(statements) == OF_ALL_KEPT + TOGETHER, statements
    database.close()
