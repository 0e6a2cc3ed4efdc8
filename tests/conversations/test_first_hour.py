"""A beginner's first hour meets no pause, however it is proven whose mails they are."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from pbm.play.limits import CLAIMED_OF_ORIGIN, NEWCOMERS_ANSWERS
from tests.table import Person, Table

PAGES = ("help", "help tutorial", "help abalone", "help boards", "help commands", "help move")
TYPOS = ("mvoe", "hlep", "chalenge bob", "move 1 a1-z9", "shwo 1", "moev 1 c3", "resing 1")
PASSES = "dmarc=pass header.from=example.org"
WAYS = ("reply address", "domain")
Act = Callable[[], object]


def first_hour(table: Table, alice: Person, bob: Person, way: str) -> Iterator[Act]:
    """Six pages, ten typos, and ten moves in mails of their own, as somebody sends them."""
    welcome = alice.mail("pbm: welcome")

    def sends(line: str) -> None:
        if way == "reply address":
            alice.says(line, answering=welcome)
        else:
            alice.writes(line)

    def moves() -> None:
        ply = table.board(1).ply
        back = ply // 2 % 2
        alice.writes("move 1 d3,c3" if back else "move 1 c3,d3")
        if table.board(1).ply == ply:
            alice.says("yes")
        bob.says("f7,g7" if back else "g7,f7", answering=bob.mail("Abalone Board 1"))

    for page in PAGES:
        yield lambda page=page: sends(page)
    for number in range(10):
        yield lambda number=number: sends(TYPOS[number % len(TYPOS)])
    for _ in range(10):
        yield moves


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "order",
    [
        *(
            pytest.param(order, marks=pytest.mark.thorough)
            for order in ("as listed", "the other way round")
        ),
        "mixed",
    ],
)
def test_the_first_hour_meets_no_pause(table: Table, way: str, order: str) -> None:
    if way == "domain":
        table.behind_front(PASSES)
    alice, bob = table.start("alice", "bob")
    acts = list(first_hour(table, alice, bob, way))
    if order == "the other way round":
        acts.reverse()
    elif order == "mixed":
        Random(8).shuffle(acts)
    for act in acts:
        before = len(alice.mails)
        act()
        assert len(alice.mails) > before  # each mail is answered
        table.clock.passes(minutes=2)
    assert len(table.moves(1)) == 20
    assert not any("paused" in mail["Subject"] for mail in alice.mails)


def asks(person: Person, times: int, *, unproven: bool = False) -> int:
    """Ask something as often; return how many mails came back."""
    person.forgets()
    welcome = person.mail("pbm: welcome")
    for _ in range(times):
        if unproven:
            person.writes("whoami")
        else:
            person.says("whoami", answering=welcome)
    return len(person.arrived)


def test_the_first_day_has_an_end_too(table: Table) -> None:
    """No robot goes on for ever on the day on which it has signed up."""
    alice = table.joins("alice")
    so_far = len(alice.mails)
    assert asks(alice, NEWCOMERS_ANSWERS + 10) == NEWCOMERS_ANSWERS - so_far + 1
    assert "paused" in alice.newest["Subject"]
    table.clock.passes(hours=1)
    assert asks(alice, 30) == 21  # as any player
    for _ in range(3):
        table.clock.passes(hours=1)
        asks(alice, 30)
    assert sum("paused" not in mail["Subject"] for mail in alice.mails) == 100  # in a day
    table.clock.passes(hours=12)
    assert asks(alice, 3) == 0


def test_forgers_have_less_of_it_and_use_up_nothing(table: Table) -> None:
    alice = table.joins("alice")
    assert asks(alice, NEWCOMERS_ANSWERS + 10, unproven=True) == CLAIMED_OF_ORIGIN + 1
    table.clock.passes(hours=1)
    assert asks(alice, 10, unproven=True) == 0
    assert asks(alice, 30) == 30


def test_on_the_second_day_the_figures_are_everybodys(table: Table) -> None:
    alice = table.joins("alice")
    table.clock.passes(days=1)
    assert asks(alice, 30) == 21
    assert asks(alice, 20, unproven=True) == CLAIMED_OF_ORIGIN + 1
