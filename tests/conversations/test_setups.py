"""Every way to begin a game is played on from: boards, the pillar, lots."""

from collections import Counter

import pytest

from pbm.mail.site import by_lot
from pbm.rules import abalone as rules
from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table

FOR_TWO = [name for name, players in rules.BOARDS.items() if 2 in players]
FOUR = ("alice", "bob", "carol", "dave")


def seats(table: Table, number: int = 1) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


def joined(table: Table, *names: str) -> list[Person]:
    return [table.joins(name) for name in names]


@pytest.mark.thorough
def test_every_board_for_two(table: Table) -> None:
    people = alice, bob = joined(table, "alice", "bob")
    for number, name in enumerate(FOR_TWO, start=1):
        alice.says(f"challenge bob -layout={name}").gets(1).hears(
            f"A new game: alice and bob, on the {name} board. alice begins."
        )
        bob.gets(1).hears(f"on the {name} board.")
        assert table.board(number).start_state == rules.start(name, 2).state()
        plays(table, people, number, plies=2)
        assert table.board(number).ply == 2
        for person in people:
            person.gets(2).forgets()
    assert len(FOR_TWO) > 10


@pytest.mark.parametrize("written", ["Korean_Daisy", "koreandaisy", "KOREAN-daisy"])
def test_names_are_read_generously(written: str, table: Table) -> None:
    alice, _ = joined(table, "alice", "bob")
    alice.says(f"challenge bob -layout={written}").hears("on the korean_daisy board.")


def test_the_pillar(table: Table) -> None:
    people = alice, bob = joined(table, "alice", "bob")
    alice.says("challenge bob -pillar").hears(
        "alice and bob, on the standard board with a pillar in the centre.", "E- . . . . # . . . ."
    )
    alice.says("a1-c3,d4").hears("bob's move on board 1")
    plays(table, people)
    for person in people:
        person.forgets()
    alice.says("b2-d4,e5").gets(1).hears("Nothing has changed.")
    told = " ".join(alice.newest.text.split())
    assert "e5" in told.partition("You wrote:")[0]
    bob.hears_nothing()
    assert table.board(1).position.pillar


def test_no_pillar_where_a_marble_stands(table: Table) -> None:
    alice, *_ = joined(table, *FOUR, "erin")
    alice.says("challenge me bob carol dave erin -pillar").hears(
        "The standard board for 5 has a marble on e5, where the pillar would stand. For all boards"
        ' send "help boards".',
        "Nothing has changed.",
    )
    assert not table.boards()


class TestLots:
    def test_the_seats_are_drawn(self, table: Table) -> None:
        alice, bob = joined(table, "alice", "bob")
        table.lots = lambda names: names[::-1]
        alice.says("challenge bob -random").hears("bob's move on board 1", "bob and alice, on the")
        bob.hears("Your move on board 1.", "You are o (top).")
        assert seats(table) == ["bob", "alice"]

    def test_without_the_option_nothing_is_drawn(self, table: Table) -> None:
        alice, *_ = joined(table, *FOUR)
        table.lots = lambda names: names[::-1]
        alice.says("challenge me bob carol")
        assert seats(table) == ["alice", "bob", "carol"]

    def test_partners_stay_partners(self, table: Table) -> None:
        alice, *_ = joined(table, *FOUR)
        table.lots = lambda names: names[::-1]
        alice.says("challenge alice+carol bob+dave -random").hears(
            "dave and bob against carol and alice"
        )
        assert seats(table) == ["dave", "carol", "bob", "alice"]

    def test_partners_stay_partners_when_it_waits_for_a_yes(self, table: Table) -> None:
        alice, *_ = joined(table, *FOUR)
        table.lots = lambda names: names[::-1]
        alice.writes("challenge me+carol bob+dave -random").hears(
            '"challenge -random alice+carol bob+dave"?'
        )
        alice.says("yes").hears("dave and bob against carol and alice")

    def test_without_partners_teams_are_drawn_as_well(self, table: Table) -> None:
        alice, *_ = joined(table, *FOUR)
        table.lots = lambda names: [names[2], names[0], names[1], names[3]]
        alice.says("challenge -teams -random me bob carol dave").hears(
            "carol and bob against alice and dave"
        )

    def test_those_who_were_invited_draw_too(self, table: Table) -> None:
        (alice,) = joined(table, "alice")
        table.lots = lambda names: names[::-1]
        alice.says("challenge bob@example.org -random")
        bob = table.person("bob@example.org")
        bob.says("yes")
        assert seats(table) == ["bob", "alice"]

    def test_a_real_lot_is_everybody_somewhere(self) -> None:
        orders = Counter(tuple(by_lot(FOUR)) for _ in range(2000))
        assert all(sorted(order) == sorted(FOUR) for order in orders)
        assert len(orders) == 24  # in 2000 draws one of the 24 orders is missing hardly ever
        assert {order[0] for order in orders} == set(FOUR)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("challenge bob -bowl", "challenge -bowl alice bob"),
        ("challenge bob -layout=German --pillar", "challenge -layout=german -pillar alice bob"),
        ("challenge me bob carol -random", "challenge -random alice bob carol"),
        ("challenge bob -rounds=4", "challenge -rounds=4 alice bob"),
        ("challenge -teams me bob carol dave", "challenge -teams alice bob carol dave"),
        ("challenge bob+dave me+carol", "challenge bob+dave alice+carol"),
        (
            "chall alice+carol bob+dave -bowl -teams -rounds=2",
            "challenge -bowl -rounds=2 alice+carol bob+dave",
        ),
    ],
)
def test_a_question_keeps_all_options(sent: str, kept: str, table: Table) -> None:
    alice, bob, *_ = joined(table, *FOUR)
    alice.writes(sent).gets(1).hears(f"Please confirm: {kept}", f'"{kept}"?')
    bob.hears_nothing()
    assert not table.boards()
    alice.says("yes")
    asked = table.board(table.boards()[0])
    alice.forgets().says(sent, answering=alice.mail("pbm: welcome"))
    board = table.board(table.boards()[1])
    assert (board.start_state, board.options) == (asked.start_state, asked.options)
    assert seats(table, board.id) == seats(table, asked.id)
    assert (asked.round is None) == ("-rounds" not in sent) == (board.round is None)
    bob.hears(asked.subject, board.subject)


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("challenge bob+dave carol+erin", "challenge me+dave carol+erin"),
        ("challenge bob and dave vs carol and erin", "challenge me+dave carol+erin"),
        ("challenge -seats=bob,carol -bowl", "challenge -bowl me bob carol"),
    ],
)
def test_whoever_is_not_among_them_is_shown_how(line: str, example: str, table: Table) -> None:
    alice, *_ = joined(table, *FOUR, "erin")
    alice.says(line).hears(
        "You are not among these players yourself.", f'For example: "{example}".'
    )
    assert not table.boards()
    alice.says(example).hears("A new game: ")


def test_the_first_mail_of_each_setup_can_be_answered_at_once(table: Table) -> None:
    people = joined(table, *FOUR)
    people[0].says("challenge -teams me bob carol dave -bowl -pillar -rounds=2")
    for person in people:
        example = board_mail(person, 1).text.split("such as ")[1].split()[0].rstrip(".")
        person.says(example)
    assert table.board(1).ply == 4
