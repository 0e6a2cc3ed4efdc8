"""How long a player waits while two hundred boards wait for robots, all on one core.

A machine has its busy moments. So two servers take turns, a round each: one on which no board waits
for a robot, and one on which robots think all the time. Whichever is not measured is stopped. Each
pair of rounds has a ratio of its own, and the middle one of those counts.

Besides, how often a quick robot's answer is in the player's own mail while at least thirty boards
wait for a slow one: then the player gets one mail, else two.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bench import running, season
from bench.fair import Game, Waited, slowest_of_hundred
from bench.measure import Row
from bench.smtp_load import Load, Shape, load
from pbm.play.boards import start_board
from pbm.service.robots.jobs import enlist
from pbm.store.db import Database
from tests.polling import until
from tests.setups import abalone

BOARDS = 200  # that wait, at least
TURNS, A_SECOND = 300, 10.0  # of a round
ROUNDS = 7  # of each server
_ROBOT, _QUICK = "boulder", "pebble"
QUEUED, ASKED = 30, 100  # boards that wait for the slow robot, moves against the quick one
_BATCH = 5  # moves, before the queue is filled again
_SHAPE = Shape("one after the other", 2, True)
_WAITED_FOR = ("final dot to 250", "final dot to both boards")


def measure(
    turns: int = TURNS,
    boards: int = BOARDS,
    rounds: int = ROUNDS,
    queued: int = QUEUED,
    asked: int = ASKED,
) -> list[Row]:
    """The slowest of a hundred turns, alone and while robots think all the time, and how many
    answers of the quick robot are in the player's own mail."""
    pairs = []
    with ExitStack() as stack:
        sending, sink = stack.enter_context(load()), stack.enter_context(running.next_server())
        alone, beside = (stack.enter_context(_server(turns, sending, sink)) for _ in range(2))
        for _ in range(rounds):
            with alone.going_on():
                usual = alone.game.turns(A_SECOND)
            with beside.going_on():
                beside.let_robots_think(2 * boards)
                pairs.append((usual, beside.game.turns(A_SECOND)))
                if beside.waiting() < boards:
                    raise RuntimeError("the robots were nearly done before the turns were")
        with beside.going_on():
            own = _own_answers(beside, sending, sink, queued, asked)
    answers = f"{_QUICK}'s answers in the player's own mail"
    what = f"{answers}, beside at least {queued} boards for {_ROBOT}"
    return [
        *_told(f"beside {boards} boards that wait for robots", pairs),
        Row(what, f"of {asked}", own, "all", own / asked),
    ]


def _own_answers(
    server: "_Server", sending: Load, sink: running.NextServer, queued: int, asked: int
) -> int:
    """How many of a hundred first moves are told in one mail with the quick robot's answer."""
    with server.database.transaction() as work:
        robot, now = work.players.by_handle(_QUICK), datetime.now(UTC)
        assert robot is not None
        boards = []
        for number in range(asked):
            player = work.players.add(f"quick{number}", f"quick{number}@players.example", now)
            boards.append((start_board(work, abalone(), [player, robot], now).id, player, robot))
    letters, mails = season.Season(boards, server.folder).round(), Counter[str]()
    sink.take()
    for first in range(0, asked, _BATCH):
        server.let_robots_think(2 * queued)
        sending.send(server.port, letters[first : first + _BATCH], _SHAPE, a_second=A_SECOND / 2)
        if server.waiting() < queued:
            raise RuntimeError("the robots were nearly done before the turns were")

    def all_told() -> bool:
        mails.update(recipient for _, recipient in sink.take())
        with server.database.reading() as work:
            plies = [work.boards.get(number).ply for number, *_ in boards]
        return min(plies) > 1 and all(mails[player.address] for _, player, _ in boards)

    until(all_told, "all answers")
    time.sleep(1)  # second mails are on their way
    all_told()
    return [mails[player.address] for _, player, _ in boards].count(1)


@dataclass
class _Server:
    """A server on one core, which goes on only when it is told to."""

    game: Game
    database: Database
    program: subprocess.Popen[bytes]
    folder: Path
    port: int
    begun: int = 0  # boards against robots

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Let it run meanwhile."""
        running.send(self.program, signal.SIGCONT)
        yield
        running.send(self.program, signal.SIGSTOP)

    def waiting(self) -> int:
        """How many boards wait for a robot."""
        with self.database.reading() as work:
            return work.search_jobs.count()

    def let_robots_think(self, boards: int) -> None:
        """Let at least so many boards wait, and robots think already."""
        new = max(0, boards - self.waiting())
        let_robots_be_waited_for(self.database, new, datetime.now(UTC), known=self.begun)
        self.begun += new
        waiting = self.waiting()
        until(lambda: self.waiting() < waiting, "a robot's first answer")


@contextmanager
def _server(turns: int, sending: Load, sink: running.NextServer) -> Iterator[_Server]:
    """A server that has taken its first turns, and is stopped."""
    one = {"PBM_ROBOT_PROCESSES": "1"}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder / 'pbm.sqlite3'}"
        begun = season.begin(url, folder, turns + 1, picture=False)
        with _on_one_core():
            started = running.pbm(folder, url, sink.port, variables=one)
            port, (program,) = stack.enter_context(started)
        database = Database(url)
        stack.callback(database.close)
        server = _Server(Game(begun, sending, sink, port), database, program, folder, port)
        stack.callback(running.send, program, signal.SIGCONT)  # else it would not end
        server.game.turns(A_SECOND)  # what happens once is not measured
        running.send(program, signal.SIGSTOP)
        yield server


def let_robots_be_waited_for(
    database: Database, boards: int, now: datetime, *, known: int = 0
) -> None:
    """Begin boards on which a robot moves first, each with a player of its own; `known` are there
    already."""
    with database.transaction() as work:
        enlist(work, now)
        robot = work.players.by_handle(_ROBOT)
        assert robot is not None
        for number in range(known, known + boards):
            handle = f"waits{number}"
            player = work.players.add(handle, f"{handle}@players.example", now)
            start_board(work, abalone(), [robot, player], now)


def _told(name: str, pairs: Sequence[tuple[Waited, Waited]]) -> Iterator[Row]:
    """What was waited for alone and beside others, and the middle one of the ratios."""
    for number, what in enumerate(_WAITED_FOR):
        found = [[slowest_of_hundred(waited[number]) for waited in pair] for pair in pairs]
        alone, beside = (median(each) * 1000 for each in zip(*found, strict=True))
        yield Row(f"{what}, alone, p99", "ms", alone, "itself", 1.0)
        ratio = median(busy / usual for usual, busy in found)
        yield Row(f"{what}, {name}, p99", "ms", beside, "alone", ratio)


@contextmanager
def _on_one_core() -> Iterator[None]:
    """What is started meanwhile runs on one core, and this process where it was afterwards."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
