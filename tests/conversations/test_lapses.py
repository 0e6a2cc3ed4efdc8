"""Questions that nobody answers lapse, and what waited for the answer goes with them."""

import pytest

from tests.table import Table

PASSWORD = "correct horse battery"


def errands(table: Table) -> list[tuple[str, object, object]]:
    return [(row["status"], row["lines"], row["comment"]) for row in table.rows("errands")]


class TestInvitations:
    def test_who_invited_hears_once_that_nobody_answered(self, table: Table) -> None:
        alice, dave = table.joins("alice"), table.person("dave@example.org")
        alice.says("challenge dave@example.org\n\nHello Dave!").forgets()
        dave.gets(1).forgets()
        table.days_pass(2.9)
        alice.hears_nothing()
        table.days_pass(0.2)
        alice.gets(1).hears(
            "your invitation",
            "dave@example.org has not answered within three days, so the game that you wanted to"
            " start is off.",
        )
        dave.hears_nothing()
        assert not table.rows("challenges")
        assert not table.rows("challenged")
        table.days_pass(30)
        alice.hears_nothing()

    def test_of_several_who_do_not_answer_one_is_told_of(self, table: Table) -> None:
        alice = table.joins("alice")
        alice.says("challenge me dave@example.org erin@example.org").forgets()
        table.days_pass(4)
        alice.gets(1)

    def test_who_has_said_yes_hears_that_another_has_not(self, table: Table) -> None:
        alice, bob = table.joins("alice"), table.joins("bob")
        dave, erin = table.person("dave@example.org"), table.person("erin@example.org")
        alice.says("challenge me dave@example.org bob erin@example.org").forgets()
        dave.says("yes").forgets()
        table.days_pass(4)
        dave.gets(1).hears("will not take place", "has not answered in time.")
        alice.gets(1).hears("erin@example.org has not answered within three days")
        bob.hears_nothing()
        erin.gets(1)

    def test_a_yes_in_time_starts_the_game(self, table: Table) -> None:
        alice, dave = table.joins("alice"), table.person("dave@example.org")
        alice.says("challenge dave@example.org").forgets()
        to = dave.newest.reply_to
        table.days_pass(2.99)
        table.hand_in(dave.address, to, dave.mail_bytes("", "yes", to=to))
        table.days_pass(0.1)  # and no turn is taken
        table.runs()
        assert [seat.handle for seat in table.board(1).seats] == ["alice", "dave"]
        alice.forgets()
        table.days_pass(1)
        alice.hears_nothing()

    def test_a_yes_after_it_finds_no_game(self, table: Table) -> None:
        alice, dave = table.joins("alice"), table.person("dave@example.org")
        alice.says("challenge dave@example.org")
        table.days_pass(4)
        dave.says("yes").says("yes")
        assert table.player("dave") is not None
        assert table.boards() == []

    def test_one_that_was_asked_again_keeps_its_game(self, table: Table) -> None:
        alice, dave = table.joins("alice"), table.person("dave@example.org")
        alice.says("challenge dave@example.org").forgets()
        table.days_pass(2)
        dave.says("all")  # no handle, so that the question is asked again
        table.days_pass(2)
        alice.hears_nothing()
        dave.says("yes")
        assert table.boards() == [1]

    def test_a_no_after_it_still_counts_for_ever(self, table: Table) -> None:
        alice, dave = table.joins("alice"), table.person("dave@example.org")
        alice.says("challenge dave@example.org")
        table.days_pass(4)
        dave.says("no")
        alice.forgets().says("challenge dave@example.org").hears("asked")
        assert table.rows("questions")[-1]["answer"] == "no"


class TestCommands:
    def test_what_waited_is_dropped_and_its_words_are_erased(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        alice.writes("move 1 a1-c3,d4", "Good luck!").gets(1).forgets()
        table.days_pass(1.9)
        assert [status for status, _, _ in errands(table)] == ["waiting"]
        table.days_pass(0.11)
        assert errands(table) == [("dropped", (), ())]
        bob.hears_nothing()
        assert "Good luck" not in table.everything_stored()

    def test_each_lapses_with_its_own_question(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.writes("resign 1")
        table.days_pass(1.5)
        alice.writes("move 1 a1-c3,d4")
        table.days_pass(1)
        assert [status for status, _, _ in errands(table)] == ["dropped", "waiting"]
        table.days_pass(1.1)
        assert [status for status, _, _ in errands(table)] == ["dropped", "dropped"]

    def test_the_hash_of_a_new_password_goes(self, table: Table) -> None:
        alice = table.joins("alice")
        alice.says(f"change password {PASSWORD.replace(' ', '-')}")
        assert "$argon2id$" in table.everything_stored()
        table.days_pass(2.1)
        assert "$argon2id$" not in table.everything_stored()

    def test_the_hash_that_came_with_a_signup_goes(self, table: Table) -> None:
        dave = table.person("dave@example.org")
        dave.writes("signup dave correct-horse-battery")
        assert "$argon2id$" in table.everything_stored()
        table.days_pass(3.1)
        assert "$argon2id$" not in table.everything_stored()


def test_rates_are_forgotten_after_a_week(table: Table) -> None:
    table.ticks.begin()
    table.start("alice", "bob")
    assert table.rows("buckets")
    table.days_pass(6.9)
    assert table.rows("buckets")
    table.days_pass(1.2)
    left = {row["key"].split(":")[0] for row in table.rows("buckets")}
    assert left == {"told"}  # since the board was closed a day ago
    table.days_pass(7)
    assert not table.rows("buckets")


def test_who_leaves_is_forgotten_with_the_mails_that_still_go_out(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").says("delete")
    bob.forgets()
    for person, mail, body in ((bob, bob.newest, "i9-g7,h8"), (alice, alice.newest, "yes")):
        table.hand_in(person.address, mail.reply_to, person.mail_bytes("", body, to=mail.reply_to))
    table.runs()
    bob.hears("alice resigned.")
    assert "bob played i9-g7,h8." in alice.arrived[-2].text
    assert alice.address not in str([row["recipient"] for row in table.rows("outbox")])


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize(
    ("line", "asked", "days"),
    [
        ("hello", "dave", 3),
        ("newkey", "alice", 2),
        ("challenge dave@example.org", "dave", 3),
        ("challenge bob", "bob", 7),
    ],
)
def test_an_outage_gives_questions_their_time_back(
    table: Table, line: str, asked: str, days: float, *, answered: bool
) -> None:
    alice, bob, dave = table.joins("alice"), table.joins("bob"), table.person("dave@example.org")
    bob.says("set challenges ask").forgets()
    if line == "hello":
        dave.writes(line)
    else:
        alice.says(line).forgets()
    whom = {"alice": alice, "bob": bob, "dave": dave}[asked]
    question = whom.mail("Please confirm") if line == "newkey" else whom.newest
    for person in (alice, bob, dave):
        person.forgets()
    table.is_down(10)
    table.days_pass(days - 0.01 if answered else days + 0.02)
    off = line.startswith("challenge") and not answered
    alice.gets(1 if off else 0)
    bob.gets(1 if off and asked == "bob" else 0)
    dave.hears_nothing()
    whom.says("yes", answering=question)
    assert (table.rows("questions")[2]["answer"] == "yes") is answered  # after those of joining
