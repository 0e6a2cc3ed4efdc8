"""Vacations: said before, taken by themselves, and weekends that do not count."""

from datetime import date, timedelta

import pytest

from tests.conversations.test_clocks import begun, plays_next
from tests.table import Table


def still_played(table: Table, days: float) -> None:
    """Check that the board is played on for so many days, and not a day longer."""
    table.days_pass(days - 0.1)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert not table.board(1).playing


@pytest.mark.on_postgresql
def test_no_clock_runs_in_a_vacation(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("vacation 2026-12-01 2026-12-10").gets(1).hears(
        "You are away from 2026-12-01 to 2026-12-10, both days included",
        "You have 30 days a year: 19 of 2026 and 30 of 2027 are left.",  # one went before
    )
    bob.hears_nothing()
    table.days_pass(9.7)  # it has begun at midnight, and has not lasted yet
    bob.hears_nothing()
    alice.forgets()
    table.days_pass(0.1)
    bob.gets(1).hears(
        "alice's move on board 1 (away until 2026-12-10)",
        "alice is away from 2026-12-01 to 2026-12-10; the clocks of alice stand still until then",
    )
    alice.hears_nothing()
    still_played(table, 31 - 9.8)


def test_words_about_being_away_are_asked_about(table: Table) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.writes("Away", "Hi,\n\nI'm on vacation until December 5th.").gets(1).hears(
        "Do you want to stop your clocks from 2026-11-21 to 2026-12-05? Reply yes"
    )
    alice.says("yes").hears("You are away from 2026-11-21 to 2026-12-05")
    alice.forgets().writes("", "ich bin nächste Woche im Urlaub").gets(1)
    alice.hears("Stop your clocks while you are away.")


def test_whoever_tells_the_others_of_being_away_reads_how_to_stop_the_clocks(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    way = 'To stop it, answer "vacation until december 5th".'
    bob.says("I'm on vacation until December 5th").gets(1).hears("Your clock runs on", way)
    alice.gets(1).hears("| I'm on vacation until December 5th")
    assert "Your clock runs on" not in alice.newest.text
    alice.says("a1-c3,b2\n\nich bin nächste Woche im Urlaub").hears('"help vacation" tells how')
    alice.forgets().says("How was your holiday?").gets(1)
    assert "Your clock runs on" not in alice.newest.text
    assert all("Your clock runs on" not in mail.text for mail in bob.arrived[-2:])
    bob.says("vacation until december 5th").hears("You are away from 2026-11-21 to 2026-12-05")


def test_back_ends_it(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("back").hears("You have no vacation that could end.")
    alice.says("vacation today 20d")
    table.days_pass(hours=6.1)
    bob.gets(1).hears("alice is away from 2026-11-21 to 2026-12-10")
    table.days_pass(days=5, hours=-6.1)
    alice.says("back").hears("Welcome back. Today still counts as a day of your vacation")
    table.days_pass(hours=6.1)
    bob.gets(1).hears("alice is back from vacation.")
    alice.says("back").hears("Today is the last day of your vacation")
    still_played(table, 16 + 5.5 - 6.1 / 24)  # half a day and five days do not count


def test_going_back_and_forth_gains_nothing(table: Table) -> None:
    """Each day costs one of the year, and the others hear of none that has not lasted."""
    alice, bob = begun(table, "alice", "bob")
    for _ in range(4):
        alice.says("vacation today 2d").says("back")
        table.days_pass(0)
    bob.hears_nothing()
    alice.says("vacation").hears("- 2026-11-21 to 2026-11-21", "28 of 2026")
    table.days_pass(0.6)
    bob.hears_nothing()  # the vacation of tomorrow was dropped
    still_played(table, 21 + 0.5 - 0.6)


def test_one_to_come_can_be_dropped_unheard(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("vacation tomorrow 2d")
    alice.says("back").hears("The vacation that was to come is off.")
    still_played(table, 21)
    assert "away" not in bob.newest.text


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [(21.01, "2026-12-12", "2026-12-18"), (20.51, "2026-12-11", "2026-12-17")],
)
def test_it_is_taken_by_itself_once(table: Table, days: float, first: str, last: str) -> None:
    """The second runs out at midnight, so that its day is the one before."""
    alice, bob = begun(table, "alice", "bob", vacation=True)
    if days < 21:
        alice.says("set timezone Etc/GMT+12").forgets()  # where it is midnight now
    table.days_pass(21.01)
    assert table.board(1).playing
    taken = "Your time has run out. So 7 days of this year's vacation were taken for you"
    alice.hears(f"{taken}, up to {last}.")
    bob.gets(1).hears(
        f"alice's move on board 1 (away until {last})", "That happens once on a board"
    )
    alice.says("vacation").hears(f"- {first} to {last}, taken by itself on board 1", "23 of 2026")
    still_played(table, 6.99)
    alice.hears("(24 hours)", "This board has waited for your move")


@pytest.mark.parametrize("options", ["-nagtime=20d", "-nagtime=19d", "-forfeittime=4d -nagtime=3d"])
def test_after_it_the_last_reminder_comes_once_more(table: Table, options: str) -> None:
    """No reminder comes so early that a look at the clock would note that its time is to come."""
    alice, _ = begun(table, "alice", "bob", options=options, vacation=True)
    table.days_pass(4.01 if "forfeit" in options else 21.01)
    alice.hears("So 7 days of this year's vacation were taken for you").forgets()
    table.days_pass(5.9)
    alice.hears_nothing()
    table.days_pass(0.2)
    alice.gets(1).hears("(24 hours)", "This board has waited for your move")
    still_played(table, 0.9)


def test_back_ends_what_was_taken_by_itself(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob", vacation=True)
    table.days_pass(22)
    bob.forgets()
    alice.says("back").hears("Welcome back.")
    table.days_pass(0.5)
    bob.gets(1).hears("alice is back from vacation.")
    still_played(table, 0.5)  # it was taken there before


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("vacation 2026-11-21 2026-12-18", "2 days"),  # of which 28 are said
        ("vacation 2026-11-21 2026-12-20", None),
    ],
)
def test_what_is_left_of_the_year_is_taken(table: Table, said: str, taken: str | None) -> None:
    alice, _ = begun(table, "alice", "bob", vacation=True)
    alice.says(said).says("back")
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        first, last = (date.fromisoformat(day) for day in said.split()[1:])
        work.vacations.add(
            player.id, date(2026, 1, 1), date(2026, 1, 1) + (last - first - timedelta(days=1))
        )
    alice.forgets()
    table.days_pass(21.6)
    if taken is None:
        assert not table.board(1).playing
    else:
        alice.hears(f"So {taken} of this year's vacation were taken for you")
        assert table.board(1).playing


def test_none_is_taken_before_a_first_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.days_pass(8)
    bob.hears("alice did not make a first move within seven days.")
    assert not table.rows("vacations")
    alice.says("vacation").hears("You have no vacation to come.", "30 of 2026 and 30 of 2027")


def test_a_first_move_may_be_made_after_a_vacation(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("vacation today 10d").forgets()
    table.days_pass(16)
    alice.hears("Please make it by 2026-12-07 24:00 (UTC)")
    assert table.board(1).playing
    table.days_pass(0.9)
    bob.hears("alice did not make a first move within seven days.")


def test_it_is_told_on_every_board_that_waits(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    table.begins("alice", "bob", times=12)
    table.begins("bob", "alice")
    alice.says("vacation today 3d").gets(1).forgets()
    table.days_pass(hours=6.2)
    alice.hears_nothing()
    told = bob.gets(1).newest.text
    assert [f"Abalone Board {number}:" in told for number in range(1, 14)] == [True] * 12 + [False]
    assert told.count("alice is away from 2026-11-21 to 2026-11-23") == 12
    assert not [row for row in table.rows("due") if row["kind"] == "vacation"]


def test_who_moves_to_another_zone_is_away_later(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("vacation tomorrow 2d").says("set timezone Pacific/Honolulu").forgets()
    table.days_pass(1.1)
    bob.hears_nothing()
    table.days_pass(0.1)
    bob.gets(1).hears("alice is away from 2026-11-22 to 2026-11-23")
    still_played(table, 23 - 1.2)


def test_a_day_ends_in_the_zone_in_which_it_began(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("set timezone Pacific/Kiritimati")  # where it is two in the morning
    alice.says("vacation 1").says("set timezone Pacific/Pago_Pago")
    table.days_pass(0.9)
    bob.says("show 1").hears("alice's move on board 1 (away until 2026-11-21); nothing to do.")
    table.days_pass(0.1)
    bob.says("show 1").hears("alice's move on board 1; nothing to do.")
    alice.says("back").hears("You have no vacation that could end.")
    alice.says("vacation today 1d").hears("- 2026-11-22 to 2026-11-22", "28 of 2026")
    table.days_pass(20.91)
    assert table.board(1).playing
    table.days_pass(0.01)
    assert not table.board(1).playing


@pytest.mark.parametrize(("options", "days"), [("-totaltime=8d", 8), ("-bank=6d+1d", 6)])
def test_it_uses_nothing_of_a_total_or_a_bank(table: Table, options: str, days: int) -> None:
    people = alice, bob = begun(table, "alice", "bob", options=options)
    alice.says("vacation tomorrow 5d").forgets()
    table.days_pass(5.5)  # half a day is used
    plays_next(table, people)
    plays_next(table, people)
    still_played(table, days - (0 if "bank" in options else 0.5))  # a bank was filled again
    assert bob.arrived


def test_thirty_days_a_year(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("vacation 2026-12-01 2027-01-30")
    alice.hears("You have 30 days of vacation a year, and 30 of 2026 are left.")
    alice.says("vacation 2026-12-10 2027-01-10").hears("You are away from 2026-12-10")
    alice.says("vacation 1.12. 9.12.")
    alice.hears("You have 30 days of vacation a year, and 8 of 2026 are left.")
    alice.says("vacation 2.12. 9.12.").hears("You are away from 2026-12-02 to 2026-12-09")
    alice.says("vacation 3.12. 8.12.").hears("You are away from 2026-12-03 to 2026-12-08")
    alice.says("vacation").hears(
        "Your vacations: - 2026-12-02 to 2027-01-10 You have", "none of 2026 and 20 of 2027"
    )
    alice.says("vacation 29.12. 1.2.").hears("and 20 of 2027 are left.")
    alice.says("vacation 29.12. 30.1.").hears("none of 2026 and none of 2027 are left.")
    assert len(table.rows("vacations")) == 1


def test_a_number_alone_is_as_many_days(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("vacation 5").hears("You are away from 2026-11-21 to 2026-11-25, both days included")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("vacation soon later", '"soon" is not a day. Write it as 2026-12-24'),
        ("vacation 2026-12-24", "Something is missing: the last day."),
        ("vacation 30.2. 3.3.", '"30.2." is not a day.'),
        ("vacation 5/12 12/12", '"5/12" can be read in two ways. Name the month, such as 5 Dec'),
        ("vacation 2026-12-24 2026-12-26 2026-12-28", "is not a day."),
        ("vacation 2026-01-01 2026-01-10", "cannot be: today is 2026-11-21."),
        ("vacation 2026-12-24 2026-12-20", "cannot be: today is 2026-11-21."),
        ("vacation 2030-12-24 2030-12-28", "cannot be: today is 2026-11-21."),
        ("vacation 24.12. 20.12.", "from 2026-12-24 to 2027-12-20 cannot be"),
        ("vacation 367", "is not a day."),
        ("set weekend no", "weekend"),
    ],
)
def test_days_that_cannot_be(table: Table, line: str, told: str) -> None:
    table.joins("alice").says(line).hears(told)
    assert not table.rows("vacations")


def test_who_leaves_for_good_leaves_no_days(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("vacation tomorrow 3d")
    alice.says("delete").says("yes")
    assert not table.rows("vacations")
    table.days_pass(2)
    assert not [row for row in table.rows("due") if row["kind"] == "vacation"]


def test_weekends_off(table: Table) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.says("set weekends off").hears("stand still on Saturdays and Sundays")
    table.days_pass(28.4)  # it is a Saturday; of four weeks eight days do not count
    assert table.board(1).playing
    alice.says("set weekend on").hears("would let your time on board 1 run out at once")
    assert table.player("alice").settings.weekend is False
    table.days_pass(3)
    assert not table.board(1).playing


def test_weekends_on_again(table: Table) -> None:
    alice, _ = begun(table, "alice", "bob")
    alice.says("weekend off").hears("stand still on Saturdays and Sundays")
    table.days_pass(20)
    alice.says("set weekend on").hears("run on Saturdays and Sundays, too")
    still_played(table, 1)


def test_what_is_taken_right_before_another_is_told_with_its_end(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob", vacation=True)
    table.days_pass(20)
    alice.says("vacation 2026-12-19 2026-12-24")
    table.days_pass(1.01)
    bob.gets(1).hears("alice's move on board 1 (away until 2026-12-24)")
    table.days_pass(10)
    bob.hears_nothing()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["2026-11-24 2026-11-30", "2026-11-28 2026-12-05"], {3: "2026-11-24 to 2026-12-05"}),
        (["2026-11-28 2026-12-05", "2026-11-24 2026-12-10"], {3: "2026-11-24 to 2026-12-10"}),
        (["today 3d", "tomorrow 9d"], {0: "2026-11-21 to 2026-11-30"}),
        (["today 3d", "", "tomorrow 9d"], {0: "21 to 2026-11-23", 3: "2026-11-24 to 2026-11-30"}),
    ],
)
def test_vacations_that_touch_are_told_as_one(
    table: Table, said: list[str], told: dict[int, str]
) -> None:
    alice, bob = begun(table, "alice", "bob")
    for days in said:
        if days:
            alice.says(f"vacation {days}")
        else:
            table.days_pass(0.3)
    for day in range(20):
        table.days_pass(0.3)
        bob.gets(1 if day in told else 0).hears(told.get(day, ""))
        table.days_pass(0.7)
