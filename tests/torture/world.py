"""The world outside: senders that play many games by mail, and the next server that gets boards."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pbm.mail.keys import Keyring
from tests.secrets_issued import ISSUED
from tests.torture.games import Game, Letter
from tests.torture.ledger import Ledger, read_arrival
from tests.torture.sender import hand_over

Seen = tuple[int, int, str]  # board, ply, reader


@dataclass
class World:
    """Whoever is to move does so when the board has reached them; `doors` are the server's
    ports."""

    games: Sequence[Game]
    keyring: Keyring
    doors: Sequence[int]
    most: int | None = None  # mails that are written; any number if None
    ledger: Ledger = field(default_factory=Ledger)
    tries: int = 0  # to hand a mail over
    written: int = 0  # mails to the server
    _awaited: dict[Seen, asyncio.Future[None]] = field(default_factory=dict)
    _under_way: set[asyncio.Task[None]] = field(default_factory=set)
    _closing: bool = False

    def keep(self, reader: str, raw: bytes) -> None:
        """Take note of a mail from the server."""
        ISSUED.note_mail(raw)
        mail = read_arrival(reader, raw)
        self.ledger.arrive(mail)
        awaited = self._awaited.pop((mail.board, mail.ply, reader), None)
        if awaited and not awaited.done():
            awaited.set_result(None)

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Play all games meanwhile; what goes wrong for a player goes wrong here."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._play(game)) for game in self.games]
            try:
                yield
            finally:
                for task in (*tasks, *self._under_way):
                    task.cancel()

    def close(self) -> None:
        """Begin no further ply; what is under way comes to its end."""
        self._closing = True

    @property
    def all_acknowledged(self) -> bool:
        """Whether no mail is on its way to the server."""
        return not self._under_way

    async def _play(self, game: Game) -> None:
        ply = 0
        async with asyncio.TaskGroup() as group:
            while not self._closing and self.written != self.most:
                ply += 1
                arrives = asyncio.get_running_loop().create_future()
                self._awaited[game.number, ply, game.mover(ply + 1).address] = arrives
                self.written += 1
                handing = group.create_task(self._hand_over(game.letter(ply, self.keyring)))
                self._under_way.add(handing)
                handing.add_done_callback(self._under_way.discard)
                await arrives  # the answer may come before the acknowledgement does

    async def _hand_over(self, letter: Letter) -> None:
        tries = await hand_over(self.doors, letter)
        self.tries += tries
        self.ledger.acknowledge(letter.board, letter.ply)
