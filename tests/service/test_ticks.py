"""The machine that does what is due: what it costs, what a bug does, who does what."""

import asyncio
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection, delete, insert, text, update

from pbm.play.clocks.calendar import LISTENING, Calendar, outages
from pbm.service.running import writer as running_writer
from pbm.service.running.heartbeat import LISTEN, POST, Heart, note_listening
from pbm.service.running.writer import Writer
from pbm.service.ticks import jobs
from pbm.service.ticks.jobs import HANDLERS, MOST_TRIES, Ticks, keep_time
from pbm.service.ticks.tick import Tick
from pbm.service.trouble.failures import GIVEN_UP_FOR, CrashMarker
from pbm.store.db import UnitOfWork
from pbm.store.schema.games import seats
from pbm.store.schema.running import due
from pbm.store.values.queues import TimerKind
from tests.growth import asked, work_for
from tests.plans import read_whole
from tests.polling import PATIENCE
from tests.run_out import let_remind, let_run_out
from tests.service.test_counts import Threads, counted
from tests.serving import broken, tick_next
from tests.table import OPERATOR, START, Table

KIND = TimerKind.FIRST_MOVE_REMINDER
FEW, MANY_DUE, MANY_BOARDS = 20, 5_000, 20_000
MOST = 8


def sets(table: Table, about: str, **wait: float) -> None:
    """Set a timer."""
    with table.database.transaction() as work:
        now = table.clock()
        work.timers.set(KIND, about, now, now + timedelta(**wait), board_id=7)


def test_every_kind_is_done_somehow() -> None:
    assert set(HANDLERS) == set(TimerKind)


def lets_wait(table: Table, numbers: range, **wait: float) -> None:
    """Set many timers at once."""
    now, due_at = table.clock(), table.clock() + timedelta(**wait)
    with table.database.engine.begin() as connection:
        rows = [
            {
                "kind": KIND.value,
                "about": str(number),
                "since": now,
                "set_at": now,
                "due_at": due_at + timedelta(seconds=number),
            }
            for number in numbers
        ]
        connection.execute(insert(due), rows)
    with table.database.engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE")


def test_while_nothing_is_due_a_look_reads_one_row_of_an_index(table: Table) -> None:
    lets_wait(table, range(FEW), days=1)
    with work_for(table) as little:
        table.ticks.next_due_at()
    lets_wait(table, range(FEW, MANY_BOARDS), days=1)
    with work_for(table) as much, counted(table) as found, asked(table) as statements:
        assert table.ticks.next_due_at() == START + timedelta(days=1)
    assert much.work == (little.work if table.database.embedded else 1)
    assert found.commits == 0
    (sql,) = found.statements
    assert "LIMIT" in sql
    assert not re.search("boards|seats", sql)
    assert not read_whole(table.database, statements, {"due"})


def test_however_many_are_due_a_claim_reads_those_that_it_takes(table: Table) -> None:
    lets_wait(table, range(FEW), days=-1)
    with work_for(table) as little, table.database.transaction() as work:
        assert len(work.timers.claim(table.clock(), 16)) == 16
    lets_wait(table, range(FEW, MANY_DUE), days=-1)
    with work_for(table) as much, asked(table) as claimed, table.database.transaction() as work:
        assert len(work.timers.claim(table.clock(), 16)) == 16
    assert much.work == (little.work if table.database.embedded else 16)
    assert not read_whole(table.database, claimed, {"due"})


@pytest.mark.parametrize(
    ("let_be_due", "statements"), [(let_remind, 20), (let_run_out, 36)], ids=["remind", "forfeit"]
)
def test_a_piece_costs_the_same_however_many_are_due(
    embedded: Table,
    monkeypatch: pytest.MonkeyPatch,
    let_be_due: Callable[[Connection, datetime, range], None],
    statements: int,
) -> None:
    monkeypatch.setattr(running_writer, "SLICE", PATIENCE)
    people = [embedded.joins(f"player{number}") for number in range(2)]
    embedded.begins(*(person.address.split("@")[0] for person in people), times=10 * MOST)
    with embedded.database.engine.begin() as connection:
        connection.execute(update(seats).values(last_ply=1))  # as if all had moved
        connection.execute(delete(due).where(due.c.kind != "clock"))
        let_be_due(connection, embedded.clock(), range(1, 10 * MOST + 1))
    pieces = []
    for _ in range(10):
        with counted(embedded) as found, work_for(embedded) as cost:
            assert takes(embedded, MOST) == MOST
        assert found.commits == 1
        pieces.append((len(found.statements), cost.work))
    assert not takes(embedded, MOST)
    _, beside_many, *_, alone = pieces  # the first one has some things to begin with
    assert beside_many[0] == alone[0] <= statements * MOST
    assert beside_many[1] <= 1.2 * alone[1]


def test_what_is_set_twice_is_there_once(table: Table) -> None:
    sets(table, "one", days=2)
    sets(table, "one", days=1)
    (row,) = table.rows("due")
    assert row["due_at"] == START + timedelta(days=2)


def test_a_bug_makes_one_stuck_and_stops_nothing_else(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def fine(tick: Tick) -> str:
        done.append(tick.timer.about)
        return "done"

    kinds = {KIND: broken, TimerKind.DAILY_ERASURE: fine}
    monkeypatch.setattr(jobs, "HANDLERS", kinds)
    sets(table, "broken")
    with table.database.transaction() as work:
        work.timers.set(TimerKind.DAILY_ERASURE, "fine", START, START)
    for _ in range(MOST_TRIES + 1):
        assert tick_next(table.ticks)
    assert not tick_next(table.ticks)
    assert done == ["fine"]
    table.posts()
    (told,) = table.mailboxes[OPERATOR]
    assert "ZeroDivisionError: a planted bug" in told.text
    assert "first-move-reminder" in told.text
    (row,) = table.rows("due")
    assert (row["stuck"], row["tries"]) == (True, MOST_TRIES)
    monkeypatch.setattr(jobs, "HANDLERS", {KIND: fine, TimerKind.DAILY_ERASURE: fine})
    table.ticks.begin()
    takes_all(table.ticks)
    assert done == ["fine", "broken", ""]


def test_what_the_database_gives_up_comes_later_and_stops_nothing_else(
    shared: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives_up, done = [True], list[str]()

    def slow(tick: Tick) -> str:
        if gives_up:
            tick.work.execute(text("SET LOCAL statement_timeout = '1ms'"))
            tick.work.execute(text("SELECT pg_sleep(60)"))
        done.append(tick.timer.about)
        return "done"

    monkeypatch.setattr(jobs, "HANDLERS", {KIND: slow, TimerKind.DAILY_ERASURE: slow})
    sets(shared, "slow")
    assert tick_next(shared.ticks)
    assert not tick_next(shared.ticks)
    (row,) = shared.rows("due")
    assert (row["stuck"], row["tries"], row["due_at"]) == (False, 0, START + GIVEN_UP_FOR)
    gives_up.clear()
    with shared.database.transaction() as work:
        work.timers.set(TimerKind.DAILY_ERASURE, "fine", START, START)
    takes_all(shared.ticks)
    shared.clock.passes(seconds=GIVEN_UP_FOR.seconds)
    takes_all(shared.ticks)
    assert done == ["fine", "slow"]


def test_a_kind_of_a_newer_program_is_kept(table: Table) -> None:
    sets(table, "one")
    with table.database.engine.begin() as connection:
        connection.execute(update(due).values(kind="of-a-newer-program"))
    for _ in range(MOST_TRIES):
        assert tick_next(table.ticks)
    assert not tick_next(table.ticks)
    assert table.rows("due")[0]["stuck"]


def test_one_that_kills_the_process_is_put_aside(
    table: Table, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("marker") / "tick-in-hand"
    kinds = {KIND: dies, TimerKind.DAILY_ERASURE: lambda _: "done"}
    monkeypatch.setattr(jobs, "HANDLERS", kinds)
    sets(table, "one")
    for _ in range(MOST_TRIES):
        marker = CrashMarker(path)
        ticks = Ticks(table.database, table.site, table.clock, marker)
        ticks.begin()
        monkeypatch.setattr(marker, "_write", lambda: None)  # nothing is cleared by the dead
        marker_numbers = " ".join(str(row["id"]) for row in table.rows("due") if row["about"])
        path.write_text(marker_numbers.ljust(100))
        with pytest.raises(KeyboardInterrupt):
            takes_all(ticks)
        ticks.crash_marker.close()
    ticks = Ticks(table.database, table.site, table.clock, CrashMarker(path))
    ticks.begin()
    takes_all(ticks)
    assert [row["stuck"] for row in table.rows("due") if row["about"]] == [True]
    ticks.crash_marker.close()


def takes(table: Table, most: int) -> int:
    """Do a piece of what is due; return how much that was."""
    table.ticks.claims.most = most
    with table.database.transaction() as work:
        return sum(table.ticks.take_next(work) for _ in range(most))


def takes_all(ticks: Ticks) -> None:
    while tick_next(ticks):
        pass


def dies(_: Tick) -> str:
    raise KeyboardInterrupt


def test_a_clock_that_was_ahead_puts_nothing_off(table: Table) -> None:
    sets(table, "before", days=2)
    table.clock.passes(days=400)
    sets(table, "ahead", days=2)
    table.clock.passes(days=-400)
    with table.database.transaction() as work:
        work.timers.bring_forward(table.clock())
    assert {row["due_at"] for row in table.rows("due")} == {START + timedelta(days=2)}
    assert {row["since"] for row in table.rows("due")} == {START}


def test_the_loop_does_what_comes(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fine(tick: Tick) -> str:
        done.append(tick.timer.about)
        return "done"

    monkeypatch.setattr(jobs, "HANDLERS", {KIND: fine})
    monkeypatch.setattr("pbm.service.running.rounds.LOOK_AGAIN", PATIENCE)

    async def play() -> None:
        threads = Threads()
        threads.may_go_on.set()
        writer = Writer(table.database, threads.run)
        timer_set = asyncio.Event()
        loop = asyncio.create_task(
            keep_time(table.ticks, threads.run, writer, timer_set, lambda: None)
        )
        async with asyncio.timeout(PATIENCE):
            for about in ("one", "two"):
                await threads.run(lambda about=about: sets(table, about))
                timer_set.set()
                while about not in done:
                    await asyncio.sleep(0.01)
        await writer.idle()
        loop.cancel()
        await asyncio.wait([loop])
        threads.pool.shutdown()

    asyncio.run(play())
    assert done == ["one", "two"]


def test_another_process_passes_over_what_one_has_in_hand(table: Table) -> None:
    if table.database.embedded:
        return  # where there is one process
    sets(table, "one")
    sets(table, "two")
    with table.database.transaction() as work, table.database.transaction() as other:
        (first,) = work.timers.claim(table.clock(), 1)
        (second,) = other.timers.claim(table.clock(), 2)
        assert (first.about, second.about) == ("one", "two")
        assert other.timers.claim(table.clock(), 2) == (second,)


def time_lost(work: UnitOfWork, since: datetime, until: datetime) -> timedelta:
    """How much of a stretch of time is given back."""
    calendar = Calendar(ZoneInfo("UTC"), stopped=tuple(outages(work, until)))
    return until - since - calendar.elapsed(since, until)


class TestDowntime:
    def test_what_a_listener_missed_is_added_up(self, table: Table) -> None:
        heart = Heart(table.clock, [LISTEN])
        for seconds in (0, 20, 20, 3600, 20, 59, 600):
            table.clock.passes(seconds=seconds)
            with table.database.transaction() as work:
                heart.beat(work)
        with table.database.reading() as work:
            lost = time_lost(work, START, table.clock())
            assert lost == timedelta(seconds=3600 + 600)
            since = START + timedelta(seconds=1840)
            assert time_lost(work, since, table.clock()) == timedelta(seconds=1800 + 600)
            later = table.clock() + timedelta(hours=2)
            assert time_lost(work, START, later) == lost + timedelta(hours=2)

    def test_a_clock_that_was_ahead_was_no_downtime(self, table: Table) -> None:
        table.person("dave@example.org").writes("hello")
        for days in (0.0, 400.0, -399.0):
            table.clock.passes(days=days)
            with table.database.transaction() as work:
                note_listening(work, table.clock())
        assert table.rows("questions")[0]["expires_at"] == START + timedelta(days=3 + 1)
        with table.database.transaction() as work:
            assert time_lost(work, START, table.clock()) == timedelta(days=1)
            table.clock.passes(seconds=50)
            note_listening(work, table.clock())
            assert time_lost(work, START, table.clock()) == timedelta(days=1)

    def test_other_roles_do_not_count(self, table: Table) -> None:
        with table.database.transaction() as work:
            Heart(table.clock, [POST]).beat(work)
            assert work.facts.find(LISTENING) is None
            note_listening(work, table.clock())
            assert time_lost(work, START, START) == timedelta()
