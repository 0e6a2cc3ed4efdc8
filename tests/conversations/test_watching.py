"""Watching: players are told of boards on which they do not play."""

import pytest

from pbm.play import watching
from pbm.play.limits import take_mails
from tests.table import START, Person, Table

FIRST, REPLY, SECOND = "a1-c3,b2", "i5-g5,h5", "a2-c4,b3"


@pytest.fixture
def people(table: Table) -> list[Person]:
    """Alice and bob, who play on board 1, and carol and dora, who do not."""
    return [*table.start("alice", "bob"), table.joins("carol"), table.joins("dora")]


def test_a_board_is_watched_once_a_day(table: Table, people: list[Person]) -> None:
    alice, bob, carol, _ = people
    carol.says("watch 1").gets(1).hears("You watch board 1 now.", "once a day")
    alice.says(f"{FIRST}\n\nMind the gap!").gets(1)
    bob.forgets().says(REPLY).gets(1)
    table.days_pass(1)
    carol.gets(1).hears(
        "bob moved: alice's turn on board 1; nothing to do.",
        f"- alice played {FIRST}.",
        f"- bob played {REPLY}.",
        'You watch this board: "unwatch 1" ends that.',
    )
    assert "gap" not in carol.newest.text
    assert carol.newest["List-Id"] == "<watch.games.example>"
    assert carol.newest["Precedence"] == "list"
    table.days_pass(3)
    carol.hears_nothing()


def test_each_move_and_the_end_come_at_once(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dora = people
    carol.says("watch 1 -moves").hears("Each move brings you a mail.")
    dora.says("notify 1").hears("A mail comes when the game is over.")
    alice.says(FIRST)
    table.days_pass(minutes=2)
    carol.gets(1).hears(f"alice played {FIRST}.")
    bob.says("takeback")
    alice.says("draw")
    table.days_pass(minutes=2)
    bob.says("resign")
    table.days_pass(minutes=2)
    carol.gets(1).hears("Board 1 is over: alice wins.", "the last mail about it")
    dora.gets(1).hears("Board 1 is over: alice wins.")
    table.days_pass(2)
    carol.hears_nothing()
    dora.hears_nothing()
    carol.says("watch").hears("You watch nothing here.")


def test_a_player_is_followed_from_board_to_board(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dora = people
    carol.says("watch bob -moves").hears("You follow bob now")
    carol.says("watch board 1").hears("You watch board 1 now.")
    bob.says("challenge dora")
    alice.says(FIRST)
    table.days_pass(minutes=2)
    carol.gets(2).hears(f"alice played {FIRST}.", 'You follow bob: "unwatch bob" ends that.')
    assert "A new game: bob and dora" in carol.mails[-2].text
    carol.forgets().says("watch").hears(
        "- board 1, once a day", "- each board of bob, at each move"
    )
    carol.says("watch bob").hears("once a day")
    bob.says("move 2 a1-c3,b2")
    dora.says("challenge carol")
    carol.forgets()
    table.days_pass(1)
    carol.gets(1).hears("bob played a1-c3,b2.")
    bob.says(f"move 1 {REPLY}")
    bob.says("set public off").says("settings").hears("public off: nobody follows you")
    dora.says("move 2 i5-g5,h5")
    alice.says(f"move 1 {SECOND}")
    table.days_pass(1)
    carol.gets(1).hears("bob is not to be followed any more", f"bob played {REPLY}.")
    assert "Board 2" not in carol.newest.text
    carol.says("watch bob").hears("bob is not to be followed.")
    carol.says("watch").hears("- board 1, once a day")
    assert "bob" not in carol.newest.text


def test_what_is_watched_comes_in_one_mail_and_ends_by_any_answer(
    table: Table, people: list[Person]
) -> None:
    alice, bob, carol, _ = people
    alice.says("challenge dora")
    for number in (1, 2):
        carol.says(f"watch {number}")
        alice.says(f"move {number} {FIRST}")
    carol.forgets()
    table.days_pass(1)
    carol.gets(1).hears("News of 2 boards that you watch", "Abalone Board 1: alice v bob")
    news = carol.newest
    assert news["List-Unsubscribe"].startswith("<mailto:pbm%2Bw.u")
    carol.says("Nice move!", answering=news).hears("You only watch these boards", "| Nice move!")
    carol.says(REPLY, answering=news)
    carol.says("unsubscribe", answering=news).hears(
        "Mails about board 1 end here.", "Mails about board 2 end here.", "You watch nothing else."
    )
    bob.says(REPLY)
    table.days_pass(2)
    carol.forgets().says("unsubscribe").hears("You can have fewer mails, or none:")
    assert not table.rows("watched")


def test_answers_to_a_watchers_mail(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dora = people
    for watcher in (carol, dora):
        watcher.says("watch 1")
    alice.says(FIRST)
    table.days_pass(1)
    carol.says("Hi bob, take care of g5!").hears("You only watch board 1, so your words")
    bob.forgets()
    carol.says(REPLY).hears("You only watch board 1.")
    news = carol.mail("Abalone Board 1")
    carol.says("show", answering=news).hears("All moves:")
    carol.says("watch -moves").hears("Each move brings you a mail.")
    bob.hears_nothing()
    bob.says(REPLY)
    table.days_pass(minutes=2)
    carol.hears(f"bob played {REPLY}.")
    carol.says("unwatch").hears("Mails about board 1 end here.", "You watch nothing else.")
    link = dora.newest["List-Unsubscribe"].removeprefix("<mailto:").rstrip(">").replace("%2B", "+")
    dora.forgets().sends(b"From: dora@example.org\r\n\r\n\r\n", to=link)
    dora.gets(1).hears("Mails about board 1 end here.")
    dora.sends(b"From: dora@example.org\r\nSubject: x\r\n\r\n\r\n", to=link).gets(0)
    forged = link.replace("@", "x@")
    assert table.deliver("dora@example.org", forged, b"From: x@y.org\r\n\r\n\r\n").startswith("550")
    alice.says(SECOND)
    table.days_pass(2)
    carol.hears_nothing()


def test_refusals(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dora = people
    table.robots_join()
    bob.says("block dora").says("challenge carol -private").hears("It is private: only those who")
    for person, words, expected in (
        (alice, "watch 1", "You play on board 1, so its mails come to you already."),
        (alice, "watch me", "Your own boards come to you already."),
        (carol, "watch 99", "There is no board 99."),
        (alice, "watch 2", "Board 2 is private: only those who play there see it."),
        (carol, "watch nobody", "nobody"),
        (carol, "watch pebble", "pebble is a robot, and plays too many games to be followed"),
        (dora, "watch bob", "bob is not to be followed."),
        (carol, "watch 1 -hourly", "This command has no option -hourly."),
        (carol, "unwatch", "You watch nothing here."),
        (carol, "unwatch 1", "You do not watch board 1."),
        (carol, "unwatch bob", "You do not follow bob."),
        (alice, "show 2", "Board 2 is private"),
        (alice, "export 2", "Board 2 is private"),
        (alice, "games bob", "Board 1:"),
        (carol, "games bob", "Board 2:"),
    ):
        person.forgets().says(words).hears(expected)
    carol.says("watch 1").says("watch alice").says("unwatch").hears('- "unwatch alice"')
    alice.forgets().says("games bob")
    assert "Board 2" not in alice.newest.text
    bob.says("resign 1").says("decline 2")
    carol.says("watch 1").hears("Board 1 is over, and there is nothing more to hear of it.")


def test_as_many_are_watched_as_fit(
    table: Table, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    carol = people[2]
    for limit in ("MOST_WATCHED", "MOST_FOLLOWED"):
        monkeypatch.setattr(watching, limit, 2)
    table.begins("alice", "bob", times=2)
    for words in ("watch 1", "watch 2", "watch alice", "watch bob"):
        carol.says(words)
    carol.forgets().says("watch 3").hears("You watch 2 boards already, and more do not fit.")
    carol.says("watch dora").hears("You follow 2 players already, and more do not fit.")
    carol.says("watch 2 -moves").says("watch bob -moves").hears("Each move", "You follow bob now")
    assert len(table.rows("watchings")) == 4


def test_private_boards_stay_so(table: Table, people: list[Person]) -> None:
    alice, bob, carol, dora = people
    carol.says("watch alice -moves")
    alice.says("challenge bob -private -rounds=2")
    alice.says(f"move 2 {FIRST}").says("resign 2")
    table.days_pass(1)
    assert len(table.boards()) == 3
    carol.gets(1)
    for words in ("history alice", "history alice bob", "games alice all", "show 3", "info alice"):
        carol.forgets().says(words)
        assert "Board 2" not in carol.newest.text
        assert "Board 3:" not in carol.newest.text
    bob.says("history alice").hears("Board 2")
    bob.says("resign 3").says("rematch 3")
    assert table.board(4).private
    dora.says("seek -private")
    carol.says("seeks").hears("-private").says("join 1")
    alice.says("show 5").hears("Board 5 is private")
    assert all(board.private == (board.id > 1) for board in map(table.board, table.boards()))


def test_watchers_read_what_is_said_if_all_players_agree(
    table: Table, people: list[Person]
) -> None:
    alice, bob, carol, dora = people
    for watcher in (carol, dora):
        watcher.says("watch 1 -moves")
    dora.says("block alice")
    alice.says("set talk public").says("move 1 a1-c3,b2\n\nSecret words").says("show 1")
    alice.hears("carol and dora watch this board.")
    bob.says("set talk public")
    alice.says("chat is open now, isn't it, bob?", answering=alice.mail("Abalone Board 1"))
    table.days_pass(minutes=3)
    carol.hears("| chat is open now")
    for watcher in (carol, dora):
        assert "Secret" not in watcher.newest.text
    assert "open" not in dora.newest.text


def test_a_move_taken_back_an_absent_watcher_and_too_many_mails(
    table: Table, people: list[Person]
) -> None:
    alice, bob, carol, dora = people
    for watcher in (carol, dora):
        watcher.says("watch 1 -moves")
    dora.says("delete").says("yes")
    alice.says(FIRST)
    alice.says("takeback")
    bob.says("accept takeback")
    carol.forgets()
    table.days_pass(minutes=2)
    carol.gets(1).hears(f"move 1 (#1), {FIRST}, is taken back", "alice's move on board 1")
    assert "played" not in carol.newest.text
    with table.database.transaction() as work:
        player = work.players.by_handle("carol")
        assert player
        while take_mails(work, [player.id], table.clock()):
            pass
    alice.says(f"move 1 {FIRST}")
    table.days_pass(minutes=2)
    carol.hears_nothing()
    table.days_pass(1)
    carol.gets(1).hears(f"alice played {FIRST}.")
    bounced = {"bounced_at": table.clock(), "unreachable_since": START}
    for change in (bounced, dict.fromkeys(bounced)):
        with table.database.transaction() as work:
            work.players.change(player.id, **change)
        bob.says(f"move 1 {REPLY}")  # the second time it is alice's turn
        table.days_pass(minutes=2)
        carol.hears_nothing()
    table.days_pass(1)
    carol.gets(1).hears(f"bob played {REPLY}.")
