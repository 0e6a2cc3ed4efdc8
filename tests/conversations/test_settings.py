"""How a player wants to be written to, and what becomes of it."""

import pytest
from sqlalchemy import update

from pbm.store.schema.people import players
from tests.table import Table


def test_settings_are_listed_and_say_how_to_change_them(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("settings").gets(1).hears(
        "- picture on: the board comes as a picture, too (on, off)",
        "- subject plain:",
        "- mails all: every move (all, turn, digest)",
        "- digest off: what others do comes at once, a mail for each board (daily, hourly, off,",
        "- timezone UTC: it is 2026-11-21 12:00 (UTC) there",
    )


def test_a_setting_that_a_newer_version_has_kept_is_passed_over(table: Table) -> None:
    alice = table.joins("alice")
    kept = {"picture": False, "colours": "night"}
    with table.database.engine.begin() as connection:
        connection.execute(update(players).values(settings=kept))
    alice.says("settings").gets(1).hears("- picture off:")


def test_the_picture_can_be_left_out_and_comes_back(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    assert "image/png" in str(alice.newest.message)
    alice.says("set picture off").gets(1).hears("- picture off: the board comes as text only")
    alice.says("move 1 a1-c3,d4").gets(1).forgets()
    assert "image/png" not in str(alice.newest.message)
    assert "image/png" in str(bob.newest.message)
    alice.says("show").gets(1)
    assert "image/png" not in str(alice.newest.message)
    alice.says("show #1")
    assert "image/png" not in str(alice.newest.message)
    alice.says("set pictures ON").says("show 1")
    assert "image/png" in str(alice.newest.message)


def test_the_classic_subject_says_whose_turn_it_is_and_that_there_are_words(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("set subject classic").forgets()
    alice.says("move 1 a1-c3,d4")
    assert bob.newest["Subject"] == "Abalone Board 1 bob"
    assert alice.newest["Subject"] == "Abalone Board 1: alice v bob"
    bob.says("i9-g7,f6\nHello there.").gets(2)
    assert bob.newest["Subject"] == "Abalone Board 1 alice **"
    bob.says("resign")
    assert bob.newest["Subject"] == "Abalone Board 1 over"
    bob.says("set subject plain").says("show 1")
    assert bob.newest["Subject"] == "Abalone Board 1: alice v bob"


def test_other_players_moves_can_be_left_out(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    for person in (alice, bob, carol):
        person.says("set mails turn").forgets()
    alice.says("move 1 b1,c1").gets(1).hears("bob's move on board 1; nothing to do.")
    bob.gets(1).hears("Your move on board 1.")
    carol.hears_nothing()
    bob.says("d8,d7\nWatch this.").gets(1).forgets()
    carol.gets(1).hears("Your move on board 1.")
    alice.gets(1).hears("| Watch this.")
    carol.says("draw").gets(1).forgets()
    alice.gets(1).hears("carol offers a draw.")
    bob.gets(1).forgets()
    carol.says("resign").gets(1).forgets()
    alice.gets(1).hears("Your move on board 1.", "carol resigned.")
    bob.hears_nothing()  # neither to do nor to read: alice moves next
    alice.says("resign")
    bob.gets(1).hears("Board 1 is over")


@pytest.mark.parametrize(
    ("word", "zone", "clock"),
    [
        ("Europe/Berlin", "Europe/Berlin", "13:00"),
        ("europe/berlin", "Europe/Berlin", "13:00"),
        ("America/New_York", "America/New_York", "07:00"),
        ("utc", "UTC", "12:00"),
    ],
)
def test_a_time_zone_is_a_name(word: str, zone: str, clock: str, table: Table) -> None:
    alice = table.joins("alice")
    alice.says(f"set timezone {word}").hears(f"- timezone {zone}: it is 2026-11-21 {clock}")


def test_several_settings_in_one_mail_are_all_kept(table: Table) -> None:
    alice = table.joins("alice")
    with table.database.engine.begin() as connection:
        connection.execute(update(players).values(settings={"colours": "night"}))
    lines = "set timezone Europe/Berlin\nset weekend off\nset picture off\nset digest 18:00"
    alice.says(f"{lines}\nchallenges ask\nlimit 5").gets(1).forgets()
    (row,) = table.rows("players")
    assert row["settings"] == {
        "timezone": "Europe/Berlin",
        "weekend": False,
        "picture": False,
        "digest": "daily",
        "digest_at": 18,
        "challenges": "ask",
        "limit": 5,
        "colours": "night",  # which a newer version has kept
    }
    alice.says("settings").hears("- timezone Europe/Berlin:", "- weekend off:", "- limit 5:")
    table.days_pass(hours=4)
    assert [row["due_at"].hour for row in table.rows("due") if row["kind"] == "digest"] == [17]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("set picture maybe", '"picture" can be on or off, not "maybe"'),
        ("set mails weekly", '"mails" can be all, turn or digest, not "weekly"'),
        (
            "set digest weekly",
            '"digest" can be daily, hourly, off or an hour such as 18:00, not "weekly"',
        ),
        ("set digest 18:20", 'full hour: "set digest 18:00" or "set digest 19:00".'),
        ("set digest 25:00", 'or an hour such as 18:00, not "25:00"'),
        ("set digest 13pm", 'not "13pm": for example "set digest off"'),
        ("set subject", "Something is missing: the value."),
        ("set colour red", 'I do not know "colour" here. "help set" says what there is.'),
        ("set pictur off", 'Did you mean "picture"?'),
        ("set timezone Berlin", 'Did you mean "Europe/Berlin"?'),
        ("set timezone Atlantis", 'I know no time zone "Atlantis". It is a region and a city'),
        ("set timezone ../../etc/passwd", "I know no time zone"),
    ],
)
def test_what_cannot_be_set_says_why(line: str, told: str, table: Table) -> None:
    table.joins("alice").says(line).gets(1).hears(told, "Nothing has changed.")


def test_without_a_proof_nothing_is_set(table: Table) -> None:
    alice = table.joins("alice")
    alice.writes("set picture off").hears('Did you send "set picture off"?')
    player = table.player("alice")
    assert player is not None
    assert player.settings.picture
    alice.says("yes").hears("- picture off")


def test_strict_says_what_it_asks_of_this_server(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("set strict on").hears(
        '"strict" is now set to "on".', "- strict on: your answers to our mails are proof enough"
    )
    alice.says("set strict off").hears("- strict off: an answer of yours to one of our mails")


def test_receipts_of_own_moves_can_be_left_out(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.says("set receipts off").hears(
        '"receipts" is now set to "off".', "brings you no mail"
    ).forgets()
    alice.says("a1-c3,b2\nGood luck!", answering=board).hears_nothing()
    bob.hears("Your move on board 1.", "| Good luck!")
    bob.says("i9-g7,h8").says("Thanks!")
    alice.gets(2).forgets()
    alice.says("a1,a9", answering=board).gets(1).forgets()  # it is no move
    alice.says("Just words.", answering=board).gets(1).forgets()
    alice.says("resign", answering=board).gets(1).hears("Board 1 is over: you lost.")


@pytest.mark.parametrize(
    ("said", "days"),
    [("all", [3, 7, 14, 20]), ("7d", [7, 14, 20]), ("10d", [14, 20]), ("last", [20])],
)
def test_who_is_slow_has_fewer_reminders(table: Table, said: str, days: list[int]) -> None:
    alice, bob = table.start("alice", "bob")
    for person, move in ((alice, "a1-c3,b2"), (bob, "i9-g7,h8")):
        person.says(move)
    alice.says(f"set reminders {said}").hears('"reminders" is now set to').forgets()
    found = []
    for day in range(1, 22):
        table.days_pass(1)
        found += [day] if any("waited for your move" in mail.text for mail in alice.arrived) else []
        alice.forgets()
    assert found == days
    assert table.board(1).playing  # days of vacation were taken
    alice.says("set reminders 2h").hears("cannot be chosen here")
