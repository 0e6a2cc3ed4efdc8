"""Robots as players: they move by themselves, get no mail, and no clock runs against them."""

from collections.abc import Iterator
from typing import Any

import pytest

from pbm.errors import OperatorError
from pbm.rules.robots import WEAKEST
from pbm.service.operator import boards, players
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from pbm.service.robots.jobs import LeasedJob
from tests.conversations.playing import plays
from tests.table import Table

MONTHS = 100  # days


@pytest.fixture
def table(sqlite_url: str) -> Iterator[Table]:
    table = Table(sqlite_url)
    table.robots_join()
    yield table
    people = {address.partition("@")[0] for address in table.mailboxes}
    assert not people & {"pebble", "cobble", "boulder"}
    assert not [verdict.problems for verdict in verify(office(table)) if verdict.problems]
    table.close()


def claimed(table: Table) -> list[LeasedJob]:
    with table.database.transaction() as work:
        return table.robots.claim(work, 9)


def answered(task: LeasedJob) -> Any:
    assert task.computation
    return task.computation()


def office(table: Table) -> OperatorSession:
    return OperatorSession(table.database, table.site, table.clock, "olga")


@pytest.mark.on_postgresql
def test_a_robot_answers_a_move_and_has_all_the_time_it_needs(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("challenge pebble -forfeittime=5d -totaltime=10d").hears("Your move on board 1.")
    plays(table, [alice])
    table.days_pass(MONTHS)
    alice.gets(1).hears("pebble's move on board 1; nothing to do.").forgets()
    alice.says("claim 1").hears("Nothing has changed").forgets()
    table.robots_think()
    assert len(table.moves(1)) == 2
    alice.gets(1).hears("pebble moved: your turn on board 1, by Sat 6 March (5 days)").forgets()
    table.days_pass(3.1)
    alice.gets(1).hears("This board has waited for your move")
    table.days_pass(20)  # her vacation included, which is taken by itself
    alice.hears("Board 1 is over: you lost.")


def test_a_robot_that_begins_is_not_reminded_of_its_first_move(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("challenge -seats=pebble,me").hears_nothing()
    table.days_pass(MONTHS)
    assert table.board(1).playing
    alice.gets(1).hears("pebble's move on board 1; nothing to do.")
    table.robots_think()
    alice.gets(1).hears("Your move on board 1", "Before your first move you can still leave")


def test_robots_and_people_at_one_board(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge me pebble bob cobble")
    plays(table, [alice, bob])
    table.robots_think()
    bob.hears("Your move on board 1")
    plays(table, [alice, bob])
    table.robots_think()
    assert len(table.moves(1)) == 4
    alice.hears("Your move on board 1")
    bob.says("resign 1")
    plays(table, [alice, bob])
    table.robots_think()
    assert len(table.moves(1)) == 7
    alice.says("resign 1").hears("Board 1 is over")
    board = table.board(1)
    assert (board.ended_by, board.winners, board.playing) == ("agreed", (), False)
    table.robots_think()
    assert len(table.moves(1)) == 7


def test_a_move_that_is_taken_back_is_thought_about_anew(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("challenge pebble -unrated")
    plays(table, [alice])
    table.robots_think()
    first = table.moves(1)
    boards.undo(office(table), 1, "a try")
    table.robots_think()
    assert table.moves(1) == first  # the same position, the same seed
    boards.end(office(table), 1, "a try", winners=())
    table.robots_think()
    boards.reopen(office(table), 1, "a try")
    plays(table, [alice])
    table.robots_think()
    assert len(table.moves(1)) == 4


def test_who_leaves_changes_what_a_robot_thinks_about(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge me pebble bob")
    plays(table, [alice])
    (task,) = claimed(table)
    bob.says("resign 1")
    with table.database.transaction() as work:
        table.robots.finish(work, task, answered(task))
    assert len(table.moves(1)) == 1
    table.robots_think()
    assert len(table.moves(1)) == 2


def test_a_draw_is_thought_about_also_where_who_asked_first_is_gone(table: Table) -> None:
    alice, bob, _ = table.joins("alice"), table.joins("bob"), table.joins("carol")
    alice.says("challenge me bob carol pebble")
    plays(table, [alice])
    bob.says("draw 1").forgets()
    alice.says("delete").says("yes")
    table.robots_think()
    bob.hears("pebble agreed to the draw")


def test_five_boards_at_a_time(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    for _ in range(5):
        alice.says("challenge pebble")
    enough = "You play on 5 boards against robots already"
    alice.says("challenge cobble").hears(enough, "Nothing has changed")
    alice.says("challenge bob cobble me").hears(enough)
    bob.says("challenge me alice boulder").hears("alice plays on 5 boards against robots")
    assert table.boards() == [1, 2, 3, 4, 5]
    alice.says("resign 3")
    alice.says("challenge cobble").hears("Your move on board 6.")


def test_what_is_told_of_a_robot(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("info pebble").hears("pebble is a robot, and has played here since")
    alice.says("players").hears("pebble            2026-11-21   950  measured  robot")
    bob = table.person("bob@example.org")
    bob.writes("signup cobble").hears("cobble", "taken")


def test_the_weakest_is_offered_to_beginners_while_it_plays(table: Table) -> None:
    alice, offer = table.joins("alice"), 'answer with "challenge pebble"'
    assert offer in alice.says("play").newest.text
    alice.says("unseek")
    players.suspend(office(table), WEAKEST, "a try")
    assert 'answer with "challenge' not in alice.says("play").newest.text


def test_what_the_operator_can_do_with_a_robot(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("challenge pebble")
    plays(table, [alice])
    for refused in (
        lambda: players.remove(office(table), "pebble", "a try"),
        lambda: players.set_address(office(table), "pebble", "p@example.org", "a try"),
        lambda: boards.replace(office(table), 1, "alice", "cobble", "a try"),
    ):
        with pytest.raises(OperatorError, match="robot"):
            refused()
    players.suspend(office(table), "pebble", "a try")
    table.robots_think()
    assert len(table.moves(1)) == 1
    alice.says("challenge pebble").hears("Nothing has changed")
    players.unsuspend(office(table), "pebble", "enough")
    table.robots_think()
    assert len(table.moves(1)) == 2
    plays(table, [alice])
    boards.replace(office(table), 1, "pebble", "boulder", "a try")
    table.robots_think()
    assert len(table.moves(1)) == 4
