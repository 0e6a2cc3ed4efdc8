"""Each reader is told each fact and each comment of a board once and in order, whatever delays it.

People play, write, give time, take moves back, block each other, and get their mails at once, only
at their turn or in digests. What each was told is read from the mails, and compared with what each
may hear.
"""

import re
from collections import defaultdict
from random import Random

import pytest

from tests.conversations.playing import board_mail, handle
from tests.table import Person, Table

STEPS = 70
TOLD = re.compile(r"good luck with game (\d+)|gave .{3,40}? (\d+) days more", re.DOTALL)
LATER = 200  # so that games and gifts of days are not confused


class Season:
    """A board of three, on which everything happens by chance."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.chance = table, Random(seed)
        self.people = table.start("alice", "bob", "carol")
        self.may_hear: dict[str, list[int]] = defaultdict(list)
        self.blocked: set[tuple[str, str]] = set()
        self.said = self.given = 0

    def plays(self) -> None:
        """Let the player to move do so, mostly with a comment."""
        board = self.table.board(1)
        mover = next(
            it for it in self.people if board.to_move and handle(it) == board.to_move.handle
        )
        move = f"move 1#{board.ply + 1} {self.chance.choice(board.position.legal_moves())}"
        with_words = self.chance.random() < 0.4
        self._says(mover, f"{move}\n\n{self._comment(mover)}" if with_words else move)

    def writes(self) -> None:
        author = self.chance.choice(self.people)
        self._says(author, self._comment(author))

    def gives(self) -> None:
        """Let somebody give time to whoever's turn it is."""
        board = self.table.board(1)
        others = [it for it in self.people if board.to_move and handle(it) != board.to_move.handle]
        if self.given < 20 and not board.awaited_first_move:
            self.given += 1
            self._says(self.chance.choice(others), f"give {self.given + 1}d 1")
            for reader in self.people:
                self.may_hear[handle(reader)].append(LATER + self.given + 1)

    def takes_back(self) -> None:
        """Let a move be taken back, to which all agree."""
        if self.table.board(1).ply:
            (ply,) = self.table.plies(1)[-1:]
            asker = self.people[ply.seat - 1]
            for person in (asker, *(it for it in self.people if it is not asker)):
                self._says(person, "takeback 1")

    def is_set(self) -> None:
        wish = self.chance.choice(["digest daily", "digest off", "mails turn", "mails all"])
        self._says(self.chance.choice(self.people), f"set {wish}")

    def blocks(self) -> None:
        by, other = self.chance.sample(self.people, 2)
        pair = (handle(by), handle(other))
        ids = [self.table.player(name) for name in pair]
        with self.table.database.transaction() as work:
            one, two = (player.id for player in ids if player)
            if pair in self.blocked:
                work.blocks.drop(one, two)
            else:
                work.blocks.add(one, two, self.table.clock())
        self.blocked ^= {pair}

    def comes_back(self) -> None:
        """Let a mail to somebody bounce, so that the next ones wait."""
        player = self.table.player(handle(self.chance.choice(self.people)))
        now = self.table.clock()
        with self.table.database.transaction() as work:
            back = {"bounces": 1, "bounced_at": now, "unreachable_since": now}
            work.players.change(player.id if player else 0, **back)

    def passes(self) -> None:
        self.table.days_pass(hours=self.chance.choice([0.2, 1.1, 8, 25, 190]))

    def _comment(self, author: Person) -> str:
        self.said += 1
        for reader in self.people:
            if (handle(reader), handle(author)) not in self.blocked:
                self.may_hear[handle(reader)].append(self.said)
        return f"My dear friend, good luck with game {self.said}"

    def _says(self, person: Person, text: str) -> None:
        person.says(text, answering=board_mail(person, 1))

    def told(self, person: Person) -> list[int]:
        """What somebody was told, in the order of the mails."""
        found = (TOLD.findall(" ".join(mail.text.split())) for mail in person.mails)
        return [int(game) if game else LATER + int(days) for mail in found for game, days in mail]


def of_kind(numbers: list[int], *, is_gift: bool) -> list[int]:
    return [number for number in numbers if (number > LATER) is is_gift]


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 5))]
)
def test_each_reader_is_told_everything_once(seed: int, table: Table) -> None:
    season = Season(table, seed)
    deeds = [season.plays] * 4 + [season.writes] * 2
    deeds += [season.gives, season.takes_back, season.is_set, season.blocks, season.passes]
    deeds += [season.comes_back, season.passes]
    for _ in range(STEPS if seed else STEPS // 2):
        if season.table.board(1).playing:
            season.chance.choice(deeds)()
    for person in season.people:
        season._says(person, "set digest off")
    season.table.days_pass(days=9)
    for person in season.people:
        told, heard = season.told(person), season.may_hear[handle(person)]
        assert sorted(told) == sorted(heard), handle(person)
        for is_gift in (True, False):  # in one mail they stand above the comments
            assert of_kind(told, is_gift=is_gift) == of_kind(heard, is_gift=is_gift), handle(person)
    with season.table.database.transaction() as work:
        count, last = work.happened.counted(1)
        assert count == last > 0
        assert work.readers.furthest(1) == last
