"""What the operator does to boards is done, kept in the journal, told, and replays."""

from datetime import date, timedelta

import pytest

from pbm.errors import OperatorError
from pbm.service.operator import boards, players
from pbm.service.operator.operator_session import OperatorSession
from tests.admin.conftest import Room
from tests.admin.together import together
from tests.serving import take_next
from tests.table import Person

WHY = "a slip of the pen"
FIRST = "a1-c3,b2"  # alice's first move, as it is written down
REPLY = "i5-g5,h5"  # bob's answer


def three(room: Room) -> Person:
    """carol joins, and all three sit at board 2; carol moves first."""
    carol = room.table.joins("carol")
    carol.says("challenge -bowl me alice bob")
    room.everybody_forgets(carol)
    return carol


class TestUndo:
    def test_the_last_ply_is_taken_back_and_everybody_told(self, room: Room) -> None:
        assert boards.undo(room.office, 1, WHY).text == FIRST
        board = room.board()
        assert (board.ply, board.state) == (0, board.start_state)
        room.posts()
        for person in (room.alice, room.bob):
            person.gets(1).hears("took back move 1 (#1), a1-c3,b2 by alice", f"| {WHY}")
        (change,) = room.journal(board=1)
        assert (change.what, change.who, change.why) == ("ply undone", "root", WHY)
        assert change.details == {"ply": 1, "move": FIRST}
        assert room.is_sound()

    def test_the_same_player_moves_again(self, room: Room) -> None:
        boards.undo(room.office, 1, WHY)
        room.posts()
        room.alice.says(FIRST)
        room.bob.says(REPLY)
        assert room.table.moves(1) == [FIRST, REPLY]
        ids = [mail["Message-ID"] for person in (room.alice, room.bob) for mail in person.mails]
        assert len(set(ids)) == len(ids)
        assert room.is_sound()

    def test_an_answer_to_the_board_that_is_no_more_plays_nothing_unasked(self, room: Room) -> None:
        old = room.bob.newest
        boards.undo(room.office, 1, WHY)
        room.posts()
        room.bob.forgets().says(REPLY, answering=old)
        assert room.board().ply == 0
        assert len(room.bob.arrived) == 1
        assert room.is_sound()

    def test_down_to_the_start_and_no_further(self, room: Room) -> None:
        room.bob.says(REPLY)
        assert boards.undo(room.office, 1, WHY).ply == 2
        assert boards.undo(room.office, 1, WHY).ply == 1
        with pytest.raises(OperatorError, match="No ply has been played on board 1"):
            boards.undo(room.office, 1, WHY)
        assert len(room.journal(board=1)) == 2
        assert room.is_sound()

    def test_a_resignation_after_the_ply_goes_with_it(self, room: Room) -> None:
        room.bob.says("resign")
        assert room.board().ended_by == "last"
        boards.undo(room.office, 1, WHY)
        board = room.board()
        assert (board.status, board.ended_by, board.winners) == ("playing", None, None)
        assert board.position.out == frozenset()
        assert board.to_move is not None
        assert board.to_move.handle == "alice"
        assert room.is_sound()

    def test_a_resignation_before_the_ply_stays(self, room: Room) -> None:
        carol = three(room)
        carol.says("resign 2")
        room.alice.says(room.some_move(2))
        assert boards.undo(room.office, 2, WHY).ply == 1
        assert room.board(2).position.out == {1}
        assert room.is_sound()

    def test_a_removed_player_stays_out(self, room: Room) -> None:
        carol = three(room)
        carol.says(room.some_move(2))
        players.remove(room.office, "carol", WHY)
        boards.undo(room.office, 2, WHY)
        board = room.board(2)
        assert (board.ply, board.position.out) == (0, {1})
        assert room.is_sound()

    def test_a_declined_board_is_closed_for_good(self, room: Room) -> None:
        three(room)
        room.bob.says("decline 2")
        with pytest.raises(OperatorError, match="Board 2 was declined and is closed"):
            boards.undo(room.office, 2, WHY)

    def test_a_board_under_other_rules_is_left_alone(self, room: Room) -> None:
        room.tampers("UPDATE boards SET rules_version = 99")
        with pytest.raises(OperatorError, match="version 99 of the rules"):
            boards.undo(room.office, 1, WHY)
        assert room.board().ply == 1


class TestEnd:
    def test_without_a_result(self, room: Room) -> None:
        boards.end(room.office, 1, WHY)
        board = room.board()
        assert (board.status, board.ended_by, board.winners) == ("closed", "operator", None)
        room.posts()
        for person in (room.alice, room.bob):
            person.gets(1).hears("The operator closed this board; it counts for nothing", WHY)
        assert [change.what for change in room.journal(board=1)] == ["closed"]
        assert room.is_sound()

    def test_with_a_winner(self, room: Room) -> None:
        boards.end(room.office, 1, WHY, ["Bob"])
        board = room.board()
        assert (board.status, board.ended_by, board.winners) == ("finished", "operator", (2,))
        room.posts()
        for person in (room.alice, room.bob):
            person.gets(1).hears(
                f"ended this game: {'you win' if person is room.bob else 'bob wins'}", WHY
            )
        assert room.journal(board=1)[0].details == {"winners": [2]}
        assert room.is_sound()

    def test_with_a_draw(self, room: Room) -> None:
        boards.end(room.office, 1, WHY, [])
        board = room.board()
        assert (board.status, board.ended_by, board.winners) == ("finished", "operator", ())
        room.posts()
        room.alice.gets(1).hears("The operator ended this game: a draw")
        assert room.is_sound()

    def test_nothing_more_can_be_played(self, room: Room) -> None:
        boards.end(room.office, 1, WHY)
        room.bob.says(REPLY)
        assert room.board().ply == 1
        assert room.board().status == "closed"

    def test_it_is_nobodys_turn_any_more(self, room: Room) -> None:
        boards.end(room.office, 1, WHY)
        bob = room.player("bob").id
        with room.office.look() as work:
            assert work.boards.to_move(bob) == ()
            assert not work.boards.of_player(bob, playing=True, most=9)

    def test_not_twice(self, room: Room) -> None:
        boards.end(room.office, 1, WHY)
        with pytest.raises(OperatorError, match="Board 1 is over"):
            boards.end(room.office, 1, WHY, ["bob"])

    def test_a_winner_must_play_there(self, room: Room) -> None:
        room.table.joins("carol")
        with pytest.raises(OperatorError, match="carol does not play on board 1"):
            boards.end(room.office, 1, WHY, ["carol"])
        assert room.board().playing

    def test_an_undo_of_it_is_a_reopening(self, room: Room) -> None:
        boards.end(room.office, 1, WHY, ["bob"])
        with pytest.raises(OperatorError, match="pbm-admin games reopen 1"):
            boards.undo(room.office, 1, WHY)


class TestReopen:
    @pytest.mark.parametrize("winners", [None, [], ["bob"]])
    def test_the_game_goes_on_where_it_was(self, room: Room, winners: list[str] | None) -> None:
        before = room.board()
        boards.end(room.office, 1, WHY, winners)
        room.posts()
        room.everybody_forgets()
        boards.reopen(room.office, 1, "too soon")
        assert room.board() == before
        room.posts()
        room.bob.gets(1).hears("Your move on board 1", "lets this game go on", "| too soon")
        room.alice.gets(1)
        room.bob.says(REPLY)
        assert room.board().ply == 2
        assert [change.what for change in room.journal(board=1)][1:] == ["reopened"]
        assert room.is_sound()

    def test_its_clock_runs_again(self, room: Room) -> None:
        room.bob.says(REPLY)
        boards.end(room.office, 1, WHY)
        room.table.days_pass(10)
        boards.reopen(room.office, 1, WHY)
        room.table.days_pass(20.9)
        room.alice.hears("Please make it by")
        assert room.board().playing
        room.table.days_pass(8)  # with the days that are taken by themselves
        assert room.board().winners == (2,)

    def test_a_player_removed_meanwhile_is_out(self, room: Room) -> None:
        three(room)
        boards.end(room.office, 2, WHY)
        players.remove(room.office, "carol", WHY)
        boards.reopen(room.office, 2, WHY)
        assert room.board(2).position.out == {1}
        assert room.is_sound()

    def test_only_what_the_operator_ended(self, room: Room) -> None:
        room.bob.says("resign")
        with pytest.raises(OperatorError, match="not ended by the operator, nor by agreement"):
            boards.reopen(room.office, 1, WHY)


class TestClocks:
    def test_no_clock_runs_until_it_is_resumed(self, room: Room) -> None:
        room.bob.says(REPLY).says("pause")
        carol = room.table.joins("carol")
        carol.says("watch 1 -moves")
        room.everybody_forgets(carol)
        boards.pause(room.office, 1, "the smarthost is down")
        room.posts()
        told = "The operator paused this board: no clock runs, for 90 days at most. Moves can still"
        room.alice.gets(1).hears("Your move on board 1, paused.", told, "| the smarthost is down")
        room.bob.gets(1).hears("alice's move on board 1, paused; nothing to do.", told)
        assert not room.board().offers  # bob has what he asked for
        room.table.days_pass(40)
        carol.gets(1).hears(f"{told} be made.\n")
        assert not any(words in carol.newest.text for words in ("smarthost", '"resume"', "any of"))
        room.alice.says("games").gets(1).hears("Move 2 (#3) is yours, paused.")
        boards.resume(room.office, 1, "it is up again")
        room.posts()
        told = "The operator ended the pause of this board. The clocks run again; the time of"
        room.alice.gets(1).hears("(21 days)", told, "| it is up again")
        room.bob.gets(1).hears(told)
        room.table.days_pass(20.9)
        carol.gets(1).hears(told)
        assert room.board().playing
        room.table.days_pass(7.2)  # with the days that are taken by themselves
        assert room.board().winners == (2,)
        assert [change.what for change in room.journal(board=1)] == ["paused", "resumed"]
        assert room.is_sound()

    @pytest.mark.parametrize("days", [2, 5, 100])
    def test_a_first_move_has_as_long_as_without_the_pause(self, room: Room, days: int) -> None:
        room.table.days_pass(1)
        boards.pause(room.office, 1, WHY)
        room.bob.says("games").hears("is yours, paused.")
        room.posts()
        room.everybody_forgets()
        room.table.days_pass(min(days, 89.9))
        room.bob.hears_nothing()
        if days < 90:
            boards.resume(room.office, 1, WHY)
        room.table.days_pass(5.9)
        room.bob.hears("Please make it by")
        assert room.board().playing
        room.table.days_pass(0.3)
        assert not room.board().playing

    def test_moves_can_be_made_meanwhile_and_the_players_may_resume(self, room: Room) -> None:
        boards.pause(room.office, 1, WHY)
        with pytest.raises(OperatorError, match=r"paused already.*pbm-admin games resume 1"):
            boards.pause(room.office, 1, WHY)
        room.bob.says(REPLY)
        room.alice.says("resume")
        room.bob.says("yes").hears("The clocks run again")
        assert room.board().ply == 2
        with pytest.raises(OperatorError, match=r"not paused.*pbm-admin games pause 1"):
            boards.resume(room.office, 1, WHY)

    def test_more_time_for_the_move(self, room: Room) -> None:
        with pytest.raises(OperatorError, match=r"first move of bob.*pbm-admin games pause 1"):
            boards.extend(room.office, 1, WHY, timedelta(days=1))
        room.bob.says(REPLY)
        room.everybody_forgets()
        assert boards.extend(room.office, 1, WHY, timedelta(days=10)) == "alice"
        room.posts()
        room.alice.gets(1).hears("(31 days)", "The operator gave you 10 days more for this", WHY)
        room.bob.gets(1).hears("The operator gave alice 10 days more for this move.")
        day = (room.table.clock() + timedelta(days=40)).date()
        boards.extend(room.office, 1, WHY, day)
        for by, told in (
            (day, "there is time until 2027-01-01 00:00 UTC"),
            (timedelta(365), "365 days at most"),
            (date.max, "365 days at most"),
        ):
            with pytest.raises(OperatorError, match=told):
                boards.extend(room.office, 1, WHY, by)
        room.table.days_pass(40)
        assert room.board().playing
        room.table.days_pass(8)
        assert not room.board().playing
        assert room.is_sound()

    def test_it_counts_for_all_moves_where_their_time_is_limited(self, room: Room) -> None:
        room.alice.says("challenge bob -totaltime=10d")
        for person in (room.alice, room.bob):
            person.says(f"move 2 {room.some_move(2)}")
        boards.extend(room.office, 2, WHY, timedelta(days=3))
        assert [seat.used for seat in room.board(2).seats] == [-3 * 86400, 0]


class TestReplace:
    def test_the_new_player_takes_the_seat_and_the_turn(self, room: Room) -> None:
        carol = room.table.joins("carol")
        boards.replace(room.office, 1, "bob", "carol", WHY)
        assert [seat.handle for seat in room.board().seats] == ["alice", "carol"]
        room.posts()
        carol.gets(1).hears("Your move on board 1", "handed the place of bob to carol", WHY)
        room.alice.gets(1).hears("handed the place of bob to carol")
        room.bob.gets(1).hears("handed the place of bob to carol")
        carol.says(REPLY)
        assert room.board().ply == 2
        assert room.is_sound()

    def test_all_three_journals_have_it(self, room: Room) -> None:
        room.table.joins("carol")
        boards.replace(room.office, 1, "bob", "carol", WHY)
        assert [change.what for change in room.journal(board=1)] == ["player replaced"]
        assert [change.what for change in room.journal(handle="bob")] == ["replaced"]
        assert [change.what for change in room.journal(handle="carol")] == ["took over"]

    def test_the_old_players_reply_addresses_move_nothing_there(self, room: Room) -> None:
        room.table.joins("carol")
        old = room.bob.newest
        boards.replace(room.office, 1, "bob", "carol", WHY)
        room.posts()
        for mail in (old, room.bob.newest):
            room.bob.forgets().says(REPLY, answering=mail)
            assert room.board().ply == 1
            room.bob.gets(1)
        room.bob.says("resign 1", answering=old)
        assert room.board().position.out == frozenset()
        assert room.is_sound()

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("bob", "alice", "alice plays on board 1 already"),
            ("bob", "nobody", "no player called nobody"),
            ("carol", "bob", "carol does not play on board 1"),
            ("bob", "carol", "carol is suspended"),
        ],
    )
    def test_who_cannot(self, room: Room, old: str, new: str, words: str) -> None:
        room.table.joins("carol")
        players.suspend(room.office, "carol", WHY)
        before = room.board()
        with pytest.raises(OperatorError, match=words):
            boards.replace(room.office, 1, old, new, WHY)
        assert room.board() == before

    def test_nobody_takes_a_place_that_was_given_up(self, room: Room) -> None:
        carol = three(room)
        room.table.joins("dora")
        carol.says("resign 2")
        with pytest.raises(OperatorError, match="carol has left board 2"):
            boards.replace(room.office, 2, "carol", "dora", WHY)

    def test_not_on_a_board_that_is_over(self, room: Room) -> None:
        room.table.joins("carol")
        room.bob.says("resign")
        with pytest.raises(OperatorError, match="Board 1 is over"):
            boards.replace(room.office, 1, "alice", "carol", WHY)


class TestResend:
    def test_to_all(self, room: Room) -> None:
        before = room.board()
        assert boards.resend(room.office, 1, None) == ("alice", "bob")
        room.posts()
        room.bob.gets(1).hears("Your move on board 1", "The operator sends this board again")
        room.alice.gets(1)
        assert room.board() == before

    def test_to_one(self, room: Room) -> None:
        assert boards.resend(room.office, 1, "BOB") == ("bob",)
        room.posts()
        room.bob.gets(1)
        room.alice.hears_nothing()
        room.bob.says(REPLY)
        assert room.board().ply == 2

    def test_of_a_finished_game(self, room: Room) -> None:
        room.bob.says("resign")
        room.everybody_forgets()
        boards.resend(room.office, 1, "alice")
        room.posts()
        room.alice.gets(1).hears("you win")

    def test_to_nobody(self, room: Room) -> None:
        players.remove(room.office, "bob", WHY)
        with pytest.raises(OperatorError, match="None of them has an address"):
            boards.resend(room.office, 1, "bob")


class TestBesideTheServer:
    def test_a_change_and_a_move_at_once_both_count(self, room: Room) -> None:
        """The operator replaces bob while alice's move is played: neither is lost."""
        room.bob.says(REPLY)
        carol = room.table.joins("carol")
        room.everybody_forgets(carol)
        kept = room.table.hand_in(
            room.alice.address,
            room.alice.newest.reply_to,
            room.alice.mail_bytes(room.alice.newest["Subject"], room.some_move()),
        )
        assert kept.startswith("250 ")
        together(
            lambda: take_next(room.table.turns),
            lambda: boards.replace(room.office, 1, "bob", "carol", WHY),
        )
        room.plays_what_waits()
        room.posts()
        board = room.board()
        assert (board.ply, [seat.handle for seat in board.seats]) == (3, ["alice", "carol"])
        carol.hears("Your move on board 1")
        assert room.is_sound()

    def test_an_undo_and_a_move_at_once_leave_a_sound_board(self, room: Room) -> None:
        mail = room.bob.newest
        room.table.hand_in(
            room.bob.address, mail.reply_to, room.bob.mail_bytes(mail["Subject"], REPLY)
        )
        undone: list[int] = []
        together(
            lambda: take_next(room.table.turns),
            lambda: undone.append(boards.undo(room.office, 1, WHY).ply),
        )
        room.plays_what_waits()
        # Whoever was first: bob's move was taken back, or came too late.
        assert (undone, room.board().ply) in (([2], 1), ([1], 0))
        assert room.is_sound()

    def test_two_operators_at_once(self, room: Room) -> None:
        """The second one finds the board as the first has left it."""
        other = OperatorSession(room.table.database, room.table.site, room.table.clock, "another")
        outcomes: list[str] = []

        def ends(office: OperatorSession) -> None:
            try:
                outcomes.append(boards.end(office, 1, WHY).status)
            except OperatorError as error:
                outcomes.append(str(error))

        together(lambda: ends(room.office), lambda: ends(other))
        assert sorted(outcomes) == ["Board 1 is over.", "closed"]
        assert len(room.journal(board=1)) == 1
