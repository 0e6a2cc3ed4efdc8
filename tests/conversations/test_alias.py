"""A reply address used from somewhere else: nothing runs, and its owner is asked."""

import pytest

from tests.table import Mail, Person, Table


def stolen(table: Table) -> tuple[Person, Person, Mail]:
    """Two players, and a mail of alice's that others have got hold of."""
    alice, bob = table.start("alice", "bob")
    return alice, bob, alice.newest


def test_the_owner_is_asked_and_the_sender_hears_nothing(table: Table) -> None:
    alice, bob, mail = stolen(table)
    work = table.person("a.l@work.example")
    work.says("resign\nBye!", answering=mail).hears_nothing()
    bob.hears_nothing()
    alice.gets(1).hears(
        "Please confirm: a reply from a.l@work.example",
        "A reply to one of your mails (board 1) came from a.l@work.example.",
        "Nothing has been done.",
        "| resign",
        "| Bye!",
        "Reply yes, and we do what it says and add that address to yours. Reply no to drop it.",
        "reply newkey instead",
    )
    assert not alice.newest["In-Reply-To"]
    assert table.board(1).status == "playing"


def test_yes_runs_it_and_adds_the_address(table: Table) -> None:
    alice, bob, mail = stolen(table)
    work = table.person("A.L@work.example")
    work.says("a1-c3,d4\nFrom the office.", answering=mail)
    alice.forgets().says("yes").gets(2).hears(
        "A.L@work.example is one of your addresses now",
        "bob's move on board 1",
        "| From the office.",
    )
    bob.gets(1).hears("| From the office.")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org", "A.L@work.example")
    bob.says("i5-g5,f5")
    work.says("a2-c4,d5", answering=alice.newest)
    assert len(table.moves(1)) == 3
    work.writes("whoami").hears_nothing()  # mail goes to the first address
    alice.hears("You are alice", "Your addresses: alice@example.org, A.L@work.example.")


def test_a_move_waits_with_its_ply(table: Table) -> None:
    alice, bob, mail = stolen(table)
    work = table.person("a.l@work.example")
    work.says("a1-c3,d4", answering=mail)
    question = alice.newest
    assert "| move #1 on board 1: a1-c3,b2" in question.text
    alice.says("a2-c4,d5", answering=mail)
    bob.says("i5-g5,f5")
    alice.forgets().says("yes", answering=question).gets(1).hears(
        "You meant this as move #1, but the next move on board 1 is #3.",
        "is one of your addresses",
    )


def test_no_drops_it_and_the_address_stays_strange(table: Table) -> None:
    alice, bob, mail = stolen(table)
    thief = table.person("mallory@example.net")
    thief.says("resign", answering=mail)
    alice.forgets().says("no").gets(1).hears("Dropped. Nothing has changed.")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org",)
    assert table.board(1).status == "playing"
    bob.hears_nothing()


def test_the_owner_is_asked_once_a_day_at_most(table: Table) -> None:
    alice, bob, mail = stolen(table)
    thief = table.person("mallory@example.net")
    for _ in range(5):
        thief.says("resign", answering=mail).hears_nothing()
    table.person("mallory@elsewhere.example").says("resign", answering=mail).hears_nothing()
    alice.gets(1).forgets()
    table.clock.passes(hours=24, minutes=1)
    thief.says("resign", answering=mail).hears_nothing()
    alice.gets(1)
    bob.hears_nothing()
    assert table.board(1).status == "playing"


def test_another_players_address(table: Table) -> None:
    alice, bob, mail = stolen(table)
    bob.says("a1-c3,d4", answering=mail).hears_nothing()
    alice.gets(1).hears(
        "came from bob@example.org. Nothing has been done.",
        "Reply yes, and we do what it says and add that address to yours. Reply no to drop it.",
    )
    alice.says("yes").gets(1).hears("bob's move on board 1")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org",)


def test_newkey_makes_the_stolen_mail_useless(table: Table) -> None:
    alice, bob, mail = stolen(table)
    thief = table.person("mallory@example.net")
    thief.says("resign", answering=mail)
    question = alice.newest
    alice.forgets().says("newkey", answering=question).gets(1).hears(
        "You can answer this one, and all that follow."
    )
    thief.says("resign", answering=mail)
    assert thief.replied.startswith("550 5.1.1 ")
    assert "pbm@games.example" in thief.replied
    thief.says("yes", answering=question)
    assert thief.replied.startswith("550 ")
    bob.hears_nothing()
    alice.hears_nothing()


@pytest.mark.parametrize(
    "line", ["change address mallory@example.net", "change handle al", "delete"]
)
def test_nothing_else_that_is_dangerous_is_done_without_a_question_of_its_own(
    table: Table, line: str
) -> None:
    """The question offers a new key, and nothing more."""
    alice, _, mail = stolen(table)
    table.person("mallory@example.net").says("resign", answering=mail)
    alice.forgets().says(line).gets(1).hears(f"| {line}", "Reply yes to do it")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org",)


def test_reading_from_elsewhere_is_asked_about_as_well(table: Table) -> None:
    alice, _, mail = stolen(table)
    work = table.person("a.l@work.example")
    work.says("show", answering=mail).hears_nothing()
    alice.gets(1).hears("came from a.l@work.example", "| show")


def test_a_forged_sender_and_an_old_question_do_not_renew_the_key(table: Table) -> None:
    alice, _, mail = stolen(table)
    table.person("mallory@example.net").says("resign", answering=mail)
    question = alice.newest
    alice.says("no", answering=question).forgets()
    alice.says("newkey", answering=question).gets(1).hears("| newkey", "Reply yes to do it")


def test_an_answer_to_a_question_from_elsewhere(table: Table) -> None:
    alice, bob, _ = stolen(table)
    alice.writes("resign 1")
    question = alice.newest
    work = table.person("a.l@work.example")
    work.says("yes", answering=question).hears_nothing()
    bob.hears_nothing()
    assert table.board(1).status == "playing"
    alice.forgets()
    asked = alice.newest
    assert "| yes" in asked.text
    alice.says("yes", answering=asked).gets(1).hears("is one of your addresses now")
    assert table.board(1).status == "playing"
    alice.says("yes", answering=question).gets(1).hears("Board 1 is over")


def test_a_long_foreign_mail_is_told_in_part(table: Table) -> None:
    alice, _, mail = stolen(table)
    words = "\n".join(f"Line number {number} of many." for number in range(1, 500))
    table.person("mallory@example.net").says(words, answering=mail)
    alice.hears("| Line number 5 of many.", "| (and more)")
    assert "number 6" not in alice.newest.text


def test_a_line_that_went_wrong_and_an_empty_mail_are_told(table: Table) -> None:
    alice, _, mail = stolen(table)
    thief = table.person("mallory@example.net")
    thief.says("resign everything e4", answering=mail)
    alice.hears("| resign everything e4")
    alice.says("yes").hears("is one of your addresses now")
    table.clock.passes(days=2)
    table.person("third@example.net").says("", answering=mail)
    alice.hears("| (nothing)")


def test_the_owner_is_suspended(table: Table) -> None:
    alice, _, mail = stolen(table)
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.players.change(player.id, status="suspended")
    table.person("mallory@example.net").says("resign", answering=mail).hears_nothing()
    alice.hears_nothing()


def test_an_automatic_reply_from_elsewhere_asks_nobody(table: Table) -> None:
    alice, _, mail = stolen(table)
    robot = table.person("vacation@example.net")
    robot.says("I am away.", answering=mail, headers={"Auto-Submitted": "auto-replied"})
    alice.hears_nothing()
