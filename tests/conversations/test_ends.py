"""How games end: resigned, declined, or by the sixth marble."""

from random import Random

import pytest

from pbm.play.subjects import board_subject
from pbm.rules import abalone as rules
from pbm.rules.abalone import GAME
from tests.conversations.playing import plays_out
from tests.rules.setups import placed
from tests.table import Table


# The seeds are those of short games.
@pytest.mark.parametrize(
    ("handles", "seed"), [(2, 2), pytest.param(6, 0, marks=pytest.mark.thorough)]
)
def test_a_whole_game_to_the_sixth_marble(handles: int, seed: int, table: Table) -> None:
    names = ["alice", "bob", "carol", "dave", "erin", "frank"][:handles]
    people = table.start(*names, bowl=True)
    plays_out(table, people, 1, Random(seed), minutes=24)
    board = table.board(1)
    assert (board.status, board.ended_by, board.position.turn) == (
        "finished",
        "ejections",
        None,
    )
    assert board.winners is not None
    (winner,) = board.winners
    assert board.position.scores[winner - 1] == 6
    last = table.plies(1)[-1]
    assert last.seat == winner
    for person in people:
        won = person is people[winner - 1]
        person.hears(
            "Board 1 is over: you " if won or len(people) == 2 else f"{names[winner - 1]} wins.",
            " pushed",
            f"off {last.effect['from']} with {last.text}",
            f"{'You have' if won else f'{names[winner - 1]} has'} pushed six marbles off the",
            "won=",
        )
        assert person.newest["X-PBM-Turn"] == "-"
        subjects = {mail["Subject"] for mail in person.mails if mail["X-PBM-Board"]}
        assert len(subjects) == 1
    people[0].says("a1,b1").gets(1).hears("Board 1 is over.")
    people[0].says("games").gets(1).hears("There are no games in progress to list.")
    people[0].says("games all").gets(1).hears(f"Over, {names[winner - 1]} won.")


@pytest.mark.thorough
def test_five_of_whom_one_resigns_and_one_is_pushed_off_whole(table: Table) -> None:
    names = ["alice", "bob", "carol", "dave", "erin"]
    people = _, bob, carol, dave, erin = table.start(*names, bowl=True)
    chance = Random(97)  # carol's last one goes at ply 57
    plays_out(table, people, 1, chance, until=7, minutes=24)
    bob.says("resign")
    plays_out(table, people, 1, chance, until=57, minutes=24)
    position = table.board(1).position
    assert (position.out, position.count(3), position.turn) == ({2}, 0, 5)
    for person in (*people[:1], dave, erin):
        person.hears("pushed carol's marble off", "(resigned)", "(no marbles left)")
    carol.hears("pushed your marble off", "(resigned)", "(no marbles left)")
    plays_out(table, people, 1, chance, until=61, minutes=24)
    first, fourth, fifth = table.moves(1)[58:]
    assert [bool(ply.effect) for ply in table.plies(1)[58:]] == [True, False, False]
    a_round = "  ".join([f"{first}*", "--", "--", fourth, fifth])
    erin.hears("Your move on board 1.", a_round)
    plays_out(table, people, 1, chance, minutes=24)
    board = table.board(1)
    assert (board.winners, board.position.scores) == ((4,), (5, 0, 1, 6, 0))
    assert {ply.seat for ply in table.plies(1) if ply.ply > 57} == {1, 4, 5}
    for person in people:
        bobs = "you" if person is bob else "bob (2)"
        carols = "you" if person is carol else "carol (3)"
        person.hears(
            f"Board 1 is over: {'you win' if person is dave else 'dave wins'}.",
            f"{bobs} 0 (resigned)",
            f"{carols} 1 (no marbles left)",
        )
    dave.says("show").hears(a_round)


def stands(table: Table, position: rules.AbalonePosition) -> None:
    """Begin board 2, with the players of board 1, where only a long game would lead."""
    names = [seat.handle for seat in table.board(1).seats]
    ids = [seat.player_id for seat in table.board(1).seats]
    with table.database.transaction() as work:
        subject = board_subject(GAME.info.name, names)
        at_hand = GAME.load(position.state())
        work.boards.add(
            GAME.info.name, {"layout": "standard"}, at_hand, ids, subject, table.clock()
        )


# The one who has built the walls can move, and is the only one.
WALLED_IN = placed("a1", "i9", "a2 b1 b2 e5 i8 h8 h9", turn=3)


def test_who_cannot_move_is_passed_over(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    stands(table, WALLED_IN)
    carol.says("move 2 e5,e6").hears("Your move on board 2.", "-- -- e5,e6")
    bob.gets(1).hears("carol's move on board 2; nothing to do.")
    carol.says("b1,c1").hears("alice's move on board 2", "-- -- e5,e6", "-- -- b1,c1")
    alice.says("a1,b1").hears("a1,b1")
    assert [ply.seat for ply in table.plies(2)] == [3, 3, 1]


def test_nobody_can_move(table: Table) -> None:
    people = *_, carol = table.start("alice", "bob", "carol")
    stands(table, WALLED_IN)
    carol.says("resign 2\n\nStuck, both of you.")
    for person in people:
        person.gets(1).hears(
            "Board 2 is over: a draw.",
            " resigned.",
            "Nobody can move any more.",
            "| Stuck, both of you.",
            "- 0,0,0 out=3;draw",
        )
    board = table.board(2)
    assert (board.status, board.ended_by, board.winners) == ("finished", "none", ())


def test_resigning_ends_a_game_of_two(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("resign\nToo strong for me.").gets(1)  # it is alice's turn
    for person in (alice, bob):
        person.gets(1).hears(
            f"Board 1 is over: {'you win' if person is alice else 'you lost'}.",
            " resigned.",
            "| Too strong for me.",
            "you 0 (resigned)" if person is bob else "bob 0 (resigned)",
        )
        assert person.newest.text.count(" resigned.") == 1
    board = table.board(1)
    assert (board.status, board.ended_by, board.winners) == ("finished", "last", (1,))
    assert [item.how for item in table.departures(1)] == ["resigned"]
    bob.says("resign").gets(1).hears("Board 1 is over.")


def test_the_others_play_on_without_the_one_who_resigned(table: Table) -> None:
    alice, bob, carol, dave = people = table.start("alice", "bob", "carol", "dave")
    carol.says("resign").gets(1).hears("alice's move on board 1", "You resigned.")
    for person in people:
        person.forgets()
    bob.says("resign 1").gets(1).hears("You resigned.")
    assert table.board(1).status == "playing"
    marbles = table.board(1).state.split(" ")[0]
    assert marbles.count("2") == marbles.count("3") == 8  # they stay
    alice.hears("Your move on board 1.", "bob (2) 0 (resigned)", "carol (3) 0 (resigned)")
    alice.says("b1-b3,c2").gets(1).hears("dave's move on board 1")
    carol.forgets().says("g8,g7").gets(1).hears("On board 1 it is dave's turn.")
    carol.says("resign").gets(1).hears("You have left board 1 already.")
    carol.says("decline").gets(1).hears("You have left board 1 already.")
    dave.forgets().says("e1-e2,e3").gets(1).hears("alice's move on board 1")
    assert "1 (#1). b1-b3,c2  --  --  e1-e2,e2\n" in dave.newest.text
    dave.says("resign").gets(1)
    for person in people:
        person.hears(f"Board 1 is over: {'you win' if person is alice else 'alice wins'}.")
    assert table.board(1).winners == (1,)


def test_the_turn_passes_on_when_the_mover_resigns(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says("resign").gets(1).hears("bob's move on board 1; nothing to do.", "You resigned.")
    bob.gets(1).hears("Your move on board 1.", "alice resigned.")
    carol.gets(1).hears("bob's move on board 1")
    assert table.moves(1) == []


def test_decline_closes_a_board_of_two_without_a_trace(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    for person in (alice, bob):
        person.forgets()
    bob.says("decline").gets(1)
    for person in (alice, bob):
        person.gets(1).hears(
            "Board 1 is closed.", " declined, so this board is closed and counts for nothing."
        )
        assert person.newest["X-PBM-Turn"] == "-"
    board = table.board(1)
    assert (board.status, board.ended_by, board.winners) == ("closed", "declined", None)
    alice.says("a2-c4,d5").gets(1).hears("Board 1 is over.")
    alice.says("games all").gets(1).hears("Board 1: alice, bob. Closed.")
    assert table.boards() == [1]


def test_those_who_remain_start_a_new_board(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol", bowl=True)
    alice.says("decline").gets(1).hears(
        "Board 1 is closed.",
        "You declined, so this board is closed and counts for nothing. All who are left play a "
        "new game, on board 2.",
    )
    bob.gets(2).hears("Board 1 is closed.", "Your move on board 2.", "bob and carol, on the bowl")
    carol.gets(2).hears("Board 1 is closed.", "bob's move on board 2; nothing to do.")
    new = table.board(2)
    assert [seat.handle for seat in new.seats] == ["bob", "carol"]
    assert (new.subject, new.ply) == ("Abalone Board 2: bob v carol", 0)
    assert new.options == {"layout": "bowl"}
    bob.says("resign", answering=bob.mail("Abalone Board 2")).hears("Board 2 is over: you lost.")


def test_whoever_has_resigned_is_not_seated_again(table: Table) -> None:
    alice, bob, carol, dave = table.start("alice", "bob", "carol", "dave")
    carol.says("resign")
    dave.says("resign")
    for person in (alice, bob, carol, dave):
        person.forgets()
    bob.says("decline")
    assert table.boards() == [1]  # alice alone is left
    alice.gets(1).hears(" declined, so this board is closed and counts for nothing.")

    people = table.start("erin", "frank", "grace", "heidi")
    number = table.boards()[-1]
    people[2].says("resign").forgets()
    people[3].says("decline").forgets()
    assert [seat.handle for seat in table.board(number + 1).seats] == ["erin", "frank"]
    people[2].says("games").hears("There are no games in progress to list.")


def test_decline_only_before_ones_own_first_move(table: Table) -> None:
    alice, _, carol = table.start("alice", "bob", "carol")
    alice.says("b1,c1").forgets()
    alice.says("decline").gets(1).hears(
        "You have moved on board 1 already, so it cannot be declined any more.", 'with "resign"'
    )
    assert 'answer "decline"' not in alice.newest.text
    assert 'answer "decline"' in carol.newest.text
    carol.forgets().says("decline\nSorry!").gets(1)
    alice.gets(2).hears("| Sorry!", "Your move on board 2.")
    assert table.board(1).status == "closed"
    assert table.board(2).ply == 0


def test_decline_of_somebody_elses_board(table: Table) -> None:
    table.start("alice", "bob")
    carol = table.joins("carol")
    carol.says("decline 1").gets(1).hears("You do not play on board 1.")
    carol.says("resign 1").gets(1).hears("You do not play on board 1.")
    carol.says("decline").gets(1).hears("You have no game in progress.")
    assert table.board(1).status == "playing"
