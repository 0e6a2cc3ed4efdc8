"""Draws and take-backs from a sender who is not proven: what the question says is what is done."""

import pytest

from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table


@pytest.fixture
def people(table: Table) -> list[Person]:
    """alice and bob, who have made two moves each."""
    people = table.start("alice", "bob")
    plays(table, people, plies=4)
    for person in people:
        person.forgets()
    return people


def test_a_draw_is_asked_about_first(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.writes("draw 1", "Shall we?").gets(1).hears(
        "Please confirm: draw 1",
        'Did you send "draw 1"?',
        "| Shall we?",
        "Reply yes to do it, or no to drop it.",
        "When you answer a mail of ours, even an old one, we need not ask whether it was you.",
    )
    bob.hears_nothing()
    alice.says("yes").gets(1).hears("The draw that you offered waits for bob.")
    bob.gets(1).hears("Please answer: alice offers a draw.", "| Shall we?")
    assert table.board(1).playing


@pytest.mark.parametrize("word", ["propose 1", "draw 1", "accept 1", "accept draw 1"])
def test_a_yes_to_a_draw_never_offers_one(word: str, people: list[Person]) -> None:
    alice, bob = people
    alice.says("draw").forgets()
    bob.forgets().writes(word).hears("Please confirm: accept draw 1")
    alice.says("reject").forgets()
    bob.says("yes", answering=bob.mail("Please confirm")).hears(
        "There is no draw on board 1 that waits for an answer of yours.", "Nothing has changed."
    )
    alice.gets(0)


def test_an_accepted_draw(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("draw")
    bob.writes("accept").hears("Please confirm: accept draw 1")  # the only offer to bob
    bob.says("yes", answering=bob.mail("Please confirm"))
    alice.hears("Board 1 is over: a draw.")
    assert table.board(1).ended_by == "agreed"


def test_a_take_back_is_that_of_the_move_that_it_meant(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.writes("undo 1").hears("Please confirm: takeback of move #3 on board 1", "Did you send")
    bob.hears_nothing()
    plays(table, people)
    alice.forgets().says("yes", answering=alice.mail("Please confirm")).gets(1).hears(
        "You can only take back your latest move, and on board 1 that is move #5, not #3."
    )
    alice.writes("takeback 1").says("yes").hears("You asked to take back move 3 (#5)")


@pytest.mark.parametrize("word", ["accept 1", "accept takeback 1", "accept 1 undo"])
def test_a_yes_to_a_take_back_is_no_yes_to_the_next(
    word: str, table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says("takeback")
    bob.writes(word).hears("Please confirm: accept takeback of move #3 on board 1")
    bob.says("reject", answering=board_mail(bob, 1))
    plays(table, people, plies=2)
    alice.says("takeback").hears("You asked to take back move 3 (#5)")
    bob.forgets().says("yes", answering=bob.mail("Please confirm")).gets(1).hears(
        "There is no take-back on board 1 that waits for an answer of yours."
    )
    assert table.board(1).ply == 6
    bob.writes(word).says("yes").hears("alice's move 3 (#5)")
    assert table.board(1).ply == 4


def test_a_no_and_a_withdrawal(people: list[Person]) -> None:
    alice, bob = people
    alice.says("draw").says("takeback")
    alice.forgets().writes("reject draw 1").hears("Please confirm: reject draw 1").says("yes")
    bob.forgets().writes("reject 1").hears(
        "Please confirm: reject takeback of move #3 on board 1"
    ).says("yes")
    alice.hears("You withdrew the offer of a draw.", "bob said no to the take-back")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("accept 1", "There is nothing on board 1 that waits for an answer of yours."),
        ("reject draw 1", "There is no draw on board 1 that waits for an answer of yours."),
        ("claim 1", "A draw cannot be claimed on board 1 now"),
        ("rematch 1", "Board 1 is still being played."),
        ("takeback 1#1", "that is move #3, not #1."),
        ("draw 7", "There is no board 7."),
    ],
)
def test_what_would_be_refused_is_refused_at_once(
    line: str, sentence: str, people: list[Person]
) -> None:
    alice, bob = people
    alice.writes(line, "Well?").gets(1).hears(line, sentence, "| Well?")
    assert "Please confirm" not in alice.newest["Subject"]
    bob.hears_nothing()


def test_a_move_and_a_draw_in_one_question(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.writes("multiple", "draw 1\nmove 1 b1,b1\ndraw 1").hears(
        "| move 1 b1,b1", "This was left undone", "One of your lines was not done."
    )
    example = board_mail(alice, 1).text.split("such as ")[1].split()[0].rstrip(".")
    alice.writes("multiple", f"draw 1\nmove 1 {example}").hears(
        f"| move #5 on board 1: {example} | draw 1", "Reply yes to do it"
    )
    alice.says("yes")
    bob.hears("Your move on board 1. alice offers a draw.", "alice played")
    assert table.board(1).ply == 5


def test_a_mail_of_many_lines(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("challenge bob").says("challenge me bob carol")
    alice.writes("multiple", "move 1 a1-c3,d4\nmove 2 b1,c1\ndraw 2\nchallenge carol -pillar")
    alice.hears(
        "| move #1 on board 1: a1-c3,b2 | move #1 on board 2: b1,c1",
        "| challenge -pillar alice carol | draw 2",
    )
    assert table.board(1).ply == 0
    alice.says("yes")
    assert (table.board(1).ply, table.board(2).ply) == (1, 1)
    bob.hears("Your move on board 1.", "Your move on board 2. alice offers a draw.")
    carol.hears("bob's move on board 2. Please answer: alice offers a draw.", "with a pillar")
    bob.says("accept 2\nMOVE 1 i5-g5,f5", subject="Multiple")
    carol.says("accept", answering=board_mail(carol, 2)).hears("Board 2 is over: a draw.")
    assert table.board(1).ply == 2
