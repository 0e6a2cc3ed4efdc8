"""Words for the server, in answer to a board, bring the status card; `send` passes them on."""

from pbm.play.limits import NEWCOMERS_ANSWERS
from tests.conversations.playing import board_mail, plays
from tests.help.boards import flow
from tests.table import Table

QUESTION = "How many marbles have I lost?"


def test_the_card_and_send(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=4)
    board = board_mail(alice, 1)
    alice.forgets().says(QUESTION, answering=board).gets(1)
    alice.hears(
        'Not sent to bob. Answer "send"',
        f"| {QUESTION}",
        "Your move on board 1",
        "You are o (top).",
        "Marbles left: you o 14, bob x 14.",
        "The last moves: 1 (#1). ",
        "Every move has 3 weeks",
        "Ratings",
        "To move, write",
        "To push, move two",
    )
    bob.forgets().hears_nothing()
    assert table.rows("inbox")[-1]["outcome"] == "alice: words not sent on"
    alice.says("send").gets(1).hears("Sent to bob.", f"| {QUESTION}")
    bob.gets(1).hears("alice writes:", f"| {QUESTION}")
    alice.says("send").gets(1).hears("I hold no words of yours back")
    alice.says("status", answering=board).gets(1).hears("Marbles left:")
    assert "Not sent" not in alice.newest.text
    bob.hears_nothing()


def test_the_newest_words_of_a_board_wait_for_two_days(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = board_mail(alice, 1)
    alice.says("Which marbles are mine?", answering=board).says(QUESTION, answering=board)
    alice.hears("These words of yours, which nobody got, are dropped", "| Which marbles are mine?")
    assert [row["comment"] for row in table.rows("errands")] == [(QUESTION,)]
    alice.forgets().writes("send").gets(1).hears("Please confirm: send 1")
    alice.says("yes").hears("Sent to bob.")
    bob.gets(1).hears(f"| {QUESTION}")
    alice.says("How do I push?", answering=board).forgets()
    table.clock.passes(days=2, minutes=1)
    alice.says("send", answering=board).hears("I hold no words of yours back")


def test_other_questions_are_sent_and_bring_the_card(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("What is that good for?").gets(1).hears("Sent to bob.", "Marbles left:")
    bob.gets(1).hears("| What is that good for?")
    assert "Marbles left" not in bob.newest.text
    alice.says("Good luck!").gets(1).hears("Sent to bob.")
    assert "Marbles left" not in alice.newest.text


def test_where_no_answer_may_go_out_words_are_sent(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for _ in range(NEWCOMERS_ANSWERS + 21):
        alice.says("show", answering=board)
    alice.forgets().says(QUESTION, answering=board).hears("Sent to bob.")
    bob.hears(f"| {QUESTION}")


def test_what_only_the_server_can_do_is_asked_about(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=4)
    board = board_mail(alice, 1)
    alice.says("can we pause?", answering=board).hears("stop the clocks of board 1?")
    alice.says("can you cancel it?", answering=board).hears("take back your last move on board 1?")
    bob.forgets().hears_nothing()


def test_a_question_that_may_be_forged_holds_nothing(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    thread = {"In-Reply-To": alice.newest["Message-ID"]}
    alice.writes("Re: Abalone Board 1: alice v bob", QUESTION, headers=thread)
    alice.hears("Do you want to send the words below", "Marbles left:", f"| {QUESTION}")
    assert [row["status"] for row in table.rows("errands")] == ["waiting"]
    bob.hears_nothing()
    alice.says("yes").hears("Sent to bob.")
    bob.hears(f"| {QUESTION}")


ANSWERS = {
    "How long has pebble left?": "- Your time for this move ends",
    "Larger picture please": "- The picture has twice the size",
    "Wie viele Kugeln habe ich noch?": "- Marbles left: you o 14",
    "Comment fait-on pour pousser ?": "- To push, move two or three",
    "What is my rating?": "- Ratings",
    "Quiero ver la última jugada": "- The last moves:",
    "Ik snap de notatie niet": "- To move, write the place",
}


def test_the_answer_comes_first_where_nobody_reads_words(table: Table) -> None:
    table.robots_join()
    alice = table.joins("alice").says("challenge pebble").says("a1-c3,b2")
    table.robots_think()
    board = board_mail(alice, 1)
    for question, answer in ANSWERS.items():
        alice.forgets().says(question, answering=board).gets(1).hears(f"| {question}")
        first, below = flow(alice.newest.text).split("You wrote:")
        assert first.startswith(answer), first
        assert "Nobody reads words on this board" in below
    alice.says("What does pebble think?", answering=board)
    alice.hears("Nobody reads words on this board", "| What does pebble think?")


def test_questions_to_no_board_bring_the_cards_or_a_page(table: Table) -> None:
    alice, _, _ = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.writes("Which colour am I?").hears("marbles are yours").writes("How do I push?")
    alice.hears("Two or three marbles of yours in a row can push")
    for other in ("bob", "carol"):
        alice.writes(f"challenge {other}").says("yes")
    alice.forgets().writes("Which colour am I?").gets(1)
    cards = flow(alice.newest.text)
    assert cards.count("Your move on board") == 2
    assert cards.count("| Which colour am I?") == 1
    alice.writes("Wie schiebe ich?").hears("Two or three marbles of yours in a row can push")


def test_a_board_that_is_over(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=4)
    bob.says("resign").forgets()
    alice.says("Where did I go wrong?", answering=board_mail(alice, 1))
    alice.hears("Board 1 is over", 'answer "analyse"', "Not sent to bob.")
    print(alice.newest.text)
