"""Vacations: said before, taken by themselves, and weekends that do not count."""

import pytest

from tests.conversations.test_clocks import begun
from tests.table import Table


@pytest.mark.both_databases
def test_no_clock_runs_in_a_vacation(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("vacation 2026-12-01 2026-12-10").hears(
        "You are away from 2026-12-01 to 2026-12-10, both days included",
        "You have 30 days a year",
    )
    bob.gets(1).hears("alice is away from 2026-12-01 to 2026-12-10; until then no time runs out")
    table.days_pass(30.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert not table.board(1).playing


def test_back_ends_it(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("back").hears("You have no vacation that could end.")
    alice.says("vacation today 20d")
    bob.forgets()
    table.days_pass(5)
    alice.says("back").hears("Your vacation is over, and your clocks run again.")
    bob.gets(1).hears("alice is back from vacation.")
    table.days_pass(20.4)  # half a day and four days were not counted
    assert table.board(1).playing
    table.days_pass(0.2)
    assert not table.board(1).playing


def test_it_is_taken_by_itself_once(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob", vacation=True)
    table.days_pass(21.02)
    told = (
        "alice's time has run out. So we have taken what is left of this year's vacation for alice"
    )
    alice.hears(told, "up to 2026-12-18; that happens once on a board.")
    bob.gets(1).hears(told)
    table.days_pass(6.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert not table.board(1).playing


def test_thirty_days_a_year(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("vacation 2026-12-01 2027-01-30")
    alice.hears("You have 30 days of vacation a year, and 30 of 2026 are left.")
    alice.says("vacation 2026-12-10 2027-01-10").hears("You are away from 2026-12-10")
    alice.says("vacation 1.12. 9.12.")
    alice.hears("You have 30 days of vacation a year, and 8 of 2026 are left.")
    alice.says("vacation 2.12. 9.12.").hears("You are away from 2026-12-02 to 2026-12-09")
    alice.says("vacation 3.12. 8.12.").hears("You are away from 2026-12-03 to 2026-12-08")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("vacation soon later", '"soon" is not a day. Write it as 2026-12-24'),
        ("vacation 2026-12-24", "Something is missing there: the last-day."),
        ("vacation 2026-01-01 2026-01-10", "cannot be: today is 2026-11-21."),
        ("vacation 2026-12-24 2026-12-20", "cannot be: today is 2026-11-21."),
        ("vacation 2030-12-24 2030-12-28", "cannot be: today is 2026-11-21."),
    ],
)
def test_days_that_cannot_be(table: Table, line: str, told: str) -> None:
    table.joins("alice").says(line).hears(told)


def test_weekends_off(table: Table) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.says("set weekend off").hears("stand still on Saturdays and Sundays")
    table.days_pass(28.4)  # it is a Saturday; of four weeks eight days do not count
    assert table.board(1).playing
    table.days_pass(3)
    assert not table.board(1).playing
