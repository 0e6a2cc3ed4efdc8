"""Fewer mails for many games: offered once to whoever has five boards, and what the settings do."""

import pytest

from tests.table import Person, Table

OFFER = "You play on five boards or more. For fewer mails"


@pytest.fixture
def people(table: Table) -> list[Person]:
    return [table.joins(handle) for handle in ("alice", "bob", "carol")]


def begin(table: Table, times: int) -> None:
    table.begins("bob", "alice", times=times)


def test_whoever_begins_a_fifth_board_is_offered_fewer_mails_once(
    table: Table, people: list[Person]
) -> None:
    alice, bob, _ = people
    begin(table, 3)
    alice.says("challenge carol")
    assert OFFER not in alice.newest.text
    alice.forgets().says("challenge carol").gets(1).hears(
        OFFER, 'answer "set mails turn"', '"set digest daily"', '"set receipts off"'
    )
    alice.says("challenge bob")
    assert OFFER not in alice.newest.text + bob.newest.text


def test_whoever_has_them_by_others_is_offered_it_at_a_first_move(
    table: Table, people: list[Person]
) -> None:
    _, bob, _ = people
    begin(table, 5)
    bob.writes("1 a1-c3,b2").says("yes")
    assert OFFER in bob.newest.text
    bob.writes("2 a1-c3,b2")
    assert OFFER not in bob.newest.text


@pytest.mark.parametrize("line", ["set mails turn", "set digest daily", "set digest hourly"])
def test_whoever_has_fewer_mails_is_offered_nothing(
    table: Table, people: list[Person], line: str
) -> None:
    alice, *_ = people
    alice.says(line)
    begin(table, 5)
    alice.says("challenge carol")
    assert OFFER not in alice.newest.text


def test_the_offer_is_nothing_that_a_list_of_settings_shows(
    table: Table, people: list[Person]
) -> None:
    alice, *_ = people
    begin(table, 5)
    alice.says("challenge carol").says("settings")
    assert "fewer" not in alice.newest.text


def test_a_game_of_six_is_one_mail_a_round(table: Table) -> None:
    six = table.start("alice", "bob", "carol", "dave", "erin", "frank")
    for person in six:
        person.says("set mails turn").says("set receipts off")
    plays_a_round(six)  # the first moves
    for person in six:
        person.forgets()
    plays_a_round(six)
    for person in six:
        person.gets(1).hears("Your move on board 1", "bob played" if person is six[0] else "")


def plays_a_round(people: list[Person]) -> None:
    """Let each make the move that the mail has as an example."""
    for person in people:
        board = person.mail("Abalone Board 1")
        example = board.text.partition("a line such as ")[2].split()[0].removesuffix(".")
        person.says(example, answering=board)
