"""Rates: on both databases the same, and no token taken twice."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from pbm.store.db import Database
from pbm.store.repositories.buckets import Rate
from tests.table import Table

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
A, B = Rate("a", 1, HOUR), Rate("b", 1, HOUR)


def take(
    database: Database,
    key: str = "k",
    *,
    capacity: int = 10,
    after: timedelta = timedelta(),
    wait: bool = True,
) -> bool:
    with database.transaction() as work:
        return Rate(key, capacity, HOUR).take(work, NOW + after, wait=wait)


def taken(database: Database, tries: int, *, after: timedelta = timedelta()) -> int:
    return sum(take(database, after=after) for _ in range(tries))


def test_a_full_bucket_holds_its_capacity(database: Database) -> None:
    assert [take(database) for _ in range(12)] == [True] * 10 + [False] * 2


def test_keys_have_buckets_of_their_own(database: Database) -> None:
    assert taken(database, 11) == 10
    assert take(database, "another")


@pytest.mark.parametrize(("minutes", "tokens"), [(5, 0), (6, 1), (12, 2), (30, 5), (600, 10)])
def test_it_fills_with_time_and_never_beyond(database: Database, minutes: int, tokens: int) -> None:
    assert taken(database, 10) == 10
    assert taken(database, 12, after=timedelta(minutes=minutes)) == tokens


def test_a_try_that_fails_costs_nothing(database: Database) -> None:
    assert taken(database, 10) == 10
    for minute in range(6):
        assert not take(database, after=timedelta(minutes=minute))
    assert take(database, after=timedelta(minutes=6))


def test_a_clock_that_goes_back_fills_nothing(database: Database) -> None:
    assert taken(database, 10) == 10
    assert not take(database, after=-HOUR)
    assert not take(database, after=timedelta(minutes=5))
    assert take(database, after=timedelta(minutes=6))


def test_a_clock_that_goes_back_takes_what_is_there(database: Database) -> None:
    assert take(database)
    assert taken(database, 12, after=-HOUR) == 9
    assert taken(database, 12, after=timedelta(minutes=6)) == 1


def test_what_is_undone_was_not_taken(database: Database) -> None:
    with database.transaction() as work, suppress(ZeroDivisionError), work.savepoint():
        assert Rate("k", 1, HOUR).take(work, NOW)
        raise ZeroDivisionError
    assert take(database, capacity=1)
    assert not take(database, capacity=1)


def test_many_at_once_take_no_more_than_there_is(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: take(database), range(40))) == 10


def test_a_bucket_without_room_is_refused(database: Database) -> None:
    with pytest.raises(ValueError, match="a token at least"):
        take(database, capacity=0)


def test_a_bucket_that_takes_too_long_to_fill_is_refused(database: Database) -> None:
    with database.transaction() as work, pytest.raises(ValueError, match="within 7 days"):
        Rate("k", 1, timedelta(days=8)).take(work, NOW)


def test_without_waiting_it_is_counted_alike(database: Database) -> None:
    assert [take(database, wait=False) for _ in range(12)] == [True] * 10 + [False] * 2
    assert not take(database)
    assert take(database, wait=False, after=timedelta(minutes=6))
    assert not take(database, wait=False, after=timedelta(minutes=6))


def test_nobody_waits_for_what_another_counts(shared: Table) -> None:
    with shared.database.transaction() as one, shared.database.transaction() as other:
        assert A.take(one, NOW, wait=False)
        assert B.take(other, NOW, wait=False)
        assert B.take(one, NOW, wait=False)  # not counted, and not waited for
        assert A.take(other, NOW, wait=False)
    with shared.database.transaction() as one, shared.database.transaction() as other:
        assert not A.take(one, NOW, wait=False)
        assert not A.take(other, NOW, wait=False)  # it is empty all the same


def test_it_can_be_asked_whether_one_is_empty(database: Database) -> None:
    def is_empty(after: timedelta = timedelta()) -> bool:
        with database.reading() as work:
            return Rate("k", 10, HOUR).is_empty(work, NOW + after)

    assert not is_empty()
    assert taken(database, 9) == 9
    assert not is_empty()
    assert take(database)
    assert is_empty()
    assert is_empty(-HOUR)
    assert is_empty(timedelta(minutes=5))
    assert not is_empty(timedelta(minutes=6))


def test_it_can_be_asked_which_were_taken_from(database: Database) -> None:
    take(database, "a")
    take(database, "b", after=HOUR)
    with database.reading() as work:
        asked = [work.buckets.taken_since(["a", "b", "c"], NOW + after) for after in (-HOUR, HOUR)]
        assert work.buckets.taken_since(["a", "b", "c"], NOW) == 1
    assert asked == [2, 0]


def test_full_buckets_are_forgotten(database: Database) -> None:
    assert taken(database, 10) == 10
    take(database, "young", after=timedelta(days=1))
    with database.transaction() as work:
        work.buckets.forget_full(NOW + timedelta(days=7, seconds=1))
        assert work.buckets.taken_since(["k", "young"], NOW - HOUR) == 1
    assert take(database, after=timedelta(days=8))
