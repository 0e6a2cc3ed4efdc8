"""The operator and what players agree on: draws, take-backs and matches stay sound."""

import pytest

from pbm.errors import OperatorError
from pbm.service.operator import boards, players
from tests.admin.conftest import Room
from tests.conversations.playing import board_mail, plays

WHY = "a slip of the pen"
TO_AND_FRO = ("g7,f7", "c5,d5", "f7,g7", "d5,c5")


def rounds(room: Room) -> list[tuple[int, int]]:
    """The boards that are rounds of a match: their numbers and which round each is."""
    with room.table.database.reading() as work:
        found = work.boards.get_many(work.boards.numbers())
    return [(board.id, board.round.number) for board in found if board.round]


def match(room: Room, number: int = 3) -> None:
    """alice and bob begin a match: its first round is board 2, and alice has moved there."""
    room.alice.says(f"challenge bob -rounds={number}")
    plays(room.table, [room.alice, room.bob], 2)
    room.everybody_forgets()


class TestDrawn:
    def test_an_agreed_draw_goes_on(self, room: Room) -> None:
        room.alice.says("draw")
        room.bob.says("accept draw")
        room.everybody_forgets()
        with pytest.raises(OperatorError, match=r"ended as a draw\. Run: pbm-admin games reopen 1"):
            boards.undo(room.office, 1, WHY)
        assert room.is_sound()
        boards.reopen(room.office, 1, WHY)
        room.posts()
        room.bob.gets(1).hears("Your move on board 1.", "The operator lets this game go on.")
        room.alice.gets(1).hears("bob's move on board 1; nothing to do.")
        assert "draw" not in room.bob.newest.text
        assert room.is_sound()
        room.bob.says("accept").hears("There is nothing on board 1 that waits")
        room.alice.says("draw").hears("You have offered a draw on board 1 since your last move")
        plays(room.table, [room.alice, room.bob], plies=2)
        room.alice.says("draw")
        room.bob.says("draw").hears("Board 1 is over: a draw.")
        assert room.is_sound()

    def test_a_claimed_draw_goes_on(self, room: Room) -> None:
        for number, move in enumerate(TO_AND_FRO * 2):
            (room.bob, room.alice)[number % 2].says(move)
        room.alice.says("draw")
        room.bob.says("claim").hears("You claimed a draw")
        with pytest.raises(OperatorError, match="pbm-admin games reopen 1"):
            boards.undo(room.office, 1, WHY)
        assert room.is_sound()
        room.everybody_forgets()
        boards.reopen(room.office, 1, WHY)
        room.posts()
        room.bob.hears("Your move on board 1. alice offers a draw.")  # it waits again
        assert room.is_sound()
        room.bob.says("claim").hears("You claimed a draw")

    def test_a_rematch_stays_where_a_draw_goes_on(self, room: Room) -> None:
        room.alice.says("draw")
        room.bob.says("accept").says("rematch")
        boards.reopen(room.office, 1, WHY)
        room.posts()
        room.bob.says("rematch 1").hears("Board 1 is still being played.")
        room.bob.says("resign 1").says("rematch 1").hears("has begun already: it is board 2.")
        assert room.is_sound()


class TestOpenOffers:
    def test_an_undo_ends_what_was_asked_for(self, room: Room) -> None:
        room.bob.says("draw")
        room.alice.says("takeback")
        boards.undo(room.office, 1, WHY)
        room.posts()
        room.everybody_forgets()
        for person in (room.alice, room.bob):
            assert "accept" not in person.newest.text
            person.says("accept").hears("There is nothing on board 1 that waits")
        room.bob.says("draw").hears("The draw that you offered waits for alice.")
        assert room.is_sound()

    def test_an_undo_after_a_take_back(self, room: Room) -> None:
        plays(room.table, [room.alice, room.bob], plies=2)
        room.bob.says("takeback")
        room.alice.says("accept")
        old = board_mail(room.bob, 1)
        assert boards.undo(room.office, 1, WHY).ply == 1
        room.posts()
        board = room.board()
        assert (board.ply, board.taken_back) == (0, 2)
        assert room.is_sound()
        plays(room.table, [room.alice, room.bob])
        room.bob.forgets().says("i5-g5,h5", answering=old).hears("since then a move was taken back")
        assert room.is_sound()

    def test_nobody_waits_for_one_who_is_removed(self, room: Room) -> None:
        carol = room.table.joins("carol")
        carol.says("challenge me alice bob")
        plays(room.table, [carol], 2)
        carol.says("takeback 2")
        room.alice.says("accept", answering=board_mail(room.alice, 2))
        room.everybody_forgets(carol)
        players.remove(room.office, "bob", WHY)
        room.posts()
        for person in (room.alice, carol):
            person.hears("removed bob from this server", "All agreed: ", "move 1 (#1), ")
        assert (room.board(2).ply, room.board(2).position.out) == (0, {3})
        assert room.is_sound()

    def test_what_one_who_is_removed_asked_for_is_off(self, room: Room) -> None:
        carol = room.table.joins("carol")
        carol.says("challenge me alice bob")
        plays(room.table, [carol], 2)
        carol.says("takeback 2").says("draw 2")
        players.remove(room.office, "carol", WHY)
        room.posts()
        assert "accept" not in board_mail(room.bob, 2).text
        room.bob.forgets().says("draw 2").hears("The draw that you offered waits for alice.")
        assert room.is_sound()


class TestMatches:
    def test_a_decision_begins_the_next_round(self, room: Room) -> None:
        match(room)
        boards.end(room.office, 2, WHY, ["bob"])
        room.posts()
        for person in (room.alice, room.bob):
            person.gets(2).hears(
                f"Board 2 is over: {'you win' if person is room.bob else 'you lost'}.",
                f"The operator ended this game: {'you win' if person is room.bob else 'bob wins'}.",
                "That was round 1 of 3. The next one is board 3.",
                "- bob: 1 win,",
                "Abalone Board 3: bob v alice",
            )
        assert rounds(room) == [(2, 1), (3, 2)]
        assert room.is_sound()

    def test_no_second_next_round(self, room: Room) -> None:
        match(room)
        boards.end(room.office, 2, WHY, ["bob"])
        boards.reopen(room.office, 2, WHY)
        room.posts()
        room.everybody_forgets()
        room.alice.says("draw 2")
        room.bob.says("accept 2").hears("Board 2 is over: a draw.")
        assert "That was round" not in board_mail(room.bob, 2).text
        assert rounds(room) == [(2, 1), (3, 2)]
        room.bob.says("resign 3")
        room.alice.hears("That was round 2 of 3.", "- alice: 1 win,", "- bob: 0 wins,")
        assert rounds(room) == [(2, 1), (3, 2), (4, 3)]
        assert room.is_sound()

    def test_no_second_next_round_after_an_undo(self, room: Room) -> None:
        match(room)
        room.bob.says("resign", answering=board_mail(room.bob, 2))
        boards.undo(room.office, 2, WHY)
        room.posts()
        assert room.board(2).playing
        assert room.is_sound()
        room.everybody_forgets()
        room.bob.says("resign 2").gets(1)
        assert rounds(room) == [(2, 1), (3, 2)]
        assert room.is_sound()

    def test_the_result_is_told_again_when_a_round_ends_otherwise(self, room: Room) -> None:
        match(room, 2)
        room.alice.says("draw 2")
        room.bob.says("accept 2").says("resign 3")
        room.alice.hears("The match is over: you win it.", "- alice: 1 win,")
        boards.reopen(room.office, 2, WHY)
        room.posts()
        room.everybody_forgets()
        assert room.is_sound()
        room.alice.says("resign 2")
        for person in (room.alice, room.bob):
            person.gets(1).hears("Board 2 is over: you ", "The match is over: it is a tie.")
        assert rounds(room) == [(2, 1), (3, 2)]
        assert room.is_sound()

    def test_the_last_round_ends_twice(self, room: Room) -> None:
        match(room, 2)
        boards.end(room.office, 2, WHY, ["bob"])
        boards.end(room.office, 3, WHY, ["bob"])
        room.posts()
        room.alice.hears("The match is over: bob wins it.", "- bob: 2 wins,")
        boards.reopen(room.office, 3, WHY)
        boards.end(room.office, 3, WHY, ["alice"])
        room.posts()
        room.alice.hears("The match is over: it is a tie.")
        assert rounds(room) == [(2, 1), (3, 2)]
        assert room.is_sound()

    def test_a_closed_round_ends_the_match_until_it_goes_on(self, room: Room) -> None:
        match(room)
        boards.end(room.office, 2, WHY, ["bob"])
        room.posts()
        room.everybody_forgets()
        boards.end(room.office, 3, WHY)
        room.posts()
        for person in (room.alice, room.bob):
            person.gets(1).hears(
                "Board 3 is closed.",
                "The operator closed this board; it counts for nothing.",
                f"round 2 of 3: {'you win' if person is room.bob else 'bob wins'} it.",
                "- bob: 1 win,",
            )
        assert room.is_sound()
        boards.reopen(room.office, 3, WHY)
        room.posts()
        room.alice.forgets().says("resign 3").gets(2).hears("That was round 2 of 3.")
        assert rounds(room) == [(2, 1), (3, 2), (4, 3)]
        assert room.is_sound()

    def test_a_closed_first_round(self, room: Room) -> None:
        match(room)
        boards.end(room.office, 2, WHY)
        room.posts()
        room.bob.gets(1).hears("Board 2 is closed.", "The match ends here, in round 1 of 3.")
        assert "balance" not in room.bob.newest.text
        assert rounds(room) == [(2, 1)]

    def test_a_successor_plays_on_in_the_match(self, room: Room) -> None:
        carol = room.table.joins("carol")
        match(room)
        boards.replace(room.office, 2, "bob", "carol", WHY)
        room.posts()
        room.alice.says("resign 2")
        carol.hears("Your move on board 3.", "- carol: 1 win,", "- alice: 0 wins,")
        assert "- bob" not in board_mail(carol, 2).text
        assert [seat.handle for seat in room.board(3).seats] == ["carol", "alice"]
        assert room.is_sound()


def test_everything_in_one_game_is_sound(room: Room) -> None:
    carol, dave = room.table.joins("carol"), room.table.joins("dave")
    people = [room.alice, room.bob, carol, dave]
    carol.says("challenge me+alice bob+dave -bowl -pillar -rounds=2")
    plays(room.table, people, 2, plies=6)
    room.alice.says("resign 2")
    plays(room.table, people, 2, plies=3)
    carol.says("takeback 2")
    for person in (room.bob, dave):
        person.says("accept takeback 2")
    assert room.is_sound()
    boards.undo(room.office, 2, WHY)
    assert room.is_sound()
    plays(room.table, people, 2, plies=2)
    carol.says("draw 2")
    for person in (room.bob, dave):
        person.says("accept draw 2")
    assert rounds(room) == [(2, 1), (3, 2)]
    boards.reopen(room.office, 2, WHY)
    assert room.is_sound()
    players.remove(room.office, "bob", WHY)
    room.posts()
    dave.says("resign 2").hears("Board 2 is over: carol and alice win.")
    assert room.is_sound()
