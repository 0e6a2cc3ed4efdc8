"""Mails that somebody forges in a player's name: no yes to another mail is for them."""

import pytest

from pbm.play.limits import CLAIMED_OF_ALL, CLAIMED_OF_ORIGIN
from tests.table import Person, Table

PLAIN = "pbm@games.example"
EVIL = "evil@evil.example"
MOVE = "move 1 a1-c3,d4"
RIDERS = (
    f"change address {EVIL}", f"add {EVIL}", "change password evil-Word-99", "change handle mud",
    "newkey", "delete", "resign 1", "block bob", "vacation tomorrow 10d", "challenges off",
    "set strict off", "set reminders off", "challenge bob", "draw 1", "set picture off",
)  # fmt: skip
ALONE = RIDERS[:12]


def forges(table: Table, victim: Person, subject: str, body: str = "", by: str = EVIL) -> None:
    """Send a mail with the victim's `From:`."""
    table.deliver(by, PLAIN, victim.mail_bytes(subject, body))


def changed(table: Table) -> list[object]:
    """What a yes could have changed."""
    player = table.player("alice")
    assert player is not None
    known = (player.addresses, player.handle, player.epoch, player.status, player.password_hash)
    open_boards = [number for number in table.boards() if table.board(number).playing]
    return [known, player.settings, open_boards, table.rows("blocks"), table.rows("vacations")]


@pytest.mark.parametrize("way", ["plain", "strict", "login", "alias", "held"])
def test_a_yes_runs_the_commands_of_its_own_mail_alone(table: Table, way: str) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    if way == "strict":
        alice.says("set strict on", answering=board)
    if way == "held":
        alice.says("newkey", answering=board).hears("new reply addresses")
    if way == "alias":
        table.person("a.l@work.example").says("draw 1", answering=board)
    if way == "login":
        alice.says("change password correct-Horse-7", answering=board).says("yes")
    for place, line in enumerate(RIDERS):
        table.peer = f"198.{50 + place}.0.7"
        forges(table, alice, line, by=f"x@{place}.example")
    before = changed(table)
    table.clock.passes(hours=20)
    table.peer = "192.0.2.1"
    alice.forgets().writes(MOVE).gets(1)
    assert "evil" not in alice.newest.text
    assert "Did you send" in alice.newest.text
    alice.says("yes\n\n> Please confirm: change address evil@evil.example\n> Reply yes to do it")
    alice.hears("bob's move on board 1")
    assert len(table.moves(1)) == 1
    assert changed(table) == before
    table.person(EVIL).hears_nothing()


def test_what_is_dangerous_has_a_question_each_that_says_so_first(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for place in range(0, len(ALONE), 3):
        table.peer = f"198.{50 + place}.0.7"
        lines = [*ALONE[place : place + 3], MOVE, "whoami"]
        alice.forgets()
        forges(table, alice, "multiple", "\n".join(lines), by=f"x@{place}.example")
        alice.gets(4)
        shared, *each = alice.arrived
        assert "move #1 on board 1" in shared["Subject"]
        # What ends the reply addresses is asked about last.
        asked = sorted(lines[:3], key=lambda line: {"delete": 1, "newkey": 2}.get(line, 0))
        for line, mail in zip(asked, each, strict=True):
            named = line.split()[-1] if "password" not in line else "password"
            begins = mail.text.partition("\n\n")[0]
            assert line.split()[0] in mail["Subject"]
            assert named in begins or named in ("newkey", "delete", "10d")
            assert MOVE.split()[-1] not in mail.text
            assert {address for address, *_ in mail.links} <= {mail.reply_to, PLAIN}
        assert len({mail.reply_to for mail in alice.arrived}) == 4


def test_three_of_a_mail_are_asked_about_and_a_yes_is_for_one(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    lines = ["resign 1", "block bob", "set strict off", "challenges off", "newkey", "challenge bob"]
    forges(table, alice, "multiple", "\n".join(lines))
    alice.gets(5)
    alice.hears("This needs a question of its own, and one mail gets 3 of these at most.")
    alice.says("yes", answering=alice.mail("Please confirm: block bob"))
    assert len(table.rows("blocks")) == 1
    assert table.board(1).status == "playing"
    bob.forgets()


def test_a_proven_sender_resigns_at_once(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    alice.says("block bob\nchallenges off\nresign", answering=board).hears("Board 1 is over")
    assert len(table.rows("questions")) == 2  # of the sign-ups


def test_a_forger_brings_ten_mails_a_day_and_all_bring_thirty(table: Table) -> None:
    alice = table.joins("alice")
    outcomes = []
    for place in range(5):
        table.peer = f"198.{50 + place}.0.7"
        for number in range(14):
            forges(table, alice, "whoami" if number % 2 else f"add a{number}@evil.example")
            outcomes.append(table.rows("inbox")[-1]["outcome"])
    subjects = [mail["Subject"] for mail in alice.arrived]
    assert len(subjects) == CLAIMED_OF_ALL + 1
    assert sum("in your name" in subject for subject in subjects) == 1
    assert subjects.index("pbm: somebody writes in your name") == CLAIMED_OF_ORIGIN
    done = [said for said in outcomes if "neither asked nor done" not in said]
    assert len(done) == CLAIMED_OF_ALL
    assert "alice: enough mails came in their name, so neither asked nor done: add" in outcomes
    table.days_pass(1)
    alice.hears("39 mails came here in your name", "| add, 19 times", "| whoami, 20 times")
    alice.forgets()
    table.days_pass(3)
    alice.hears_nothing()


def test_who_got_a_yes_has_ten_of_their_own(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.peer = "192.0.2.1"
    alice.writes(MOVE).says("yes")
    table.clock.passes(days=20)
    for place in range(4):
        table.peer = f"198.{50 + place}.0.7"
        for _ in range(12):
            forges(table, alice, "whoami")
    table.peer = "192.0.2.1"
    alice.forgets()
    for _ in range(12):
        alice.writes("whoami")
    alice.gets(CLAIMED_OF_ORIGIN)
    table.peer = "198.51.100.7"
    alice.forgets().writes("whoami").hears_nothing()
    table.clock.passes(days=11)
    for place in range(4):
        table.peer = f"198.{50 + place}.0.7"
        for _ in range(12):
            forges(table, alice, "whoami")
    table.peer = "192.0.2.1"
    alice.forgets().writes("whoami").hears_nothing()


def test_equal_requests_have_a_yes_each(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    forges(table, alice, "draw 1")
    forged = alice.newest
    alice.writes("draw 1")
    alice.says("no", answering=forged).hears("Dropped.")
    alice.says("yes", answering=alice.mail("Please confirm: draw 1")).forgets()
    assert [row["answer"] for row in table.rows("questions")[-2:]] == ["no", "yes"]
