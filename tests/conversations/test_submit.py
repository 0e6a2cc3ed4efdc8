"""Moves that are shown and kept, and played once their player says so."""

import pytest

from tests.table import Person, Table

MOVE, OTHER, REPLY = "a1-c3,b2", "a2-c4,b3", "i5-g5,h5"
SHOWN = f"Board 1 as it would be after {MOVE}, move 1 (#1). Nothing has been played"


@pytest.fixture
def people(table: Table) -> list[Person]:
    return table.start("alice", "bob")


@pytest.mark.on_postgresql
def test_a_move_is_shown_and_played_with_a_yes(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"submit {MOVE}\n\nGood luck!").gets(1).hears(
        f"Please confirm: move #1 on board 1: {MOVE}",
        f"Do you want to play {MOVE} on board 1?",
        SHOWN,
        "| Good luck!",
        "The move waits for 90 days at most.",
    )
    bob.hears_nothing()
    assert not table.moves(1)
    alice.says("yes").gets(1).hears("bob's move on board 1")
    bob.gets(1).hears(f"alice played {MOVE}.", "| Good luck!")
    assert table.moves(1) == [MOVE]


@pytest.mark.parametrize("line", ["confirm", "confirm 1", "CONFIRM", "1 confirm"])
def test_it_is_confirmed_from_any_mail(line: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    board = alice.newest
    alice.says(f"sub {MOVE}\nHello").says("status 1").hears(f"You have submitted {MOVE}.")
    alice.says(f"{line}\n\nand bye", answering=board).gets(1)
    bob.gets(1).hears(f"alice played {MOVE}.", "| Hello |  | and bye")
    assert table.moves(1) == [MOVE]
    alice.says("confirm 1").hears("You have submitted no move on board 1 that waits.")


@pytest.mark.parametrize("line", ["no", "drop", "drop 1", "undo", "Drop it"])
def test_it_is_dropped(line: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    board = alice.newest
    asks = line in ("no", "drop", "Drop it")
    alice.says(f"submit {MOVE}\nHello").forgets()
    alice.says(line, answering=None if asks else board).gets(1)
    alice.hears("Dropped. Nothing has changed.", f"| move #1 on board 1: {MOVE}", "| Hello")
    alice.says("drop", answering=board).hears("You have submitted no move that waits.")
    bob.hears_nothing()
    assert not table.moves(1)


def test_a_new_one_takes_the_place_of_the_old(table: Table, people: list[Person]) -> None:
    alice, _ = people
    first = alice.says(f"submit {MOVE}").newest
    alice.says(f"submit {OTHER}").hears(f"Do you want to play {OTHER} on board 1?")
    alice.says("yes", answering=first).gets(1).hears("nothing left")
    assert not table.moves(1)
    alice.says("confirm", answering=alice.mail("Abalone Board 1"))
    assert table.moves(1) == [OTHER]


def test_it_is_void_once_the_board_has_changed(table: Table, people: list[Person]) -> None:
    alice, bob = people
    asked = alice.says(f"submit {MOVE}\nWell").newest
    alice.says(f"move 1 {OTHER}")
    bob.says(REPLY)
    alice.says("takeback")
    bob.says("accept takeback")
    assert not table.moves(1)
    bob.forgets()
    for line, mail in (("confirm 1", alice.mail("Abalone Board 1")), ("yes", asked)):
        alice.forgets().says(line, answering=mail).gets(1)
        alice.hears(f"Board 1 has changed since you submitted {MOVE}, so it is void.", "| Well")
    bob.hears_nothing()


def test_somebody_left_or_the_game_is_over(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    asked = alice.says(f"submit {table.board(1).position.legal_moves()[0]}").newest
    bob.says("resign 1")
    alice.forgets().says("yes", answering=asked).hears("so it is void.")
    carol.says("resign 1")
    alice.forgets().says("confirm 1").hears("You have submitted no move on board 1")


def test_it_belongs_to_whose_turn_it_is(table: Table, people: list[Person]) -> None:
    alice, bob = people
    bob.says(f"submit {REPLY}").gets(1).hears("On board 1 it is alice's turn.")
    alice.says("submit a1-c5,b2").gets(1).hears("Nothing has changed.")
    bob.says(f"confirm 1#1 @0.2 {MOVE}").gets(1).hears("so it is void.")
    table.joins("carol").says(f"confirm 1#1 @0.2 {MOVE}").hears("You do not play on board 1")
    assert not table.moves(1)


def test_each_board_has_its_own(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("challenge bob").forgets()
    alice.says(f"submit 1 {MOVE}\nsubmit 2 {OTHER}\n\nHi").gets(2)
    alice.says("whoami").says("confirm").hears("- 1 (Abalone Board 1: alice v bob)")
    alice.says(f"move 1 {OTHER}").says("whoami").says("confirm")
    bob.hears(f"alice played {OTHER}.", "| Hi")
    assert table.moves(1) == table.moves(2) == [OTHER]


def test_an_unproven_one_is_asked_about_once(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.writes(f"submit 1 {MOVE}").gets(1)
    alice.hears(f"Do you want to play {MOVE} on board 1?", SHOWN, "stays open for 48 hours")
    proven = alice.mail("Abalone Board 1")
    asked = alice.newest
    alice.says("confirm 1", answering=proven).hears("You have submitted no move")
    alice.says("yes", answering=asked)
    assert table.moves(1) == [MOVE]


def test_what_is_confirmed_without_a_proof(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says(f"submit {MOVE}").forgets()
    alice.writes("drop 1").gets(1).hears('Did you send "drop 1"?')
    alice.writes("confirm 1").gets(1).hears(f"Do you want to play {MOVE} on board 1?")
    assert not table.moves(1)
    alice.says("yes")
    assert table.moves(1) == [MOVE]


def test_other_questions_are_answered_with_these_words(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"submit {MOVE}").forgets()
    asked = alice.writes("resign 1").gets(1).newest
    alice.says("drop", answering=asked).hears("Dropped.", "| resign 1")
    alice.writes("challenge bob").gets(1).says("confirm").hears("A new game: alice and bob")
    assert not table.moves(1)
    bob.says("draw 1")
    alice.says("confirm").hears("waits for your word, and so does an offer of somebody else")
    assert not table.moves(1)
    alice.says("confirm 1")
    assert table.moves(1) == [MOVE]


def test_a_draw_is_accepted_with_the_same_word(people: list[Person]) -> None:
    alice, bob = people
    alice.says(MOVE)
    bob.says(REPLY).says("draw")
    alice.says("confirm").hears("Board 1 is over: a draw.")


def test_every_move_is_a_submit(table: Table, people: list[Person]) -> None:
    alice, bob = people
    board = alice.newest
    alice.says(f"set confirm on\nmove 1 {MOVE}").gets(2)
    alice.hears('"confirm" is now set to "on".', SHOWN).says("settings")
    alice.hears("- confirm on: a move of yours is shown to you, and waits for your yes").forgets()
    for line in (MOVE, f"move 1 {MOVE}", f"Hi Bob,\n{MOVE}\nbye"):
        alice.says(line, answering=board).gets(1).hears(SHOWN)
    alice.writes(f"move 1 {MOVE}").gets(1).hears(f"Do you want to play {MOVE} on board 1?", SHOWN)
    bob.hears_nothing()
    alice.says(f"{MOVE}\ndraw", answering=board).gets(1).hears("| draw 1", SHOWN)
    alice.says("ok, play it").gets(1)
    bob.hears(f"alice played {MOVE}.", "alice offers a draw.")
    bob.says("reject draw").says(REPLY)
    alice.says("confirm off").says(f"move 1 {OTHER}")
    assert len(table.moves(1)) == 3


def test_planned_moves_need_no_yes(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("set confirm on").says(f"move 1 {MOVE}").says("yes")
    alice.says(f"plan 1 if {REPLY} then {OTHER}")
    bob.says(REPLY)
    assert table.moves(1) == [MOVE, REPLY, OTHER]


def test_it_lapses_with_its_question(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says("pause")
    people[1].says("accept pause")
    asked = alice.says(f"submit 1 {MOVE}").newest
    table.days_pass(60)
    table.days_pass(40)
    alice.says("yes", answering=asked).hears("That question is not open any more")
    assert not table.moves(1)


@pytest.mark.parametrize("line", [f"submit {MOVE}", f"move 1 {MOVE}"])
def test_a_yes_to_whose_mail_it_was_plays_nothing(
    line: str, table: Table, people: list[Person]
) -> None:
    alice, _ = people
    board = alice.newest
    alice.says("set confirm on")
    table.person("alice@work.example").says(line, answering=board)
    alice.forgets().says("yes").hears(f"Do you want to play {MOVE} on board 1?", SHOWN)
    assert not table.moves(1)
