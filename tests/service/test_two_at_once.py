"""Two processes of the same role on one PostgreSQL: order is kept, and no ply is played twice."""

from contextlib import suppress
from functools import partial
from threading import Barrier

import pytest
from sqlalchemy.exc import OperationalError

from pbm.play.ratings import MOVES as TO_COUNT
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import Database
from tests.conversations.playing import plays_on
from tests.polling import together
from tests.serving import keep, take_next, tick_next
from tests.table import Person, Table

MOVES = [("c3,d3", "g7,f7"), ("d3,c3", "f7,g7")]


def at_once(table: Table, processes: int) -> None:
    """Let several processes take turns until nothing is left, all beginning together."""
    databases = [Database(str(table.database.engine.url)) for _ in range(processes)]
    begin = Barrier(processes)

    def work(database: Database) -> None:
        turns = InboxWorker(database, table.site, table.clock)
        begin.wait()
        going_on = True
        while going_on:
            with suppress(OperationalError):  # two waited for each other: the loser tries again
                going_on = take_next(turns)

    together(*(partial(work, database) for database in databases))
    for database in databases:
        database.close()


def outcomes(table: Table) -> list[str]:
    assert {row["status"] for row in table.rows("inbox")} == {"done"}
    return [row["outcome"] for row in table.rows("inbox")]


def hand_in(person: Person, body: str, subject: str = "", answers: str = "Abalone Board") -> None:
    to = person.mail(answers).reply_to
    person.table.hand_in(person.address, to, person.mail_bytes(subject, body, to=to))


def test_the_same_ply_from_two_mails_at_once(shared: Table) -> None:
    people = alice, bob = shared.start("alice", "bob")
    for ply in range(12):
        mover = people[ply % 2]
        for _ in range(2):
            hand_in(mover, MOVES[ply // 2 % 2][ply % 2])
        at_once(shared, 2)
        shared.posts()
        assert len(shared.moves(1)) == ply + 1
    outcomes(shared)
    refused = [mail for mail in (*alice.mails, *bob.mails) if "'s turn. You get" in mail.text]
    assert len(refused) == 12


def test_many_boards_and_many_processes(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    for _ in range(7):
        alice.says("challenge bob")
    for number in shared.boards():
        alice.forgets()
        hand_in(alice, f"move {number}#1 c3,d3")
        hand_in(bob, f"move {number}#1 g7,f7")
        hand_in(alice, f"move {number}#1 a1-c3,d4")
    at_once(shared, 4)
    shared.posts()
    assert all(len(shared.moves(number)) == 1 for number in shared.boards())
    outcomes(shared)
    for mail in bob.mails:
        assert mail["Message-ID"]
    ids = [row["message_id"] for row in shared.rows("outbox")]
    assert len(set(ids)) == len(ids)


def test_boards_in_the_one_order_and_in_the_other(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    for _ in range(5):
        alice.says("challenge bob")
    numbers = shared.boards()
    for ply in range(6):
        mover, move = (alice, bob)[ply % 2], MOVES[ply // 2 % 2][ply % 2]
        there = [f"move {number}#{ply + 1} {move}" for number in numbers]
        for lines in (there, there[::-1]):
            hand_in(mover, "\n".join(lines), "multiple", "pbm: welcome")
        at_once(shared, 2)
        assert [len(shared.moves(number)) for number in numbers] == [ply + 1] * len(numbers)
    outcomes(shared)


def test_boards_that_end_and_seeks_in_the_one_order_and_in_the_other(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    for number in (1, 2, 3, 4):
        if number > 1:
            alice.says("challenge bob")
        plays_on(shared, number, 2 * TO_COUNT)
    for person, numbers in ((alice, (1, 2)), (bob, (2, 1)), (alice, (3, 4)), (bob, (4, 3))):
        lines = "\n".join(["play", *(f"resign {number}" for number in numbers), "unseek"])
        hand_in(person, lines, "multiple", "pbm: welcome")
    at_once(shared, 2)
    outcomes(shared)
    assert not any(shared.board(number).playing for number in (1, 2, 3, 4))


def test_two_newcomers_want_one_name_at_once(shared: Table) -> None:
    people = [shared.person(f"sam@{name}.example") for name in ("one", "two", "three")]
    for person in people:
        person.writes("signup sam").forgets()
    for person in people:
        to = person.newest.reply_to
        shared.hand_in(person.address, to, person.mail_bytes("", "yes", to=to))
    at_once(shared, 3)
    shared.posts()
    assert [row["handle"] for row in shared.rows("players")] == ["sam"]
    told = [person.gets(1).newest.text for person in people]
    assert sum("You play as sam now." in text for text in told) == 1
    assert sum("The handle sam is taken." in text for text in told) == 2


def test_the_same_bytes_at_once_are_one_row(shared: Table) -> None:
    alice, _ = shared.start("alice", "bob")
    to = alice.mail("Abalone Board").reply_to
    raw = alice.mail_bytes("", "c3,d3", to=to)
    begin = Barrier(4)
    replies: list[str] = []

    def deliver() -> None:
        begin.wait()
        replies.append(str(keep(shared, alice.address, (to,), raw)))

    together(*[deliver] * 4)
    shared.runs()
    assert len(replies) == 4
    assert len(set(replies)) == 1
    assert shared.moves(1) == ["c3,d3"]


def test_what_one_player_sends_is_obeyed_in_order(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    lines = ["move c3,d3", "draw", "takeback"]
    for line in lines:
        hand_in(alice, line)
    hand_in(bob, "accept draw")
    with shared.database.transaction() as one, shared.database.transaction() as two:
        first = one.inbox.claim(shared.clock())
        assert len(first) == 1
        assert two.inbox.claim(shared.clock()) == ()  # all of it is about this board
    with shared.database.transaction() as one:
        assert one.inbox.claim(shared.clock()) == first
    at_once(shared, 3)
    told = outcomes(shared)
    assert [outcome.split(": ")[-1] for outcome in told[-4:]] == [
        "move",
        "draw",
        "takeback",
        "accept",
    ]
    assert shared.board(1).ended_by == "agreed"


def test_who_seek_others_at_once(shared: Table) -> None:
    """Of four who want the last two seats two get one, and of four who say `play` nobody waits."""
    maker, *others = [shared.joins(name) for name in ("alice", "bob", "carol", "dave", "erin")]

    def all_say(line: str) -> list[str]:
        for person in others:
            hand_in(person.forgets(), line, answers="pbm: welcome")
        at_once(shared, 4)
        shared.posts()
        return ["\n".join(mail.text for mail in person.arrived) for person in others]

    maker.says("seek 3")
    told = all_say("join 1")
    assert sum("Seek 1 is full: it has become board 1." in text for text in told) == 2
    assert sum("Seek 1 is complete" in text for text in told) == 2
    assert len(shared.board(1).seats) == 3
    told = all_say("play")
    assert all("You both wanted to be paired" in text for text in told)
    assert shared.boards() == [1, 2, 3]
    assert {row["status"] for row in shared.rows("seeks")} == {"begun"}
    outcomes(shared)


def test_two_who_say_yes_to_a_challenge_at_once_begin_one_board(shared: Table) -> None:
    alice, bob, carol = (shared.joins(handle) for handle in ("alice", "bob", "carol"))
    for person in (bob, carol):
        person.says("challenges ask")
    for number in range(1, 4):
        alice.says("challenge bob carol")
        for person in (bob, carol):
            hand_in(person, "yes", answers="Please confirm: a game")
        at_once(shared, 2)
        shared.posts()
        assert len(shared.boards()) == number
        alice.says(f"resign {shared.boards()[-1]}")
    outcomes(shared)


def test_a_reminder_waits_for_no_turn_on_another_board(shared: Table) -> None:
    """What a turn beside it has in hand is told the next time, and told once."""
    alice, _ = shared.joins("alice"), shared.joins("bob")
    shared.begins("alice", "bob", times=3)
    alice.forgets()
    other = Database(str(shared.database.engine.url))
    with other.transaction() as beside:
        beside.boards.get(2, lock=True)
        shared.clock.passes(days=2)
        assert tick_next(shared.ticks)  # board 1 is due, and the others are
        shared.posts()
        assert [mail["Subject"] for mail in alice.arrived] == ["Your games: 3 wait for your move"]
        assert "Board 2" not in alice.arrived[0].text
    other.close()
    shared.days_pass(0.1)
    alice.hears("Board 2")


@pytest.mark.parametrize("races", [6, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_plan_is_changed_while_its_trigger_arrives(races: int, shared: Table) -> None:
    played = plans_change(shared, races, 2)
    assert set(played) <= {"a2-c4,b3", "b1,c2"}


@pytest.mark.parametrize("races", [2, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_plan_is_changed_in_the_transaction_of_its_trigger(races: int, embedded: Table) -> None:
    """On SQLite both turns share one, in the order in which the mails came."""
    assert plans_change(embedded, races, 1) == ["b1,c2", "a2-c4,b3"] * (races // 2)


def plans_change(table: Table, races: int, processes: int) -> list[str]:
    """Let a plan's change arrive beside its trigger, in both orders; return what it played."""
    alice, bob = table.start("alice", "bob")
    table.begins("alice", "bob", times=races)
    first, trigger, before, after = "a1-c3,b2", "i5-g5,h5", "a2-c4,b3", "b1,c2"
    played = list[str]()
    for number in range(2, 2 + races):
        alice.says(f"move {number} {first}").says(f"plan {number} if {trigger} then {before}")
        table.clock.passes(hours=2)  # nobody is put off for writing too much
        mails = [
            (alice, f"plan {number} if {trigger} then {after}"),
            (bob, f"move {number} {trigger}"),
        ]
        for person, body in mails if number % 2 == 0 else reversed(mails):
            hand_in(person, body)
        at_once(table, processes)
        table.posts()
        *_, last = moves = table.moves(number)
        assert moves == [first, trigger, last]
        played.append(last)
        assert any(f"alice played {last}" in mail.text for mail in bob.mails)
    assert not table.rows("plans")
    outcomes(table)
    return played
