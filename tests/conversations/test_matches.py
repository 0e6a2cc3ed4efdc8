"""Matches by mail: each begins once, the table after each round, and how a match ends."""

from random import Random

import pytest

from pbm.service.operator import players
from pbm.service.operator.operator_session import OperatorSession
from tests.conversations.playing import board_mail, plays, plays_out
from tests.table import Person, Table

NAMES = ("alice", "bob", "carol")


def forget(people: list[Person]) -> None:
    for person in people:
        person.forgets()


def joined(table: Table, count: int) -> list[Person]:
    return [table.joins(name) for name in NAMES[:count]]


def seats(table: Table, number: int) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


def resigns(person: Person, number: int) -> None:
    person.says("resign", answering=board_mail(person, number))


@pytest.mark.thorough
def test_three_rounds_of_three(table: Table) -> None:
    people = alice, bob, carol = joined(table, 3)
    alice.says("challenge me bob carol -bowl -rounds=3\n\nA match!")
    for person in people:
        person.gets(1).hears(
            "A new match: alice, bob and carol, on the bowl board. alice begins.",
            "| A match!",
            "Round 1 of 3 of a match.",
        )
    plays_out(table, people, 1, Random(11))  # bob wins, 1 - 6 - 3
    assert (table.board(1).winners, table.board(1).position.scores) == ((2,), (1, 6, 3))
    for person in people:
        text = " ".join(board_mail(person, 1).text.split())
        assert f"Board 1 is over: {'you win' if person is bob else 'bob wins'}." in text
        assert "That was round 1 of 3. The next one is board 2." in text
        first, second, third = (text.index(f"- {name}: ") for name in ("bob", "alice", "carol"))
        assert first < min(second, third)
        assert "- bob: 1 win, balance of marbles +" in text
        assert text.index(" pushed six") < text.index("That was round 1")
        person.forgets()
    assert seats(table, 2) == ["bob", "carol", "alice"]
    bob.says("show", answering=board_mail(bob, 2)).hears("Round 2 of 3 of a match.")
    assert "The next round: bob, carol and alice, on the bowl board. bob begins." in " ".join(
        board_mail(alice, 2).text.split()
    )
    plays(table, people, 2, plies=4)
    bob.says("draw\n\nEnough of this one.", answering=board_mail(bob, 2))
    carol.says("accept", answering=board_mail(carol, 2))
    forget(people)
    alice.says("accept draw", answering=board_mail(alice, 2)).gets(2)
    for person in (bob, carol):
        person.gets(2).hears(
            "Board 2 is over: a draw.",
            " agreed to the draw that ",
            " offered.",
            "That was round 2 of 3. The next one is board 3.",
            "- bob: 1 win,",
            "- alice: 0 wins,",
            "Abalone Board 3: carol, alice +1",
            "Round 3 of 3 of a match.",
        )
    assert seats(table, 3) == ["carol", "alice", "bob"]
    resigns(bob, 3)
    forget(people)
    carol.says("resign\n\nYours, alice.", answering=board_mail(carol, 3)).gets(1)
    balances = {item: _balance(table, item) for item in NAMES}
    ahead, behind = sorted(("alice", "bob"), key=balances.__getitem__, reverse=True)
    assert balances[ahead] > balances[behind]
    for person in people:
        person.hears(
            f"Board 3 is over: {'you win' if person is alice else 'alice wins'}.",
            "it, by the balance of marbles.",
            f"- {ahead}: 1 win, balance of marbles {balances[ahead]:+}",
            f"- {behind}: 1 win, balance of marbles {balances[behind]:+}",
            f"- carol: 0 wins, balance of marbles {balances['carol']:+}",
            "| Yours, alice.",
        )
    assert table.boards() == [1, 2, 3]


def _balance(table: Table, handle: str) -> int:
    """What a player ejected, less what that player lost, on all boards together."""
    total = 0
    for number in table.boards():
        board = table.board(number)
        (seat,) = [seat.seat for seat in board.seats if seat.handle == handle]
        before, after = (text.split(" ")[0] for text in (board.start_state, board.state))
        lost = before.count(str(seat)) - after.count(str(seat))
        total += board.position.scores[seat - 1] - lost
    return total


def test_words_below_the_last_move_stay_with_that_game(table: Table) -> None:
    alice, bob = joined(table, 2)
    alice.says("challenge bob -rounds=2")
    forget([alice, bob])
    alice.says("resign\n\nThat was short.").gets(2)
    assert "| That was short." in board_mail(bob, 1).text
    assert "| That was short." not in board_mail(bob, 2).text


def test_a_tie(table: Table) -> None:
    people = alice, bob = joined(table, 2)
    alice.says("challenge bob -rounds=2")
    resigns(alice, 1)
    forget(people)
    resigns(bob, 2)
    for person in people:
        person.gets(1).hears(
            f"Board 2 is over: {'you win' if person is alice else 'you lost'}.",
            "The match is over: it is a tie.",
            "- bob: 1 win, balance of marbles 0",
            "- alice: 1 win, balance of marbles 0",
        )


def test_two_share_a_match_of_three(table: Table) -> None:
    people = alice, bob, carol = joined(table, 3)
    alice.says("challenge me bob carol -rounds=2")
    resigns(bob, 1)
    resigns(carol, 1)
    resigns(alice, 2)
    forget(people)
    resigns(carol, 2)
    bob.gets(1).hears("Board 2 is over: you win.", "The match is over: you and alice win it.")


def test_wins_decide(table: Table) -> None:
    alice, bob = joined(table, 2)
    alice.says("challenge bob -rounds=2")
    resigns(alice, 1)
    resigns(alice, 2)
    bob.hears("The match is over: you win it.", "- bob: 2 wins,")
    assert "by the balance" not in bob.newest.text


def test_somebody_is_removed(table: Table) -> None:
    people = alice, bob, _ = joined(table, 3)
    alice.says("challenge me bob carol -rounds=3")
    office = OperatorSession(table.database, table.site, table.clock, "root")
    players.remove(office, "carol", "gone")
    table.posts()
    assert table.board(1).playing  # the two others play on
    forget(people)
    resigns(bob, 1)
    for person in (alice, bob):
        person.gets(1).hears(
            f"Board 1 is over: {'you win' if person is alice else 'alice wins'}.",
            "The match ends here, in round 1 of 3, because carol cannot play any more: "
            f"{'you win' if person is alice else 'alice wins'} it.",
            "- alice: 1 win,",
        )
    assert table.boards() == [1]
    bob.says("rematch").hears("carol has left this server.")
    assert "address" not in bob.newest.text  # a rematch is with the same players


def test_a_removed_player_ends_game_and_match_at_once(table: Table) -> None:
    people = alice, bob = joined(table, 2)
    alice.says("challenge bob -rounds=2")
    forget(people)
    office = OperatorSession(table.database, table.site, table.clock, "root")
    players.remove(office, "alice", "gone")
    table.posts()
    bob.gets(1).hears(
        "Board 1 is over: you win.",
        "The operator removed alice from this server.",
        "The match ends here, in round 1 of 2, because alice cannot play any more: you win it.",
        "- bob: 1 win,",
    )


class TestDecline:
    def test_in_the_first_round_of_two(self, table: Table) -> None:
        people = alice, bob = joined(table, 2)
        alice.says("challenge bob -rounds=2").says("c3,d3")
        forget(people)
        bob.says("decline")
        for person in people:
            person.gets(1).hears(
                "Board 1 is closed.",
                " declined, so this board is closed and counts for nothing.",
                "The match ends here, in round 1 of 2.",
            )
            assert "balance" not in person.newest.text
        assert table.boards() == [1]

    def test_in_the_first_round_of_three(self, table: Table) -> None:
        people = alice, bob, carol = joined(table, 3)
        alice.says("challenge me bob carol -rounds=3")
        forget(people)
        bob.says("decline").gets(1)
        alice.gets(2).hears(
            "All who are left play a new game, on board 2.",
            "A new match: alice and carol, on the standard board. alice begins.",
            "Round 1 of 3 of a match.",
        )
        assert "match ends" not in board_mail(alice, 1).text
        resigns(alice, 2)
        carol.hears("That was round 1 of 3. The next one is board 3.")
        assert seats(table, 3) == ["carol", "alice"]

    def test_in_the_second_round_of_two(self, table: Table) -> None:
        people = alice, bob = joined(table, 2)
        alice.says("challenge bob -rounds=3")
        resigns(alice, 1)
        forget(people)
        alice.says("decline", answering=board_mail(alice, 2))
        for person in people:
            person.gets(1).hears(
                "Board 2 is closed.",
                " declined, so this board is closed and counts for nothing.",
                f"round 2 of 3: {'you win' if person is bob else 'bob wins'} it.",
                "- bob: 1 win, balance of marbles 0",
                "- alice: 0 wins, balance of marbles 0",
            )
        assert table.boards() == [1, 2]

    def test_in_the_second_round_of_three(self, table: Table) -> None:
        people = alice, bob, carol = joined(table, 3)
        alice.says("challenge me bob carol -rounds=3")
        resigns(alice, 1)
        resigns(carol, 1)
        forget(people)
        carol.says("decline", answering=board_mail(carol, 2))
        for person in people:
            person.gets(1).hears(
                "Board 2 is closed.",
                " declined, so this board is closed and counts for nothing.",
                f"round 2 of 3: {'you win' if person is bob else 'bob wins'} it.",
                "- bob: 1 win,",
                "- carol: 0 wins,",
            )
        assert table.boards() == [1, 2]
        bob.says("rematch", answering=board_mail(bob, 1))  # who wants to play on says so
        assert seats(table, 3) == ["bob", "carol", "alice"]

    def test_in_the_first_round_of_a_single_game_of_three(self, table: Table) -> None:
        alice, bob, carol = joined(table, 3)
        alice.says("challenge me bob carol")
        carol.says("decline", answering=board_mail(carol, 1))
        assert table.boards() == [1, 2]
        assert table.board(2).round is None
        assert "match" not in board_mail(bob, 1).text


@pytest.mark.parametrize("count", [2, 3])
def test_each_begins_once(count: int, table: Table) -> None:
    people = joined(table, count)
    people[0].says(f"challenge {' '.join(NAMES[:count])} -rounds={count}")
    for number in range(1, count + 1):
        for person in people[1:]:
            resigns(person, number)
    assert [seats(table, number)[0] for number in table.boards()] == list(NAMES[:count])
    people[0].hears("The match is over: you win it.", f"- alice: {count} wins")
