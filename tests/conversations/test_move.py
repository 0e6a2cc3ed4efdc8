"""Moves, in all the ways in which players write them."""

import pytest

from tests.table import Table

MOVE = "a1-c3,b2"  # as it is stored, and shown
OLD_MOVE = "a1-c3,d4"


@pytest.mark.parametrize(
    "line",
    [
        "a1-c3,d4",
        "A1-C3, D4",
        "a1 - c3 , d4",
        "a1–c3,d4",
        "a1—c3;d4",
        "a1‑c3\u00a0,\u00a0d4",
        "a1-c3->d4",
        "a1-c3:d4",
        "ａ１-ｃ３，ｄ４",
        "move a1-c3,d4",
        "MOVE a1 -c3, d4",
        "abalone move a1-c3,d4",
        "pbm move 1 a1-c3,d4",
        "move 1 a1-c3,d4 #1",
        "move #1 a1-c3,d4",
        "move 1#1 a1-c3,d4",
        "move 1: a1-c3,d4",
        "board 1 a1-c3,d4",
        "abalone board 1 a1-c3,d4",
        "board a1-c3,d4",
        "mvoe a1-c3,d4",
        "** move 1 a1-c3,d4 **",
    ],
)
def test_ways_to_write_a_move_in_answer_to_the_board(line: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{line}\n\nYour turn!").gets(1)
    alice.hears("bob's move on board 1; nothing to do.", f"You played {MOVE}.", "| Your turn!")
    bob.gets(1).hears("Your move on board 1.", f"alice played {MOVE}.", "| Your turn!")
    assert table.moves(1) == [MOVE]


@pytest.mark.parametrize(
    "subject",
    [
        "move a1-c3,d4",
        "Abalone move 1 a1-c3,d4",
        "abalone board 1 a1-c3,d4",
        "Abalone Board 1: a1-c3,d4",
        "RE[2]: Aw: [club] pbm board 1#1 a1-c3,d4",
        "回复: mvoe 1 a1-c3,d4 **",
    ],
)
def test_a_move_in_the_subject(subject: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("Your turn!", subject=subject).gets(1).hears("You played", "| Your turn!")
    assert table.moves(1) == [MOVE]
    bob.gets(1).hears("Your move on board 1.")


def test_the_number_may_stand_in_the_mail_alone(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    account = alice.mail("pbm: welcome")
    alice.says("move a1-c3,d4", answering=account).hears("bob's move on board 1")
    assert table.moves(1) == [MOVE]


def test_a_bare_move_without_a_board_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    account = alice.mail("pbm: welcome")
    alice.says("a1-c3,d4\nHello bob", answering=account).gets(1).hears(
        "a1-c3,b2? Reply yes to play it on board 1, or no.",
        "and not to which board. This is the only one on which it is your turn.",
        "| Hello bob",
    )
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("yes")
    assert table.moves(1) == [MOVE]
    bob.hears("Your move on board 1.", "| Hello bob")


def test_a_bare_move_needs_a_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("challenge bob")
    account = alice.mail("pbm: welcome")
    alice.forgets(), bob.forgets()
    alice.says("a1-c3,d4\nHello bob", answering=account).gets(1).hears(
        "I cannot tell which board this move is for.",
        'or put the number of the board before it, such as "12 a1-c3,d4".',
        "Nothing has changed.",
        "| Hello bob",
    )
    bob.hears_nothing()
    assert table.moves(1) == []


def test_words_below_the_move_go_along(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nOne\n\nTwo\nmove fast!\n-- \nAlice in person")
    bob.hears("alice writes: | One | | Two | move fast!")
    assert "in person" not in bob.newest.text
    assert table.moves(1) == [MOVE]


def test_a_reply_between_the_quotes(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    lines = alice.newest.text.rstrip().split("\n")
    quoted = [f"> {line}" for line in lines]
    body = ["On Sat, 21 Nov 2026 at 13:00, pbm <pbm@games.example> wrote:", "", *quoted[:8]]
    alice.says("\n".join([*body, "", "a1-c3,d4", "Here I come.", "", *quoted[8:]]))
    assert table.moves(1) == [MOVE]
    bob.hears("| Here I come.")


ILLEGAL = [
    ("d1,e1", "There is no marble on d1."),
    ("i5-g5,f5", "x's marbles on g5, h5 and i5 are not yours; you are o."),
    ("a1-b2,c3", "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant."),
    ("a1,a2", "Your own marble on a2 is in the way."),
    ("a1-a3,a2", "is in the way."),
    ("a1-c3,e5", "so the direction is not clear."),
    ("a1-a5,b3", "at most three marbles move at once."),
    ("a1,c3", "c3 is not next to a1: marbles move one cell."),
    ("a1-b5,c5", "a1 and b5 are not on one straight line."),
    ("a1,a1", "a1,a1 goes nowhere"),
    ("a9,b9", "a9"),
    ("z1,z2", "z1"),
]


@pytest.mark.parametrize(("move", "sentence"), ILLEGAL)
def test_an_illegal_move_is_refused_with_the_board(move: str, sentence: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest.text
    alice.says(f"{move}\nWhat do you say now?").gets(1).hears(
        "Abalone Board 1: alice v bob",
        f"| {move}",
        sentence,
        "Nothing has changed.",
        "Your words were not sent on.",
        "| What do you say now?",
        "Your move on board 1.",
    )
    diagram = board[board.index("        1 2 3") : board.index("To move")]
    assert diagram in alice.newest.text
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("a1-c3,d4").hears("bob's move")


def test_a_move_that_cannot_be_read_is_refused_with_the_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line in ("move a1-c3 a2 a3", "c3-c4 to d4", "move 1 c3 c4", "board 1 e4", "e4"):
        alice.says(f"{line}\nHi").gets(1).hears(
            "Abalone Board 1: alice v bob",
            f"| {line}",
            "That does not read as a move",
            "Nothing has changed.",
            "| Hi",
            "Your move on board 1.",
        )
    account = alice.mail("pbm: welcome")
    alice.says("move 1 c3-c4 to d4", answering=account).gets(1).hears(
        "Abalone Board 1: alice v bob", "The legal moves nearest to it are c3-c4,d4 and", "State: "
    )
    bob.hears_nothing()
    assert table.moves(1) == []


def test_a_move_only_as_one_ply(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line in ("move a1-c3,d4 #2", "move 1#2 a1-c3,d4", "move #2 a1-c3,d4"):
        alice.says(line).hears("You meant this as move #2, but the next move on board 1 is #1.")
    alice.says("move 1#1 a1-c3,d4").hears("bob's move")
    bob.forgets().says("move i5-g5,f5 #2").hears("alice's move")
    assert table.moves(1) == [MOVE, "i5-g5,h5"]
    alice.says("move 1#1 a1-c3,d4").hears("You meant this as move #1, but the next move")


def test_the_wrong_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    carol.says("move 1 a1-c3,d4").gets(1).hears("You do not play on board 1.")
    carol.says("move 99 a1-c3,d4").gets(1).hears("There is no board 99.")
    carol.says("move a1-c3,d4").gets(1).hears("You have no game in progress.")
    carol.says("move 999999999 a1-c3,d4").gets(1).hears("There is no board 999999999.")
    bob.hears_nothing()
    alice.hears_nothing()
    assert table.moves(1) == []


def test_out_of_turn(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("i5-g5,f5\nMine!").gets(1).hears(
        "Abalone Board 1: alice v bob",
        "Your plan on board 1, which nobody else can see: | otherwise i5-g5,f5",
        "| Mine!",
        "alice's move on board 1; nothing to do.",
    )
    alice.hears_nothing()
    assert table.moves(1) == []


def test_a_move_in_a_sentence_out_of_turn(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.forgets()
    bob.says("I think i5-g5,f5 is best").gets(1).hears(
        "On board 1 it is alice's turn. You get the board when it is yours.",
        "If it was meant for the others to read, put a line of plain words above it.",
    )
    assert "For example" not in bob.newest.text
    alice.hears_nothing()


def test_a_board_that_is_over(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("resign")
    alice.forgets().says("a1-c3,d4").gets(1).hears("Board 1 is over.", "Nothing has changed.")
    assert table.moves(1) == []


def test_which_board(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    carol = table.joins("carol")
    alice.says("challenge carol").forgets()
    account = alice.mail("pbm: welcome")
    alice.says("move a1-c3,d4", answering=account).gets(1).hears(
        "Which board do you mean?",
        "- 2 (Abalone Board 2: alice v carol)",
        "- 1 (Abalone Board 1: alice v bob)",
    )
    alice.says("move 2 a1-c3,d4", answering=account).hears("carol's move on board 2")
    # Now it is alice's turn on one board only.
    alice.says("move a1-c3,d4", answering=account).hears("bob's move on board 1")
    carol.says("resign", answering=carol.mail("Abalone Board 2")).forgets()


def test_several_boards_in_one_mail(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    alice.says("challenge carol").forgets()
    carol.forgets()
    alice.says("move 1 a1-c3,d4\nmove 2 a5-c5,d5\nGood evening!").gets(2)
    alice.hears("bob's move on board 1", "carol's move on board 2")
    bob.gets(1).hears("Your move on board 1.")
    assert "Good evening" not in bob.newest.text  # the words are for the last board
    carol.gets(1).hears("Your move on board 2.", "| Good evening!")
    assert (len(table.moves(1)), len(table.moves(2))) == (1, 1)


def test_one_refusal_leaves_the_others_done(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    alice.says("challenge carol").forgets()
    carol.forgets()
    alice.says("move 1 a1-c3,d4\nmove 2 a1-b2,c3\nGood evening!").gets(2)
    alice.hears(
        "bob's move on board 1",
        "Your own marble on c3 is in the way.",
        "One of your lines was not done.",
        "Your words were not sent on.",
    )
    assert "Good evening" not in bob.newest.text
    carol.hears_nothing()
    assert (len(table.moves(1)), len(table.moves(2))) == (1, 0)

    alice.says("move 9 a1-c3,d4\nmove 2 a1-c3,d4\nGood evening!").gets(2)
    alice.hears("There is no board 9.", "carol's move on board 2", "| Good evening!")
    assert "Your words were not sent on" not in "".join(mail.text for mail in alice.mails[-2:])
    carol.gets(1).hears("| Good evening!")


def test_multiple_says_that_all_is_commands(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("Multiple", "move 1 a1-c3,d4\n\nshow 1\n")
    alice.hears("| move #1 on board 1: a1-c3,b2").says("yes").gets(2).hears("bob's move on board 1")
    bob.forgets().says("move i5-g5,f5\nThat hurts!", subject="multiple").gets(1).hears(
        "| That hurts!",
        'With the subject "multiple" every line must be a command, and one of yours is not.',
        "Nothing has changed.",
    )
    assert table.moves(1) == [MOVE]


def test_twenty_commands_and_not_one_more(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("\n".join(f"history alice -before={n}" for n in range(1, 21))).gets(1)
    assert alice.newest.text.count("There are no finished games among those.") == 20
    for subject in ("", "multiple"):
        alice.forgets().says("\n".join(["move 1 a1-c3,d4"] * 21), subject=subject).gets(1)
        alice.hears("One mail may hold 20 commands at most.", "Nothing has changed.")
    assert table.moves(1) == []


def test_a_thousand_commands(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line in ("move 1 a1-c3,d4", "resign", "challenge bob", "whoami"):
        alice.says("\n".join([line] * 1000)).gets(1)
        alice.hears("One mail may hold 20 commands at most.")
    bob.hears_nothing()
    assert (table.boards(), table.moves(1)) == ([1], [])


def test_a_move_that_answers_an_older_board_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("a1-c3,d4").forgets()
    bob.forgets().says("i5-g5,f5").forgets()
    alice.forgets().says("a2-c4,d5\nSo there!", answering=first).gets(1)
    alice.hears(
        "You answered an older mail. Board 1 is now at move 2 (#3):",
        "F- . . . x . . . .",
        'Do you want "move #3 on board 1: a2-c4,b3" played',
        "| So there!",
        "Reply yes to play it there, or no to drop it.",
    )
    assert len(table.moves(1)) == 2
    bob.hears_nothing()
    alice.says("yes").gets(1).hears("bob's move on board 1", "| So there!")
    assert len(table.moves(1)) == 3
    bob.gets(1).hears("| So there!")


def test_it_can_be_dropped(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("a1-c3,d4")
    bob.says("i5-g5,f5")
    alice.forgets().says("a2-c4,d5", answering=first).says("no").hears("Dropped.")
    question = alice.mail("Please confirm")
    alice.says("yes", answering=question).hears("That question is not open any more")
    assert len(table.moves(1)) == 2


def test_it_holds_for_that_ply_only(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("a1-c3,d4")
    bob.says("i5-g5,f5")
    current = alice.newest
    alice.says("a2-c4,d5", answering=first)
    question = alice.newest
    alice.says("a3-c5,d6", answering=current)
    alice.forgets().says("yes", answering=question).gets(1)
    alice.hears("You meant this as move #3, but the next move on board 1 is #4.")
    assert len(table.moves(1)) == 3


def test_with_its_number_a_move_in_an_old_mail_is_played(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("a1-c3,d4")
    bob.says("i5-g5,f5")
    alice.says("move 1 a2-c4,d5", answering=first)
    assert len(table.moves(1)) == 3


def test_an_illegal_move_in_an_old_mail_is_refused_at_once(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("a1-c3,d4")
    bob.says("i5-g5,f5")
    alice.forgets().says("a1,b1", answering=first).gets(1).hears("There is no marble on a1.")


def test_comments_of_more_than_five_lines_go_on_below_the_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    words = [f"This is line {number}." for number in range(1, 9)]
    alice.says("\n".join(["a1-c3,d4", *words]))
    above, below = bob.newest.text.split("I- x x x x x")
    for line in words[:5]:
        assert f"\n| {line}\n" in above
    assert "The rest is below the board." in above
    for line in words[5:]:
        assert line not in above
        assert f"\n| {line}\n" in below
    assert "alice goes on:" in below

    long = "word " * 200
    bob.says(f"i5-g5,f5\n{long}")
    above, below = alice.newest.text.split("        1 2 3 4 5")
    assert above.count("| word") == 5
    assert (above + below).count("word") == 200


def test_a_comment_is_not_divided_for_a_line_or_two(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for number in range(4, 10):
        words = "\n".join(f"This is line {line} of {number}." for line in range(number))
        alice.says(words)
        assert ("alice goes on:" in bob.newest.text) is (number >= 8)
        assert f"of {number}." in bob.newest.text.split("You are x")[0]
    alice.says("It goes on and on, " * 22)  # in seven lines
    assert "alice goes on:" not in bob.newest.text
    alice.says("It goes on and on, " * 30)
    assert "alice goes on:" in bob.newest.text


@pytest.mark.parametrize("size", [6, 100, 60_000])
def test_a_word_without_an_end_is_kept_in_its_columns(size: int, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\n" + "x" * size)
    bob.gets(1).hears("alice writes:")
