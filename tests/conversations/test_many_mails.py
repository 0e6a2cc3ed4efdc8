"""What one player can make us send others: challenges, and all that one mail asks for."""

import pytest

from pbm.play.limits import MOST_MAILS, MOST_UNANSWERED
from tests.table import Person, Table

FIVE = ("bob", "carol", "dave", "erin", "frank")


def seated(table: Table) -> list[Person]:
    return [table.joins(handle) for handle in ("alice", *FIVE)]


def test_twenty_challenges_in_a_mail(table: Table) -> None:
    alice, *others = seated(table)
    lines = "\n".join([f"challenge me {' '.join(FIVE)}"] * 20)
    alice.says(lines, subject="multiple")
    assert len(table.boards()) == MOST_UNANSWERED
    assert [len(person.arrived) for person in others] == [MOST_UNANSWERED] * len(FIVE)
    text = alice.newest.text
    assert text.count("bob has not answered 3 games that you began") == 17
    assert text.count("One of your lines was not done.") == 17


def test_one_mail_brings_others_so_many_mails(table: Table) -> None:
    alice, *others = seated(table)
    table.begins("alice", *FIVE, times=5)
    for person in (alice, *others):
        person.forgets()
    alice.says("\n".join(f"draw {number}" for number in range(1, 6)), subject="multiple")
    assert sum(len(person.arrived) for person in others) == MOST_MAILS
    assert [bool(table.board(number).offers) for number in range(1, 6)] == [True] * 4 + [False]
    alice.hears("| draw 5", "One mail of yours may cause 20 mails to others", "in another mail")
    alice.says("draw 5")
    assert [len(person.arrived) for person in others] == [5] * 5
    bob = others[0].forgets()
    bob.says("\n".join(f"resign {number}" for number in range(1, 6)), subject="multiple")
    bob.hears("| resign 5", "One mail of yours may cause 20 mails to others")
    assert len(table.departures(5)) == 0
    bob.says("delete").says("yes")  # tells everybody, however many they are
    assert all(len(table.departures(number)) == 1 for number in range(1, 6))


def test_what_a_yes_does_is_one_mail(table: Table) -> None:
    alice, *others = seated(table)
    table.begins("alice", *FIVE, times=5)
    for person in others:
        person.forgets()
    alice.writes("multiple", "\n".join(f"draw {number}" for number in range(1, 6)))
    alice.hears("| draw 5", "One mail of yours may cause 20 mails to others").says("yes")
    assert sum(len(person.arrived) for person in others) == MOST_MAILS


def test_three_challenges_may_wait_for_somebodys_answer(table: Table) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    welcome = alice.mail("pbm: welcome")

    def challenges(line: str = "challenge bob me") -> bool:
        before = len(table.boards())
        alice.forgets().says(line, answering=welcome)
        return len(table.boards()) > before

    def refused() -> bool:
        return not challenges() and "bob has not answered 3 games" in alice.newest.text

    assert all(challenges() for _ in range(MOST_UNANSWERED))
    assert refused()
    assert not challenges("challenge me carol bob")
    assert challenges("challenge carol")
    bob.says("challenge alice", answering=bob.mail("pbm: welcome"))  # which is bob's own
    assert refused()
    bob.says("show 1").says("games")
    assert refused()
    bob.says("a1-c3,d4", answering=bob.mail("Abalone Board 1"))
    assert challenges()
    assert refused()
    bob.says("Not this week.", answering=bob.mail("Abalone Board 2"))
    assert challenges()
    assert refused()
    bob.says("decline 3")
    assert challenges()
    assert refused()
    table.clock.passes(days=30)
    assert refused()
    carol.says("challenge bob", answering=carol.mail("pbm: welcome"))  # another's go on
    assert table.board(table.boards()[-1]).seats[0].handle == "carol"


def test_a_rematch_is_a_challenge_too(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    table.begins("alice", "bob")
    bob.says("resign 1", answering=bob.mail("pbm: welcome"))
    for _ in range(MOST_UNANSWERED):
        alice.says("challenge bob", answering=alice.mail("pbm: welcome"))
    alice.says("rematch 1", answering=alice.mail("pbm: welcome")).hears("bob has not answered")
    bob.says("rematch 1", answering=bob.mail("pbm: welcome")).hears("Abalone Board 5")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postmaster@games.example", "an address of a mail server"),
        ("ABUSE@Games.Example", "an address of a mail server"),
        ("mailer-daemon@games.example", "an address of a mail server"),
        ("No-Reply+x@elsewhere.example", "an address of a mail server"),
        ("pbm@GAMES.example", "or of this one"),
        ("abuse+1@games.example", "an address of a mail server"),
        ("root@games.example", "an address of a mail server"),
        ("joe@localhost", "an address of a mail server"),
        ("joe%far.example@games.example", "an address of a mail server"),
        ("far.example!joe@relay.example", "an address of a mail server"),
    ],
)
def test_no_server_is_invited(address: str, why: str, table: Table) -> None:
    alice = table.joins("alice")
    before = dict(table.mailboxes)
    alice.says(f"challenge {address}\nBuy this").hears(why, "| Buy this")
    alice.says(f"challenge me {address} friend@example.net").hears(why)
    assert set(table.mailboxes) == set(before)
    assert not [row for row in table.rows("questions") if row["kind"] == "invite"]


@pytest.mark.parametrize("ends", ["decline", "resign"])
def test_who_challenges_and_ends_it_in_turn_brings_few_mails(ends: str, table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    for _ in range(10):
        alice.says("challenge bob")
        number = max(table.boards())
        if table.board(number).playing:
            alice.says(f"{ends} {number}")
    assert len(bob.arrived) == 2 * MOST_UNANSWERED
    alice.hears("bob has not answered 3 games that you began", "Those that are over count for")
    table.days_pass(1.1)
    alice.forgets().says("challenge bob").hears("Abalone Board")
