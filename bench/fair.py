"""How long a player waits while others send the dearest mails, as fast as they are taken, or while
twenty write all that they can to one reader."""

import asyncio
import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench import dear, running, season
from bench.measure import Row
from bench.place import Place, Setting, Size, place
from bench.season import Season
from bench.smtp_load import Load, Shape
from pbm.mail.address import ServerAddress
from pbm.mail.keys import load_keyring
from tests.polling import until

TURNS = 60
_CONNECTIONS = 20
_SHAPE = Shape("one after the other", 2, True)
_A_SECOND = 5.0  # turns, so that each stands alone
_BEGUN = 100  # mails that the others have sent before anything is measured
_PAUSE = 0.1  # seconds before a connection that was lost is opened again
_TRIES = (  # a line for each board, in turn
    *("c5,d5", "g5,f5", "draw", "takeback", "Are you still there?", "challenge reader", "whoami"),
    *("vacation today 2d", "back", "seek -players=3", "join 1", "pause", "resign"),
)
_CROWD = [("plain", f"{line}\n" + "so many words\n" * 40) for line in _TRIES]
NO_LIMIT = {"PBM_MAILS_PER_HOUR": "0", "PBM_PEER_MAILS_PER_HOUR": "0"}
_SETTINGS = (Setting("SQLite"), Setting("PostgreSQL", postgresql=True))
Bodies = Sequence[tuple[str, str]]
Ways = Sequence[tuple[str, str]]
"""Who writes, and to which address."""
Waited = tuple[list[float], list[float]]
"""Seconds from each final dot to the reply, and to the second board's arrival."""


def measure(turns: int = TURNS) -> list[Row]:
    """The slowest of a hundred turns: alone, beside strangers, beside one player, and beside a
    crowd, of whose mails is told as well how many came to the one reader in an hour at most."""
    bodies = dear.dearest()
    with place(Size(turns + 1)) as here:
        return [row for setting in _SETTINGS for row in _rows(here, setting, bodies)]


def _rows(here: Place, setting: Setting, bodies: Bodies) -> list[Row]:
    with tempfile.TemporaryDirectory() as name, here.database(setting, Path(name)) as url:
        boards = season.begin(url, Path(name), here.size.boards, picture=False)
        crowd = season.begin_crowd(url, Path(name))
        sink = here.next_server
        with running.pbm(Path(name), url, sink.port, variables=NO_LIMIT) as (port, _):
            game = Game(boards, here.load, sink, port)
            game.turns()  # what happens once is not measured
            alone = game.turns()
            rows = [*_told(f"{setting.name}, alone", alone, alone, beside="itself")]
            with _others(port, bodies):
                beside = "beside 20 connections of strangers"
                rows += _told(f"{setting.name}, {beside}", game.turns(), alone)
            with _others(port, bodies, [game.busy_player()]):
                beside = "beside 20 connections of one player"
                rows += _told(f"{setting.name}, {beside}", game.turns(), alone)
            game.to_reader = 0
            with _others(port, _CROWD, crowd) as sent:
                beside = "beside 20 players who write to one reader"
                rows += _told(f"{setting.name}, {beside}", game.turns(), alone)
                what, others = f"{setting.name}, {beside}: mails to the reader", sent()
            rows.append(Row(what, "mails", game.to_reader, "sent", game.to_reader / others))
    return rows


class Game:
    """A season whose turns are sent to a server, and what its players wait for."""

    def __init__(self, boards: Season, sending: Load, sink: running.NextServer, port: int) -> None:
        self._boards, self._sending, self._sink, self._port = boards, sending, sink, port
        self.to_reader = 0  # mails that have come to whom a crowd writes

    def busy_player(self) -> tuple[str, str]:
        """Who plays on the last board, and that player's reply address there."""
        number, player, _ = self._boards.boards[-1]
        tag = load_keyring(Path("none"), season.SECRET).reply_tag(player.id, player.epoch, number)
        return player.address, ServerAddress(season.SERVER).board_reply(player.id, tag, number)

    def turns(self) -> Waited:
        """A ply on each board but the last."""
        letters = self._boards.round()[:-1]
        wanted = {
            f"{side}{n}@players.example" for n in range(len(letters)) for side in ("left", "right")
        }
        self._sink.take()
        sent = self._sending.send(self._port, letters, _SHAPE, a_second=_A_SECOND)
        arrived: dict[str, float] = {}

        def all_there() -> bool:
            for moment, recipient in self._sink.take():
                self.to_reader += recipient == season.READER
                if recipient in wanted:
                    arrived.setdefault(recipient, moment)
            return len(arrived) == len(wanted)

        until(all_there, "the boards")
        boards = []
        for item in sent:
            number = item.sender.decode().partition("@")[0].lstrip("leftrigh")
            both = [arrived[f"{side}{number}@players.example"] for side in ("left", "right")]
            boards.append(max(both) - item.dot)
        return [item.reply - item.dot for item in sent], boards


def slowest_of_hundred(seconds: Sequence[float]) -> float:
    """How long the slowest of a hundred takes, as the rule."""
    return quantiles(seconds, n=100)[98]


def _told(name: str, waited: Waited, alone: Waited, *, beside: str = "alone") -> Iterator[Row]:
    for what, seconds, usual in zip(
        ("final dot to 250", "final dot to both boards"), waited, alone, strict=True
    ):
        found, without = map(slowest_of_hundred, (seconds, usual))
        yield Row(f"{name}: {what}, p99", "ms", found * 1000, beside, found / without)


@contextmanager
def _others(port: int, bodies: Bodies, ways: Ways = ()) -> Iterator[Callable[[], int]]:
    """Somebody who sends without end from a process of its own, in these `ways` in turn; without
    any as many strangers. Gives what tells how many mails were taken."""
    context = get_context("spawn")
    taken = context.Value("i", 0)
    process = context.Process(target=_flood, args=(port, bodies, ways, taken), daemon=True)
    process.start()
    try:
        until(lambda: taken.value >= _BEGUN, "the others' mails")
        yield lambda: int(taken.value)
    finally:
        process.kill()
        process.join()


def _flood(port: int, bodies: Bodies, ways: Ways, taken: Any) -> None:
    asyncio.run(_Flood(port, bodies, ways, taken).run())


class _Flood:
    """Mails over many connections at once, for ever, whatever the server says."""

    def __init__(self, port: int, bodies: Bodies, ways: Ways, taken: Any) -> None:
        self._port, self._bodies, self._ways, self._taken = port, bodies, ways, taken
        self._numbers = itertools.count()

    async def run(self) -> None:
        await asyncio.gather(*(self._connection() for _ in range(_CONNECTIONS)))

    async def _connection(self) -> None:
        while True:
            with suppress(OSError, EOFError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                await _reply(reader)
                await _said(reader, writer, b"EHLO flood.example\r\n")
                while not reader.at_eof():
                    await self._send(reader, writer)
            await asyncio.sleep(_PAUSE)

    async def _send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = next(self._numbers)
        kind, body = self._bodies[number % len(self._bodies)]
        stranger = f"s{number}@forged{number % 50}.example", season.SERVER
        author, to = self._ways[number % len(self._ways)] if self._ways else stranger
        raw = dear.mail(kind, body, author=author, to=to, number=number)
        await _said(reader, writer, f"MAIL FROM:<{author}>\r\n".encode())
        await _said(reader, writer, f"RCPT TO:<{to}>\r\n".encode())
        await _said(reader, writer, b"DATA\r\n")
        await _said(reader, writer, raw + b".\r\n")
        self._taken.value += 1


async def _said(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes) -> bytes:
    writer.write(line)
    return await _reply(reader)


async def _reply(reader: asyncio.StreamReader) -> bytes:
    while True:
        line = await reader.readline()
        if not line:
            raise EOFError
        if line[3:4] != b"-":
            return line
