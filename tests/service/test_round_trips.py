"""How often PostgreSQL is asked, as the protocol itself shows it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event

from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.keys import load_keyring
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.service.intake.keeping import Intake, queued
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.mails import ArrivedMail
from tests.table import Table
from tests.torture.games import SECRET, SERVER, Letter, begin_games

OF_A_MOVE = 5
OF_A_KEPT_MAIL = 4  # copies, a rate, the row, its contents with the commit
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


SITE = Site(ServerAddress(SERVER), load_keyring("nowhere", SECRET), "op@b.example")


def test_a_move_takes_few_round_trips(shared: Table, tmp_path: Path) -> None:
    (game,) = begin_games(shared.database, 1, 2)
    worker = InboxWorker(shared.database, SITE, system_clock)
    file = tmp_path / "trace"
    for ply in (1, 2, 3):  # with the first of a player time begins to run
        hand_in(shared.database, SITE, [game.letter(ply, SITE.keyring)], ply)
        with traced(shared.database, file) as work:
            assert worker.take_next(work)
    assert len(_ANSWERED.findall(file.read_text())) <= OF_A_MOVE
    with shared.database.reading() as work:
        assert work.boards.get(game.number).ply == 3


def test_a_mail_is_kept_in_few_round_trips(shared: Table, tmp_path: Path) -> None:
    (game,) = begin_games(shared.database, 1, 2)
    intake = Intake(SITE, system_clock)
    file = tmp_path / "kept"
    for ply in (1, 2, 3):  # statements are prepared by then, and buckets are there
        letter = game.letter(ply, SITE.keyring)
        mail = intake.look_at(letter.sender, (letter.recipient,), letter.raw, UNKNOWN)
        with traced(shared.database, file) as work:
            assert isinstance(intake.keep_arrived(work, mail), str)
    assert len(_ANSWERED.findall(file.read_text())) <= OF_A_KEPT_MAIL
