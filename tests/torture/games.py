"""Games that go on for ever, and the mails that play them as their players would send them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pbm.mail.address import ServerAddress
from pbm.mail.keys import Keyring
from pbm.play.boards import start_board
from pbm.store.db import Database
from pbm.store.values.players import Player
from tests.setups import abalone

SERVER = "pbm@games.example"
OPERATOR = "operator@games.example"
SECRET = "a-secret-that-is-only-for-the-torture-of-servers"
_MOVES = ("c5,d5", "g5,f5", "d5,c5", "f5,g5")  # to and fro, for ever
_MAIL = """From: {handle} <{address}>\r
To: {to}\r
Subject: Re: Abalone Board {number}: {title}\r
Date: Sat, 21 Nov 2026 12:00:00 +0000\r
Message-ID: <{number}.{ply}@players.example>\r
MIME-Version: 1.0\r
Content-Type: text/plain; charset=utf-8\r
\r
{move}\r
\r
On Sat, 21 Nov 2026 at 12:00, pbm wrote:\r
> The board that is answered.\r
"""


@dataclass(frozen=True)
class Letter:
    """A mail to be sent, and what it does: the ply of a board."""

    board: int
    ply: int
    sender: str
    recipient: str
    raw: bytes


@dataclass(frozen=True)
class Game:
    """A board and its players, in the order of their turns."""

    number: int
    players: tuple[Player, ...]

    @property
    def readers(self) -> tuple[str, ...]:
        """The addresses that each board mail goes to."""
        return tuple(player.address for player in self.players)

    def mover(self, ply: int) -> Player:
        """Who plays a ply, counted from 1."""
        return self.players[(ply - 1) % len(self.players)]

    def letter(self, ply: int, keyring: Keyring) -> Letter:
        """The mail that plays a ply: the same bytes at every call.

        It names the move alone, as players do. Obeyed twice, it would be answered as a wrong
        move, or be played in place of a later one.
        """
        mover = self.mover(ply)
        tag = keyring.reply_tag(mover.id, mover.epoch, self.number)
        to = ServerAddress(SERVER).board_reply(mover.id, tag, self.number)
        raw = _MAIL.format(
            handle=mover.handle,
            address=mover.address,
            to=to,
            number=self.number,
            title=" v ".join(player.handle for player in self.players),
            ply=ply,
            move=_MOVES[(ply - 1) % len(_MOVES)],
        )
        return Letter(self.number, ply, mover.address, to, raw.encode())


def begin_games(database: Database, boards: int, players: int) -> list[Game]:
    """Put players into an empty database, and boards that each two of them share."""
    now = datetime.now(UTC)
    with database.transaction() as work:
        known = [
            work.players.add(f"player{number}", f"player{number}@players.example", now)
            for number in range(players)
        ]
        for player in known:
            work.players.change_settings(player.id, picture=False)
        games = []
        for number in range(boards):
            pair = _pair(known, number)
            games.append(Game(start_board(work, abalone(), pair, now).id, tuple(pair)))
    return games


def _pair(players: Sequence[Player], number: int) -> list[Player]:
    """Two different players, other ones with each round through them all."""
    first, apart = number % len(players), 1 + number // len(players) % (len(players) - 1)
    return [players[first], players[(first + apart) % len(players)]]
