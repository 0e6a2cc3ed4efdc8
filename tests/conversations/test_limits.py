"""A player gets 20 answers an hour and 100 a day, then one mail that says until when.

The first day is wider: `test_first_hour.py`.
"""

from tests.table import Person, Table


def asks(person: Person, times: int) -> int:
    """Ask something as often; return how many mails came back."""
    person.forgets()
    board = person.mail("pbm: welcome")
    for _ in range(times):
        person.says("whoami", answering=board)
    return len(person.arrived)


def test_twenty_an_hour_and_then_one_word_of_the_pause(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.clock.passes(days=1)
    assert asks(alice, 20) == 20
    assert not any("paused" in mail["Subject"] for mail in alice.arrived)
    assert asks(alice, 5) == 1
    alice.hears(
        "You have had 20 answers in a short time, so answers are paused until 2026-11-22 13:00 UTC."
    )
    # Moves and words to a board count nothing, and work on.
    board = alice.mail("Abalone Board 1")
    alice.says("a1-c3,d4", answering=board).gets(1).hears("bob's move on board 1")
    bob.forgets().says("i9-g7,f6").gets(1)
    alice.gets(1).hears("Your move on board 1.").says("Hello!").gets(1)
    table.clock.passes(minutes=59)
    assert asks(alice, 1) == 0
    table.clock.passes(minutes=1)
    assert asks(alice, 20) == 20
    assert asks(alice, 3) == 1


def test_the_pause_holds_though_older_answers_pass_out_of_the_hour(table: Table) -> None:
    alice = table.joins("alice")
    table.clock.passes(days=1)
    for _ in range(20):
        assert asks(alice, 1) == 1
        table.clock.passes(minutes=2)
    assert asks(alice, 1) == 1  # 20 in the last hour: the pause
    for _ in range(11):
        table.clock.passes(minutes=5)
        assert asks(alice, 1) == 0
    table.clock.passes(minutes=5)
    assert asks(alice, 1) == 1


def test_a_hundred_a_day(table: Table) -> None:
    alice = table.joins("alice")
    table.clock.passes(days=2)
    answered = 0
    for _ in range(5):
        answered += asks(alice, 20)
        table.clock.passes(hours=1, minutes=1)
    assert answered == 100
    assert asks(alice, 3) == 1
    alice.hears("You have had 100 answers", "paused until 2026-11-24 17:05 UTC")
    table.clock.passes(hours=23, minutes=59)
    assert asks(alice, 3) == 0
    table.clock.passes(minutes=1)
    assert asks(alice, 3) == 3


def test_refusals_count_and_played_moves_do_not(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.clock.passes(days=1)
    alice.forgets()
    for _ in range(25):
        alice.says("a1,a9", answering=alice.mail("Abalone Board 1"))
    assert len(alice.arrived) == 21
    alice.forgets()
    people = (alice, bob)
    for ply in range(50):
        move = (("c3,d3", "g7,f7"), ("d3,c3", "f7,g7"))[ply // 2 % 2][ply % 2]
        people[ply % 2].says(move, answering=people[ply % 2].mail("Abalone Board 1"))
    assert len(alice.arrived) == 50
    assert len(table.moves(1)) == 50


def test_the_pause_of_one_is_not_that_of_another(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    table.clock.passes(days=1)
    assert asks(alice, 30) == 21
    assert asks(bob, 5) == 5


def test_nobody_can_flood_a_player_with_questions(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.clock.passes(days=1)
    alice.forgets()
    for number in range(40):  # anybody can write such a From
        alice.writes("resign 1", f"forged {number}")
    assert len(alice.arrived) < 20
    assert asks(alice, 3) == 3
    bob.hears_nothing()
    assert table.board(1).status == "playing"


def test_a_short_forged_mail_brings_no_long_one(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("", "help move\nwhoami\nHELP  move\n" * 6)
    repeated = alice.newest.text
    assert repeated.count("You are alice, here since") == 1
    assert alice.writes("", "help move\nwhoami").newest.text == repeated


def test_what_is_long_or_slow_is_done_five_times_a_day(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    enough = "This can be sent 5 times in 24 hours. You can send it again from 2026-11-21"
    for words in ("export me", "delete"):
        table.peer = {"delete": "198.51.100.7"}.get(words, table.peer)  # ten of each origin
        for _ in range(5):
            alice.writes(words)
            assert enough not in " ".join(alice.newest.text.split())
        alice.forgets().writes(words).hears(enough)
        alice.says(words, answering=alice.mail("Abalone Board 1"))  # counted apart
        assert enough not in " ".join(alice.newest.text.split())


def test_replies_from_elsewhere_do_not_flood_either(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    stolen = alice.forgets().mail("Abalone Board 1")
    for number in range(30):
        table.person(f"thief{number}@example.net").says("resign", answering=stolen)
    assert len(alice.arrived) == 1


def test_the_outcome_says_what_no_answer_does(table: Table) -> None:
    """The operator finds out what became of a mail that nobody was written to about."""
    alice, _ = table.start("alice", "bob")
    table.clock.passes(days=1)
    board = alice.mail("Abalone Board 1")
    assert asks(alice, 20) == 20
    for words, outcome in (
        ("a1,a9", "alice: move (refused as illegal-move; not answered, had enough answers)"),
        ("whoami", "alice had enough answers, so not done: whoami"),
        ("a1-c3,d4", "alice: move"),
    ):
        alice.says(words, answering=board)
        assert table.mail_kept(len(table.rows("inbox"))).outcome == outcome
