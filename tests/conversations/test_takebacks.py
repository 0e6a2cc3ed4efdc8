"""A move is taken back, with what came after it, if everybody who is still in agrees."""

import re

import pytest

from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table


def forget(*people: Person) -> None:
    for person in people:
        person.forgets()


@pytest.mark.parametrize("word", ["takeback", "undo", "abalone takeback 1", "undo 1 alice pw"])
def test_the_first_move_of_the_game(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").forgets()
    bob.forgets()
    alice.says(f"{word}\n\nSorry, a slip!").gets(1).hears(
        "bob's move on board 1; nothing to do.",
        "You asked to take back move 1 (#1), a1-c3,b2.",
        "| Sorry, a slip!",
        "The take-back that you asked for waits for bob.",
    )
    bob.gets(1).hears(
        "Your move on board 1. alice asks for a take-back.",
        "alice asked to take back move 1 (#1), a1-c3,b2.",
        "| Sorry, a slip!",
        "if you move instead, that is a no.",
    )
    bob.says("accept takeback\n\nOf course.").gets(1).hears("alice's move on board 1")
    alice.gets(1).hears(
        "Your move on board 1.",
        "bob agreed: your move 1 (#1), a1-c3,b2, is taken back.",
        "| Of course.",
        "To move, send a line such as",
        'Before your first move you can still leave: answer "decline".',
    )
    assert "Moves so far" not in alice.newest.text
    board = table.board(1)
    assert (board.ply, board.state, board.taken_back) == (0, board.start_state, 1)
    alice.says("takeback").gets(1).hears("You have not moved on board 1 yet, so there is nothing")
    alice.says("c3,d3").hears("bob's move on board 1")
    assert table.moves(1) == ["c3,d3"]


@pytest.mark.on_postgresql
def test_ones_latest_move_and_what_came_after_it(table: Table) -> None:
    people = alice, bob, carol, dave = table.start("alice", "bob", "carol", "dave")
    plays(table, people, plies=7)
    forget(*people)
    moves = table.moves(1)
    alice.says("takeback").hears(
        f"You asked to take back move 2 (#5), {moves[4]}, and the 2 moves after it."
    )
    for person in (bob, carol, dave):
        person.hears(
            "asks for a take-back.",
            f"alice asked to take back move 2 (#5), {moves[4]}, and the 2 moves after it.",
        )
    for person in (bob, carol):
        person.says("accept").hears("You agreed to the take-back that alice asked for.")
    assert table.moves(1) == moves
    dave.hears(f"alice asks to take back move 2 (#5), {moves[4]}, and the 2 moves after it. Answer")
    dave.says("accept undo 1")
    for person in people:
        person.hears(f"move 2 (#5), {moves[4]}, is taken back, and the 2 moves after it.")
    assert table.moves(1) == moves[:4]
    alice.hears_nothing()
    mover = table.board(1).to_move
    assert mover is not None
    assert mover.handle == "alice"
    plays(table, people, plies=4)
    assert table.moves(1) == moves + table.moves(1)[7:]


def test_one_move_came_after_it(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=2)
    forget(*people)
    move = table.moves(1)[0]
    alice.says("takeback")
    bob.hears(
        "alice's move on board 1. Please answer: alice asks for a take-back.",
        f"alice asked to take back move 1 (#1), {move}, and the move after it.",
    )


def test_another_take_back_goes_further(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=4)
    for left in (2, 0):
        alice.says("takeback").forgets()
        bob.says("accept").forgets()
        assert table.board(1).ply == left
    assert table.board(1).taken_back == 2


@pytest.mark.parametrize("word", ["reject", "reject takeback", "reject undo", "reject 1 take-back"])
def test_a_no(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").says("takeback")
    forget(alice, bob)
    bob.says(word).gets(1)
    for person in (alice, bob):
        person.gets(1).hears(" said no to the take-back that ", " asked for. The game goes on.")
        assert "accept" not in person.newest.text
    alice.says("takeback").hears(
        "You have asked for this take-back on board 1 since your last move, and it came to"
        " nothing. You may ask for one again after your next move."
    )
    bob.says("accept takeback").hears(
        "There is no take-back on board 1 that waits for an answer of yours."
    )
    assert table.board(1).ply == 1
    plays(table, [alice, bob], plies=2)
    alice.says("takeback").hears("You asked to take back move 2 (#3)")


def test_a_move_meanwhile_ends_it(table: Table) -> None:
    people = alice, _, carol = table.start("alice", "bob", "carol")
    plays(table, people)
    alice.says("takeback")
    carol.says("accept")
    forget(*people)
    plays(table, people)
    for person in people:
        person.gets(1).hears(" moved on, so the take-back that ", " asked for is off.")
        assert "accept" not in person.newest.text
    assert table.board(1).ply == 2


def test_ones_own_move_ends_it_too(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=2)
    alice.says("takeback")
    forget(*people)
    plays(table, people)
    bob.hears("Your move on board 1.", "alice moved on, so the take-back that alice asked for is")
    assert table.board(1).ply == 3


def test_it_is_withdrawn(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("c3,d3").says("undo").says("reject").forgets()
    bob.hears("alice withdrew the request for a take-back.").says("accept")
    bob.hears("There is nothing on board 1 that waits for an answer of yours.")
    assert table.board(1).ply == 1


def test_whoever_resigned_meanwhile_stays_out(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    plays(table, people, plies=4)
    bob.says("resign")
    plays(table, people)  # carol
    forget(*people)
    alice.says("takeback").forgets()
    carol.hears("alice asked to take back move 2 (#4)")
    bob.says("reject").hears("You have left board 1 already.")
    carol.says("accept")
    for person in (alice, carol):
        person.hears("All agreed: ", "move 2 (#4), ", "bob (2) 0 (resigned)")
    bob.hears_nothing()
    board = table.board(1)
    assert (board.ply, board.position.out) == (3, {2})
    assert [(item.seat, item.after_ply) for item in table.departures(1)] == [(2, 3)]
    plays(table, people, plies=2)
    assert re.search(r"(?m)^2 \(#4\)\. \S+ +-- +\S+$", board_mail(alice, 1).text)
    plays(table, people, plies=3)
    alice.says("games").hears("Move 4 (#9) is carol's.")
    bob.says("resign").hears("You have left board 1 already.")


def test_who_leaves_is_not_waited_for(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    plays(table, people)
    alice.says("takeback")
    bob.says("accept")
    forget(*people)
    carol.says("resign")
    for person in people:
        person.hears(" resigned.", "All agreed: ", "move 1 (#1), ")
    assert (table.board(1).ply, table.board(1).position.out) == (0, {3})


def test_a_draw_is_off_with_what_is_taken_back(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people)
    bob.says("draw")
    alice.says("takeback")
    forget(*people)
    bob.says("draw").hears("You have offered a draw on board 1 already. It waits for alice.")
    bob.says("accept").gets(1)
    for person in people:
        person.gets(1).hears("move 1 (#1), c5,c6, is taken back.", " offered is off with it.")
    alice.says("accept draw").hears("There is no draw on board 1 that waits")


def test_two_things_to_answer(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=3)
    alice.says("draw").says("takeback")
    bob.hears(
        "Your move on board 1. alice offers a draw, and alice asks for a take-back.",
    )
    for word in ("accept", "reject"):
        bob.says(word).gets(1).hears(
            "On board 1 there is both a draw and a take-back to answer. Write"
            f' "{word} draw" or "{word} takeback".',
            "Nothing has changed.",
        )
    bob.says("Yes, you are right, it looks even")
    alice.hears("| Yes, you are right, it looks even")
    bob.says("takeback").hears(
        "alice has asked for a take-back on board 1 already. Answer that first, with"
        ' "accept takeback" or "reject takeback".'
    )
    bob.says("reject takeback").hears("You said no to the take-back")
    bob.says("accept").hears("Board 1 is over: a draw.")


def test_one_cannot_answer_oneself(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people)
    alice.says("takeback").forgets()
    alice.says("accept").hears("There is nothing on board 1 that waits for an answer")
    alice.says("takeback").hears(
        "You have asked for a take-back on board 1 already. It waits for bob"
    )
    bob.forgets().says("accept draw").hears("There is no draw on board 1 that waits")
    assert table.board(1).ply == 1


def test_only_the_latest_move(table: Table) -> None:
    people = alice, _ = table.start("alice", "bob")
    plays(table, people, plies=3)
    alice.forgets()
    alice.says("takeback 1#1").gets(1).hears(
        "You can only take back your latest move, and on board 1 that is move #3, not #1."
    )
    alice.says("takeback #3").hears("You asked to take back move 2 (#3)")


def test_an_answer_to_a_mail_from_before_is_asked_about(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    plays(table, people, plies=2)
    old = board_mail(alice, 1)  # at ply 2
    plays(table, people)
    alice.says("takeback")
    bob.says("accept")
    board = table.board(1)
    assert (board.ply, board.taken_back) == (2, 1)
    forget(*people)
    alice.says("c3,d3\n\nThis way, then.", answering=old).gets(1).hears(
        "Please confirm: move #3 on board 1: c3,d3",
        "You answered an older mail, and since then a move was taken back.",
        "Board 1 is now at move 2 (#3):",
        "| This way, then.",
        "Reply yes to play it there, or no to drop it.",
    )
    bob.hears_nothing()
    assert table.board(1).ply == 2
    alice.says("yes")
    bob.gets(1).hears("Your move on board 1.", "alice played", "| This way, then.")
    # The mail of the take-back itself is not old.
    plays(table, people)
    assert table.board(1).ply == 4


def test_an_answer_to_the_mail_of_the_request_is_asked_about_too(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    plays(table, people)
    alice.says("takeback")
    asked = board_mail(bob, 1)
    carol.says("accept")
    bob.says("accept")
    plays(table, people)
    forget(*people)
    bob.says("f8,f7", answering=asked).gets(1).hears("You answered an older mail, and")
    assert table.board(1).ply == 1


def test_in_teams_one_takes_back_what_one_played_for_a_partner(table: Table) -> None:
    people = alice, bob, carol, dave = [
        table.joins(name) for name in ("alice", "bob", "carol", "dave")
    ]
    alice.says("challenge alice+carol bob+dave")
    plays(table, people, plies=4)
    carol.says("resign")
    plays(table, people, plies=3)  # alice, bob, and alice for carol
    dave.hears(f"alice played {table.moves(1)[6]}, for carol.")
    forget(*people)
    alice.says("takeback").hears(f"You asked to take back move 2 (#7), {table.moves(1)[6]}.")
    carol.hears_nothing()
    bob.says("accept")
    dave.says("accept")
    alice.hears("Your move on board 1, for carol.", "your move 2 (#7)")
    assert table.board(1).ply == 6
    carol.says("takeback").hears("You have left board 1 already.")
    plays(table, people, plies=2)
    dave.says("takeback").hears("You asked to take back move 2 (#8)")
    alice.says("reject").forgets()
    alice.says("takeback").hears("You asked to take back move 2 (#7)", "and the move after it.")


def test_a_yes_between_two_offers_is_told_what_to_write(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").says("takeback").says("draw").forgets()
    bob.forgets().says("yes").gets(1).hears(
        'asked for a take-back and for a draw: answer with the words "accept takeback" or "reject'
        ' takeback", and "accept draw" or "reject draw".'
    )
    alice.hears_nothing()
    assert table.moves(1) == ["a1-c3,b2"]
    bob.says("accept the takeback")
    assert table.moves(1) == []
