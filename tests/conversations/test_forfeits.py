"""Who runs out of time: what the mails say of it, who may claim it, and when it does not come."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbm.service.operator import boards
from pbm.service.operator.operator_session import OperatorSession
from tests.conversations.playing import board_mail, plays
from tests.conversations.test_bounces import report
from tests.conversations.test_clocks import begun, plays_next
from tests.table import Person, Table


def bounces(table: Table, handle: str, *, at_all: bool = True) -> None:
    """Let mail to a player come back from now on, or arrive."""
    with table.database.transaction() as work:
        player = work.players.by_handle(handle)
        assert player is not None
        moment = table.clock() if at_all else None
        work.players.change(
            player.id, bounces=5 * at_all, bounced_at=moment, unreachable_since=moment
        )


def refused(table: Table, person: Person) -> None:
    """Let the server of a player report that it does not take the newest mail."""
    assert "came back (hard)" in report(table, person.newest, "exim-unknown-user")


def test_a_move_after_it_is_told_so(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(21.02)
    told = "You ran out of time on board 1, on Sat 2026-12-12 12:0"
    alice.hears("You ran out of time and are out of the game.").says("a1-c3,b2")
    alice.gets(1).hears(told, "Board 1 is over: you lost.")
    alice.says("resign 1").hears(told)
    bob.says("resign 1").hears("Board 1 is over.")


def test_so_it_is_where_others_play_on(table: Table) -> None:
    alice, bob, carol = begun(table, "alice", "bob", "carol", options="-bowl")
    for person in (alice, bob):
        person.says("set mails turn").forgets()
    table.days_pass(14.02)
    for person in (alice, bob, carol):
        person.hears(" ran out of time and ", " out of the game.")
    alice.says("a1-c3,b2", answering=board_mail(alice, 1)).gets(1)
    alice.hears(
        "You ran out of time on board 1", "and the others play on.", "bob's move on board 1"
    )


def test_a_partner_plays_on_for_who_ran_out_of_time(table: Table) -> None:
    people = begun(table, "alice", "bob", "carol", "dave", options="-teams")
    table.days_pass(14.02)
    for person in people:
        person.hears(" ran out of time and ", " out of the game.")
    people[2].forgets()
    plays(table, people, plies=4)
    people[2].hears("You played", "dave moved: your turn on board 1, for alice, by")


@pytest.mark.parametrize(("late", "wins"), [(-0.001, None), (0.0005, None), (0.02, (2,))])
def test_what_counts_is_when_a_move_arrived(
    table: Table, late: float, wins: tuple[int, ...] | None
) -> None:
    """It counts until the player is out; the timer comes a minute after the end."""
    alice, _ = begun(table, "alice", "bob")
    table.days_pass(21 + late)
    to = board_mail(alice, 1).reply_to
    table.hand_in(alice.address, to, alice.mail_bytes("", "a1-c3,b2", to=to))
    table.days_pass(0.5)
    assert table.board(1).winners == wins
    table.runs()
    assert (table.board(1).ply == 3) is (wins is None)


def test_nobody_forfeits_whom_no_reminder_reached(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "posts", lambda: None)  # the next server takes nothing
        table.days_pass(31)
    bob.hears_nothing()
    assert table.board(1).playing
    table.posts()
    alice.hears("after that you are out of the game.")
    table.days_pass(0.99)
    assert table.board(1).playing
    table.days_pass(0.3)
    assert not table.board(1).playing


@pytest.mark.on_postgresql
def test_others_may_claim_where_mail_comes_back(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(1)
    bob.says("Hello!").forgets()
    refused(table, alice.forgets())
    table.days_pass(1.1)
    bob.gets(1).hears(
        "alice's move on board 1 (mail to alice comes back); nothing to do.",
        "Meanwhile the clock of alice stands still, but for no more than 30 days in one game. The "
        "time for this move runs out on Mon 2027-01-11 12:00 UTC at the earliest. After that you",
    ).says("claim").hears("You can claim board 1 once a mail says", "on Mon 2027-01-11 12:00 UTC")
    table.days_pass(48.8)
    bob.hears_nothing()
    table.days_pass(0.2)
    bob.gets(1).hears(
        "alice's move on board 1 (mail to alice comes back), and the time is over; you may claim.",
        "alice's time has run out. Mail to alice comes back",
        'answer "claim" to take alice out of the game, or wait.',
    )
    carol = table.joins("carol").says("show 1").hears("and the time is over; nothing to do.")
    assert "claim" not in carol.newest.text
    table.days_pass(20)
    bob.hears_nothing()
    assert table.board(1).playing
    bob.says("claim").hears("Board 1 is over: you win.", "You claimed it: alice ran out of time")
    assert [item.how for item in table.departures(1)] == ["forfeited"]


def test_a_claim_opens_when_it_was_said(table: Table) -> None:
    """No vacation is taken by itself meanwhile; it is once mail arrives again."""
    alice, bob = begun(table, "alice", "bob", vacation=True)
    refused(table, alice)
    table.days_pass(1.01)
    bob.gets(1).hears("on Mon 2027-01-11 12:00 UTC at the earliest")
    table.days_pass(49.99)
    bob.hears_nothing()
    table.days_pass(0.01)
    bob.gets(1).hears("you may claim")
    alice.forgets().says("Here I am!", answering=board_mail(alice, 1))
    table.days_pass(1.1)
    alice.hears("7 days of this year's vacation were taken for ")
    bob.says("claim 1").hears("A draw cannot be claimed")


def test_who_can_be_reached_again_has_the_time_that_was_left(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(10)
    bounces(table, "alice")
    table.days_pass(8)
    alice.forgets().says("Here I am!", answering=board_mail(alice, 1))
    bob.hears("| Here I am!")
    alice.hears("Your move on board 1, by Sun 20 December (11 days).")
    table.days_pass(1.1)
    bob.hears("Mail to alice came back for a while.")
    table.days_pass(9.8)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).winners == (2,)


def test_who_comes_back_too_late_is_warned_before_it_ends(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(4)
    bounces(table, "alice")
    table.days_pass(60)
    bob.hears("alice's time has run out.")
    alice.forgets().says("Here I am!", answering=board_mail(alice, 1))
    bob.forgets().says("claim 1").hears("A draw cannot be claimed on board 1 now")
    table.days_pass(0.1)
    alice.hears("by Mon 25 January, 12:00 UTC (24 hours).", "Please make it by 2027-01-25 12:00")
    table.days_pass(0.8)
    assert table.board(1).playing
    table.days_pass(0.5)
    assert table.board(1).winners == (2,)


def test_a_claim_is_for_whoever_was_told(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("claim").hears("A draw cannot be claimed on board 1 now")
    bounces(table, "alice")
    alice.says("claim 1", answering=board_mail(alice, 1)).hears("A draw cannot be claimed")


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Tokyo"])
def test_each_reads_by_when_in_the_own_time_zone(table: Table, zone: str) -> None:
    alice, bob = people = begun(table, "alice", "bob")
    alice.says(f"set timezone {zone}")
    plays_next(table, people)
    table.days_pass(18.5)
    bob.forgets().says("Sorry, a busy week.")
    alice.gets(1)
    local = {"Europe/Berlin": "13:00", "Asia/Tokyo": "21:00"}[zone]
    alice.hears(f"bob's move on board 1, by Sat 12 December, {local} (2 days); nothing to do.")
    bob.hears("Your move on board 1, by Sat 12 December, 12:00 UTC (2 days).")


def test_it_says_who_is_away(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("vacation today 10d")
    table.days_pass(0.3)
    away = "alice's move on board 1 (away until 2026-11-30); nothing to do."
    bob.hears(away).says("show 1").hears(away)
    alice.forgets().says("show 1").hears("your turn on board 1, by Mon 21 December (30")
    table.days_pass(11.7)
    alice.forgets()
    bob.forgets().says("Are you here again?").hears("alice's move on board 1; nothing to do.")
    alice.hears("by Mon 21 December (18 days)")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-forfeittime=365d", ["You have up to 365 days for a move. Whoever takes longer is out"]),
        (
            "-bank=30d+1d -nagtime=2d,5d",
            [
                "up to 3 weeks for a move, but never more than is left in your time bank. It "
                "begins with 30 days; each move you make adds 1 day, up to 30 days again.",
                "We remind you after 2 days and 5 days, and a day before the end. Whoever has less "
                "than 2 days left is reminded halfway, and has a day from then.",
                "Time left: - alice: 30 days - bob: 30 days",
            ],
        ),
        ("-nagtime=25d", ["is out of the game. We remind you a day before the end. A first move"]),
        ("-totaltime=8d", ["We remind you after 3 days, and a day before the end."]),
        ("-totaltime=60d", ["up to 3 weeks for a move, and 60 days for all your moves together."]),
    ],
)
def test_the_first_mail_has_the_chosen_terms(table: Table, options: str, said: list[str]) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says(f"challenge bob {options}").hears(*said)
    bob.hears(*said)
    plays(table, [alice, bob], plies=2)
    alice.forgets().says("show 1")
    if "forfeittime" in options:
        alice.hears("bob moved: your turn on board 1, by Sun 21 November 2027 (1 year).")


@pytest.mark.parametrize("again", ["rematch", "rounds", "invited"])
def test_terms_are_kept(table: Table, again: str) -> None:
    options = "-forfeittime=10d -nagtime=2d,36h -totaltime=60d -bank=30d+1d12h"
    alice = table.joins("alice")
    if again == "invited":
        alice.says(f"challenge carl@example.org {options}")
        carl = Person(table, "carl@example.org")
        carl.says("yes")
        kept = [table.board(1)]
    else:
        bob = table.joins("bob")
        alice.says(f"challenge bob {options} {'-rounds=2' if again == 'rounds' else ''}")
        alice.says("resign")
        if again == "rematch":
            bob.says("rematch")
        kept = [table.board(1), table.board(2)]
    day = int(timedelta(days=1).total_seconds())
    for board in kept:
        assert board.clock == {
            "each": 10 * day,
            "reminders": [36 * 3600, 2 * day],
            "total": 60 * day,
            "bank": 30 * day,
            "increment": 36 * 3600,
        }


def test_nobody_stops_a_clock_for_ever_by_coming_and_going(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    for days in (20, 20, 20):  # of which thirty count
        bounces(table, "alice")
        table.days_pass(days)
        alice.says("Mail works again.", answering=board_mail(alice, 1))
    table.days_pass(1)
    bounces(table, "alice")
    table.days_pass(1)
    bob.hears("alice's time has run out.").says("claim").hears("Board 1 is over: you win.")


def test_it_stands_still_for_thirty_days_of_a_whole_game(table: Table) -> None:
    people = alice, _ = begun(table, "alice", "bob")
    for days, left in ((20, 21), (20, 11), (20, 1)):
        bounces(table, "alice")
        table.days_pass(days)
        alice.forgets().says("Mail works again.", answering=board_mail(alice, 1))
        alice.hears(f"({left} days)" if left > 1 else "(24 hours)")
        plays_next(table, people)
        plays_next(table, people)
    assert table.board(1).playing


@pytest.mark.parametrize("options", ["-totaltime=10d", "-bank=10d"])
def test_time_for_all_moves_goes_on_while_mail_comes_back(table: Table, options: str) -> None:
    alice, bob = begun(table, "alice", "bob", options=options)
    bounces(table, "alice")
    table.days_pass(7)
    alice.forgets().says("Mail works again.", answering=board_mail(alice, 1))
    alice.hears("(3 days)", "- alice: 3 days")
    bounces(table, "alice")
    table.days_pass(3.1)
    bob.says("claim").hears("Board 1 is over: you win.")


@pytest.mark.parametrize("refuses", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_nobody_puts_off_the_end_by_reports_of_their_own(table: Table, *, refuses: bool) -> None:
    """After the end each of them brings a day for another reminder, which is counted."""
    alice, bob = begun(table, "alice", "bob")
    board = board_mail(alice, 1)
    table.days_pass(20.9)
    for _ in range(40):
        if refuses:
            refused(table, alice)
        else:
            bounces(table, "alice")
        alice.says("Mail works again.", answering=board)
        table.days_pass(0.9)
    if refuses:
        bob.says("claim")
    assert table.board(1).winners == (2,)


def test_an_awaited_first_move_has_its_time_back_as_well(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.days_pass(3)
    bounces(table, "alice")
    table.days_pass(10)
    alice.forgets().says("Here I am!", answering=board_mail(alice, 1))
    alice.hears("Your move on board 1, by Tue 8 December")
    table.days_pass(3.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).status == "closed"


def test_the_first_line_counts_the_days_of_who_is_to_move_first(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("set weekend off").says("vacation today to 2026-11-25")
    bob.says("show 1").hears("alice's move on board 1 (away until 2026-11-25); nothing to do.")
    alice.forgets().says("show 1").hears("Your move on board 1, by Fri 4 December")
    table.days_pass(13.4)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).status == "closed"


@pytest.mark.parametrize("act", [boards.undo, boards.reopen])
@pytest.mark.on_postgresql
def test_the_operator_lifts_a_forfeit(table: Table, act: Callable[..., object]) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.days_pass(21.02)
    alice.hears("Board 1 is over").forgets()
    bob.forgets()
    office = OperatorSession(table.database, table.site, table.clock, "root")
    act(office, 1, "a mail was lost here")
    table.posts()
    lifted = "alice is in the game again: the forfeit is lifted, and the clock starts anew."
    for person in (alice, bob):
        person.gets(1).hears(lifted)
    if act is boards.undo:
        plays_next(table, [alice, bob])
    table.days_pass(20.98)
    assert table.board(1).playing
    table.days_pass(0.05)
    assert [(item.how, item.spared) for item in table.departures(1)] == [("forfeited", False)]
    alice.hears("You ran out of time").gets(0)


@pytest.mark.parametrize(("minutes", "counts"), [(50, True), (70, False)])
def test_a_move_before_a_late_timer_counts(table: Table, minutes: int, counts: bool) -> None:
    """It does not matter whether it is read before the timer comes, unless that is very late."""
    alice, _ = begun(table, "alice", "bob")
    table.days_pass(20.99)
    table.clock.passes(days=0.01, minutes=minutes)  # and no timer is done
    to = board_mail(alice, 1).reply_to
    table.hand_in(alice.address, to, alice.mail_bytes("", "a1-c3,b2", to=to))
    table.days_pass(0)
    table.runs()
    assert (table.board(1).ply == 3) is counts
