"""How long players wait while others read public pages, and how long these wait for their pages.

The database has many boards; 200 connections are open, and ask for 20 pages a second together.
"""

import asyncio
import itertools
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from bench import fair, running, season
from bench.measure import Row
from bench.place import Place, Setting, Size, place
from pbm.play.boards import add_move, start_board
from pbm.store.db import Database
from tests.e2e.ports import free_port
from tests.setups import abalone

TURNS, ROUNDS, BOARDS = 60, 7, 12_000
_PLAYERS, _TOGETHER = 2_000, 100
_OPENING = ("a1-c3,b2", "i9-g7,h8", "a2-c4,b3", "i7-g5,h6", "b5-d5,c5", "i5-g5,h5")
_CONNECTIONS, _A_SECOND = 200, 20
Paths = Mapping[str, list[str]]
"""Paths of pages of each kind."""


def measure(turns: int = TURNS, rounds: int = ROUNDS, boards: int = BOARDS) -> list[Row]:
    """The slowest of a hundred turns without readers and beside them, in turns; then the pages."""
    settings = (Setting("SQLite"), Setting("PostgreSQL", postgresql=True))
    with place(Size(turns + 1)) as here:
        return [row for setting in settings for row in _rows(here, setting, rounds, boards)]


def _rows(here: Place, setting: Setting, rounds: int, boards: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name, here.database(setting, Path(name)) as url:
        own = season.begin(url, Path(name), here.size.boards, picture=False)
        paths, port = _fill(url, boards), free_port()
        variables = {**fair.NO_LIMIT, "PBM_WEB_LISTEN": f"127.0.0.1:{port}"}
        sink = here.next_server
        with running.pbm(Path(name), url, sink.port, variables=variables) as (smtp, _):
            game = fair.Game(own, here.load, sink, smtp)
            game.turns()  # what happens once is not measured
            alone, beside = list[fair.Waited](), list[fair.Waited]()
            pages: dict[str, list[float]] = defaultdict(list)
            for _round in range(rounds):
                alone.append(game.turns())
                with _readers(port, paths, pages):
                    beside.append(game.turns())
    rows = [*_turns(f"{setting.name}, no readers", alone, alone, "itself")]
    rows += _turns(f"{setting.name}, beside readers", beside, alone, "no readers")
    return [*rows, *(_page(setting, kind, seconds) for kind, seconds in pages.items())]


def _turns(
    name: str, rounds: Sequence[fair.Waited], usual: Sequence[fair.Waited], beside: str
) -> Iterator[Row]:
    """The median of the rounds counts: what else the machine does comes in bursts."""
    for what, which in (("final dot to 250", 0), ("final dot to both boards", 1)):
        found, without = (
            median(fair.slowest_of_hundred(waited[which]) for waited in some)
            for some in (rounds, usual)
        )
        yield Row(f"{name}: {what}, p99", "ms", found * 1000, beside, found / without)


def _page(setting: Setting, kind: str, seconds: list[float]) -> Row:
    usual, slow = median(seconds), fair.slowest_of_hundred(seconds)
    name = f"{setting.name}, {kind}: p50 {usual * 1000:.1f} ms, p99"
    return Row(name, "ms", slow * 1000, "p50", slow / usual)


def _fill(url: str, boards: int) -> Paths:
    """Add boards, of which each tenth has moves."""
    database, now = Database(url), datetime.now(UTC) - timedelta(days=2)
    with database.transaction() as work:
        people = [
            work.players.add(f"p{number}", f"p{number}@players.example", now)
            for number in range(_PLAYERS)
        ]
    played = []
    for first in range(0, boards, _TOGETHER):
        with database.transaction() as work:
            for number in range(first, min(boards, first + _TOGETHER)):
                pair = [people[number % _PLAYERS], people[(7 * number + 1) % _PLAYERS]]
                board = start_board(work, abalone(), pair, now)
                if number % 10 == 0:
                    played.append(board.id)
                    for move in _OPENING:
                        board, _ = add_move(work, board, move, now)
    database.close()
    return {
        "the first page": ["/"],
        "running games": ["/boards/running", f"/boards/running/{max(played)}"],
        "a board": [f"/board/{number}" for number in played],
        "a board's feed": [f"/board/{number}/feed.atom" for number in played],
        "a record": [f"/board/{number}/record.txt" for number in played],
        "a player": [f"/player/p{number}" for number in range(_PLAYERS)],
        "the server's feed": ["/feed.atom"],
        "standings": ["/standings"],
        "seeks": ["/seeks"],
        "help": ["/help/move"],
    }


@contextmanager
def _readers(port: int, paths: Paths, pages: dict[str, list[float]]) -> Iterator[None]:
    """Read pages in a process of its own, and note how long each took, by kinds."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_read, args=(port, paths, theirs), daemon=True)
    process.start()
    try:
        assert ours.recv() == "ready"
        yield
        ours.send("enough")
        for kind, seconds in ours.recv():
            pages[kind].append(seconds)
    finally:
        process.kill()
        process.join()


def _read(port: int, paths: Paths, pipe: Any) -> None:
    asyncio.run(_Readers(port, paths, pipe).run())


class _Readers:
    """Connections that stay open, each of which asks for a page when it is its turn."""

    def __init__(self, port: int, paths: Paths, pipe: Any) -> None:
        self._port, self._pipe = port, pipe
        cycles = {kind: itertools.cycle(some) for kind, some in paths.items()}
        self._asked = ((kind, next(cycles[kind])) for kind in itertools.cycle(cycles))
        self._least = 2 * len(cycles)
        self._turns: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._open = 0
        self._took: list[tuple[str, float]] = []

    async def run(self) -> None:
        connections = [asyncio.create_task(self._connection()) for _ in range(_CONNECTIONS)]
        while self._open < _CONNECTIONS:
            await asyncio.sleep(0.01)
        self._pipe.send("ready")
        due = time.monotonic()
        while not (self._pipe.poll() and len(self._took) >= self._least):
            self._turns.put_nowait(next(self._asked))
            due += 1 / _A_SECOND
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        self._pipe.send(self._took)
        for connection in connections:
            connection.cancel()

    async def _connection(self) -> None:
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._open += 1
            try:
                while not reader.at_eof():  # the server ends connections that do not ask
                    await self._ask(reader, writer)
            except (TimeoutError, asyncio.IncompleteReadError):
                pass
            finally:
                self._open -= 1
                writer.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(8):  # less than the server waits
            kind, path = await self._turns.get()
        begun = time.monotonic()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: games.example\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = next(it for it in head.split(b"\r\n") if it.lower().startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        self._took.append((kind, time.monotonic() - begun))
