"""Mail that others bring a reader: how much comes in an hour, whatever they try."""

from dataclasses import replace
from itertools import count

import pytest

from pbm.store.values.mails import OutboxMail
from tests.conversations.playing import handle
from tests.conversations.test_bounces import report
from tests.table import Mail, Person, Table

MOST_MAILS, MOST_BYTES = 40, 2_000_000  # in an hour; of mails beyond the turns that wait


class Crowd:
    """A reader who does nothing, and others at the same boards, who do whatever they can."""

    def __init__(self, table: Table, others: int, boards: int) -> None:
        self.table = table
        self.reader = table.joins("reader")
        self.others: list[Person] = []
        for number in range(others):
            table.clock.passes(minutes=5)  # so many of one domain do not sign up at once
            self.others.append(table.joins(f"other{number:02}"))
        self.boards: dict[int, list[Person]] = {}
        self.sender_of: dict[str, str] = {}
        for number in range(1, boards + 1):
            first = 5 * number % others
            five = [self.others[(first + place) % others] for place in range(5)]
            people = [*five[:3], self.reader, *five[3:]]
            table.begins(*map(handle, people))
            self.boards[number] = people
        self.welcomes = {handle(person): person.mail("pbm: welcome") for person in self.others}
        for person in (self.reader, *self.others):
            person.forgets()
        self.arrives = table.arrive
        table.arrive = self.arrive  # type: ignore[method-assign]  # which costs most of the time

    def arrive(self, mail: OutboxMail) -> None:
        """Let the mails to the others be envelopes only."""
        if mail.recipient == self.reader.address:
            self.arrives(mail)
        else:
            self.sender_of[mail.recipient] = mail.sender or self.sender_of.get(mail.recipient, "")

    def says(self, person: Person, number: int, words: str) -> None:
        """Let somebody write to a board."""
        player = self.table.player(handle(person))
        assert player is not None
        tag = self.table.site.keyring.reply_tag(player.id, player.epoch, number)
        to = self.table.site.address.board_reply(player.id, tag, number)
        person.writes("Re: our game", words, to=to)

    def asks(self, person: Person, line: str) -> None:
        """Let somebody write to the server, in answer to the welcome."""
        person.says(line, answering=self.welcomes[handle(person)])

    def moves(self, person: Person, number: int) -> None:
        """Let somebody move, if it is that one's turn there."""
        board = self.table.board(number)
        if board.to_move and board.to_move.handle == handle(person):
            move = board.position.legal_moves()[0]
            self.says(person, number, str(move))

    def bounces(self, person: Person) -> None:
        """Let somebody's mail seem to come back, and that one write again."""
        mail = replace(person.newest, envelope_sender=self.sender_of[person.address])
        report(self.table, mail, "postfix-unknown-user")
        self.asks(person, "whoami")


def checked(mails: list[Mail]) -> int:
    """Check that a reader's mails of an hour are not too many; how many are beyond the turns."""
    turns = {
        (mail["X-PBM-Board"], mail["X-PBM-Ply"]) for mail in mails if mail["X-PBM-Turn"] == "reader"
    }
    beyond = len(mails) - len(turns)
    assert beyond <= MOST_MAILS, [mail["Subject"] for mail in mails]
    assert sum(len(mail.raw) for mail in mails) <= MOST_BYTES
    return beyond


@pytest.mark.thorough
def test_words_and_moves_on_fifteen_boards(table: Table) -> None:
    crowd = Crowd(table, others=5, boards=15)
    reader = crowd.reader
    for _ in range(3):
        for number, people in crowd.boards.items():
            for person in people:
                if person is not reader:
                    crowd.moves(person, number)
                    crowd.says(person, number, f"Nice to see you on board {number}!")
    assert 30 <= checked(reader.arrived) <= 33
    waiting = {number for number in crowd.boards if table.board(number).to_move.handle == "reader"}  # type: ignore[union-attr]
    told = {int(m["X-PBM-Board"]) for m in reader.arrived if m["X-PBM-Turn"] == "reader"}
    assert waiting == set(crowd.boards) == told  # no turn was withheld
    first = crowd.others[0]
    table.arrive = crowd.arrives  # type: ignore[method-assign]
    for _ in range(3):  # of which two come through
        crowd.asks(first, "challenge reader")
    first.hears("reader has had many mails from other players lately. Please send this line again")
    reader.forgets()
    table.days_pass(hours=1)
    reader.gets(1).hears(
        "Your games: news of 15, your move on 15",
        "other00 writes: | Nice to see you on board 15!",
        "Much happened at a time, so it comes in one mail.",
    )
    table.days_pass(hours=23)
    reader.forgets()
    assert not any(row["since"] for row in table.rows("readers"))
    crowd.says(first, 1, "Hello again.")
    reader.gets(1).hears("| Hello again.")


@pytest.mark.thorough
def test_too_many_words_are_named_only(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for number in range(45):
        bob.says(f"{number} " + "word " * 200, answering=bob.mail("Abalone Board 1:"))
        if number == 29:
            table.days_pass(hours=0.9)
    alice.gets(30 + 2).forgets()
    table.days_pass(hours=1)
    alice.gets(1).hears("| 40 word", "| 44 word")
    for number in range(60):
        bob.says(f"{number} " + "more " * 400, answering=bob.mail("Abalone Board 1:"))
        table.days_pass(minutes=0.9)
    alice.hears("Words of bob are not shown")


def test_who_has_left_hears_of_the_end(table: Table) -> None:
    alice, bob, carol = people = table.start("alice", "bob", "carol")
    alice.says("resign 1").gets(1).hears("bob's move on board 1").forgets()
    bob.says("i5-i6,h5").says("A pity!").says("draw")
    carol.says("reject draw")
    alice.hears_nothing()
    carol.says("resign")
    alice.gets(1).hears("Board 1 is over: bob wins.")
    bob.says("Thank you for the game!")
    alice.gets(1).hears("| Thank you for the game!")
    assert len(people) == 3


@pytest.mark.thorough
@pytest.mark.on_postgresql
def test_an_hour_of_twenty_accounts_that_try_everything(table: Table) -> None:
    """Moves, take-backs, offers, words, challenges, invitations, seeks, bounces, vacations, new
    addresses, and people who leave."""
    crowd = Crowd(table, others=20, boards=40)
    reader = crowd.reader
    for number in range(1, 41, 4):
        crowd.says(reader, number, "resign")
    reader.says("seek -players=3", answering=reader.mail("pbm: welcome")).forgets()
    numbers = count()
    for minute in range(0, 60, 3):
        table.days_pass(minutes=3)
        for place, person in enumerate(crowd.others):
            mine = [number for number, people in crowd.boards.items() if person in people]
            number = mine[minute // 3 % len(mine)]
            for some in mine:
                crowd.moves(person, some)
            for some in (number, mine[place % len(mine)]):
                crowd.says(person, some, f"{next(numbers)} " + "so many words " * 20)
            tries = (
                *(f"draw {number}", f"takeback {number}", f"accept takeback {number}"),
                *("challenge reader", "seek -players=2", "join 1", "unseek", "play"),
                *("challenge reader newcomer@example.net", "vacation today 2d", "back"),
                *(f"pause {number}", f"add {place}.{minute}@elsewhere.example"),
                *(f"give 1d {number}", f"reject draw {number}", f"resign {number}"),
            )
            crowd.asks(person, tries[(minute // 3 + place) % len(tries)])
            if minute // 3 % 5 == place % 5:
                crowd.bounces(person)
    assert checked(reader.arrived) >= 20
    reader.forgets()
    table.days_pass(hours=1)
    assert reader.arrived
    checked(reader.arrived)
