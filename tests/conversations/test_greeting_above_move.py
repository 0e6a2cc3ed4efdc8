"""One line that is wholly a move is the move, wherever it stands; the other words are comment."""

import pytest

from tests.table import Person, Table

MOVE = "a1-c3,b2"  # as it is stored, and shown
OTHER = "a5-c5,d5"  # legal, too
THEIRS = "i5-g5,h5"  # the opponent's


@pytest.mark.parametrize(
    ("body", "comment"),
    [
        ("Hi bob,\n\na1-c3,d4\n\nGood luck", ["Hi bob,", "", "Good luck"]),
        ("Hi bob,\na1-c3,d4\nGood luck", ["Hi bob,", "Good luck"]),
        ("Hi bob,\n\na1-c3,d4", ["Hi bob,"]),
        (
            "Hello!\nLong time no see.\n\nSo:\n\n  A1 - C3, D4  \n\nBye\nA.",
            ["Hello!", "Long time no see.", "", "So:", "", "Bye", "A."],
        ),
        ("One\n\nTwo\n\n\na1-c3,d4\n\n\nThree\nFour", ["One", "", "Two", "", "Three", "Four"]),
        ("Sorry for the delay!\na1-c3,b2\nHow are you?", ["Sorry for the delay!", "How are you?"]),
        ("Hi\n\na1-c3,d4\n\nas I said: \n\na1-c3,b2\n\nBye", ["Hi", "", "as I said:", "", "Bye"]),
        ("Hi\n\nmy move: *a1-c3,d4*, please :-)\n\nBye", ["Hi", "", "Bye"]),
        ("Hi\n\nmove a1-c3,d4\n\nBye", ["Hi", "", "Bye"]),
        ("Hi\n\nmove 1 a1-c3,d4\n\nBye", ["Hi", "", "Bye"]),
        ("Hi\n\nabalone move 1#1 a1-c3,d4 please\n\nBye", ["Hi", "", "Bye"]),
        ("Is e4 free? I think so.\n\na1-c3,d4", ["Is e4 free? I think so."]),
        ("e4 looks strong\na1-c3,d4\nb3 weak", ["e4 looks strong", "b3 weak"]),
        ("a1-c3,d4 or a5-c5,d5?\n\na1-c3,d4", ["a1-c3,d4 or a5-c5,d5?"]),
        ("Move over, here I come:\na1-c3,d4", ["Move over, here I come:"]),
        ("Liebe Bob,\n\nmein Zug: a1–c3,d4\n\nGruß", ["Liebe Bob,", "", "Gruß"]),
    ],
)
def test_a_move_among_other_words_is_played(body: str, comment: list[str], table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(body).gets(1)
    assert table.moves(1) == [MOVE]
    quoted = "\n".join(f"| {line}".rstrip() for line in comment)
    assert f"alice writes:\n\n{quoted}\n\nYou are" in bob.gets(1).newest.text


UNSURE = [
    (f"Hi bob,\n\na1-c3,d4\n\nor\n\n{OTHER}\n\nBye", ["a1-c3,d4", OTHER], ["Hi bob,", "Bye"]),
    (f"Hi bob,\na1-c3,d4\n{THEIRS}\nBye", ["a1-c3,d4", THEIRS], ["Hi bob,", "Bye"]),
    (f"a1-c3,d4\n\nno, rather:\n\n{OTHER}\n\nBye", ["a1-c3,d4", OTHER], ["no, rather:", "Bye"]),
    (f"a1-c3,d4\n{OTHER}", ["a1-c3,d4", OTHER], []),
    (f"Hi\n\na1-c3,d4\nI play {OTHER}!", ["a1-c3,d4", f"I play {OTHER}!"], ["Hi"]),
    ("c3 c4\n\nOops\n\na1-c3,d4", ["c3 c4", "a1-c3,d4"], ["Oops"]),
    ("e4!\n\nOops\n\na1-c3,d4", ["e4!", "a1-c3,d4"], ["Oops"]),
    ("Hi\n\nmove 7 a1-c3,d4\n\nBye", ["move 7 a1-c3,d4"], ["Hi", "Bye"]),
    ("Hi\n\nmove #9 a1-c3,d4\n\nBye", ["move #9 a1-c3,d4"], ["Hi", "Bye"]),
    ("a1-c3,d4 or a5-c5,d5", ["a1-c3,d4", "a5-c5,d5"], ["a1-c3,d4 or a5-c5,d5"]),
    ("Hi\n" + "\n".join(f"b{n},c{n + 4}" for n in range(1, 10)), ["b1,c5", "b2,c6"], ["Hi"]),
]


def test_where_it_is_not_sure_which_move_is_meant_nothing_happens(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for body, lines, comment in UNSURE:
        alice.says(body).gets(1).hears(
            "Abalone Board 1: alice v bob",
            *(f'- "{line}"' for line in lines),
            "Answer with the one that you mean, on a line of its own.",
            "Nothing has changed.",
            *(f"| {line}" for line in comment),
            "Your move on board 1.",
        )
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("a1-c3,d4").hears("bob's move")


ILLEGAL = [
    ("d1,e1", "There is no marble on d1."),
    (THEIRS, "are not yours; you are o."),
    ("a1-b2,c3.", "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant."),
    ("I play a1,c3", "c3 is not next to a1"),
]


def test_an_illegal_one_is_refused_and_no_word_sent_on(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line, sentence in ILLEGAL:
        alice.says(f"Hi bob,\n\n{line}\n\nBye").gets(1)
        told = ("Nothing has changed.", "| Hi bob,", "| Bye", "Your move on board 1.")
        alice.hears(f"| {line}", sentence, *told)
    bob.hears_nothing()
    assert table.moves(1) == []


TALK = [
    "Hi bob,\n\nwhy not a1-c3,d4, or a5-c5,d5?",
    "Hi,\n\nin the last game your i9-g7,f6 surprised me.",
    "Hi,\n\nis e4 free?",
]


def test_talk_about_moves_and_places_is_sent_on(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for body in TALK:
        alice.says(body).gets(1).forgets()
        bob.gets(1).hears(*(f"| {line}" for line in body.split("\n") if line))
    assert table.moves(1) == []


@pytest.mark.parametrize(
    "body",
    [
        "Yesterday evening I thought for a long time whether I should play\na1-c3,d4.\nWell, well.",
        "what would you say to\na1-c3,d4\ninstead?",
    ],
)
def test_a_line_that_a_sentence_may_have_left_there_is_asked_about(body: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(body).gets(1).hears(
        f"{MOVE}? Reply yes to play it on board 1, or no.", "may belong to the sentence around it"
    )
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("yes").hears("bob's move on board 1")
    assert table.moves(1) == [MOVE]
    bob.hears(body.split("\n")[0][:60])


def test_out_of_turn_it_may_be_a_plan_and_is_told_to_nobody(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says(f"Hi alice,\n\n{THEIRS}\n\nLater!").gets(1)
    bob.hears("Your plan on board 1", "| Hi alice,", "| Later!")
    alice.hears_nothing()
    assert table.moves(1) == []


def test_a_move_below_a_greeting_in_an_old_mail_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    old = alice.newest
    alice.says("a1-c3,d4")
    bob.says(THEIRS).forgets()
    alice.forgets().says("Hi bob,\n\na2,b2\n\nBye", answering=old).gets(1)
    alice.hears("Nothing has changed.", "| Hi bob,")  # a2,b2 is not legal there any more
    alice.says("Hi bob,\n\na2-c4,d5\n\nBye", answering=old).gets(1).hears(
        "You answered an older mail", '"move #3 on board 1: a2-c4,b3" played', "| Hi bob,", "| Bye"
    )
    bob.hears_nothing()
    assert len(table.moves(1)) == 2
    alice.says("yes").hears("bob's move on board 1")
    bob.hears("| Hi bob,", "| Bye")


def test_without_a_proof_it_is_asked_about_first(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("Re: Abalone Board 1: alice v bob", "Hi bob,\n\na1-c3,d4\n\nBye").gets(1)
    alice.hears('"move #1 on board 1: a1-c3,b2"?', "| Hi bob,", "| Bye", "Reply yes to do it")
    bob.hears_nothing()
    two = f"Hi bob,\n\na1-c3,d4\n\n{OTHER}"
    alice.writes("Re: Abalone Board 1: alice v bob", two).hears("Nothing has changed.", "| Hi bob,")
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("yes", answering=alice.mail("Please confirm: move")).hears("bob's move on board 1")
    bob.hears("| Hi bob,", "| Bye")
    assert table.moves(1) == [MOVE]


def test_a_fresh_mail_answers_no_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for body in ("Hi bob,\n\na1-c3,d4", "e4 looks strong\n\na1-c3,d4", "Move over:\n\na1-c3,d4"):
        alice.writes("Hello", body).gets(1)
        assert table.moves(1) == []
        alice.forgets()
    bob.hears_nothing()


def test_from_an_alias_nothing_is_played_before_the_owner_has_said_yes(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    elsewhere = Person(table, "a.l@work.example")
    elsewhere.says("Hi bob,\n\na1-c3,d4", answering=board)
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.hears("a.l@work.example")


def test_words_that_may_hold_a_password_are_kept_back(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.says("change password correct-horse-battery")
    alice.says("yes").forgets()
    for body in (
        "Hi bob, my password is correct-horse-battery\n\na1-c3,d4",
        "e4 is fine, my password is\ncorrect-horse-battery\n\na1-c3,d4",
        "Hi bob,\n\na1-c3,d4\n\nalice correct-horse-battery",
        "Hi\n\nmove 1 alice correct-horse-battery a1-c3,d4",
        f"Hi\n\na1-c3,d4\n{OTHER}\nalice correct-horse-battery",
        "c3 d4\n\nalice correct-horse-battery",
    ):
        alice.says(body, answering=board)
        assert "correct-horse" not in "\n".join(mail.text for mail in alice.arrived)
        alice.forgets()
        assert "correct-horse" not in "\n".join(mail.text for mail in bob.mails)
        assert table.moves(1) == []
    bob.hears_nothing()


def test_a_login_below_a_greeting_plays_nothing(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    carol.writes("Hi", "Hi\n\nmove 1 alice secret a1-c3,d4\n\nBye").forgets()
    bob.hears_nothing()
    alice.hears_nothing()
    assert table.moves(1) == []


def test_an_answer_between_the_quotes_and_another_move_above(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"Hm,\n{OTHER}\nis good.\n\n> Your move on board 1.\n\na1-c3,d4\n").gets(1).hears(
        f'- "{OTHER}"', '- "a1-c3,d4"', "Nothing has changed."
    )
    bob.hears_nothing()
    alice.says("Hm!\n\n> Your move on board 1.\n\na1-c3,d4\n\nBye\n").hears("bob's move")
    bob.gets(1).hears("| Hm!", "| Bye")


def test_far_down_no_move_is_looked_for(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("\n".join([*["Hello!"] * 200, "a1-c3,d4"]))
    assert table.moves(1) == []
    alice.says("\n".join([*["Hello!"] * 199, "a1-c3,d4"]))
    assert table.moves(1) == [MOVE]
