"""A player asks what a robot would do, and why."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from pbm.play.limits import HINTS
from pbm.robots import analysis
from pbm.rules.contract import Budget
from pbm.rules.robots import ADVISER, ROBOTS
from pbm.store.schema.games import boards
from pbm.store.schema.running import search_jobs
from tests.conversations.playing import mirrored, plays_on
from tests.serving import think_next
from tests.table import Person, Table


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adviser thinks shorter than it does."""
    quick = replace(ROBOTS[ADVISER], budget=Budget(300, depth=2))
    monkeypatch.setattr(analysis, "ROBOTS", {ADVISER: quick})


def begin(table: Table, line: str = "challenge pebble -unrated") -> Person:
    table.robots_join()
    alice = table.joins("alice")
    alice.says(line).hears("Your move on board 1")
    return alice.forgets()


def move_told(alice: Person) -> str:
    """The move that the newest mail says the robot would play."""
    found = re.match(r"A strong robot would play (\S+) here\. It", alice.newest.text)
    assert found
    return found[1]


@pytest.mark.on_postgresql
def test_a_hint_is_a_move_and_why_it_is_good(table: Table) -> None:
    alice = begin(table)
    alice.says("hint").hears_nothing()
    table.robots_think()
    alice.gets(1)
    move = move_told(alice)
    alice.hears(
        "Abalone Board 1: alice v pebble",
        "nearer to the centre. The game might then go on like this: 1 (#1). ",
        f"To move, send a line such as {move}.",
        "State: ",
    )
    assert table.board(1).ply == 0
    alice.forgets().says(move)
    table.robots_think()
    assert table.moves(1)[0] == move


def test_the_first_mail_says_who_thinks_and_where_there_are_hints(table: Table) -> None:
    table.robots_join()
    alice, bob = table.joins("alice"), table.joins("bob")
    welcome = alice.mail("pbm: welcome")
    hints = (
        'When it is your turn, answer "hint" to be shown a good move, or "takeback" to take your'
    )
    rated = 'This game counts for your rating, so you get no help in it. In an unrated game "hi'
    alice.says("challenge pebble -rated", answering=welcome)
    alice.hears("pebble is a robot: this server thinks for it.", rated, '"challenge pebble -unrate')
    alice.forgets().says("challenge pebble -unrated", answering=welcome).hears(hints)
    alice.says("challenge me cobble pebble", answering=welcome)
    alice.hears("cobble and pebble are robots: this server thinks for them.")
    assert "rating" not in alice.newest.text  # which is told on the first board alone
    alice.says("challenge me+bob cobble+pebble -unrated", answering=welcome).hears(hints)
    alice.says("challenge me bob pebble -unrated", answering=welcome).hears("pebble is a robot")
    assert "hint" not in alice.newest.text
    bob.says("challenge alice", answering=bob.mail("pbm: welcome"))
    assert "robot" not in bob.newest.text


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (
            "challenge pebble -rated",
            'Board 1 is rated, and hints are for unrated games. Begin one with "-unrated"',
        ),
        (
            "challenge me bob pebble -unrated",
            "On board 1 you play against bob, and hints are for games in which all your opponents",
        ),
    ],
)
def test_where_it_would_be_unfair_there_is_none(table: Table, line: str, refusal: str) -> None:
    table.joins("bob")
    alice = begin(table, line)
    alice.says("hint 1").gets(1).hears(refusal)
    assert not table.rows("thoughts")


def test_none_tells_what_to_play_on_a_board_that_stands_alike(table: Table) -> None:
    alice, bob = begin(table), table.joins("bob")
    alice.says("challenge bob").says("move 1 a1-c3,b2")
    table.robots_think()
    alice.says(f"move 2 {mirrored('a1-c3,b2')}")
    bob.says(f"move 2 {mirrored(table.moves(1)[1])}")
    alice.forgets().says("hint 1").gets(1).hears(
        "Board 1 has the position of board 2, or one a few moves away from it, perhaps turned or"
    )
    alice.says(f"move 2 {mirrored('a2-c4,b3')}").forgets().says("hint 1").gets(1).hears(
        "Board 1 has the position of board 2, or one a few moves away from it, perhaps turned or"
    )
    assert not table.rows("thoughts")
    plays_on(table, 2, 5)
    alice.forgets().says("hint 1").hears_nothing()


def test_with_a_partner_who_is_no_robot_there_is_one(table: Table) -> None:
    table.joins("bob")
    alice = begin(table, "challenge me+bob pebble+cobble -unrated")
    alice.says("hint").hears_nothing()
    assert [row["kind"] for row in table.rows("thoughts")] == ["hint"]


def test_one_at_a_time_and_for_the_own_move(table: Table) -> None:
    alice = begin(table)
    bob = table.joins("bob")
    bob.says("hint 1").gets(1).hears("You do not play on board 1.")
    bob.forgets().says("hint 7").gets(1).hears("There is no board 7.")
    alice.says("hint").says("hint 1").gets(1).hears("A hint for board 1 is on its way already.")
    table.robots_think()
    alice.forgets().says("a1-c3,b2").forgets()
    table.clock.passes(minutes=1)  # the mail about the move waits for the robot
    alice.says("hint 1").hears("On board 1 it is pebble's turn. Ask for a hint when it is")
    alice.says("resign 1").forgets().says("hint 1").gets(1).hears("Board 1 is over")


def test_a_hint_for_a_board_that_has_gone_on_is_told_to_nobody(table: Table) -> None:
    alice = begin(table)
    alice.says("hint")
    task = table.rows("thoughts")
    assert [row["kind"] for row in task] == ["hint"]
    alice.says("a1-c3,b2")
    while think_next(table.robots) or table.rows("thoughts"):
        pass
    table.posts()
    assert "would play" not in "".join(mail.text for mail in alice.mails)
    alice.hears("Your move on board 1")


def test_the_next_move_has_a_hint_of_its_own(table: Table) -> None:
    """One that was asked for before, and is still thought about, does not stand in its way."""
    alice = begin(table)
    alice.says("hint")
    (asked,) = table.rows("thoughts")
    alice.says("a1-c3,b2")
    with table.database.engine.begin() as connection:
        leased = update(search_jobs).where(search_jobs.c.id == asked["id"])
        connection.execute(
            leased.values(leased_by="another", leased_until=table.clock() + timedelta(minutes=1))
        )
    table.robots_think()
    alice.forgets().says("hint").hears_nothing()
    table.robots_think()
    alice.gets(1)
    assert move_told(alice)


def test_where_none_is_found_that_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ValueError("nothing comes to mind")

    monkeypatch.setattr(analysis, "think", fails)
    alice = begin(table)
    alice.says("hint")
    for _ in range(12):
        table.robots_think()
        table.clock.passes(seconds=5)
    alice.gets(1).hears("We found no hint for board 1 just now. Please ask for it once more.")
    assert not table.rows("thoughts")


def test_so_many_a_day(table: Table) -> None:
    alice = begin(table)
    player = table.player("alice")
    assert player
    with table.database.transaction() as work:
        for _ in range(HINTS.most):
            assert HINTS.take(work, table.clock(), player.id)
    alice.says("hint").gets(1).hears("You have had 30 hints within a day")
    table.clock.passes(hours=1)
    alice.forgets().says("hint").hears_nothing()


def test_a_plain_mail_is_asked_about_first(table: Table) -> None:
    alice = begin(table)
    alice.writes("hint 1").gets(1).hears('Did you send "hint 1"?')
    assert not table.rows("thoughts")
    alice.forgets().says("yes")
    table.robots_think()
    assert move_told(alice)


def test_under_other_rules_there_is_none(table: Table) -> None:
    alice = begin(table)
    with table.database.engine.begin() as connection:
        connection.execute(update(boards).values(rules_version=99))
    alice.says("hint").gets(1).hears("was begun under other rules of Abalone")


def test_a_hint_goes_before_the_moves_of_robots(table: Table) -> None:
    """Somebody waits for the mail, so it does not stand in a queue of long searches."""
    alice, bob = begin(table), table.joins("bob")
    for number in range(2, 5):
        bob.says("challenge boulder -unrated").says(f"move {number} a1-c3,b2")
    alice.says("hint").forgets()
    assert len(table.rows("thoughts")) == 4
    assert think_next(table.robots)
    table.posts()
    alice.gets(1)
    assert move_told(alice)
