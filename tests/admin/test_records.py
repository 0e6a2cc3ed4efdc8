"""The operator writes games out, and brings games in."""

import pytest

from pbm.errors import OperatorError
from pbm.rules import abalone as rules
from pbm.service.operator import boards
from tests.admin.conftest import Room

WHY = "the other server closes"
GAME = """[Black "bob"]
[White "alice"]
[Variant "standard"]

1. a1-c3,b2 i5-g5,h5 2. a2-c4,b3
"""


def test_a_board_goes_out_and_comes_back_as_a_record(room: Room) -> None:
    for form in ("apgn", "json"):
        text = boards.export(room.office, 1, {form: True})
        record = boards.parse(text, rules.GAME, {})
        board = boards.keep_for(room.office, rules.GAME, record, "alice", WHY)
        assert room.board(board.id).state == room.board(1).state
        assert room.board(board.id).from_record
    room.posts()
    room.alice.gets(2).hears("The operator keeps this game here for you, as a record.", WHY)
    assert room.is_sound()


def test_a_game_from_elsewhere_goes_on(room: Room) -> None:
    record = boards.parse(GAME, rules.GAME, {})
    board = boards.take_over(room.office, rules.GAME, record, (), WHY)
    room.posts()
    room.alice.gets(1).hears("Your move on board 2.", "brought this game here from elsewhere", WHY)
    room.bob.gets(1).hears("alice's move on board 2; nothing to do.")
    room.alice.says("i6-g6,h6").hears("bob's move on board 2")
    assert room.board(board.id).ply == 4
    assert room.is_sound()
    room.table.days_pass(29)  # with the days that are taken by themselves
    assert room.board(board.id).winners == (2,)


def test_other_players_take_the_seats(room: Room) -> None:
    record = boards.parse(GAME, rules.GAME, {})
    board = boards.take_over(room.office, rules.GAME, record, ("alice", "bob"), WHY)
    assert [seat.handle for seat in board.seats] == ["alice", "bob"]


@pytest.mark.parametrize(
    ("handles", "told"),
    [
        (("alice",), "This is a game of 2"),
        (("alice", "alice"), "Each seat needs a player of its own."),
        (("alice", "nobody1"), "There is no player called nobody1."),
    ],
)
def test_who_cannot_take_the_seats(handles: tuple[str, ...], told: str, room: Room) -> None:
    record = boards.parse(GAME, rules.GAME, {})
    with pytest.raises(OperatorError, match=told):
        boards.take_over(room.office, rules.GAME, record, handles, WHY)


def test_what_is_over_does_not_go_on(room: Room) -> None:
    record = boards.parse(GAME.rstrip() + " 1-0", rules.GAME, {})
    with pytest.raises(OperatorError, match="This game is over"):
        boards.take_over(room.office, rules.GAME, record, (), WHY)
    kept = boards.keep_for(room.office, rules.GAME, record, "bob", WHY)
    assert (kept.status, kept.ended_by, kept.winners) == ("finished", "record", (1,))
    assert room.is_sound()


def test_the_first_illegal_move_is_named() -> None:
    with pytest.raises(OperatorError, match=r"Move 2 \(ply 3, seat 1\)"):
        boards.parse(GAME.replace("a2-c4,b3", "e5,e6"), rules.GAME, {})


def test_a_bare_list_is_for_two(room: Room) -> None:
    carol = room.table.joins("carol")
    carol.says("challenge me alice bob")
    with pytest.raises(OperatorError, match="games of two players"):
        boards.export(room.office, 2, {"abapro": True})


def test_a_list_says_neither_its_board_nor_its_pillar(room: Room) -> None:
    played = "1. d3d4 c7c6"
    with pytest.raises(OperatorError, match=r"name the board\. Say --layout NAME\."):
        boards.parse(played, rules.GAME, {"abapro": True})
    record = boards.parse(played, rules.GAME, {"layout": "german", "abapro": True, "pillar": True})
    board = boards.keep_for(room.office, rules.GAME, record, "alice", WHY)
    text = boards.export(room.office, board.id, {"apgn": True})
    assert '[Variant "german"]\n[Pillar "e5"]\n' in text
    assert boards.parse(text, rules.GAME, {}).steps == record.steps
    assert room.is_sound()


def test_a_game_that_goes_on_keeps_its_tags(room: Room) -> None:
    record = boards.parse(f'[Event "Autumn"]\n{GAME}', rules.GAME, {})
    board = boards.take_over(room.office, rules.GAME, record, (), WHY)
    assert board.tags == (("Event", "Autumn"),)
    untold = boards.take_over(room.office, rules.GAME, boards.parse(GAME, rules.GAME, {}), (), WHY)
    assert '[Event "Board 3"]' in boards.export(room.office, untold.id, {"apgn": True})
