"""Pauses on which all agree, and time that players give each other."""

import pytest

from tests.conversations.test_clocks import begun, plays_next
from tests.table import Person, Table


def paused(table: Table) -> list[Person]:
    alice, bob = people = begun(table, "alice", "bob")
    bob.says("pause")
    alice.says("yes")
    for person in people:
        person.forgets()
    return people


@pytest.mark.on_postgresql
def test_no_clock_runs_in_a_pause(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(2)
    bob.says("pause").gets(1).hears("The pause that you asked for waits for alice.")
    alice.gets(1).hears(
        "Your move on board 1, by Sat 12 December (19 days). bob asks for a pause.",
        "bob asked for a pause of this board: no clock would run until all agree to go on.",
        'Answer "accept pause" or "reject pause". You can also just answer yes or no.',
    ).says("yes").gets(1).hears("Your move on board 1, paused.", "for 90 days at most")
    bob.gets(1).hears("alice's move on board 1, paused; nothing to do.", 'answer "resume"')
    bob.says("games").hears("Move 2 (#3) is alice's, paused.")
    table.days_pass(29)
    alice.hears_nothing()
    alice.says("resume 1")
    bob.gets(1).hears("alice asked to end the pause of this board.", '"accept resume"')
    bob.says("accept resume").hears(" agreed to end the pause, as alice asked.")
    alice.gets(2).hears("Your move on board 1, by Sun 10 January (19 days).")
    table.days_pass(18.99)
    assert table.board(1).playing
    table.days_pass(0.03)
    assert table.board(1).winners == (2,)


def test_a_move_does_not_end_it(table: Table) -> None:
    alice, bob = people = paused(table)
    plays_next(table, people)
    table.days_pass(60)
    bob.hears_nothing()
    bob.says("show 1").hears("Your move on board 1, paused.")
    bob.says("resume")
    alice.says("accept")
    bob.hears("by Wed 10 February (21 days)")


def test_it_ends_by_itself_after_ninety_days(table: Table) -> None:
    alice, bob = paused(table)
    table.days_pass(89.9)
    alice.hears_nothing()
    table.days_pass(0.2)
    told = "The pause of this board has lasted 90 days, and that is as long as it may."
    alice.gets(1).hears(told, "Your move on board 1, by Fri 12 March (21 days).")
    bob.gets(1).hears(told)
    table.days_pass(21)
    assert not table.board(1).playing


@pytest.mark.on_postgresql
@pytest.mark.parametrize("asked", [False, True])
def test_after_thirty_days_one_player_may_end_it(table: Table, asked: bool) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("pause")
    alice.says("yes").gets(2).hears("After 30 days any of you can end the pause with it.")
    bob.forgets()
    table.days_pass(29.9)
    if asked:
        bob.says("resume").gets(1).hears("The end of the pause that you asked for waits for alice.")
        alice.gets(1)
    table.days_pass(0.2)
    bob.forgets().says("resume").gets(1).hears("You ended the pause, as anybody may after so long.")
    told = "bob ended the pause, as anybody may after so long. The clocks run again"
    alice.hears(told, "Your move on board 1, by Mon 11 January (21 days).")
    assert not table.board(1).offers
    bob.says("resume").hears("Board 1 is not paused, so its clocks run already.")
    table.days_pass(20.99)
    assert table.board(1).playing
    table.days_pass(0.03)
    assert table.board(1).winners == (2,)


def test_what_can_be_said_to_it(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("resume 1").hears("Board 1 is not paused, so its clocks run already.")
    alice.says("pause 1").says("reject").hears("You withdrew the request for a pause.")
    alice.says("pause 1").says("pause 1").hears("You have asked for a pause on board 1 already.")
    bob.says("no").hears("You said no to the pause that alice asked for. The clocks run on.")
    bob.says("reject pause").hears("There is no pause on board 1 that waits")
    alice.says("pause 1")  # there is no move to wait for before it may be asked for again
    bob.says("accept pause").says("pause").hears("Board 1 is paused already.")
    bob.says("resume").says("reject resume").hears("You withdrew the request to end the pause.")
    bob.says("resume")
    alice.says("reject resume").hears("You said no to the end of the pause that bob asked for.")
    assert table.board(1).paused_since


def test_before_first_moves_there_is_none(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("pause").hears("Board 1 waits for a first move. It can be paused")
    alice.says("give 3d").hears("It is your own move on board 1")


def test_three_agree_one_by_one_and_a_move_answers_nothing(table: Table) -> None:
    people = alice, bob, carol = begun(table, "alice", "bob", "carol", options="-bowl")
    bob.says("pause")
    plays_next(table, people)
    carol.says("accept pause")
    alice.hears("carol agreed to the pause that bob asked for.")
    bob.says("draw")
    alice.says("accept").hears(
        'more than one thing to answer. Write "accept pause" or "accept draw"'
    )
    alice.says("accept pause").hears(" agreed to the pause that bob asked for")
    assert table.board(1).paused_since


def test_a_take_back_leaves_no_pause_asked_for(table: Table) -> None:
    alice, bob = people = begun(table, "alice", "bob")
    plays_next(table, people)
    bob.says("pause")
    alice.says("takeback")
    bob.says("accept takeback").hears("The pause that you asked for is off with it.")
    assert not table.board(1).offers


def test_time_that_is_given(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(20.5)
    alice.forgets()
    bob.says("give 1 week 2 days\n\nGet well soon!").gets(1).hears("You gave alice 9 days more.")
    alice.gets(1).hears("Your move on board 1, by Mon 21 December (10 days).", "| Get well soon!")
    table.days_pass(8)
    alice.hears_nothing()
    table.days_pass(0.6)
    alice.gets(1).hears("by Mon 21 December, 12:00 UTC (24 hours)")
    bob.says("give 12h 1").hears("You gave alice 12 hours more.")
    table.days_pass(1.39)
    assert table.board(1).playing
    table.days_pass(0.03)
    assert not table.board(1).playing


def test_it_is_for_the_move_that_is_waited_for(table: Table) -> None:
    _, bob = people = begun(table, "alice", "bob")
    bob.says("give 30d")
    plays_next(table, people)
    table.days_pass(20.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).winners == (1,)


@pytest.mark.parametrize("options", ["-totaltime=8d", "-bank=8d"])
def test_of_time_for_all_moves_all_others_get_some(table: Table, options: str) -> None:
    alice, bob = people = begun(table, "alice", "bob", options=options)
    alice.says("give 5d").hears("You gave bob 5 days more.", "- bob: 13 days")
    table.days_pass(1)
    plays_next(table, people)
    bob.says("show 1").hears("- alice: 7 days", "- bob: 13 days")
    table.days_pass(12.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).winners == (1,)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("give", "Something is missing: the time."),
        ("give soon", 'I cannot read "soon" as a length of time.'),
        ("give bob 3d", 'I cannot read "bob" as a length of time.'),
        ("give time [board]", "Put a length of time there, for example 10d (ten days)"),
        ("give me 3d", "You can only give time to others."),
        ("give 40d", '"40d" cannot be chosen here; it may be 1 hour to 30 days.'),
        ("give 3d 7", "There is no board 7."),
        ("give 1 3d", 'The command is "give time [board]".'),
        ("give 3d", "It is your own move on board 1. You can give the others more time when"),
    ],
)
def test_what_cannot_be_given(table: Table, line: str, told: str) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.says(line, subject="please").hears(told)


def test_nobody_is_given_more_than_a_year(table: Table) -> None:
    _, bob = begun(table, "alice", "bob")
    for _ in range(12):
        bob.says("give 30d")
    bob.forgets().says("give 6 days").hears("That would be more than 365 days on board 1")
    bob.says("show 1")
    assert table.board(1).given == 360 * 24 * 3600
