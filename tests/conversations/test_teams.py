"""Games in teams by mail: from the challenge to the end, one playing on for two."""

from random import Random

import pytest

from tests.conversations.playing import board_mail, plays, plays_out
from tests.table import Person, Table

NAMES = ("alice", "bob", "carol", "dave")


@pytest.fixture
def people(table: Table) -> list[Person]:
    return [table.joins(name) for name in NAMES]


def seats(table: Table, number: int = 1) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


def test_a_whole_game_in_which_one_plays_on_for_two(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dave = people
    alice.says("challenge -teams alice+carol bob+dave\n\nTwo against two!").gets(1).hears(
        "Your move on board 1.",
        "A new game: alice and carol against bob and dave, on the official board. alice begins.",
        "| Two against two!",
        "You are 1 (top). Your partner is carol, 3 (bottom).",
        "Scores: you and carol (3): 0, bob (2) and dave (4): 0; to win, push six off.",
    )
    dave.gets(1).hears("You are 4 (left). Your partner is bob, 2 (right).")
    assert seats(table) == list(NAMES)
    chance = Random(14)  # a short game
    plays_out(table, people, 1, chance, until=10)
    for person in people:
        person.forgets()
    carol.says("resign\n\nSorry, alice.").gets(1).hears("Your partner is alice, 1 (top).")
    alice.gets(1).hears(
        "Your move on board 1, for carol.",
        "carol resigned.",
        "Your partner is carol, 3 (bottom); you move for both.",
        "carol (3, resigned): ",
        "To move, send a line such as",
    )
    bob.gets(1).hears("alice's move on board 1, for carol; nothing to do.")
    carol.says("a1,b1").gets(1).hears("You have left board 1 already.")
    plays_out(table, people, 1, chance, until=11)
    off = table.plies(1)[-1]
    told = f"alice pushed your marble off {off.effect['from']} with {off.text}, for carol."
    dave.hears("Your move on board 1.", "- carol resigned.", f"- {told}")
    carol.hears_nothing()  # until the end
    plays_out(table, people, 1, chance)
    board = table.board(1)
    assert (board.status, board.ended_by, board.winners) == ("finished", "ejections", (1, 3))
    assert board.position.scores == (6, 2, 6, 2)
    assert {ply.seat for ply in table.plies(1) if ply.ply > 11} == {1, 2, 3, 4}
    winners, losers = "alice (1) and carol (3, resigned): 6", "bob (2) and dave (4): 2"
    for person, scores in (
        (alice, f"you and carol (3, resigned): 6, {losers}."),
        (bob, f"you and dave (4): 2, {winners}."),
        (carol, f"you (resigned) and alice (1): 6, {losers}."),
        (dave, f"you and bob (2): 2, {winners}."),
    ):
        other = "carol" if person is alice else "alice" if person is carol else ""
        team = f"you and {other}" if other else "alice and carol"
        person.hears(
            f"Board 1 is over: {team} win.",
            f"{team.replace('you', 'You')} have pushed six marbles off the board.",
            f"Final scores: {scores}",
        )
    bob.says("games all").hears("Over, alice and carol won.")


def test_the_bowl_is_numbered_so_that_partners_face_each_other(
    table: Table, people: list[Person]
) -> None:
    alice, bob, carol, _ = people
    alice.says("challenge -bowl -teams alice bob carol dave").hears(
        "alice and carol against bob and dave, on the bowl board.",
        "You are 1 (upper left). Your partner is carol, 3 (lower right).",
        "A- 1 1 . 2 2 / 7",
        "I- 4 4 . 3 3",
    )
    bob.hears("You are 2 (upper right). Your partner is dave, 4 (lower left).")
    carol.says("challenge -bowl alice bob me dave").hears(
        "alice, bob, carol and dave, on the bowl board.", "You are 3 (lower left)", "I- 3 3 . 4 4"
    )
    plays(table, people, 1, plies=4)
    assert [ply.seat for ply in table.plies(1)] == [1, 2, 3, 4]


@pytest.mark.parametrize("line", ["-teams alice bob carol dave", "alice+carol bob+dave"])
def test_decline_ends_a_game_in_teams(line: str, table: Table, people: list[Person]) -> None:
    people[0].says(f"challenge {line}").says("c3,d3")
    for person in people:
        person.forgets()
    people[1].says("decline")
    assert table.boards() == [1]
    for person in people:
        person.gets(1).hears(
            "Board 1 is closed.", " declined, so this board is closed and counts for nothing."
        )
        assert "The others play" not in person.newest.text


def test_the_last_of_a_team_to_leave_gives_the_game_away(
    table: Table, people: list[Person]
) -> None:
    alice, bob, carol, dave = people
    alice.says("challenge alice+carol bob+dave")
    alice.says("resign")
    carol.hears("Your move on board 1, for alice.").says("resign")
    for person in people:
        other = "dave" if person is bob else "bob" if person is dave else ""
        team = f"you and {other}" if other else "bob and dave"
        person.hears(
            f"Board 1 is over: {team} win.",
            f"No opponent is left, so {team} win.",
        )
    assert table.board(1).winners == (2, 4)
    bob.says("draw").hears("Board 1 is over.")


def test_a_partner_must_agree_as_well(people: list[Person]) -> None:
    alice, bob, carol, dave = people
    alice.says("challenge alice+carol bob+dave").says("draw")
    bob.says("accept")
    dave.says("accept").hears("The draw that alice offered waits for carol.")
    carol.says("accept").hears("Board 1 is over: a draw.")


def test_official_is_for_teams_and_for_each_alone(table: Table, people: list[Person]) -> None:
    alice, bob, _, dave = people
    alice.says("challenge me bob carol dave -layout=official").hears(
        "A new game: alice, bob, carol and dave, on the official board.",
        "Scores: you 0, bob (2) 0, carol (3) 0, dave (4) 0; to win, push six off.",
    )
    alice.forgets()
    bob.says("decline")
    alice.hears(
        "All who are left play a new game, on board 2.",
        "alice, carol and dave, on the official board.",
    )
    dave.forgets().says("decline", answering=board_mail(dave, 2))
    alice.hears(
        "All who are left play a new game, on board 3.", "alice and carol, on the official board."
    )
    alice.says("decline", answering=board_mail(alice, 3)).hears("Board 3 is closed.")
    assert [len(seats(table, number)) for number in table.boards()] == [4, 3, 2]
