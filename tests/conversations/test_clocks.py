"""Clocks: reminders, forfeits, and what stops them; months pass in milliseconds."""

from datetime import timedelta

import pytest

from tests.conversations.playing import plays
from tests.table import START, Person, Table

YESTERDAY = START.date() - timedelta(days=1)


def begun(table: Table, *names: str, options: str = "", vacation: bool = False) -> list[Person]:
    """A board on which everybody has made a first move; it is the first player's turn.

    Without `vacation` none is taken by itself there any more.
    """
    people = [table.joins(name) for name in names]
    others = " ".join(names[1:]) if len(names) == 2 else " ".join(("me", *names[1:]))
    people[0].says(f"challenge {others} {options}".strip())
    plays(table, people, 1, plies=len(names))
    with table.database.transaction() as work:
        for seat in () if vacation else work.boards.get(1).seats:
            work.vacations.add(seat.player_id, YESTERDAY, YESTERDAY, 1)
    for person in people:
        person.forgets()
    return people


def plays_next(table: Table, people: list[Person]) -> None:
    plays(table, people, 1, plies=1)
    for person in people:
        person.forgets()


@pytest.mark.on_postgresql
def test_reminders_and_a_forfeit(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    since = "This board has waited for your move since 2026-11-21 12:00 (UTC)."
    by = "Please make it by 2026-12-12 12:00 (UTC); after that you are out of the game."
    for days in (3, 4, 7, 6):  # days 3, 7, 14 and 20
        table.days_pass(days - 0.01)
        alice.hears_nothing()
        table.days_pass(0.02)
        alice.gets(1).hears("Reminder: your turn on board 1, by Sat 12 December", since, by)
        told = " ".join(alice.newest.text.split())
        another = 'write a new mail to pbm@games.example with the subject "move 1 '
        assert (another in told) == (days in (7, 6))  # after half the time
        table.days_pass(-0.01)
    bob.hears_nothing()
    table.days_pass(0.99)
    assert table.board(1).playing
    table.days_pass(0.02)
    alice.gets(1).hears("Board 1 is over: you lost.")
    bob.gets(1).hears("Board 1 is over: you win.", "alice ran out of time")
    assert [item.how for item in table.departures(1)] == ["forfeited"]
    bob.forgets()
    table.days_pass(100)
    bob.hears_nothing()
    assert not [row for row in table.rows("due") if row["board_id"]]


def test_a_move_begins_the_time_of_the_next_player(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(2)
    plays_next(table, [alice, bob])
    table.days_pass(2.9)
    bob.hears_nothing()
    alice.hears_nothing()
    table.days_pass(0.2)
    bob.gets(1).hears("since 2026-11-23 12:00 (UTC)")


def test_with_more_players_the_others_play_on(table: Table) -> None:
    people = _, bob, carol = begun(table, "alice", "bob", "carol", options="-bowl")
    table.days_pass(14.02)
    bob.gets(1).hears("Your move on board 1", "alice ran out of time")
    carol.gets(1)
    assert table.board(1).playing
    for person in people:
        person.forgets()
    table.days_pass(14.02)
    carol.hears("Board 1 is over: you win.")


def test_an_outage_gives_the_time_back(table: Table) -> None:
    alice, _bob = begun(table, "alice", "bob")
    table.is_down(10)
    table.days_pass(12)
    assert table.board(1).playing
    table.days_pass(8.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert not table.board(1).playing
    alice.hears("Board 1 is over: you lost.")


def test_who_cannot_be_reached_does_not_forfeit(table: Table) -> None:
    _, bob = begun(table, "alice", "bob")
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.players.change(
            player.id, bounces=5, bounced_at=table.clock(), unreachable_since=table.clock()
        )
    table.days_pass(40)
    assert table.board(1).playing
    bob.hears_nothing()


@pytest.mark.parametrize(
    ("options", "days"),
    [
        ("-forfeittime=10d", 10),
        ("--forfeittime=2w --nagtime=5d,8d", 14),
        ("-totaltime=8d", 8),
        ("-bank=6d+1d", 6),
    ],
)
def test_chosen_times(table: Table, options: str, days: float) -> None:
    begun(table, "alice", "bob", options=options)
    table.days_pass(days - 0.01)
    assert table.board(1).playing
    table.days_pass(0.02)
    assert not table.board(1).playing


def test_a_bank_is_filled_with_each_move(table: Table) -> None:
    people = begun(table, "alice", "bob", options="-bank=6d+1d")
    table.days_pass(4)
    plays_next(table, people)  # alice has 2 + 1 days now
    plays_next(table, people)
    table.days_pass(2.99)
    assert table.board(1).playing
    table.days_pass(0.02)
    assert table.board(1).winners == (2,)


@pytest.mark.on_postgresql
def test_a_take_back_gives_back_the_time_of_each_move(table: Table) -> None:
    alice, bob = people = begun(table, "alice", "bob", options="-bank=6d+1d -totaltime=60d")
    table.days_pass(1)
    plays_next(table, people)
    kept = clocks(table)
    for days in (4, 3):
        table.days_pass(days)
        plays_next(table, people)
    alice.says("give 2d\n")
    given = [(kept[0][0], kept[0][1]), (kept[1][0] - 2 * 86400, kept[1][1] + 2 * 86400)]
    bob.says("takeback")
    alice.says("accept takeback")  # of bob's move, and of alice's after it
    assert table.board(1).ply == 3
    assert clocks(table) == given


def clocks(table: Table) -> list[tuple[int, int]]:
    """What each player has used, and what is in the banks, which are full to begin with."""
    full = 6 * 86400
    seats = table.board(1).seats
    return [(seat.used, full if seat.banked is None else seat.banked) for seat in seats]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            "-forfeittime=soon",
            'I cannot read "soon" as a length of time. Write, for example, 10d (ten days)',
        ),
        (
            "-forfeittime=1d",
            '"1d" cannot be chosen here; it may be 2 days to 365 days. A reminder is to come a day '
            "before the end.",
        ),
        ("-bank=2h+1h", '"2h" cannot be chosen here; it may be 2 days to 3650 days. A reminder'),
        ("-bank=2d+1m", '"1m" cannot be chosen here; it may be 1 hour to 3650 days.'),
        ("-bank=1d+2d+3d", 'I cannot read "1d+2d+3d" as a length of time.'),
    ],
)
def test_times_that_cannot_be(table: Table, options: str, told: str) -> None:
    alice = table.joins("alice")
    table.joins("bob")
    alice.says(f"challenge bob {options}").hears(told)
    assert not table.boards()


def test_days_are_those_of_the_player(table: Table) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.says("set timezone Europe/Berlin").forgets()
    table.days_pass(3.01)
    alice.hears("by 2026-12-12 13:00 (Europe/Berlin)")


@pytest.mark.parametrize(("used", "told", "left"), [(7.5, "12 hours", 1.25), (5, "3 days", 3)])
def test_little_time_ends_when_it_is_said(
    table: Table, used: float, told: str, left: float
) -> None:
    """Who has less than two days left is reminded halfway, and has a day from then."""
    people = alice, bob = begun(table, "alice", "bob", options="-totaltime=8d")
    table.days_pass(used)
    plays_next(table, people)
    plays(table, people, 1, plies=1)
    end = table.clock() + timedelta(days=left)
    by = f"by {end:%a} {end.day} {end:%B}"
    alice.hears(f"bob moved: your turn on board 1, {by}", f"- alice: {told}")
    table.days_pass(left - 1.01)
    alice.hears_nothing()
    table.days_pass(0.02)
    alice.gets(1).hears(
        f"Reminder: your turn on board 1, {by}, {end:%H:%M} UTC", f"by {end:%Y-%m-%d %H:%M} (UTC)"
    )
    table.days_pass(0.98)
    bob.forgets()
    assert table.board(1).playing
    table.days_pass(0.02)
    assert table.board(1).winners == (2,)
