"""Reminders of several boards: one mail, which counts for each of them."""

import asyncio
import re
from datetime import datetime, timedelta
from email import message_from_bytes

import pytest
from sqlalchemy import text

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Sent
from pbm.service.post.post import Composer, Post
from pbm.service.running.writer import Writer, here
from tests.conversations.playing import plays, plays_on
from tests.table import SERVER, Person, Table

_DAY = timedelta(days=1)


def begun_silently(table: Table, boards: int) -> list[Person]:
    """As many boards as `begun` makes, but no mail of theirs was ever written."""
    alice, bob = table.joins("alice"), table.joins("bob")
    table.begins("alice", "bob", times=boards)
    for number in range(1, boards + 1):
        plays_on(table, number, 2)
    return _without_vacations(table, alice, bob)


def begun(table: Table, *terms: str) -> list[Person]:
    """Boards of alice and bob, a day apart, on which it is alice's turn and both have moved."""
    alice, bob = table.joins("alice"), table.joins("bob")
    for number, chosen in enumerate(terms, 1):
        alice.says(f"challenge bob {chosen}".strip())
        plays(table, [alice, bob], number, plies=2)
    return _without_vacations(table, alice, bob)


def _without_vacations(table: Table, alice: Person, bob: Person) -> list[Person]:
    with table.database.transaction() as work:
        for number in work.boards.numbers():  # none is taken by itself there any more
            player = work.boards.get(number).seats[0].player_id
            work.vacations.add(
                player, table.clock().date() - _DAY, table.clock().date() - _DAY, number
            )
    for person in (alice, bob):
        person.forgets()
    return [alice, bob]


@pytest.mark.on_postgresql
def test_one_mail_reminds_of_all_boards(table: Table) -> None:
    alice, _bob = begun(table, "", "-forfeittime=10d", "")
    table.days_pass(3.01)
    alice.gets(1).hears(
        "Your games: 3 wait for your move",
        "Reminder: three boards wait for your move.",
        "- Board 2, with bob: has waited since 2026-11-21 12:00 (UTC); please move by 2026-12-01",
        "- Board 1, with bob: has waited since 2026-11-21 12:00 (UTC); please move by 2026-12-12",
        "Without a move by then you are out of that game.",
        "Abalone Board 2: alice v bob Your move on board 2",
    )
    text = alice.newest.text
    assert text.index("Board 2,") < text.index("Board 1,") < text.index("Board 3,")
    assert not alice.newest["List-Id"]
    alice.says("2 c4,c5\n1 c4,c5").gets(2)
    assert [table.board(number).ply for number in (1, 2, 3)] == [3, 3, 2]
    alice.forgets()
    table.days_pass(3)
    alice.hears_nothing()
    table.days_pass(15)
    assert not table.board(3).playing


def test_any_number_of_boards_is_one_mail(table: Table) -> None:
    alice, bob = begun(table, "")
    table.begins("alice", "bob", times=24)
    table.days_pass(2.01)
    alice.gets(1).hears(
        "Your games: 25 wait for your move",
        "please move by 2026-11-28 12:00 (UTC), or it is closed as if you had declined.",
        "more are not shown here",
    )
    alice.forgets()
    table.days_pass(4.9)
    alice.hears_nothing()
    assert len([number for number in table.boards() if table.board(number).playing]) == 25
    bob.forgets()
    table.days_pass(0.1)
    assert table.board(1).playing
    assert not [number for number in table.boards() if number > 1 and table.board(number).playing]
    assert bob.gets(1).newest.text.count("is closed.") == 24


@pytest.mark.parametrize("spare", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_time_that_runs_out_on_many_boards_is_told_in_one_mail(
    table: Table, *, spare: bool
) -> None:
    """Whether days of vacation are taken for it or not."""
    alice, bob = begun_silently(table, 30)
    if spare:
        with table.database.transaction() as work:
            work.execute(text("DELETE FROM vacations"))
    table.days_pass(20.1)
    told = ["write a new mail to pbm@" in " ".join(mail.text.split()) for mail in alice.arrived]
    assert told == [False, False, True, True]  # on days 3, 7, 14 and 20
    for person in (alice, bob):
        person.forgets()
    table.days_pass(1)
    for person, name in ((alice, "You"), (bob, "alice")):
        told = "days of this year's vacation were taken" if spare else f"{name} ran out of time"
        assert " ".join(person.gets(1).newest.text.split()).count(told) == 30


def test_boards_of_another_day_are_named_and_counted_by_themselves(table: Table) -> None:
    alice, bob = begun(table, "")
    table.days_pass(2.5)
    alice.says("challenge bob")
    plays(table, [alice, bob], 2, plies=2)
    alice.forgets()
    table.days_pass(0.6)
    alice.gets(1).hears("Reminder: two boards wait for your move.", "Board 2, with bob").forgets()
    assert (table.board(1).reminded, table.board(2).reminded) == (1, 0)
    table.days_pass(2.5)
    alice.gets(1).hears("two boards wait for your move.").forgets()
    assert (table.board(1).reminded, table.board(2).reminded) == (1, 1)


def test_who_was_not_reached_forfeits_none_of_them(table: Table) -> None:
    """Each board counts the mail that named it, once the next server has taken it for a day."""
    alice, bob = begun(table, "", "-forfeittime=4d")
    sends, table.posts = table.posts, lambda: None  # type: ignore[method-assign]  # nothing goes out
    table.days_pass(30)
    assert [table.board(number).playing for number in (1, 2)] == [True, True]
    table.posts = sends  # type: ignore[method-assign]  # it does again
    table.posts()
    assert 1 <= len(alice.arrived) < 6
    table.days_pass(0.9)
    assert [table.board(number).playing for number in (1, 2)] == [True, True]
    table.days_pass(0.5)
    assert [table.board(number).playing for number in (1, 2)] == [False, False]
    bob.hears("alice ran out of time")


def test_a_reminder_that_is_lost_is_written_anew(table: Table) -> None:
    alice, _ = begun(table, "-forfeittime=4d", "-forfeittime=4d")
    sends, table.posts = table.posts, lambda: None  # type: ignore[method-assign]  # nothing goes out
    table.days_pass(3.5)
    with table.database.transaction() as work:
        for mail in work.outbox.waiting():
            work.outbox.fail(mail.id, "refused", table.clock())
    table.posts = sends  # type: ignore[method-assign]  # it does again
    table.days_pass(1)
    alice.gets(1).hears("two boards wait for your move.")
    assert table.board(1).playing
    table.days_pass(1.5)
    assert [table.board(number).playing for number in (1, 2)] == [False, False]


@pytest.mark.parametrize("boards", [1, 2])
def test_a_reminder_that_had_to_wait_tells_the_true_end(table: Table, boards: int) -> None:
    alice, _bob = begun(table, *["-forfeittime=4d"] * boards)
    next_server = NextServer()
    table.posts = lambda: next_server.takes_from(table)  # type: ignore[method-assign]
    table.days_pass(5)  # of which the next server is down for two
    assert not next_server.taken
    next_server.answer = Sent()
    table.days_pass(hours=2)
    (text,) = [taken for to, taken in next_server.taken if to == alice.address]
    found = re.search(r"\bby (?:\w{3} )?(2026-11-2\d \d\d:\d\d)", text)
    assert found
    told = datetime.fromisoformat(f"{found[1]}+00:00")
    assert table.clock() + timedelta(hours=22) <= told <= table.clock() + timedelta(hours=25)
    table.days_pass((told - table.clock()) / _DAY - 0.01)
    assert all(table.board(number).playing for number in range(1, boards + 1))
    table.days_pass(0.4)
    assert not any(table.board(number).playing for number in range(1, boards + 1))


def test_a_recipient_who_is_put_off_for_days_is_out_of_reach(table: Table) -> None:
    """Else each reminder would be written anew, and the clock stand still, without end."""
    begun(table, "-forfeittime=4d")
    next_server = NextServer()
    next_server.answer = Deferred("450 4.1.1 Not verified yet", "4.1.1", 450)
    table.posts = lambda: next_server.takes_from(table)  # type: ignore[method-assign]
    table.days_pass(3)
    for _ in range(4):
        for _ in range(10):
            table.days_pass(minutes=8)
        table.days_pass(1)
    alice = table.player("alice")
    assert alice is not None
    assert alice.unreachable_since is not None


class NextServer:
    """Where mail goes; it is down at first."""

    def __init__(self) -> None:
        self.answer: Delivery = Deferred("not now")
        self.taken: list[tuple[str, str]] = []

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Take a mail, or not."""
        if isinstance(self.answer, Sent):
            part = next(message_from_bytes(raw).walk())
            texts = [item for item in part.walk() if item.get_content_type() == "text/plain"]
            words = texts[0].get_payload(decode=True)
            assert isinstance(words, bytes)
            self.taken.append((recipient, " ".join(words.decode().split())))
        return self.answer

    async def close(self) -> None:
        """There is nothing to close."""

    def takes_from(self, table: Table) -> None:
        """Let a post try all that is due."""
        asyncio.run(self._try_all(table))

    async def _try_all(self, table: Table) -> None:
        post = Post(table.database, table.site, table.clock, self, Composer(SERVER))
        writer = Writer(table.database, here)
        while mails := (await post.look(here)).mails:
            for mail, written in mails:
                await post.send(mail, written, writer)
        post.holds.close()


def test_a_digest_is_no_reason_to_wait_with_a_reminder(table: Table) -> None:
    alice, bob = begun(table, "")
    alice.says("set digest daily").forgets()
    bob.says("Still there?")
    bob.says("challenge alice").forgets()
    table.days_pass(hours=19.1)
    alice.gets(1).hears("Your games: news of 2, your move on 1", "| Still there?").forgets()
    bob.says("Hello?", answering=bob.mail("Abalone Board 1:"))
    table.days_pass(days=2, hours=6)
    alice.hears("Your move on board 1")
    assert "This board has waited for your move" in "".join(mail.text for mail in alice.mails)


@pytest.mark.parametrize("terms", [["", "-forfeittime=10d"], ["-forfeittime=10d"]])
@pytest.mark.on_postgresql
def test_after_a_long_outage_one_mail_tells_the_new_dates(table: Table, terms: list[str]) -> None:
    alice, bob = begun(table, *terms)
    table.days_pass(6.9)
    alice.forgets()
    table.is_down(7)
    table.days_pass(0)
    alice.gets(1).hears("move by 2026-12-19" if len(terms) > 1 else "by Tue 8 December")
    bob.hears_nothing()
    table.days_pass(2)  # the seventh day is told with it
    alice.hears_nothing()
    table.days_pass(0.2)
    alice.gets(1).hears("by Tue 8 December, 12:00 UTC (24 hours)")


@pytest.mark.parametrize("others", [0, 1])
def test_a_first_warning_that_is_late_leaves_a_day(table: Table, others: int) -> None:
    """Every mail and every line of it tells the same end."""
    alice, bob = begun(table, *["-nagtime=25d"] * (1 + others))
    table.clock.passes(days=20.8)  # and no timer is done
    table.days_pass(0)
    end = "2026-12-13 07:12"
    first = "by Sun 13 December, 07:12 UTC (24 hours)"
    alice.gets(1).hears(first, f"by {end} (UTC)")
    told = " ".join(alice.newest.text.split())
    assert told.count(end) == told.count(first) == 1 + others
    bob.says("show 1").hears(f"alice's move on board 1, {first}")
    table.days_pass(0.99)
    assert table.board(1).playing
    table.days_pass(0.02)
    assert not table.board(1).playing
