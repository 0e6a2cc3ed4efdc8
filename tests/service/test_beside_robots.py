"""What people's turns cost while boards wait for robots: no more than without. It is counted."""

from collections.abc import Iterator

import pytest
from sqlalchemy import delete

from pbm.play.boards import start_board
from pbm.robots.thinking import RobotMove
from pbm.rules.abalone.engine import searching
from pbm.service.robots.jobs import LeasedJob, enlist
from pbm.store.schema.running import search_jobs
from tests.conversations.playing import board_mail
from tests.growth import Cost, SendingTable, asked, work_for
from tests.setups import abalone
from tests.table import Person

BOARDS = 200
AT_MOST = 1.2  # times what it costs without
FEW = 20  # rows: PostgreSQL reads some tables whole, while they are little
OPENING, ANSWER = "a1-c3,b2", "i9-g7,h8"


@pytest.fixture
def table(new_database_url: str) -> Iterator[SendingTable]:
    table = SendingTable(new_database_url)
    table.robots_join()
    yield table
    table.leave()


@pytest.fixture
def _thinks_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be searched in this process."""

    def search(*_: object, **__: object) -> None:
        raise AssertionError("a search in the process that plays the moves")

    monkeypatch.setattr(searching, "search", search)


@pytest.mark.on_postgresql
@pytest.mark.usefixtures("_thinks_elsewhere")
def test_a_turn_costs_the_same_beside_boards_that_wait_for_robots(table: SendingTable) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    welcome = alice.mail("pbm: welcome")
    for line in ("challenge bob", "challenge pebble") * 2:
        alice.says(line, answering=welcome)

    def turns(human: int, robot: int) -> list[Cost]:
        said = ((alice, human, OPENING), (bob, human, ANSWER), (alice, robot, OPENING))
        return [cost(table, person, number, move) for person, number, move in said]

    cost(table, alice, 1, "show")  # what happens once is not measured
    let_robots_be_waited_for(table)
    with table.database.engine.begin() as connection:
        connection.execute(delete(search_jobs))
    without = turns(1, 2)
    table.robots.begin()
    assert len(table.rows("thoughts")) == BOARDS + 1
    beside = turns(3, 4)
    assert [each.statements for each in beside] == [each.statements for each in without]
    for each, usual in zip(beside, without, strict=True):
        assert each.work <= AT_MOST * usual.work + FEW


@pytest.mark.on_postgresql
@pytest.mark.usefixtures("_thinks_elsewhere")
def test_to_lease_a_thought_and_to_play_its_move_is_no_search(table: SendingTable) -> None:
    """Both are done where turns are; only the question itself is for another process."""
    let_robots_be_waited_for(table)
    with table.database.transaction() as work:
        tasks = table.robots.claim(work, 2)
    assert len(tasks) == 2
    each = []
    for task in tasks:
        assert task.computation is not None
        assert task.computation.func.__module__ == "pbm.robots.thinking"
        with asked(table) as statements:
            plays(table, task)
        each.append(len(statements))
    assert each[0] == each[1]
    assert len(table.rows("thoughts")) == BOARDS - 2


def let_robots_be_waited_for(table: SendingTable) -> None:
    """Begin boards on which a robot moves first, each with a player of its own."""
    now = table.clock()
    with table.database.transaction() as work:
        enlist(work, now)
        robot = work.players.by_handle("boulder")
        assert robot is not None
        for number in range(BOARDS):
            handle = f"waits{number}"
            player = work.players.add(handle, f"{handle}@players.example", now)
            start_board(work, abalone(), [robot, player], now)


def plays(table: SendingTable, task: LeasedJob) -> None:
    with table.database.transaction() as work:
        table.robots.finish(work, task, RobotMove(OPENING))


def cost(table: SendingTable, person: Person, number: int, said: str) -> Cost:
    """What a mail about a board costs, from the door to the post."""
    with work_for(table) as found, asked(table) as statements:
        person.says(said, answering=board_mail(person, number))
    found.statements = len(statements)
    return found
