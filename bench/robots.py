"""How long a player waits while two hundred boards wait for robots, all on one core."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench import running, season
from bench.fair import TURNS, Game, told
from bench.measure import Row
from bench.smtp_load import load
from pbm.play.boards import start_board
from pbm.service.robots.enlisting import enlist
from pbm.store.db import Database
from tests.polling import until
from tests.setups import abalone

BOARDS = 200
_ROBOT = "boulder"


def measure(turns: int = TURNS, boards: int = BOARDS) -> list[Row]:
    """The slowest of a hundred turns: alone, and while robots think all the time."""
    rows: list[Row] = []
    with load() as sending, running.next_server() as sink, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'pbm.sqlite3'}"
        begun = season.begin(url, folder, turns + 1, picture=False)
        one = {"PBM_ROBOT_PROCESSES": "1"}
        with _on_one_core(), running.pbm(folder, url, sink.port, variables=one) as (port, _):
            _leave_that_core()
            game = Game(begun, sending, sink, port)
            game.turns()  # what happens once is not measured
            alone = game.turns()
            let_robots_be_waited_for(url, boards)
            until(lambda: _waiting(url) < boards, "robots to think")
            beside = game.turns()
            if not _waiting(url):
                raise RuntimeError("the robots were done before the turns were")
        rows += told("alone", alone, alone, beside="itself")
        rows += told(f"beside {boards} boards that wait for robots", beside, alone)
    return rows


def let_robots_be_waited_for(url: str, boards: int) -> None:
    """Begin boards on which a robot moves first, each with a player of its own."""
    database = Database(url)
    now = datetime.now(UTC)
    with database.transaction() as work:
        enlist(work, now)
        robot = work.players.by_handle(_ROBOT)
        assert robot is not None
        for number in range(boards):
            handle = f"waits{number}"
            player = work.players.add(handle, f"{handle}@players.example", now)
            start_board(work, abalone(), [robot, player], now)
    database.close()


def _waiting(url: str) -> int:
    database = Database(url)
    with database.reading() as work:
        waiting = work.thoughts.count()
    database.close()
    return waiting


@contextmanager
def _on_one_core() -> Iterator[None]:
    """What is started meanwhile runs on one core, and this process where it was afterwards."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _leave_that_core() -> None:
    """Let this process run anywhere again, while what it has started stays."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
