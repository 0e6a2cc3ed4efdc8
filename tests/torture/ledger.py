"""The books of a torture: which mails were acknowledged, which arrived, and what is wrong."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from tests.torture.games import Game

_HEADER = re.compile(rb"^(Message-ID|X-PBM-Board|X-PBM-Ply|Subject): *([^\r]*)\r$", re.M | re.I)
_FOLD = re.compile(rb"\r\n[ \t]+")


@dataclass(frozen=True)
class Arrival:
    """A mail as it reached the next server; `board` and `ply` are 0 if it is about no board."""

    reader: str
    board: int
    ply: int
    subject: str
    message_id: str
    digest: bytes


def read_arrival(reader: str, raw: bytes) -> Arrival:
    """Note what counts of a mail."""
    head = _FOLD.sub(b" ", raw.partition(b"\r\n\r\n")[0] + b"\r\n")
    found = {name.lower(): value.decode("latin-1") for name, value in _HEADER.findall(head)}
    return Arrival(
        reader,
        int(found.get(b"x-pbm-board", 0)),
        int(found.get(b"x-pbm-ply", 0)),
        found.get(b"subject", ""),
        found.get(b"message-id", ""),
        sha256(raw).digest(),
    )


@dataclass
class Ledger:
    """What the world outside has seen."""

    acknowledged: Counter[tuple[int, int]] = field(default_factory=Counter)  # (board, ply)
    arrivals: list[Arrival] = field(default_factory=list)
    events: int = 0  # acknowledgements and arrivals

    def acknowledge(self, board: int, ply: int) -> None:
        """Note that the server said `250` to the mail of a ply."""
        self.acknowledged[board, ply] += 1
        self.events += 1

    def arrive(self, mail: Arrival) -> None:
        """Note a mail that the next server has whole, acknowledged or not."""
        self.arrivals.append(mail)
        self.events += 1

    @property
    def others(self) -> list[Arrival]:
        """What arrived and is about no board."""
        return [mail for mail in self.arrivals if not mail.board]

    def copies(self) -> int:
        """How many mails arrived that had arrived before."""
        return len(self.arrivals) - len({(mail.reader, mail.message_id) for mail in self.arrivals})

    def findings(self, games: Sequence[Game], plies: Mapping[int, int]) -> Iterator[str]:
        """Compare with the plies that the server says it has played; a sentence for each fault."""
        for game in games:
            yield from self._acknowledged_once(game, plies[game.number])
        yield from _arrived(games, plies, self.arrivals)
        yield from _one_mail_each(self.arrivals)
        yield from _in_order(self.arrivals)

    def _acknowledged_once(self, game: Game, played: int) -> Iterator[str]:
        told = {ply: n for (board, ply), n in self.acknowledged.items() if board == game.number}
        for ply in sorted(set(told) - set(range(1, played + 1))):
            yield f"Board {game.number}: ply {ply} was acknowledged, and not played."
        for ply in sorted(set(range(1, played + 1)) - set(told)):
            yield f"Board {game.number}: ply {ply} was played, and never acknowledged."
        for ply in sorted(ply for ply, times in told.items() if times > 1):
            yield f"Board {game.number}: ply {ply} was acknowledged {told[ply]} times."


def _arrived(
    games: Sequence[Game], plies: Mapping[int, int], arrivals: Iterable[Arrival]
) -> Iterator[str]:
    """Each board mail reached each reader, and no other did."""
    wanted = {
        (reader, game.number, ply)
        for game in games
        for reader in game.readers
        for ply in range(1, plies[game.number] + 1)
    }
    found = {(mail.reader, mail.board, mail.ply) for mail in arrivals if mail.board}
    for reader, board, ply in sorted(wanted - found):
        yield f"Board {board}: the mail of ply {ply} never reached {reader}."
    for reader, board, ply in sorted(found - wanted):
        yield f"Board {board}: a mail of ply {ply} reached {reader}, who should not have one."


def _one_mail_each(arrivals: Iterable[Arrival]) -> Iterator[str]:
    """All copies of a mail are the same, and one Message-ID is one mail."""
    mails: dict[tuple[str, int, int], set[tuple[str, bytes]]] = defaultdict(set)
    names: dict[str, set[tuple[str, bytes]]] = defaultdict(set)
    for mail in arrivals:
        names[mail.message_id].add((mail.reader, mail.digest))
        if mail.board:
            mails[mail.reader, mail.board, mail.ply].add((mail.message_id, mail.digest))
    for (reader, board, ply), different in sorted(mails.items()):
        if len(different) > 1:
            yield f"Board {board}: {len(different)} different mails of ply {ply} for {reader}."
    for name, different in sorted(names.items()):
        if len(different) > 1 or not name:
            yield f"Message-ID {name!r}: {len(different)} different mails."


def _in_order(arrivals: Iterable[Arrival]) -> Iterator[str]:
    """Whatever is new about a board reaches a reader in the order of the plies."""
    last: dict[tuple[str, int], int] = defaultdict(int)
    seen = set()
    for mail in arrivals:
        this = (mail.reader, mail.board, mail.ply)
        if not mail.board or this in seen:
            continue
        seen.add(this)
        before = last[mail.reader, mail.board]
        if mail.ply < before:
            yield f"Board {mail.board}: ply {mail.ply} reached {mail.reader} after {before}."
        last[mail.reader, mail.board] = max(before, mail.ply)
