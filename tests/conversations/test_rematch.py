"""The same game again: who begins, who may ask for it, and how often."""

import pytest

from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table


def seats(table: Table, number: int) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


def ended(table: Table, *names: str, options: str = "") -> list[Person]:
    """People who have played a game, which all but the first have resigned."""
    people = [table.joins(name) for name in names]
    people[0].says(f"challenge {' '.join(names)} {options}")
    for person in people[1:]:
        person.says("resign", answering=board_mail(person, 1))
    for person in people:
        person.forgets()
    return people


def test_the_next_player_begins(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob", options="-layout=german -pillar")
    alice.says("rematch\n\nOnce more!").gets(1).hears(
        "Abalone Board 2: bob v alice",
        "bob's move on board 2; nothing to do.",
        "A rematch of board 1: bob and alice, on the german board with a pillar in the centre."
        " bob begins.",
        "| Once more!",
        'Before your first move you can still leave: answer "decline".',
    )
    bob.gets(1).hears("Your move on board 2.", "A rematch of board 1", "| Once more!")
    board = table.board(2)
    assert (seats(table, 2), board.options["layout"], board.position.pillar) == (
        ["bob", "alice"],
        "german",
        True,
    )
    bob.says("resign", answering=board_mail(bob, 2)).says("rematch", answering=board_mail(bob, 2))
    assert seats(table, 3) == ["alice", "bob"]
    alice.hears("A rematch of board 2")


@pytest.mark.parametrize(
    ("line", "seated", "refusal"),
    [
        ("rematch -seats=me,bob", ["alice", "bob"], ""),
        ("rematch 1 -seats=bob,alice", ["bob", "alice"], ""),
        ("rematch -seats=bob,carol", [], "A rematch of board 1 is between bob and alice."),
        ("rematch -seats=bob", [], '"rematch 1 -seats=bob,alice"'),
    ],
)
def test_other_seats(line: str, seated: list[str], refusal: str, table: Table) -> None:
    alice, _ = ended(table, "alice", "bob")
    table.joins("carol")
    alice.says(line).gets(1).hears(refusal or "A rematch of board 1")
    assert (seats(table, 2) if seated else []) == seated
    assert len(table.boards()) == 1 + bool(seated)


def test_plain_words_ask_for_it_on_a_board_that_is_over(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("Again?").gets(1).hears("Sent to bob.")
    bob.says("resign", answering=board_mail(bob, 1))
    for words in ("Good game! Same again?", "Nochmal?", "Again?"):
        alice.says(words, answering=board_mail(alice, 1)).hears(
            "Do you want to play board 1 again?"
        )


def test_everybody_moves_on_by_one_seat(table: Table) -> None:
    _, bob, _, _ = ended(table, "alice", "bob", "carol", "dave", options="-teams -bowl")
    bob.says("rematch 1").hears(
        "A rematch of board 1: bob and dave against carol and alice, on the bowl board."
    )
    assert seats(table, 2) == ["bob", "carol", "dave", "alice"]


def test_not_while_the_game_is_played(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("rematch").gets(1).hears(
        "Board 1 is still being played. A rematch can begin when it is over.",
        "Nothing has changed.",
    )
    bob.hears_nothing()
    assert table.boards() == [1]


def test_once(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob")
    alice.says("rematch").forgets()
    bob.forgets()
    bob.says("rematch", answering=board_mail(bob, 1)).gets(1).hears(
        "The rematch of board 1 has begun already: it is board 2."
    )
    alice.hears_nothing()
    assert table.boards() == [1, 2]


def test_again_once_it_was_declined(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob")
    alice.says("rematch")
    bob.says("decline", answering=board_mail(bob, 2))
    alice.says("rematch 2").hears(
        "Board 2 was closed without a result, so there is nothing to play again."
    )
    bob.forgets().says("rematch", answering=board_mail(bob, 1)).hears("A rematch of board 1")
    assert seats(table, 3) == ["bob", "alice"]


def test_no_rematch_of_a_game_that_was_declined(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("decline")
    alice.says("rematch").hears(
        "Board 1 was closed without a result, so there is nothing to play again. Send a"
        ' "challenge".'
    )
    assert table.boards() == [1]


def test_of_a_draw(table: Table) -> None:
    alice, bob = table.start("alice", "bob", bowl=True)
    alice.says("draw")
    bob.says("accept").says("rematch").hears("A rematch of board 1: bob and alice, on the bowl")
    assert table.board(2).playing


def test_by_a_stranger(table: Table) -> None:
    ended(table, "alice", "bob")
    carol = table.joins("carol")
    carol.says("rematch 1").gets(1).hears("You do not play on board 1.")
    carol.says("rematch 9").gets(1).hears("There is no board 9.")
    carol.says("rematch").gets(1).hears("You have no game in progress.")
    assert table.boards() == [1]


def test_with_somebody_who_is_away(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob")
    with table.database.transaction() as work:
        player = work.players.by_handle("bob")
        assert player is not None
        work.players.change(player.id, status="suspended")
    alice.says("rematch").gets(1).hears("bob cannot play at present.")
    bob.hears_nothing()


def test_of_a_match(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob", options="-rounds=2")
    alice.says("rematch 1").gets(1).hears(
        "Board 2 is still being played, in the same match. A rematch can begin when the match is"
        " over."
    )
    plays(table, [alice, bob], 2, plies=2)
    alice.says("resign", answering=board_mail(alice, 2))
    bob.forgets()
    alice.says("rematch", answering=board_mail(alice, 1)).hears(
        "A rematch of board 2: alice and bob, on the standard board. alice begins.",
        "Round 1 of 2 of a match.",
    )
    bob.gets(1).says("rematch 2").hears("The rematch of board 2 has begun already: it is board 3.")
    bob.says("rematch 1").hears("The rematch of board 2 has begun already: it is board 3.")
    place = table.board(3).round
    assert place is not None
    assert (place.match_id, place.number, place.rounds) == (3, 1, 2)


def test_of_a_match_that_ended_early(table: Table) -> None:
    alice, bob = ended(table, "alice", "bob", options="-rounds=2")
    alice.says("decline", answering=board_mail(alice, 2))
    bob.forgets()
    alice.says("rematch", answering=board_mail(alice, 2)).hears("A rematch of board 1")
    assert seats(table, 3) == ["bob", "alice"]
    bob.hears("Round 1 of 2 of a match.")


@pytest.mark.parametrize("word", ["rematch 1", "abalone rematch 1 alice pw"])
def test_unproven(word: str, table: Table) -> None:
    alice, bob = ended(table, "alice", "bob")
    alice.writes(word).gets(1).hears("Please confirm: rematch 1", 'Did you send "rematch 1"?')
    bob.hears_nothing()
    alice.says("yes").hears("A rematch of board 1")
    again = table.boards()[1]
    alice.writes(word).hears(f"The rematch of board 1 has begun already: it is board {again}.")


def test_the_end_of_a_game_tells_of_it_once(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    assert "rematch" not in alice.newest.text
    alice.says("resign").forgets()
    for person in (alice, bob):
        assert person.newest.text.count("rematch") == 1
    bob.forgets().says("challenge alice").says("decline").hears("Board 2 is closed.")
    assert "rematch" not in bob.newest.text
    bob.says("challenge alice -rounds=2").says("resign")
    over = [mail for mail in bob.arrived if "Board 3 is over" in mail.text]
    assert over
    assert "rematch" not in over[0].text  # the next round has begun
    bob.says("resign", answering=bob.mail("Abalone Board 4")).hears('answer "rematch"')


def test_with_somebody_who_has_left_the_server(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.forgets().says("delete").says("yes").forgets()
    alice.hears("Board 1 is over: you win.")
    assert "rematch" not in board_mail(alice, 1).text
    alice.says("rematch", answering=board_mail(alice, 1)).hears("bob has left this server.")
