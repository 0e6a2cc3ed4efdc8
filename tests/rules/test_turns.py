"""Who is next, who has won, and what it means to leave."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.setups import marbles, move, placed, won


def test_seat_one_begins_and_the_turn_goes_round() -> None:
    position = rules.start("standard", 3)
    turns = []
    for _ in range(4):
        turns.append(position.turn)
        position = position.play(position.legal_moves()[0]).position
    assert turns == [1, 2, 3, 1]


def test_the_sixth_ejection_wins_at_once() -> None:
    played = move("e7-e8,e9", placed("e7 e8", "e9 a1", "i9", scores="5,0,0", flags="quiet=9"))
    after = played.position
    assert won(after) == ((1,), "ejections")
    assert (after.turn, after.scores, after.quiet) == (None, (6, 0, 0), 0)
    assert after.legal_moves() == ()
    assert after.state().endswith(" - 6,0,0 won=1")


def test_the_fifth_ejection_does_not_win() -> None:
    after = move("e7-e8,e9", placed("e7 e8", "e9 a1", scores="4,5")).position
    assert (after.outcome, after.turn, after.scores) == (None, 2, (5, 5))


def test_a_seat_without_marbles_is_skipped() -> None:
    after = move("e7-e8,e9", placed("e7 e8", "e9", "i9", "a1")).position
    assert (after.turn, after.outcome) == (3, None)
    assert after.out == frozenset()


def test_a_seat_that_cannot_move_is_skipped() -> None:
    # Seat 2 has one marble in the corner, walled in; seat 3 is free.
    position = placed("a2 b1 b2 e4 e5", "a1", "i9")
    after = move("e5,e6", position).position
    assert after.turn == 3
    after = move("i9,h9", after).position
    assert after.turn == 1
    freed = move("a2,a3", after).position
    assert freed.turn == 2


def test_the_mover_goes_on_if_nobody_else_can() -> None:
    position = placed("a2 b1 b2 e5", "a1")
    after = move("e5,e6", position).position
    assert (after.turn, after.quiet) == (1, 1)


def test_the_last_with_marbles_wins() -> None:
    after = move("e7-e8,e9", placed("e7 e8", "e9", "")).position
    assert won(after) == ((1,), "last")
    assert after.turn is None


def test_the_last_with_marbles_wins_over_those_who_left_theirs() -> None:
    after = move("e7-e8,e9", placed("e7 e8", "e9", "i9", flags="out=3")).position
    assert won(after) == ((1,), "last")


def test_six_ejections_count_before_being_the_last() -> None:
    after = move("e7-e8,e9", placed("e7 e8", "e9", scores="5,0")).position
    assert won(after) == ((1,), "ejections")


def test_when_nobody_can_move_the_game_is_a_draw() -> None:
    # Seats 1 and 2 sit walled in two corners, and the one who built the walls leaves.
    walls = "a2 b1 b2 i8 h8 h9"
    position = placed("a1", "i9", walls, turn=3)
    after = position.leave(3)
    assert won(after) == ((), "none")
    assert after.turn is None
    assert after.state().endswith(" - 0,0,0 out=3;draw")


def test_a_marble_of_someone_who_left_scores_for_nobody() -> None:
    position = placed("e7 e8", "e9 a1", "i9 i8", scores="2,1,0", flags="out=2;quiet=4")
    played = move("e7-e8,e9", position)
    assert played.ejected == (2,)
    assert played.position.scores == (2, 1, 0)
    assert played.position.quiet == 0


def test_the_marbles_of_someone_who_left_stand_in_the_way() -> None:
    position = placed("e5 e6 a1", "e7 b1", "i9").leave(2)
    assert marbles(position, 2) == "b1 e7"
    assert marbles(move("e5-e6,e7", position).position, 2) == "b1 e8"
    with pytest.raises(rules.IllegalMoveError) as error:
        move("a1,b1", position)
    assert error.value.reason == "one-cannot-push"


def test_quiet_plies_are_counted_between_ejections() -> None:
    position = placed("e6 e7", "e8 a1", flags="quiet=3")
    pushed = move("e6-e7,e8", position)
    assert (pushed.ejected, pushed.effect.get("from"), pushed.position.quiet) == ((), None, 4)
    ejected = move("e7-e8,e9", move("a1,a2", pushed.position).position)
    assert (ejected.ejected, ejected.effect.get("from"), ejected.position.quiet) == ((2,), "e9", 0)


def test_leaving_out_of_turn_leaves_the_turn() -> None:
    position = rules.start("bowl", 4).leave(3)
    assert (position.turn, position.out, position.outcome) == (1, frozenset({3}), None)
    position = position.play(position.legal_moves()[0]).position
    position = position.play(position.legal_moves()[0]).position
    assert position.turn == 4


def test_leaving_on_turn_passes_it_on() -> None:
    position = rules.start("bowl", 4).leave(1)
    assert (position.turn, position.quiet) == (2, 0)


def test_the_last_one_still_in_wins() -> None:
    position = rules.start("standard", 3).leave(1)
    assert position.outcome is None
    position = position.leave(2)
    assert won(position) == ((3,), "last")
    assert position.turn is None


def test_the_last_one_still_in_wins_even_without_marbles() -> None:
    position = placed("e5", "", turn="-", flags="out=1;won=2")
    assert won(position) == ((2,), "last")


@each_row("seat", [0, 4, -1])
def test_only_a_seat_can_leave(seat: int) -> None:
    with pytest.raises(rules.IllegalMoveError) as error:
        rules.start("standard", 3).leave(seat)
    assert error.value.reason == "no-such-seat"


def test_nobody_leaves_twice() -> None:
    with pytest.raises(rules.IllegalMoveError) as error:
        rules.start("standard", 3).leave(2).leave(2)
    assert error.value.reason == "already-out"


def test_nobody_leaves_or_moves_after_the_end() -> None:
    start = rules.start()
    over = start.leave(2)
    for late in (lambda: over.leave(1), lambda: move("a1-c3,d4", over)):
        with pytest.raises(rules.IllegalMoveError) as error:
            late()
        assert error.value.reason == "game-over"
    with pytest.raises(rules.IllegalMoveError):
        over.play(start.legal_moves()[0])


def test_a_position_is_not_changed_by_playing_on() -> None:
    position = rules.start()
    line = position.state()
    position.play(position.legal_moves()[0])
    position.leave(1)
    assert position.state() == line
