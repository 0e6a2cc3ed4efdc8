"""What somebody might try with one mail, or with many, at the cost of others."""

import pytest

from pbm.commands.families.look import Show
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.players import remove, suspend
from tests.pictures import without_pictures
from tests.table import Table

POSTMASTER = "postmaster@games.example"


def invited(table: Table) -> list[str]:
    """The addresses that were asked to play, as often as they were."""
    return [row["address"] for row in table.rows("questions") if row["kind"] == "invite"]


def test_one_mail_asks_an_address_once(table: Table) -> None:
    alice = table.joins("alice")
    lines = ["challenge victim@example.net", "challenge -bowl Victim@Example.Net"] * 10
    alice.says("\n".join(lines), subject="multiple").gets(1)
    alice.hears("We have asked victim@example.net.", "and ask nobody twice")
    table.person("victim@example.net").gets(1)
    assert invited(table) == ["victim@example.net"]


def test_one_mail_asks_five_people_at_most(table: Table) -> None:
    alice = table.joins("alice")
    groups = [[f"guest{line}{place}@example.net" for place in range(3)] for line in range(20)]
    lines = [" ".join(["challenge me", *group]) for group in groups]
    alice.says("\n".join([*lines, "challenge one@example.net"]), subject="multiple").forgets()
    alice.says("\n".join(lines), subject="multiple").hears("You have invited 5 people")
    assert invited(table) == groups[0]
    alice.says("challenge me one@example.net two@example.net").hears("We have asked")
    alice.says("challenge three@example.net").hears("You have invited 5 people")
    assert len(invited(table)) == 5


def test_yeses_to_several_mails_ask_an_address_once(table: Table) -> None:
    alice = table.joins("alice")
    alice.writes("challenge victim@example.net")
    first = alice.newest
    alice.writes("challenge -bowl victim@example.net").forgets()
    alice.says("yes").hears("We have asked victim@example.net.")
    alice.says("yes", answering=first).hears("and ask nobody twice")
    assert invited(table) == ["victim@example.net"]


def test_strangers_get_no_words_of_an_inviter(table: Table) -> None:
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    alice.says("challenge dave@example.net\nBUY THIS\nhttps://spam.example")
    alice.hears("We have asked dave@example.net.", "Your words have not gone out yet.")
    assert "BUY" not in dave.newest.raw.decode()
    assert "spam" not in dave.newest.raw.decode()
    dave.says("yes").hears("| BUY THIS")  # as any words of one player to another
    alice.says("challenge erin@example.net", answering=alice.mail("pbm: welcome"))
    assert "Your words" not in alice.newest.text


def test_a_yes_to_a_reply_from_elsewhere_does_what_it_shows(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    stolen = alice.newest
    lines = ["whoami"] * 10 + ["newkey", "resign 1"] + ["challenge bob"] * 8
    mallory = table.person("mallory@example.net")
    mallory.says("\n".join(lines), subject="multiple", answering=stolen)
    asked = alice.newest.text
    assert asked.count("| whoami\n") == 10
    assert asked.count("| challenge alice bob\n") == 8
    assert "| newkey\n| resign 1\n" in asked.split("left out")[1]
    alice.says("yes")
    player = table.player("alice")
    assert player is not None
    assert player.epoch == 1  # what only its own question may do was not done
    assert table.board(1).status == "playing"
    bob.forgets()


def test_a_dangerous_command_alone_from_elsewhere_is_not_done(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    stolen = alice.newest
    table.person("mallory@example.net").says("newkey", answering=stolen)
    alice.hears("| (nothing)", "left out, whatever you answer: | newkey")
    alice.says("yes").hears("is one of your addresses now")
    alice.says("whoami", answering=stolen).hears("You are alice")


@pytest.mark.thorough
def test_questions_about_forged_mails_stay_small(table: Table) -> None:
    _, bob = table.start("alice", "bob")
    words = "\n".join("w" * 70 for _ in range(900))
    for number in range(15):
        bob.writes("resign 1", f"Forged words, number {number}.\n{words}")
    bob.gets(11)
    for number, mail in enumerate(bob.arrived[:10]):
        assert f"Forged words, number {number}." in mail.text
        assert mail.text.count("Forged words") == 1
    assert all(len(without_pictures(mail.raw)) < 20_000 for mail in bob.mails)
    question = bob.mail("Please confirm: resign 1")
    bob.says("no", answering=question).hears("Dropped.")
    bob.says("yes", answering=question).forgets()
    assert table.board(1).status == "playing"


def test_the_same_again_waits_once(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for _ in range(3):
        alice.writes("challenge bob", "Another one?")
    assert alice.newest.text.count("challenge alice bob") == 1
    alice.forgets().says("yes").gets(1)
    assert len(table.boards()) == 2


def test_an_older_errand_is_done_by_its_own_question(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("resign 1")
    first = alice.newest
    for number in range(10):
        alice.writes("challenge bob", f"Number {number}")
        table.clock.passes(hours=1)
    assert "| resign 1" not in alice.newest.text
    alice.says("yes", answering=first)
    assert table.board(1).status == "finished"


def test_the_inviter_was_removed_before_the_yes(table: Table) -> None:
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    remove(OperatorSession(table.database, table.site, table.clock, "root"), "alice", "a test")
    dave.forgets().says("yes").gets(1).hears(
        "You play as dave now.", "The game that you were invited to will not take place"
    )
    assert not table.boards()
    assert not table.rows("challenges")


def test_the_inviter_was_removed_and_the_asked_one_plays_already(table: Table) -> None:
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    invitation = dave.newest
    dave.writes("hello").says("yes").forgets()
    remove(OperatorSession(table.database, table.site, table.clock, "root"), "alice", "a test")
    dave.says("yes", answering=invitation).gets(1).hears("already", "will not take place")


def test_the_inviter_is_suspended_at_the_last_yes(table: Table) -> None:
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    suspend(OperatorSession(table.database, table.site, table.clock, "root"), "alice", "a test")
    dave.forgets().says("yes").gets(1).hears("You play as dave now.", "will not take place")
    assert not table.boards()
    assert [row["status"] for row in table.rows("inbox")] == ["done"] * len(table.rows("inbox"))


def test_the_address_of_a_question_proves_nothing_once_it_is_answered(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    signup = alice.mails[0]
    alice.writes("move 1 c3,d3")
    question = alice.newest
    alice.says("yes", answering=question).forgets()
    bob.forgets()
    for settled in (signup, question):
        alice.says("resign 1", answering=settled).gets(1).hears(
            '"resign 1"? ', "Reply yes to do it"
        )
    alice.says("yes\nresign 1", answering=signup).gets(1).hears(
        '"resign 1"? ', "Reply yes to do it"
    )
    bob.hears_nothing()
    assert table.board(1).status == "playing"


def test_nor_once_it_is_too_old(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("challenge bob")
    question = alice.newest
    table.clock.passes(hours=47)
    alice.forgets().says("move 1 c3,d3", answering=question).hears("bob's move on board 1")
    table.clock.passes(hours=2)
    alice.says("resign 1", answering=question).gets(1).hears('"resign 1"? ', "Reply yes to do it")


def test_a_settled_question_says_nothing_about_others(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("resign 1")
    question = alice.newest
    alice.says("no", answering=question).forgets()
    mallory = table.person("mallory@example.net")
    mallory.says("resign 1", answering=question).gets(1).hears("Reply yes to play as mallory")
    alice.hears_nothing()


def test_one_mail_is_answered_with_ten_boards_at_most(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.begins("alice", "bob", times=11)
    more = (f"show {number} {1 + number % 12}" for number in range(1, 13))
    lines = ["show 1 2 3 4 5 6", "show 7 8 9 10 11 12", *more]
    alice.forgets().writes("multiple", "\n".join(lines)).gets(1)
    text = alice.newest.text
    assert text.count("\nState:") == 10
    alice.hears(
        "These are the first 4; there are also 11, 12.",
        "One mail is answered with 10 boards at most.",
    )


def test_who_is_paused_has_nothing_read(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    table.clock.passes(days=1)  # the first is wider
    for _ in range(25):
        alice.says("show 1", answering=board)
    assert "paused" in alice.newest["Subject"]
    alice.forgets()
    shown: list[Show] = []
    monkeypatch.setattr(Show, "run", lambda show, _: shown.append(show))
    alice.says("show 1", answering=board).hears_nothing()
    assert not shown
    alice.says("a1-c3,d4", answering=board).gets(1)


def test_words_cannot_hide_or_turn_text_around(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nfor \u202egnp.exe \u2066now\u200b\U000e0041, \u0646\u200c\u0645 \u00ad!")
    assert "for gnp.exe now, \u0646\u200c\u0645 !" in bob.newest.text
    assert "\u202e" not in bob.newest.html


def test_mail_for_the_operator_may_speak_of_the_mark(table: Table) -> None:
    bob, operator = table.joins("bob"), table.person("operator@games.example")
    bob.writes("Help", "Why X-PBM-Forwarded?\n\nX-PBM-Forwarded: yes\n", to=POSTMASTER)
    operator.gets(1)
    bob.writes("Again", headers={"X-PBM-Forwarded": "yes"}, to=POSTMASTER)
    operator.gets(1)


def test_forged_mails_do_not_use_up_a_players_answers(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    table.clock.passes(days=1)  # the first is wider
    for line in ["show 1", "resign 1", "whoami", "a botched resing", "resing 1"] * 20:
        alice.writes(line)
    alice.gets(11).hears("somebody writes in your name", "answered as always")
    for _ in range(20):
        alice.says("show 1", answering=board)
    alice.gets(20).forgets()
    alice.says("show 1", answering=board).gets(1).hears("answers are paused until")
    alice.writes("show 1").hears_nothing()
    table.days_pass(1)
    alice.hears("mails came here in your name", "| resign, ", "| show, ", "| whoami, ").forgets()
    alice.writes("show 1").gets(1)
    bob.hears_nothing()


def test_a_players_own_answers_leave_mails_without_proof_theirs(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    for _ in range(21):
        alice.says("show 1", answering=board)
    alice.forgets().writes("show 1").gets(1).hears("Your move on board 1")
