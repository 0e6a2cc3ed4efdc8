"""SearchJobs: leased in a fair order, concluded once, tried again, and at last without a search."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from pbm.play.boards import seconds_of
from pbm.rules.robots import ROBOTS
from pbm.service.robots import jobs
from pbm.service.robots.handlers import JobHandler
from pbm.service.robots.jobs import LEASE, MOST_TRIES, LeasedJob, RobotJobs
from pbm.service.robots.worker_processes import SearchFailedError
from pbm.service.running.writer import Writer, here
from pbm.store.db import UnitOfWork
from pbm.store.queues.search_jobs import PATIENCE
from tests.service.test_dying_ticks import NEVER, Died, dying
from tests.serving import broken, think_next
from tests.table import OPERATOR, Table

KEPT = ("boards", "seats", "moves", "departures", "due", "outbox", "thoughts", "results")
BOARDS = ("alice", "alice", "alice", "bob", "alice", "bob")


@pytest.fixture
def table(table: Table) -> Table:
    table.robots_join()
    return table


def let_boards_wait(table: Table, *handles: str) -> None:
    """Begin a board for each of these players, on which pebble moves first."""
    for handle in handles:
        table.begins("pebble", handle)


def waiting(table: Table) -> Iterator[dict[str, Any]]:
    return iter(table.rows("thoughts"))


def do(robots: RobotJobs, piece: Callable[[UnitOfWork], Any]) -> Any:
    async def done() -> Any:
        return await Writer(robots.database, here).do(piece)

    return asyncio.run(done())


def claimed(robots: RobotJobs, most: int = 1) -> list[LeasedJob]:
    return list(do(robots, lambda work: robots.claim(work, most)))


def boards_of(tasks: list[LeasedJob]) -> list[int]:
    return [task.job.board_id for task in tasks]


def other_process(table: Table) -> RobotJobs:
    return RobotJobs(table.database, table.site, table.clock)


def thinks(task: LeasedJob) -> Any:
    assert task.computation is not None
    return task.computation()


def fails(table: Table, task: LeasedJob) -> None:
    error = SearchFailedError("the process of the search has died")
    do(table.robots, lambda work: table.robots.fail(work, task, error))
    table.clock.passes(seconds=2)


def test_many_boards_of_one_player_do_not_hold_up_another(table: Table) -> None:
    table.joins("alice")
    table.joins("bob")
    let_boards_wait(table, *BOARDS)
    assert boards_of(claimed(table.robots, 6)) == [1, 4, 2, 6, 3, 5]


def test_a_short_search_does_not_wait_behind_long_ones(table: Table) -> None:
    players = [f"player{number}" for number in range(6)]
    for handle in (*players, "bob"):
        table.joins(handle)
    for handle in players * 5:
        table.begins("boulder", handle)
    table.clock.passes(seconds=2)
    for robot in ("pebble", "boulder", "cobble"):
        table.begins(robot, "bob")
    table.begins("pebble", players[0])  # who has five long ones already
    assert boards_of(claimed(table.robots, 3)) == [31, 33, 34]
    rest = boards_of(claimed(table.robots, 40))
    assert rest[:6] == [1, 2, 3, 4, 5, 6]  # one for each before the second for one
    assert rest.index(32) < rest.index(13)  # who has few before the third of who has many


@pytest.mark.parametrize("robot", ["boulder", "mountain"])
def test_a_long_search_waits_for_a_bounded_time(table: Table, robot: str) -> None:
    bound = PATIENCE * (seconds_of(robot) - seconds_of("pebble"))
    assert bound < 3_600
    for handle in ("alice", "bob", "carol"):
        table.joins(handle)
    table.begins(robot, "alice")
    table.clock.passes(seconds=bound - 1)
    table.begins("pebble", "bob")
    table.clock.passes(seconds=2)
    table.begins("pebble", "carol")
    assert boards_of(claimed(table.robots, 3)) == [2, 1, 3]


def test_searches_of_seconds_leave_a_process_to_others(table: Table) -> None:
    for handle, robot in (("alice", "mountain"), ("bob", "mountain"), ("carol", "pebble")):
        table.joins(handle)
        table.begins(robot, handle)

    def claimed_numbers() -> list[int]:
        return boards_of(do(table.robots, lambda work: table.robots.claim(work, 3, long=1)))

    assert claimed_numbers() == [3, 1]
    assert claimed_numbers() == []
    table.clock.passes(seconds=1)
    assert claimed_numbers() == [2]


def test_many_searches_of_seconds_do_not_hide_a_short_one(table: Table) -> None:
    for handle in ("alice", "bob", "carol", "dora"):
        table.joins(handle)
    for handle in ("alice", "bob", "carol") * 4:
        table.begins("mountain", handle)
    table.clock.passes(days=1)
    table.begins("pebble", "dora")
    claimed_now = do(table.robots, lambda work: table.robots.claim(work, 1, long=0))
    assert boards_of(claimed_now) == [13]


def test_each_robot_has_an_expected_time() -> None:
    seconds = [seconds_of(name) for name in ROBOTS]
    assert seconds == sorted(seconds)
    assert seconds_of("unknown") == seconds_of() == seconds_of("boulder")


def test_who_has_waited_for_long_goes_before_who_comes(table: Table) -> None:
    table.joins("alice")
    table.joins("bob")
    let_boards_wait(table, "alice", "alice", "alice")
    table.clock.passes(minutes=1)
    let_boards_wait(table, "bob")
    assert boards_of(claimed(table.robots, 4)) == [1, 2, 3, 4]


@pytest.mark.on_postgresql
def test_a_lease_lasts_as_long_as_there_are_signs(table: Table) -> None:
    table.joins("alice")
    let_boards_wait(table, "alice")
    (task,) = claimed(table.robots)
    other = other_process(table)
    assert claimed(other) == []
    table.clock.time += LEASE - timedelta(seconds=1)
    do(table.robots, lambda work: table.robots.extend(work, {task.job.id}))
    table.clock.time += timedelta(seconds=2)
    assert claimed(other) == []
    table.clock.time += LEASE
    (again,) = claimed(other)
    assert (again.job.tries, again.job.last_error) == (
        1,
        "the process of the search has died",
    )
    do(other, other.release)
    (again,) = claimed(table.robots)
    assert again.job.tries == 1  # what was given back is no try


@pytest.mark.on_postgresql
def test_two_that_thought_of_it_move_once(table: Table) -> None:
    alice = table.joins("alice")
    let_boards_wait(table, "alice")
    (task,) = claimed(table.robots)
    table.clock.time += LEASE
    other = other_process(table)
    (same,) = claimed(other)
    for robots, own in ((table.robots, task), (other, same), (table.robots, task)):
        answer = thinks(own)
        do(
            robots,
            lambda work, robots=robots, own=own, answer=answer: robots.finish(work, own, answer),
        )
    table.posts()
    assert len(table.moves(1)) == 1
    alice.gets(1).hears("Your move on board 1.")
    assert not list(waiting(table))


def test_the_same_move_is_found_whoever_thinks(table: Table) -> None:
    table.joins("alice")
    let_boards_wait(table, "alice")
    (task,) = claimed(table.robots)
    first = thinks(task)
    do(table.robots, table.robots.release)
    (again,) = claimed(other_process(table))
    assert thinks(again).move == first.move


def test_a_weaker_robot_moves_and_then_any_legal_move(table: Table) -> None:
    table.joins("alice")
    table.begins("boulder", "alice")
    easier = []
    for _ in range(MOST_TRIES):
        (task,) = claimed(table.robots)
        assert task.computation is not None
        easier.append(task.computation.args[-2])
        fails(table, task)
    assert easier == [0, 0, 1, 2]
    table.posts()
    operator = table.person(OPERATOR)
    operator.gets(1).hears("A robot could not find a move on board 1.", "has died")
    (task,) = claimed(table.robots)
    assert task.computation is None
    do(table.robots, lambda work: table.robots.finish(work, task))
    assert len(table.moves(1)) == 1
    # The next time it thinks as before, and nobody is told again within a day.
    table.begins("boulder", "alice")
    for _ in range(3):
        fails(table, claimed(table.robots)[0])
    table.posts()
    operator.hears_nothing()


def test_one_of_which_nothing_can_come_is_put_aside(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.joins("alice")
    let_boards_wait(table, "alice", "alice")
    ours = jobs.HANDLERS["move"]
    with monkeypatch.context() as patched:
        patched.setattr(
            jobs, "HANDLERS", {"move": JobHandler(ours.wanted, ours.prepare, broken, broken)}
        )
        for _ in range(14):
            assert think_next(table.robots)
            table.clock.passes(seconds=2)
        assert not think_next(table.robots)
    table.posts()
    texts = [mail.text for mail in table.person(OPERATOR).mails]
    assert sum("put aside" in text for text in texts) == 2
    assert all("ZeroDivisionError: a planted bug" in text for text in texts)
    table.robots.begin()  # what mends a bug is a new version, and that needs a start
    table.robots_think()
    assert [len(table.moves(number)) for number in (1, 2)] == [1, 1]


def test_a_kind_that_only_a_newer_program_knows(table: Table) -> None:
    alice = table.joins("alice").forgets()
    table.begins("alice", "pebble")
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.search_jobs.ask("dream", "1", table.clock(), work.boards.get(1), player.id)
    for _ in range(10):
        assert claimed(table.robots) == []
        table.clock.passes(seconds=2)
    assert [(row["stuck"], row["tries"]) for row in waiting(table)] == [(True, 7)]
    alice.hears_nothing()


def test_what_the_board_does_not_wait_for_any_more_is_no_thought(table: Table) -> None:
    alice = table.joins("alice")
    let_boards_wait(table, "alice", "alice")
    (task,) = claimed(table.robots)
    answer = thinks(task)
    for number in (1, 2):
        alice.says(f"resign {number}")
    do(table.robots, lambda work: table.robots.finish(work, task, answer))
    table.robots_think()
    assert not list(waiting(table))
    assert table.moves(1) == table.moves(2) == []


def test_what_seems_unwanted_stays_while_somebody_has_its_board_in_hand(shared: Table) -> None:
    shared.robots_join()
    alice = shared.joins("alice")
    let_boards_wait(shared, "alice")
    alice.says("resign 1")
    with shared.database.transaction() as work:
        work.boards.get(1, lock=True)  # as a turn does that may want the thought again
        assert claimed(other_process(shared)) == []
        assert len(list(waiting(shared))) == 1
    shared.clock.passes(seconds=2)
    assert claimed(shared.robots) == []
    assert not list(waiting(shared))


def test_what_is_wanted_again_once_its_board_is_held_is_thought_about(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.joins("alice")
    let_boards_wait(table, "alice")
    ours = jobs.HANDLERS["move"]
    stale = iter([None])  # what is read before the board is held

    def wanted(*given: Any) -> Any | None:
        return next(stale, ours.wanted(*given))

    kind = JobHandler(wanted, ours.prepare, ours.finish, ours.give_up)
    monkeypatch.setattr(jobs, "HANDLERS", {"move": kind})
    (task,) = claimed(table.robots)
    do(table.robots, lambda work: table.robots.finish(work, task, thinks(task)))
    assert len(table.moves(1)) == 1


def test_a_start_lets_robots_think_wherever_a_board_waits(table: Table) -> None:
    table.joins("alice")
    let_boards_wait(table, "alice", "alice")
    claimed(table.robots, 1)
    with table.database.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM thoughts WHERE board_id = 2")
    table.robots.begin()
    table.clock.passes(minutes=1)
    assert sorted(boards_of(claimed(table.robots, 5))) == [1, 2]


def test_a_clock_that_was_ahead(table: Table) -> None:
    table.joins("alice")
    table.clock.passes(days=3)
    let_boards_wait(table, "alice", "alice")
    claimed(table.robots, 1)
    table.clock.passes(days=-3)
    now = table.clock()
    do(table.robots, lambda work: work.search_jobs.bring_forward(now, now + LEASE))
    assert boards_of(claimed(table.robots, 5)) == [2]
    table.clock.time += LEASE
    assert sorted(boards_of(claimed(other_process(table), 5))) == [1, 2]


@pytest.mark.parametrize("what", ["claim", "conclude", "resort", "fail"])
def test_it_is_done_once_wherever_it_dies(what: str, embedded: Table) -> None:
    embedded.robots_join()
    alice = embedded.joins("alice").forgets()
    let_boards_wait(embedded, "alice")
    embedded.begins("alice", "boulder")
    tasks = claimed(embedded.robots) if what != "claim" else []
    answer = thinks(tasks[0]) if tasks else None
    pieces: dict[str, Callable[[UnitOfWork], Any]] = {
        "claim": lambda work: embedded.robots.claim(work, 4),
        "conclude": lambda work: embedded.robots.finish(work, tasks[0], answer),
        "resort": lambda work: embedded.robots.finish(work, replace(tasks[0], computation=None)),
        "fail": lambda work: embedded.robots.fail(work, tasks[0], SearchFailedError("it died")),
    }
    before = [embedded.rows(name) for name in KEPT]
    assert dies(embedded, pieces[what], "commit", 1)
    assert [embedded.rows(name) for name in KEPT] == before
    at = 1
    while dies(embedded, pieces[what], "before_cursor_execute", at):
        assert [embedded.rows(name) for name in KEPT] == before, at
        at += 1
    assert 2 < at < NEVER
    embedded.clock.time += LEASE
    embedded.robots_think()
    assert len(embedded.moves(1)) == 1
    alice.gets(1)


def dies(table: Table, piece: Callable[[UnitOfWork], Any], what: str, at: int) -> bool:
    with dying(table, what, at):
        try:
            with table.database.transaction() as work:
                piece(work)
        except Died:
            return True
    return False


def test_robots_have_their_names_and_people_keep_theirs(database_url: str) -> None:
    table = Table(database_url)
    with table.database.transaction() as work:
        work.players.add("pebble", "pebble@example.org", table.clock())
    table.robots.begin()
    table.robots.begin()
    players = {row["handle"]: row["robot"] for row in table.rows("players")}
    assert players == {"pebble": None} | {name: name for name in ROBOTS if name != "pebble"}
    table.close()
