"""Whoever writes words alone is told once in a board's life where they go."""

from pbm.play.limits import NEWCOMERS_ANSWERS
from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table

HOW = "To give this server a command or a move"


def told(person: Person) -> bool:
    """Whether the newest mail says where words go."""
    return HOW in " ".join(person.newest.text.split())


def test_once_for_each_player_and_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("Good luck!").gets(1).hears("| Good luck!", f"Sent to bob. {HOW}")
    bob.gets(1).hears("alice writes: | Good luck!")
    assert not told(bob)
    alice.says("Have fun!").gets(1)
    assert not told(alice)
    bob.says("You, too.").hears("Sent to alice.")
    alice.says("a1-c3,d4\nHere I go.")
    assert not told(alice)
    table.begins("alice", "bob")
    alice.says("And here?", answering=board_mail(alice, 1))
    assert not told(alice)
    alice.writes("show 2").forgets()
    thread = board_mail(alice, 2)
    alice.says("Hello again!", answering=thread).hears("Sent to bob.")


def test_words_with_a_move_need_no_receipt(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nYour turn!")
    assert not told(alice)
    plays(table, people)
    alice.says("Hm.").hears("Sent to bob.")
    bob.forgets()


def test_everybody_else_is_named(table: Table) -> None:
    alice, _, _ = table.start("alice", "bob", "carol")
    alice.says("Hello!").hears("Sent to bob and carol.")


def test_words_that_a_yes_sends(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    thread = {"In-Reply-To": alice.newest["Message-ID"]}
    alice.writes("Re: Abalone Board 1: alice v bob", "Hello bob!", headers=thread)
    assert not told(alice)
    alice.says("yes").hears("| Hello bob!", "Sent to bob.")
    bob.hears("| Hello bob!")


def test_who_had_enough_answers_is_told_all_the_same(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    for _ in range(NEWCOMERS_ANSWERS + 21):
        alice.says("show", answering=board)
    assert "paused" in alice.newest["Subject"]
    alice.forgets().says("Hello!", answering=board).gets(1).hears("Sent to bob.")


def test_two_robots_come_to_an_end(table: Table) -> None:
    robots = alice, bob = table.start("alice", "bob")
    alice.says("I am a program.")
    for number in range(60):
        for robot in robots:
            for mail in robot.arrived[:3]:
                robot.says(f"Thank you for number {number % 7}.", answering=mail)
            robot.forgets()
    for robot in robots:
        assert sum(HOW in " ".join(mail.text.split()) for mail in robot.mails) == 1
    assert not [robot for robot in (alice, bob) if robot.arrived]
