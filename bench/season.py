"""Boards in a database, and the mails that play on them as their players would send them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.smtp_load import Letter
from pbm.mail.address import ServerAddress
from pbm.mail.keys import load_keyring
from pbm.play.boards import start_board
from pbm.store.db import Database
from pbm.store.migrate import migrate
from pbm.store.values.players import Player
from tests.setups import abalone

READER = "reader@players.example"
CROWD, CROWDED = 20, 30  # players, and boards of six at which they sit with one reader
SERVER = "pbm@games.example"
SECRET = "a-secret-for-measurements-only-of-enough-letters"
MOVES = ("c5,d5", "g5,f5", "d5,c5", "f5,g5")  # to and fro, for ever
_QUOTE = "\r\n".join(f"> a line of the board that is quoted, number {n}" for n in range(1, 36))
_MAIL = """From: {handle} <{address}>\r
To: {to}\r
Subject: Re: Abalone Board {number}: {subject}\r
Date: Sat, 21 Nov 2026 12:00:00 +0000\r
Message-ID: <{number}.{ply}@players.example>\r
MIME-Version: 1.0\r
Content-Type: text/plain; charset=utf-8\r
Content-Transfer-Encoding: 8bit\r
\r
move {number}#{ply} {move}\r
\r
On Sat, 21 Nov 2026 at 12:00, pbm wrote:\r
{quote}\r
"""


@dataclass
class Season:
    """Two-player boards that go on for ever, a ply of each board a round."""

    boards: list[tuple[int, Player, Player]]
    keyring_folder: Path
    ply: int = 0

    def round(self) -> list[Letter]:
        """The mails of the next ply of every board."""
        return list(self._letters())

    def _letters(self) -> Iterator[Letter]:
        keyring = load_keyring(self.keyring_folder / "none", SECRET)
        address = ServerAddress(SERVER)
        self.ply += 1
        for number, first, second in self.boards:
            mover = first if self.ply % 2 else second
            tag = keyring.reply_tag(mover.id, mover.epoch, number)
            to = address.board_reply(mover.id, tag, number)
            raw = _MAIL.format(
                handle=mover.handle,
                address=mover.address,
                to=to,
                number=number,
                subject=f"{first.handle} v {second.handle}",
                ply=self.ply,
                move=MOVES[(self.ply - 1) % len(MOVES)],
                quote=_QUOTE,
            )
            yield Letter(mover.address.encode(), to.encode(), raw.encode())


def begin_crowd(database_url: str, folder: Path) -> list[tuple[str, str]]:
    """Put many boards of six into a database, at each of which one reader sits: the addresses of
    all the others, and where each of them writes to a board."""
    database, now = Database(database_url), datetime.now(UTC)
    keyring, address = load_keyring(folder / "none", SECRET), ServerAddress(SERVER)
    ways = []
    with database.transaction() as work:
        reader = work.players.add("reader", READER, now)
        crowd = [
            work.players.add(f"crowd{number}", f"crowd{number}@players.example", now)
            for number in range(CROWD)
        ]
        for number in range(CROWDED):
            five = [crowd[(5 * number + place) % CROWD] for place in range(5)]
            board = start_board(work, abalone(), [*five[:3], reader, *five[3:]], now)
            for player in five:
                tag = keyring.reply_tag(player.id, player.epoch, board.id)
                to = address.board_reply(player.id, tag, board.id)
                ways.append((player.address, to))
    database.close()
    return ways


def begin(database_url: str, folder: Path, boards: int, *, picture: bool) -> Season:
    """Put players and boards into an empty database."""
    database = Database(database_url)
    migrate(database)
    now = datetime.now(UTC)
    begun = []
    with database.transaction() as work:
        for number in range(boards):
            pair = [
                work.players.add(f"{side}{number}", f"{side}{number}@players.example", now)
                for side in ("left", "right")
            ]
            for player in pair:
                work.players.change_settings(player.id, picture=picture)
            board = start_board(work, abalone(), pair, now)
            begun.append((board.id, pair[0], pair[1]))
    database.close()
    return Season(begun, folder)
