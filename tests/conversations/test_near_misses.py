"""What is around a move and does not matter, and what is nearly a move: it is asked about."""

import pytest

from tests.table import Table

MOVE = "a1-c3,b2"  # as it is stored, and shown
ASKED = "? Reply yes to play it on board 1, or no."


DRESSED = [  # each is played in one game, by turns
    "“c3,d3”",
    "*g7,f7*",
    "1. d3,c3",
    "Move f7,g7 please",
    "my move: c3,d3 :-)",
    "g7,f7!",
    "D3 , C3.",
    "2) “f7,g7”, bitte 🙂",
    "move 1 *c3,d3*",
    "Je joue g7,f7",
]
REFUSED = [
    ("I play d1,e1.", "There is no marble on d1."),
    ('"i5-g5,h5"', "are not yours; you are o."),
    ("1. a1-b2,c3", "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant."),
    ("Move a1,c3 please", "c3 is not next to a1"),
    ("c5-a3,b4", "Perhaps a3-c5,b4 was meant: the end that goes to b4 is named first."),
    ("1. a1-b2,c3", 'To play it, answer "a1-c3,b2".'),
    ("move c3 c4", 'To play one of them, answer "c3-c4,d4" or'),
    ("move c3 c4", "The legal moves nearest to it are c3-c4,d4 and"),
    ("c3-c4 → d4", "The legal moves nearest to it are c3-c4,d4 and"),
    ("Hi bob,\n\nc3-c4 to d4", "The legal moves nearest to it are c3-c4,d4 and"),
    ("c5 to e5", "The legal moves nearest to it are"),
    ("Hi bob,\nc 5 to e 5", "The legal moves nearest to it are"),
    ("i5 to i6", "That does not read as a move; a move looks like a1-c3,b2."),
    ("Hi bob,\n\ne4", "That does not read as a move; a move looks like a1-c3,b2."),
]
GUESSED = [
    ("c3 d4", "c3,d4"),
    ("C3D4", "c3,d4"),
    ("c 3 to d 4", "c3,d4"),
    ("see three to dee four", "c3,d4"),
    ("move c3 d4", "c3,d4"),
    ("a1-c3d4", "a1-c3,b2"),
    ("a1 to c3, d4", "a1-c3,b2"),
    ("a1-c3 to b2-d4", "a1-c3,b2"),
    ("a1 b2 and c3 to b2 c3 d4", "a1-c3,b2"),
    ("a1-c3,d4?", "a1-c3,b2"),
    ("move 1. a1-c3,d4", "a1-c3,b2"),
]
IN_SENTENCES = [
    "a1-c3,d4 🤔",
    "You play a1-c3,d4",
    "~ a1-c3,d4",
    "a1-c3,d4 is what I would like to see you answer",
    "not a1-c3,d4",
    "sorry not a1-c3,d4",
    "(a1-c3,d4 was my first thought)",
    "why not a1-c3,d4?",
]
FROM_TO = [  # each is played in one game, by turns
    ("C3-D3", "c3,d3"),
    ("from g7 to f7, please!", "g7,f7"),
    ("d3 → c3", "d3,c3"),
    ("von f7 nach g7", "f7,g7"),
    ("a1-b2", "a1-c3,b2"),
    ("I9 to h8", "i9-g7,h8"),
    ("move d4 to e4", "d4,e4"),
    ("f6 à f5", "f6,f5"),
]


def test_what_does_not_matter_around_a_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for ply, line in enumerate(DRESSED):
        mover, other = ((alice, bob), (bob, alice))[ply % 2]
        other.forgets()
        mover.forgets().says(f"{line}\n\nYour turn!").gets(1)
        other.hears("Your move on board 1.", "| Your turn!")
    assert table.moves(1) == ["c3,d3", "g7,f7", "d3,c3", "f7,g7"] * 2 + ["c3,d3", "g7,f7"]


def test_else_it_is_refused_as_usual_with_the_nearest(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line, sentence in REFUSED:
        table.clock.passes(hours=1)
        alice.says(f"{line}\n\nYour turn!").gets(1).hears(
            sentence, "Nothing has changed.", "| Your turn!", "Your move on board 1."
        )
    bob.hears_nothing()
    assert table.moves(1) == []


@pytest.mark.parametrize("above", ["", "Hi bob,\n\n"], ids=["alone", "greeting"])
def test_what_can_mean_one_move_only_is_asked_about(above: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for line, move in GUESSED:
        table.clock.passes(hours=1)
        alice.says(f"{above}{line}\n\nYour turn!", answering=board).gets(1)
        assert alice.newest.text.startswith(f"{move}{ASKED}")
        alice.hears(
            f'You wrote "{line}".',
            f"Please confirm: move #1 on board 1: {move}",
            "| Your turn!",
            "The board would then be:",
            ". o o o o / 7" if move == MOVE else "A- o o o o o / 7",
        )
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("yes").hears(f"You played {MOVE}.", "| Your turn!")
    bob.gets(1).hears(f"alice played {MOVE}.", above.strip() and "| Hi bob,", "| Your turn!")
    assert table.moves(1) == [MOVE]


def test_a_move_inside_a_sentence_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for line in IN_SENTENCES:
        table.clock.passes(hours=1)
        alice.says(f"Hi bob!\n\n{line}\n\nBye", answering=board).gets(1)
        alice.hears(f"{MOVE}{ASKED}", f'Your line "{line}"', f"| {line}", "| Bye")
    bob.hears_nothing()
    alice.says("yes").hears(f"You played {MOVE}.")
    bob.gets(1).hears("| Hi bob!", f"| {IN_SENTENCES[-1]}", "| Bye")


RUNNING_ON = [
    "Hi Bob, a1-c3,b2\nwould be a bad move for me.",
    "a1-c3,b2 - good luck\nNo wait, wrong move",
    "You wrote:\na1-c3,b2 good luck!",
    "a1-c3,b2 - good luck\nSorry, I mean c3,d3",
    "a1-c3,b2\nSorry, I mean c3,d3",
]


def test_a_move_that_the_next_line_may_take_back_is_not_played(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for text in RUNNING_ON:
        table.clock.passes(hours=1)
        alice.says(text, answering=board).gets(1).forgets()
    bob.hears_nothing()
    assert table.moves(1) == []


@pytest.mark.parametrize(
    "plan",
    ["I think a1-c3,b5 is best", "Dann nehme ich a1-c3,b5 heute", "Hi,\n\nI'll take a1-c3,b5"],
)
def test_a_planned_move_that_is_impossible_is_told_to_nobody(plan: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{plan}\n\nBye").gets(1).hears("Nothing has changed.", "| Bye")
    bob.hears_nothing()
    alice.says("Hi,\n\nI think your a1-c3,b5 was good").gets(1)
    bob.gets(1).hears("| I think your a1-c3,b5 was good")


def test_a_command_below_a_closing_line_is_done(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("Well played.\n\nRegards\nresign\nTel. 030 1234567").gets(1)
    alice.hears("resign", "| Regards | Tel. 030 1234567")


def test_signatures_are_shown_once_with_the_way_to_send_them(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    firm, name = "Alice Roe\nRoe Ltd, Tel. 030 1234567", "Cheers\nAlice\n-- \nRoe Ltd"
    alice.says(f"Hello\n\nBest regards\n{firm}").hears("signature", "| Roe Ltd, Tel. 030 1234567")
    alice.says(f"Hello\n\n{name}").hears("signature", "| Cheers | Alice").forgets()
    bob.forgets()
    for below in (f"Best regards\n{firm}", name):
        alice.says(f"Hello\n\n{firm}\n\n{below}")
        bob.gets(1).hears("| Hello | | Alice Roe | Roe Ltd, Tel. 030 1234567 You are")
    assert not any("signature" in mail.text for mail in alice.arrived)


@pytest.mark.parametrize(
    "signature",
    [
        "Yours sincerely\nH. Smith\nRegional Director\nGlobex Corporation\nMay be confidential.",
        "Robert Fox\nFox Plumbing\n555-123-4567",
        "Regards\nKim\nConsultant, Orbit",
    ],
)
def test_lines_that_end_two_mails_are_a_signature(signature: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    last = signature.splitlines()[-1]
    alice.says(f"Hello\n\n{signature}").forgets()
    bob.hears(f"| {last}").forgets()
    for comment in ("Hello", "How are you?\n\nAnd yours?", "Fine"):
        alice.says(f"{comment}\n\n{signature}")
        bob.hears(f"| {comment.splitlines()[-1]} You are").forgets()
    assert ["| " + last in mail.text for mail in alice.arrived].count(True) == 1


@pytest.mark.parametrize(
    "ending", ["Best\nBob\nNice game", "Thanks\nBob", "It rains.\nI am bored.\nWrite soon."]
)
def test_words_that_end_two_mails_are_sent_on(ending: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for _ in range(2):
        alice.says(f"Hello\n\n{ending}")
        bob.hears(f"| {ending.splitlines()[-1]} You are").forgets()


def test_commands_that_end_two_mails_are_done(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for _ in range(2):
        alice.says("info bob\n\nwhoami\ngames\nstandings").gets(1).forgets()
    alice.says("info bob\n\nwhoami\ngames\nstandings").hears("alice@example.org", "Board 1")


def test_a_wish_that_ends_two_mails_is_no_signature(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for greeting in ("Hello", "Hi"):
        alice.forgets().says(f"{greeting}\n\nI resign\nthat is all\nAlice", answering=board)
        alice.hears("Do you want to resign board 1?").says("no")
    alice.forgets().says("Ready?\nBob Roe\nNew York City", answering=board)
    alice.says("Ready?\nBob Roe\nNew York City", answering=board)
    bob.hears("| Ready?")


@pytest.mark.parametrize("title", ["Help Desk", "Games Manager", "Yes Solutions Ltd", "No Limits"])
def test_a_title_like_a_command_is_part_of_a_signature(title: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{MOVE}\n\nBye now\n\nBest regards\nAlice Smith\n{title}\nTel +44 20 7946 0000")
    assert [line for line in bob.gets(1).newest.text.split("\n") if "|" in line] == ["| Bye now"]


def test_one_place_to_another_is_played_if_it_means_one_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for ply, (line, _) in enumerate(FROM_TO):
        mover, other = ((alice, bob), (bob, alice))[ply % 2]
        mover.says(f"{line}\n\nYour turn!").gets(1)
        other.hears("Your move on board 1.", "| Your turn!")
    assert table.moves(1) == [move for _, move in FROM_TO]


def test_a_move_that_was_guessed_is_played_on_this_position_only(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.says("c3 d4").hears(f"c3,d4{ASKED}")
    asked = alice.newest
    alice.says("b1,c1", answering=board).hears("bob's move")
    bob.says("i5-g5,h5").forgets()
    alice.forgets().says("yes", answering=asked).hears(
        "You meant this as move #1, but the next move on board 1 is #3."
    )
    assert table.moves(1) == ["b1,c1", "i5-g5,h5"]


def test_no_drops_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("c3 d4\nHi!").says("no").hears("dropped")
    bob.hears_nothing()
    assert table.moves(1) == []


def test_without_a_proof_one_question_is_enough(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 c3 d4", "Hi!").gets(1).hears(f"c3,d4{ASKED}", "| Hi!")
    alice.says("yes").hears("You played c3,d4.")
    bob.hears("alice played c3,d4.", "| Hi!")


def test_a_near_miss_out_of_turn_or_on_no_board_is_refused_as_before(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("g5 to f5").gets(1).hears("it is alice's turn", "Nothing has changed.")
    alice.writes("Hello", "c3 d4").gets(1).hears("Nothing has changed.")
    carol = table.joins("carol")
    carol.says("move 1 c3 to d4").gets(1).hears("Nothing has changed.")
    assert table.moves(1) == []


def test_the_only_board_on_which_it_is_ones_turn_is_meant(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("move c3 d4", answering=alice.mail("pbm: welcome")).gets(1).hears(f"c3,d4{ASKED}")
    alice.says("yes").hears("You played c3,d4.")
    bob.forgets()


def test_with_the_subject_multiple_nothing_is_guessed(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("games\nmove 1 c3 d4", subject="multiple").gets(1).hears("Nothing has changed.")
    alice.says("move 1 c3 d4\ngames", subject="multiple").gets(1).hears("Nothing has changed.")
    assert table.moves(1) == []


@pytest.mark.parametrize("words", ["d1-d2", "c3 d4"])
def test_off_turn_it_is_told_whose_turn_it_is(words: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").forgets()
    bob.forgets()
    alice.says(words).gets(1).hears("On board 1 it is bob's turn.")
    assert "For example" not in alice.newest.text
    bob.hears_nothing()
