"""Looking at boards, at lists, at oneself, and at the help: nothing changes."""

import pytest

from tests.table import Person, Table


def played(table: Table) -> tuple[Person, Person]:
    """A board with four plies."""
    alice, bob = table.start("alice", "bob")
    for person, move in ((alice, "a1-c3,d4"), (bob, "i9-g7,f6"), (alice, "a2-c4,d5")):
        person.says(move)
    bob.says("h4,g4")
    alice.forgets()
    bob.forgets()
    return alice, bob


@pytest.mark.on_postgresql
def test_show_has_all_moves_and_the_board(table: Table) -> None:
    alice, bob = played(table)
    for line in ("show", "show 1", "abalone show 1", "board 1", "board", "SHOW 1:"):
        alice.says(line).gets(1).hears(
            "Abalone Board 1: alice v bob",
            "Your move on board 1.",
            "All moves:",
            "1 (#1). a1-c3,b2 i9-g7,h8",
            "2 (#3). a2-c4,b3 h4,g4",
            "State: ",
        )
    bob.hears_nothing()
    alice.says("show 1").says("a3-c5,d6").hears("bob's move on board 1")


def test_show_as_it_was(table: Table) -> None:
    alice, _ = played(table)
    alice.says("show 1#0").gets(1).hears("Board 1 before the first move:", "A- o o o o o / 7")
    alice.says("show #1").gets(1).hears("Board 1 after move 1 (#1) of 2 (#4):", "A- . o o o o / 7")
    start = ".1111/111111/..111../...1..../"
    assert f"State: {start}" in " ".join(alice.newest.text.split())
    alice.says("show 1#-1").gets(1).hears("Board 1 after move 2 (#4) of 2 (#4):")
    alice.says("show #-4").gets(1).hears("Board 1 after move 1 (#1) of 2 (#4):")
    for line in ("show 1#5", "show 1#-6", "show 1#99999"):
        alice.says(line).gets(1).hears("Board 1 has moves #1 to #4, and no #")
    alice.says("show 1#2 1#3 1").gets(1).hears(
        "after move 1 (#2) of 2 (#4)", "after move 2 (#3) of 2 (#4)", "All moves:"
    )


def test_show_after_somebody_left_in_the_middle(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says("b1,c1")
    bob.says("resign")
    carol.says("d1,d2").forgets()
    alice.forgets().says("show 1#1 1#2").gets(1).hears("after move 1 (#1) of 1 (#2)", "out=2")


def test_anybody_may_look(table: Table) -> None:
    played(table)
    carol = table.joins("carol")
    carol.says("show 1").gets(1).hears("alice's move on board 1; nothing to do.", "All moves")
    assert "You are" not in carol.newest.text
    carol.says("show 2").gets(1).hears("There is no board 2.")
    carol.says("show").gets(1).hears("You have no game in progress.")


def test_the_boards_of_players(table: Table) -> None:
    alice, _ = played(table)
    carol = table.joins("carol")
    carol.says("challenge alice").forgets()
    alice.forgets().says("resign 2").forgets()
    carol.says("challenge bob").forgets()
    third = table.boards()[-1]

    def shown(line: str) -> list[str]:
        carol.forgets().says(line).gets(1)
        lines = carol.newest.text.split("\n")
        return [line.split(":")[0][14:] for line in lines if line.startswith("Abalone Board ")]

    assert shown("show bob") == [str(third), "1"]
    assert shown("show bob next") == []
    assert shown("show alice next") == ["1"]
    assert shown("show alice all") == ["2", "1"]
    assert shown("show alice carol") == [str(third), "1"]
    assert shown("show me next") == [str(third)]
    assert shown("show all") == [str(third), "2"]
    assert shown("show 1 bob next") == ["1"]
    carol.says("show bob next").gets(2).hears("There are no boards to show.")
    carol.says("show nobody1").gets(1).hears("There is no player called nobody1.")


def test_not_more_than_ten_boards_at_once(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    table.begins("bob", "alice", times=12)
    alice.forgets().says("show bob").gets(1)
    assert alice.newest.text.count("State:") == 10
    numbers = table.boards()
    alice.hears(f"there are also {numbers[1]}, {numbers[0]}.")
    alice.says("games").gets(1)
    assert alice.newest["Subject"] == "Your games: 12 in progress, your move on none"


def test_games(table: Table) -> None:
    alice, bob = played(table)
    carol = table.joins("carol")
    carol.says("games").gets(1)
    assert carol.newest["Subject"] == "Your games: 0 in progress, your move on none"
    carol.hears("There are no games to list.")
    carol.says("challenge me alice bob").forgets()
    second = table.boards()[-1]
    alice.forgets().says("games").gets(1).hears(
        "Your games: 2 in progress, your move on 1",
        f"- Board {second}: carol, alice, bob. Move 1 (#1) is carol's.",
        "- Board 1: alice, bob. Move 3 (#5) is yours, by Sat 2026-12-12 12:00 UTC.",
    )
    alice.says("games next").gets(1).hears("Board 1: alice, bob.")
    assert f"Board {second}" not in alice.newest.text
    alice.says("resign 1").forgets()
    alice.says("games").gets(1)
    assert "Board 1:" not in alice.newest.text
    alice.forgets()
    alice.says("games all").gets(1).hears("Board 1: alice, bob. Over, bob won.")
    carol.says("games alice bob all").gets(1).hears(f"Board {second}:", "Board 1:")
    assert carol.newest["Subject"] == "alice's and bob's games: 1 in progress"
    carol.says("games nobody1").gets(1).hears("There is no player called nobody1.")
    bob.forgets()


def test_the_subject_of_a_list_says_whose_games_are_in_it(table: Table) -> None:
    alice, bob = played(table)
    carol = table.joins("carol")
    for line, subject in (
        ("games", "Your games: 0 in progress, your move on none"),
        ("games me", "Your games: 0 in progress, your move on none"),
        ("games waiting", "Your games: your move on none"),
        ("games alice", "alice's games: 1 in progress, alice's move on 1"),
        ("games alice next", "alice's games: alice's move on 1"),
        ("games me alice next", "Your and alice's games: 1 waiting"),
        ("games bob all", "bob's games: 1 in progress, bob's move on none"),
        ("games me bob", "Your and bob's games: 1 in progress"),
        ("games bob alice bob", "bob's and alice's games: 1 in progress"),
        ("games bob alice carol", "Games of 3 players: 1 in progress"),
    ):
        carol.says(line).gets(1)
        assert carol.newest["Subject"] == subject
        carol.says("whoami").hears("You are carol").forgets()  # the subject is no command
    for person in (alice, bob):
        person.hears_nothing()


def test_after_the_last_game_the_list_names_those_that_are_over(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    carol.says("games next").hears('It is not your move anywhere. "games" lists all').forgets()
    carol.says("games bob next").gets(1).hears('"games bob" lists all that are in progress.')
    alice.says("resign").forgets()
    alice.says("games").gets(1).hears(
        'There are no games in progress to list. "games all" lists those that are over, too.',
        'To begin one, answer with "play"',
    )
    alice.says("games all").gets(1).hears("Board 1: alice, bob. Over, bob won.")
    carol.says("games alice").gets(1).hears('"games alice all" lists those that are over, too.')
    carol.says("games carol").gets(1).hears("There are no games to list.")
    assert "games all" not in carol.newest.text
    carol.says("games me bob").gets(1).hears('"games me bob all" lists those that are over, too.')
    bob.forgets()


@pytest.mark.on_postgresql
def test_every_board_where_it_is_my_move_in_one_mail(table: Table) -> None:
    alice, bob = played(table)
    carol = table.joins("carol")
    table.begins("bob", "alice")
    table.clock.passes(hours=1)
    table.begins("alice", "bob", "carol")
    table.clock.passes(hours=1)
    table.begins("alice", "bob")
    bob.says("draw 4").forgets()
    alice.forgets().says("next").gets(1)
    assert alice.newest["Subject"] == "pbm: your move on 3 boards"
    assert alice.newest["X-PBM-Board"] == ""
    alice.hears(
        "It is your move on three boards.",
        "The board that has waited longest stands first.",
        "Abalone Board 1: alice v bob Your move on board 1. bob played h4,g4. You are o (top).",
        "To move there, answer with a line such as 1 ",
        "last: x to g4, leaving h4 empty",
        "Your move on board 3.",
        "You are 1 (top).",
        "To move there, answer with a line such as 3 ",
        'Before your first move you can still leave: answer "decline 3".',
        "Your move on board 4. bob offers a draw.",
        'Answer "accept draw 4" or "reject draw 4"; if you move instead, that is a no.',
    )
    assert alice.newest.text.count("State:") == 3
    assert alice.newest.text.split("\n")[-4] == "State:"
    assert alice.newest.html.count("<img") == 3
    assert ">Abalone Board 3: alice, bob +1</p>" in alice.newest.html
    alice.says("accept draw 4").hears("Board 4 is over: a draw.")
    for line in ("next", "pbm next", "Next", "abalone next"):
        carol.says(line).hears(
            "pbm: your move on no boards",
            "It is not your move anywhere.",
            '"games" lists the boards you play on.',
        )
    alice.says("move 3 a1-b2,b2").hears("bob's move on board 3")
    alice.says("set picture off").forgets().says("next").gets(1)
    assert alice.newest.text.count("State:") == 1
    assert "<img" not in alice.newest.html
    alice.hears("Your move on board 1.", "You are o (top).", "To move, send a line such as")
    assert alice.newest["Subject"] == "Abalone Board 1: alice v bob"  # one is a board's mail
    alice.says("a3-c5,d6").hears("bob's move on board 1")
    table.person("stranger@example.net").writes("next").hears("Would you like to play")


def test_not_more_boards_at_once_than_a_mail_can_hold(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    table.begins("alice", "bob", times=10)
    alice.forgets().says("next").gets(1).hears(
        "pbm: your move on 10 boards",
        "It is your move on ten boards",
        'Two more wait: when you have moved here, send "next" again.',
    )
    shown = alice.newest
    assert shown.text.count("State:") == 8
    alice.says("\n".join(f"{number} a1-c3,d4" for number in range(1, 9)), answering=shown).gets(8)
    alice.forgets().says("next", answering=shown).hears("It is your move on two boards")
    alice.says("next\nshow 1 2 3 4\nshow 5 6 7 8\nshow 9", answering=shown).hears(
        "One mail is answered with 10 boards at most."
    )


def test_games_with_filters(table: Table) -> None:
    alice, bob = played(table)
    carol, dave = table.joins("carol"), table.joins("dave")
    table.begins("carol", "alice", "bob")  # 2
    alice.forgets().says("challenge me bob carol dave -teams")  # 3
    table.begins("carol", "alice")  # 4
    carol.says("resign 4")

    def listed(line: str) -> tuple[str, list[int]]:
        alice.forgets().says(line, answering=alice.mail("pbm: welcome")).gets(1)
        rows = [row for row in alice.newest.text.split("\n") if row.startswith("- Board ")]
        return alice.newest["Subject"], [int(row.split()[2].rstrip(":")) for row in rows]

    for line, found in (
        ("games", [3, 2, 1]),
        ("games mine", [3, 2, 1]),
        ("games active", [3, 2, 1]),
        ("games waiting", [3, 1]),
        ("games next", [3, 1]),
        ("games finished", [4]),
        ("games over", [4]),
        ("games inactive", [4]),
        ("games all", [4, 3, 2, 1]),
        ("games -three", [2]),
        ("games -two all", [4, 1]),
        ("games -three -four", [3, 2]),
        ("games -teams", [3]),
        ("games -six", []),
        ("games abalone", [3, 2, 1]),
        ("games bob -three", [2]),
        ("games carol waiting", [2]),
        ("games dave bob -two", [1]),
    ):
        assert listed(line)[1] == found, line
    assert listed("games finished")[0] == "Your games: 1 over"
    alice.says("games -six", answering=alice.mail("pbm: welcome")).hears(
        'There are no such games to list. "games all" lists all of them'
    )
    alice.says("games -five dave").hears('"games dave all" lists all of them')
    alice.says("games -seven").hears("This command has no option -seven.")
    alice.says("games nobody1 finished").hears("There is no player called nobody1.")
    assert listed("games dave finished")[1] == []
    table.begins("alice", "dave", times=60)
    assert len(listed("games")[1]) == 50
    alice.hears("These are the newest 50; there are more.")
    assert listed("games -four")[1] == [3]
    dave.forgets(), bob.forgets()


def test_own_boards_from_the_own_side(table: Table) -> None:
    alice, bob = played(table)
    carol = table.joins("carol")
    table.begins("carol", "bob", times=2)
    carol.says("resign 3").forgets()
    bob.forgets().says("showas").hears("alice's move on board 1", "carol's move on board 2")
    bob.says("showas 1 2#0").hears(
        "alice's move on board 1; nothing to do.", "Board 2 before the first move:"
    )
    bob.says("showas next").hears("There are no boards to show.")
    bob.says("showas over").hears("Board 3 is over: you win.")
    bob.says("all show carol next").hears("carol's move on board 2")
    bob.says("all show 1").hears("All moves:")
    alice.forgets().says("showas 2").hears("You do not play on board 2.")
    alice.says("showas carol").hears(
        'I do not know "carol" here; it is one of next, active, over, all.',
        'The command is "showas [board|next|active|over|all ...]".',
    )
    alice.says("show bob over").hears("Board 3 is over")
    alice.says("show 1#-3").hears("Board 1 after move 1 (#2) of 2 (#4):")


def test_own_boards_with_a_password_as_on_older_servers(table: Table) -> None:
    alice, _ = played(table)
    alice.says("change password a-secret-word").says("yes").forgets()
    elsewhere = table.person("alice@work.example")
    for line in ("showas alice a-secret-word next", "abalone showas alice a-secret-word 1"):
        elsewhere.writes(line)
        alice.gets(1).hears("Your move on board 1.")
    elsewhere.hears_nothing()
    alice.says("showas alice wrong-secret 1x").hears("| showas alice **** 1x")


def test_whoami(table: Table) -> None:
    alice, bob = played(table)
    alice.says("whoami").gets(1).hears(
        "You are alice, here since 2026-11-21.",
        "Your address: alice@example.org",
        "It is your turn on board 1.",
    )
    bob.writes("whoami").gets(1).hears("You are bob", "It is not your turn on any board.")


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("help", "pbm: help"),
        ("pbm help abalone", "pbm: help abalone"),
        ("help commands", "pbm: help commands"),
        ("help tutorial", "pbm: help tutorial"),
        ("help challenge", "pbm: help challenge"),
        ("HELP MOVE", "pbm: help move"),
    ],
)
def test_help_comes_outside_any_board(line: str, subject: str, table: Table) -> None:
    alice, _ = played(table)
    alice.says(line).gets(1)
    assert alice.newest["Subject"] == subject
    assert not alice.newest["X-PBM-Board"]


def test_a_page_that_is_not_there(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("help the poor").gets(1).hears('There is no help page "the poor".', "tutorial")


def test_signing_up_twice(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("signup alicia").gets(1).hears("You play here already, as alice.")
    assert [row["handle"] for row in table.rows("players")] == ["alice"]


def test_several_looks_in_one_mail_are_one_answer(table: Table) -> None:
    alice, _ = played(table)
    alice.says("whoami\ngames\nshow 1").gets(1).hears(
        "You are alice", "Board 1: alice, bob.", "All moves:"
    )


def test_a_move_below_the_name_of_anothers_board_comes_back(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.begins("bob", table.joins("carol").address.split("@")[0])
    alice.forgets()
    bob.forgets()
    alice.writes("Board 2", "a1-c3,d4").gets(1)
    alice.hears("I did not pass on your words.", "| a1-c3,d4")
    bob.hears_nothing()
    alice.writes("Board 2", "Regards, Alice").gets(1)
    assert "Regards" not in alice.newest.text
    assert not table.moves(1)
