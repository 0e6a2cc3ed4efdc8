"""Digests: one mail at an hour instead of one for each board that others bring about."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pbm.play.digests import latest_digest, next_digest
from pbm.service.operator.boards import resend
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.telling.later import MOST_KEPT
from pbm.store.values.players import PlayerSettings
from tests.conversations.playing import board_mail, plays
from tests.table import START, Person, Table

NIGHT = {"hours": 19.1}  # from noon to seven in the morning, and a little longer


def begun(table: Table, *names: str, line: str = "") -> list[Person]:
    """A board on which everybody has moved once; the first player gets digests from now on."""
    people = [table.joins(name) for name in names]
    people[0].says(line or f"challenge {' '.join(names[1:] if len(names) == 2 else names)}")
    plays(table, people, 1, plies=len(names))
    people[0].says("set digest daily")
    for person in people:
        person.forgets()
    return people


def kept(table: Table) -> list[dict[str, Any]]:
    return [row for row in table.rows("readers") if row["since"]]


def test_one_mail_a_day_has_all_boards(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("set digest daily").hears(
        '"digest" is now set to "daily at 07:00".',
        "- digest daily: one mail a day, at 07:00",
        "- mails digest:",
    )
    bob.says("challenge alice").says("challenge alice")
    carol.says("challenge alice").says("a1-c3,b2\nGood luck!")
    table.days_pass(hours=18.9)
    alice.hears_nothing()
    table.days_pass(hours=0.2)
    alice.gets(1).hears(
        "Your games: news of 3, your move on 1",
        "News of three boards, and your move on one of them, which comes first.",
        "Abalone Board 3: carol v alice Your move on board 3.",
        "A new game: carol and alice, on the standard board. carol played a1-c3,b2.",
        "carol writes: | Good luck!",
        "To move there, answer with a line such as 3 i",
        "Abalone Board 1: bob v alice bob's move on board 1; nothing to do.",
        'To get the mail of each board at once again, answer "set digest off".',
    )
    mail = alice.newest
    assert mail.text.index("Board 3:") < mail.text.index("Board 1:") < mail.text.index("Board 2:")
    assert mail["List-Id"] == "<digest.games.example>"
    assert "?subject=set%20digest%20off>" in mail["List-Unsubscribe"]
    assert not mail.references
    assert not mail["X-PBM-Board"]
    alice.says("3 i9-g7,h8\nThanks!").gets(1).hears("carol's move on board 3").forgets()
    carol.hears("| Thanks!")
    assert table.moves(3) == ["a1-c3,b2", "i9-g7,h8"]
    assert not kept(table)


LORD_HOWE = ("2026-04-04 15:10", "2026-04-04 14:30", "2026-04-04 15:30")
CHATHAM = ("2026-04-04 14:07", "2026-04-04 13:15", "2026-04-04 14:15")


@pytest.mark.parametrize(
    ("digest", "at", "zone", "now", "latest", "next_one"),
    [
        ("daily", 7, "UTC", "2026-11-21 12:00", "2026-11-21 07:00", "2026-11-22 07:00"),
        ("daily", 7, "UTC", "2026-11-21 07:00", "2026-11-21 07:00", "2026-11-22 07:00"),
        ("daily", 0, "UTC", "2026-11-21 00:00", "2026-11-21 00:00", "2026-11-22 00:00"),
        ("daily", 7, "Europe/Berlin", "2026-11-21 05:59", "2026-11-20 06:00", "2026-11-21 06:00"),
        # The clocks go forward on Sunday the 29th, and back on October 25th.
        ("daily", 7, "Europe/Berlin", "2026-03-28 12:00", "2026-03-28 06:00", "2026-03-29 05:00"),
        ("daily", 2, "Europe/Berlin", "2026-03-28 12:00", "2026-03-28 01:00", "2026-03-29 01:00"),
        ("daily", 7, "Europe/Berlin", "2026-10-24 12:00", "2026-10-24 05:00", "2026-10-25 06:00"),
        ("hourly", 7, "UTC", "2026-11-21 12:59", "2026-11-21 12:00", "2026-11-21 13:00"),
        ("hourly", 7, "UTC", "2026-11-21 13:00", "2026-11-21 13:00", "2026-11-21 14:00"),
        ("hourly", 7, "Asia/Kolkata", "2026-11-21 12:00", "2026-11-21 11:30", "2026-11-21 12:30"),
        ("hourly", 7, "Europe/Berlin", "2026-10-25 00:59", "2026-10-25 00:00", "2026-10-25 01:00"),
        # Here clocks go back by half an hour, and at a quarter to the hour: never into the past.
        ("hourly", 7, "Australia/Lord_Howe", *LORD_HOWE),
        ("hourly", 7, "Pacific/Chatham", *CHATHAM),
    ],
)
def test_the_hour_is_the_players(
    digest: str, at: int, zone: str, now: str, latest: str, next_one: str
) -> None:
    settings = PlayerSettings(digest=digest, digest_at=at, timezone=zone)
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    found = (latest_digest(settings, moment), next_digest(settings, moment))
    assert [f"{it:%Y-%m-%d %H:%M}" for it in found] == [latest, next_one]


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("set digest hourly", 1),
        ("set digest 18:00", 6),
        ("set digest 6pm", 6),
        ("set digests 18", 6),
        ("set digest 24:00", 12),
        ("set digest on", 19),
        ("set mails digest", 19),
        ("set digest daily\nset timezone Asia/Tokyo", 10),
    ],
)
def test_how_often_is_chosen(table: Table, line: str, hours: float) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says(line)
    alice.forgets()
    plays(table, [alice, bob], 1, plies=1)
    alice.forgets()
    bob.says("Still there?")
    table.days_pass(hours=hours - 0.01)
    alice.hears_nothing()
    table.days_pass(hours=0.02)
    alice.gets(1).hears("bob writes: | Still there?")


def test_one_board_is_a_mail_in_its_thread(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    plays(table, [alice, bob], 1, plies=2)
    root = board_mail(alice, 1).references[0]
    alice.forgets()
    bob.says("Your turn.")
    table.days_pass(**NIGHT)
    alice.gets(1).hears("Abalone Board 1: alice v bob", "Your move on board 1", "| Your turn.")
    assert alice.newest.references == [root]
    assert not alice.newest["List-Id"]
    plays(table, [alice], 1)
    assert table.board(1).ply == 5


def test_an_own_mail_is_answered_at_once_with_what_was_kept(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    plays(table, [alice], 1)
    alice.forgets()
    bob.says(f"{_move(table)}\nTake this.")
    alice.hears_nothing()
    alice.says("One moment.", answering=board_mail(alice, 1))
    alice.gets(1).hears("Your move on board 1", "bob writes: | Take this.", "| One moment.")
    assert not kept(table)
    table.days_pass(**NIGHT)
    alice.hears_nothing()


def _move(table: Table, number: int = 1) -> str:
    """A move that is legal now."""
    game = table.board(number)
    move = game.rules.example_moves(game.position)[0]  # type: ignore[attr-defined]  # it has the capability
    assert move
    return str(move)


def test_an_offer_that_others_may_end_comes_at_once(table: Table) -> None:
    alice, bob, carol = begun(table, "alice", "bob", "carol")
    bob.says("draw")
    alice.hears_nothing()  # it is her move: nobody else can end it
    alice.says("reject draw 1").gets(1).forgets()
    plays(table, [alice], 1)
    alice.forgets()
    carol.says("takeback")
    alice.gets(1).hears("carol asks for a take-back")
    plays(table, [bob], 1)
    alice.hears_nothing()
    table.days_pass(**NIGHT)
    alice.gets(1).hears("carol's move on board 1")


@pytest.mark.parametrize(("terms", "at_once"), [("-totaltime=2d", True), ("", False)])
def test_a_short_clock_does_not_wait(table: Table, terms: str, at_once: bool) -> None:
    alice, bob = begun(table, "alice", "bob", line=f"challenge bob {terms}".strip())
    plays(table, [alice, bob], 1, plies=2)
    table.days_pass(hours=20)
    plays(table, [alice], 1)
    alice.forgets()
    plays(table, [bob], 1)
    alice.gets(int(at_once))


def test_the_end_of_a_game_waits(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("challenge alice").says("resign 1").forgets()
    alice.hears_nothing()
    table.days_pass(**NIGHT)
    alice.gets(1).hears("Board 1 is over: you win.", "bob resigned.")


def test_what_was_kept_comes_at_once_when_digests_end(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("challenge alice").says("Hello there.").forgets()
    alice.says("set mails turn").hears('"mails" is now set to "turn".')
    table.days_pass(hours=0.1)
    alice.gets(1).hears("| Hello there.", "Board 2").forgets()
    bob.says("Hello again.")
    alice.gets(1).hears("| Hello again.")
    table.days_pass(1)
    alice.hears_nothing()
    assert not [row for row in table.rows("due") if row["kind"] == "digest"]


def test_a_turn_that_had_the_old_settings_in_mind_loses_nothing(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    alice.says("set digest off")
    table.days_pass(hours=0.01)
    alice.forgets()
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.players.change_settings(player.id, digest="daily")
    bob.says("I am late.")
    with table.database.transaction() as work:
        work.players.change_settings(player.id, digest="off")
    alice.hears_nothing()
    table.days_pass(hours=0.5)
    alice.gets(1).hears("| I am late.")
    assert not [row for row in table.rows("due") if row["kind"] == "digest"]


@pytest.mark.parametrize(("words", "mails"), [("", 1), ("\n" + "word " * 1000, 3)])
def test_many_boards_are_one_mail_and_long_words_are_more(
    table: Table, words: str, mails: int
) -> None:
    alice, bob = begun(table, "alice", "bob")
    table.begins("bob", "alice", times=16)
    for number in range(2, 18):
        bob.says(f"move {number} a1-c3,b2\nBoard {number} here.{words}")
    alice.hears_nothing()
    table.days_pass(**NIGHT)
    alice.gets(mails)
    told = "\n".join(mail.text for mail in alice.arrived)
    assert all(told.count(f"Board {number} here.") == 1 for number in range(2, 18))
    if mails == 1:
        assert told.count("State:") == 12
        alice.hears("Your move on board 17.", 'To see the board, answer "show 17".')


def test_words_that_are_too_long_for_it_come_at_once(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    words = "\n".join(f"{number} " + "word " * 12 for number in range(MOST_KEPT // 100))
    for said in (words, words.replace("word", "more")):
        assert not alice.arrived
        bob.says(said, answering=board_mail(bob, 1))
    mail = alice.gets(1).newest
    assert "19 word" in mail.text
    assert "19 more" in mail.text
    assert not kept(table)


def test_a_digest_waits_for_a_server_that_was_down(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("Good night.")
    table.is_down(1)
    table.days_pass(0)
    alice.gets(1).hears("| Good night.")


def test_whose_mail_comes_back_gets_one_digest_later(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.players.change(
            player.id, bounces=1, bounced_at=table.clock(), unreachable_since=table.clock()
        )
    for day in range(2):
        bob.says(f"Day {day}.")
        table.days_pass(1, hours=-1 if day else 1)
    alice.gets(1).hears("| Day 0.", "| Day 1.")


def test_who_leaves_is_kept_nothing(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("Good night.")
    assert kept(table)
    alice.says("delete").says("yes")
    assert not kept(table)
    table.days_pass(2)
    assert not [row for row in table.rows("due") if row["kind"] == "digest"]


def test_nothing_is_lost_or_told_twice_by_a_crash(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("Good night.")
    table.clock.time = START + timedelta(**NIGHT)
    with pytest.raises(KeyboardInterrupt):
        _dies_with_a_tick(table)
    table.posts()
    alice.hears_nothing()
    assert kept(table)
    table.days_pass(1)
    alice.gets(1).hears("| Good night.")


def _dies_with_a_tick(table: Table) -> None:
    with table.database.transaction() as work:
        assert table.ticks.take_next(work)
        raise KeyboardInterrupt


def test_a_mail_programs_unsubscribing_ends_it(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    bob.says("challenge alice").says("challenge alice")
    table.days_pass(**NIGHT)
    to = alice.newest["List-Unsubscribe"].partition("mailto:")[2].partition("?")[0]
    alice.forgets()
    alice.writes("set digest off", to=to.replace("%2B", "+")).hears('"digest" is now set to "off".')


def test_what_a_blocked_player_says_is_in_no_digest(table: Table) -> None:
    alice, bob, carol = begun(table, "alice", "bob", "carol")
    with table.database.transaction() as work:
        work.blocks.add(1, 2, table.clock())
    plays(table, [alice, bob, carol])
    alice.forgets()
    carol.says("Nice weather here, my friends.", answering=board_mail(carol, 1))
    bob.says("Nobody asked you.", answering=board_mail(bob, 1))
    table.days_pass(**NIGHT)
    digest = alice.gets(1).newest.text
    assert "| Nice weather here" in digest
    assert "Nobody asked" not in digest
    assert "Words of bob" not in digest  # a mail of words alone tells her nothing at all
    move = table.board(1).position.legal_moves()[0]
    bob.says(f"{move}\n\nSo there.", answering=board_mail(bob, 1))
    with table.database.transaction() as work:
        work.blocks.drop(1, 2)
    table.days_pass(1)
    told = alice.newest.text
    assert "Words of bob are not shown." in told
    assert "So there" not in told


def test_a_board_sent_again_tells_what_waits(table: Table) -> None:
    alice, bob = begun(table, "alice", "bob")
    plays(table, [alice, bob])
    alice.forgets()
    bob.says("Nice weather here, my friend.", answering=board_mail(bob, 1))
    office = OperatorSession(table.database, table.site, table.clock, "root")
    resend(office, 1, "alice", "a test")
    table.posts()
    alice.gets(1).hears("| Nice weather here, my friend.")
    table.days_pass(1)
    alice.hears_nothing()
