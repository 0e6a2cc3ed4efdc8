"""Moves for several boards in one mail: on each line a board's number and the move."""

import pytest

from tests.mail.reading.our_mails import quoted, refilled, without_marks
from tests.table import Mail, Person, Table

MOVE, WRITTEN, ANSWER = "a1-c3,d4", "a1-c3,b2", "i9-g7,h8"


def sits_down(table: Table, boards: int) -> tuple[Person, Person, Mail]:
    """Two players at some boards, where the first is to move, and the mail that shows them all."""
    alice, bob = table.start("alice", "bob")
    table.begins("alice", "bob", times=boards - 1)
    shown = alice.says("next").newest
    alice.forgets(), bob.forgets()
    return alice, bob, shown


def played(table: Table) -> list[int]:
    """The boards on which the one move has been played, and no other one."""
    assert all(table.moves(number) in ([], [WRITTEN]) for number in table.boards())
    return [number for number in table.boards() if table.moves(number)]


@pytest.mark.on_postgresql
def test_several_moves_in_one_mail(table: Table) -> None:
    alice, bob, _ = sits_down(table, 3)
    alice.says(f"1 {MOVE}\n3 {MOVE}\n\nGood luck!").gets(2)
    assert [mail["X-PBM-Board"] for mail in alice.arrived] == ["1", "3"]
    assert played(table) == [1, 3]
    bob.gets(2)
    first, last = bob.arrived
    assert "Good luck!" in last.text
    assert "Good luck!" not in first.text


@pytest.mark.parametrize(
    ("said", "on"),
    [
        (f"2: {MOVE}", [2]),
        (f"2:{MOVE}", [2]),
        (f"2. {MOVE}.", [2]),
        (f"2) {MOVE}", [2]),
        (f"2#1 {MOVE}", [2]),
        (f"2 *{MOVE}*", [2]),
        (f"2 move {MOVE}", [2]),
        (f"board 2 {MOVE}", [2]),
        (f"Hi bob,\n\n2 {MOVE}\n\nBye!", [2]),
        (f"> Your move on board 1.\n\n1 {MOVE}\n\n> Your move on board 2.\n\n2 {MOVE}", [1, 2]),
        (f"1 {MOVE}\nresign 3\n2 {MOVE}", [1, 2]),
        (f"2 {MOVE}\n2 {MOVE}\n3 {MOVE}", [2, 3]),
    ],
)
def test_how_a_line_may_look(said: str, on: list[int], table: Table) -> None:
    alice, *_ = sits_down(table, 3)
    alice.says(said)
    assert played(table) == on


@pytest.mark.parametrize("where", ["subject", "multiple", "without a thread", "among other boards"])
def test_wherever_a_command_may_stand(where: str, table: Table) -> None:
    alice, _, _ = sits_down(table, 3)
    welcome = alice.mail("pbm: welcome")
    if where == "subject":
        alice.says("", subject=f"2 {MOVE}", answering=welcome)
    elif where == "multiple":
        alice.says(f"2 {MOVE}", subject="multiple", answering=welcome)
    elif where == "without a thread":
        alice.says(f"2 {MOVE}", answering=welcome)
    else:
        alice.says(f"show 1\n2 {MOVE}", answering=welcome)
    assert played(table) == [2]


def test_other_commands_behind_a_number(table: Table) -> None:
    alice, bob, _ = sits_down(table, 5)
    welcome = alice.mail("pbm: welcome")
    alice.says(f"2 resign\n3 decline\n4 draw\n5 show\n1 preview {MOVE}").gets(4).hears(
        "Board 2 is over: you lost.",
        "Board 3 is closed.",
        "You offered a draw.",
        "Your move on board 5",
        f"Board 1 as it would be after {WRITTEN}",
    )
    for said in ("5 rseign", "5 whoami", "5 resign 4", "5 show 4", "5 resign alice no-such-word"):
        alice.says(said, answering=welcome).forgets()
    assert all(table.board(number).playing for number in (4, 5))
    bob.says("4 accept draw", answering=bob.newest)
    assert not table.board(4).playing


def test_each_line_is_answered_for_itself(table: Table) -> None:
    alice, bob, shown = sits_down(table, 4)
    table.begins("bob", "alice")
    alice.says(f"4 {MOVE}")
    bob.says(ANSWER, answering=bob.newest)  # board 4 has gone on, and board 5 waits for bob
    alice.forgets(), bob.forgets()
    lines = (f"1 {MOVE}", f"5 {MOVE}", f"77 {MOVE}", "2 a1-c3,c9", "3 nonsense", "4 a2-c4,d5")
    alice.says("\n".join(lines), answering=shown).gets(3).hears(
        "bob's move on board 1",
        "On board 5 it is bob's turn.",
        "| 5 a1-c3,d4",
        "There is no board 77. One of your lines was not done. You wrote: | 77 a1-c3,d4",
        "There is no place c9",
        "| 2 a1-c3,c9",
        "That does not read as a move",
        "| 3 nonsense",
        "One of your lines was not done.",
        'Do you want "move #3 on board 4: a2-c4,b3" played on the board as it is now?',
        "You answered an older mail. Board 4 is now at move 2 (#3):",
    )
    bob.gets(1)
    alice.says("yes").hears("bob's move on board 4")
    assert table.moves(4) == [WRITTEN, ANSWER, "a2-c4,b3"]
    assert not table.moves(2) + table.moves(3) + table.moves(5)


def test_a_board_that_was_taken_back_since(table: Table) -> None:
    alice, bob, _ = sits_down(table, 2)
    alice.says(f"1 {MOVE}")
    bob.says(ANSWER, answering=bob.newest)
    shown = alice.says("next", answering=alice.mail("pbm: welcome")).newest
    alice.says("takeback 1")
    bob.says("yes", answering=bob.newest)
    alice.forgets().says(f"1 {MOVE}", answering=shown).gets(1).hears(
        "and since then a move was taken back"
    )
    assert not table.moves(1)


def test_a_line_without_a_number_plays_nothing_at_all(table: Table) -> None:
    alice, bob, _ = sits_down(table, 2)
    alice.says(f"1 {MOVE}\na2-c4,d5").gets(1).hears(
        'The line "a2-c4,d5" does not say for which board it is',
        'Put the number of its board before each move, as in "1 a2-c4,d5".',
        "Nothing has changed.",
    )
    alice.says(MOVE, answering=alice.mail("pbm: your move")).hears(
        "I cannot tell which board this move is for.",
        f'number of the board before it, such as "12 {MOVE}".',
    )
    alice.says("\n".join(f"1 {MOVE}" for _ in range(21))).gets(1).hears("20 commands at most")
    alice.says("\n".join(["Hi,", *(f"1 {MOVE}" for _ in range(21))])).hears("20 commands at most")
    alice.says("Nice one, bob!", answering=alice.mail("pbm: your move")).hears(
        "I found no command in your mail"
    )
    alice.says("yes", answering=alice.mail("pbm: your move")).hears("no question")
    assert played(table) == []
    bob.hears_nothing()


@pytest.mark.parametrize(
    "said",
    [
        f"1 {MOVE}\n1 a2-c4,d5\n2 {MOVE}",
        f"Hi!\n\n2 {MOVE}\n1 {MOVE}\n\nor rather\n\n1 a2-c4,d5",
        f"move 1 {MOVE}\nwhoami\nmove 1#1 a2-c4,d5\nGood luck",
    ],
)
def test_of_two_moves_for_one_board_none_is_played(said: str, table: Table) -> None:
    alice, bob, shown = sits_down(table, 2)
    alice.says(said, answering=shown).gets(1).hears(
        "More than one line of your mail reads like your move on board 1, so none was played:",
        "a2-c4,d5",
        "Answer with the one that you mean, on a line of its own.",
        "Nothing has changed.",
    )
    assert played(table) == []
    bob.hears_nothing()
    first = alice.mail("Abalone Board 1")
    alice.says(f"move {MOVE}\nmove a2-c4,d5", answering=first).gets(1).hears("More than one line")
    assert played(table) == []
    alice.says(MOVE).hears("bob's move on board 1")


def test_in_an_answer_to_another_board_the_number_is_asked_about(table: Table) -> None:
    alice, bob, _ = sits_down(table, 2)
    first = alice.mail("Abalone Board 1")
    for said in (f"2 {MOVE}", f"Hi!\n2 {MOVE}"):
        alice.says(said, answering=first).gets(1).hears(
            'Did you send "move #1 on board 2: a1-c3,b2"?',
            "You answered a mail about board 1, and your line begins with 2.",
        )
    alice.says("Remember:\n77 was good.", answering=first).forgets()
    assert played(table) == []
    bob.gets(1).hears("| 77 was good.")  # a number of anything: there is no such board
    alice.says(f"1 {MOVE}", answering=first).hears("bob's move on board 1")
    alice.says(f"2 {MOVE}", answering=first).says("yes").hears("bob's move on board 2")


@pytest.mark.parametrize("above", ["", "Hi all,\n\n", "What a day.\n"])
def test_words_below_a_line_go_to_its_board(above: str, table: Table) -> None:
    alice, bob, _ = sits_down(table, 3)
    alice.says(f"{above}1 {MOVE}\nNice!\n\nReally.\n2 {MOVE}\n3 {MOVE}\n\nGood luck")
    told = [[line for line in mail.text.split("\n") if line[:1] == "|"] for mail in bob.arrived]
    assert told == [["| Nice!", "|", "| Really."], [], ["| Good luck"]]
    assert played(table) == [1, 2, 3]
    returned = [mail.text for mail in alice.arrived if "Your mail has moves for" in mail.text]
    assert len(returned) == ("day" in above)
    assert all("| What a day." in text for text in returned)


def test_words_below_a_refused_line_come_back(table: Table) -> None:
    alice, bob, _ = sits_down(table, 2)
    alice.says(f"1 a1-i9,b2\nNice!\n2 {MOVE}\nBye").hears("| Nice!")
    assert "Nice!" not in bob.gets(1).newest.text
    assert "| Bye" in bob.newest.text
    assert played(table) == [2]


def test_mails_that_prove_nothing_are_asked_about_as_far_as_they_can_be_done(table: Table) -> None:
    alice, bob, _ = sits_down(table, 3)
    alice.writes(f"1 {MOVE}", f"What a day!\n77 {MOVE}\n3 {MOVE}\nBye").gets(2).hears(
        "There is no board 77.",
        "| move #1 on board 1: a1-c3,b2 | move #1 on board 3: a1-c3,b2",
        "these words were not sent on",
        "| What a day!",
    )
    assert played(table) == []
    alice.says("yes").gets(2)
    assert played(table) == [1, 3]
    bob.gets(2)


def test_only_own_lines_play(table: Table) -> None:
    """Examples of ours, and moves of others, come back in every way and play nothing."""
    alice, bob, shown = sits_down(table, 3)
    examples = [f"{number} {WRITTEN}" for number in (1, 2, 3)]
    assert all(f"such as {line}." in shown.text for line in examples)
    ways = [quoted(shown.text), quoted(refilled(shown.text, 40)), shown.text]
    ways += [without_marks(shown.html), quoted("\n".join(examples))]
    ways += [refilled(shown.text, width) for width in (34, 43, 44, 52)]
    for text in ways:
        for above in ("", "Thanks!\n\n", "On Saturday pbm@games.example wrote:\n\n"):
            alice.says(f"{above}{text}", answering=shown)
            assert played(table) == [], text
    bob.hears_nothing()
    alice.forgets()
    # Nothing tells lines of ours that were cut out of it from the sender's own.
    cut = shown.text.partition("alice v bob")[2].partition("State:")[0].strip()
    alice.says(f"{cut}\n\n2 {MOVE}", answering=shown).gets(1).hears(
        "Are these moves yours?", "gives back lines of ours without quote marks"
    )
    assert played(table) == []
    alice.says("yes")
    assert played(table) == [2]


def test_a_line_within_a_sentence_is_asked_about(table: Table) -> None:
    alice, _, _ = sits_down(table, 2)
    long = "I wonder what you would have done here if I had gone and played"
    alice.says(f"{long}\n2 {MOVE}\nthere, would you?").gets(1).hears(
        "One of them may belong to the sentence around it."
    )
    assert played(table) == []
