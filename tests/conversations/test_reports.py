"""A player tells the operator of somebody's behaviour."""

from dataclasses import replace

import pytest

from pbm.play.limits import REPORTS
from tests.conversations.playing import board_mail
from tests.table import OPERATOR, Table


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("report", "Write what happened on board 1, after the number or below"),
        ("report 1", "Write what happened on board 1, after the number or below"),
        ("report 2 bob is rude", "There is no board 2."),
    ],
)
def test_what_cannot_be_done_is_told(table: Table, line: str, answer: str) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says(line).gets(1).hears(answer)
    assert not table.person(OPERATOR).mails


def test_where_no_operator_is_named_it_is_kept(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.site = table.turns.site = replace(table.site, operator="")
    alice.says("report 1 bob is rude").gets(1)
    alice.hears("is kept for the operator", "Reports here are not mailed")
    assert len(table.rows("reports")) == 1


def test_the_operator_gets_the_words_and_nobody_else(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    operator = table.person(OPERATOR)
    bob.says("Old words.", answering=board_mail(bob, 1)).forgets()
    table.clock.passes(days=31)
    bob.says("You fool.\nGo home.", answering=board_mail(bob, 1)).forgets()
    alice.says("Stop it, please.", answering=board_mail(alice, 1)).forgets()
    bob.forgets()
    alice.forgets().says("report he insults me\nEvery day.", answering=board_mail(alice, 1))
    alice.gets(1).hears('Did you send "report 1 he insults me"?', "answer no, and put a line")
    assert not table.rows("reports")
    alice.says("yes").gets(1).hears("The operator has your report about board 1")
    bob.hears_nothing()
    operator.gets(1)
    assert not operator.newest["Reply-To"] or "+" not in operator.newest.reply_to
    operator.hears(
        "alice reports board 1",
        "alice reports board 1 (alice and bob): | he insults me | Every day.",
        "bob, 2026-12-22 12:00 UTC: | You fool. | Go home.",
        "pbm-admin games show 1",
    )
    assert "Old words." not in operator.newest.text
    assert "Stop it" not in operator.newest.text


def test_as_much_of_long_words_as_is_needed(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("\n".join(["Fool! " * 70] * 50), answering=board_mail(bob, 1))
    alice.says("report 1\n" + "\n".join(["He shouts. " * 40] * 50))
    (kept,) = table.rows("reports")
    for lines in (kept["lines"], kept["words"][0]["lines"]):
        assert len(lines) == 40
        assert max(map(len, lines)) == 400


def test_without_a_number_it_is_the_board_with_whoever_is_named(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.joins("carol")
    table.begins("bob", "alice", "carol")
    table.begins("carol", "alice")
    alice.writes("help").forgets()  # on board 1 only it is her turn
    alice.says("report Carol, she insults me").hears("Which board do you mean?", "- 3 (", "- 2 (")
    assert "- 1 (" not in alice.newest.text
    alice.says("report somebody").hears("Which board do you mean?", "- 1 (")
    assert not table.rows("reports")
    table.joins("dave")
    table.begins("dave", "alice")
    alice.says("whoami").says("report dave is rude").hears("your report about board 4")


def test_a_stranger_to_the_board_reports_nothing(table: Table) -> None:
    _, carol = table.start("alice", "bob"), table.joins("carol")
    carol.says("report 1 they are rude").gets(1).hears("You do not play on board 1.")


def test_a_plain_mail_is_asked_about_first(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("report 1 bob is -very- rude").gets(1).hears(
        'Did you send "report 1 bob is -very- rude"?'
    )
    assert not table.rows("reports")
    alice.says("yes").gets(1).hears("The operator has your report")
    table.person(OPERATOR).gets(1).hears("| bob is -very- rude", "have written nothing there")


def test_there_are_so_many_a_day(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for _ in range(REPORTS.most):
        alice.says("report 1 again").gets(1).forgets()
    alice.says("report 1 again").gets(1).hears("You have sent 5 reports within a day")
    table.clock.passes(days=1)
    alice.says("report 1 again").gets(1).hears("The operator has your report")


def test_ten_accounts_bring_the_operator_ten_mails_a_day(table: Table) -> None:
    """Two of each, and all are kept; the last says so."""
    puppets = [table.joins(f"puppet{number}") for number in range(6)]
    for number, puppet in enumerate(puppets, 1):
        table.begins(f"puppet{number - 1}", f"puppet{number % 6}")
        for _ in range(3):
            puppet.says(f"report {number} again").forgets()
    operator = table.person(OPERATOR)
    operator.gets(10).hears("This is the last one mailed for now; more are only kept there")
    assert not any("the last one" in mail.text for mail in operator.mails[:-1])
    puppets[5].says("report 6 once more").hears(
        "is kept for the operator", "The operator has had several reports by mail today"
    )
    assert len(table.rows("reports")) == 19
    table.clock.passes(days=1)
    puppets[5].says("report 6 again").hears("The operator has your report")


def test_words_and_reports_are_forgotten_in_time_and_with_their_author(table: Table) -> None:
    table.ticks.begin()
    alice, bob = table.start("alice", "bob")
    bob.says("Hello!", answering=board_mail(bob, 1))
    alice.says("Hello yourself!", answering=board_mail(alice, 1))
    alice.says("report 1 he greets me").forgets()
    bob.says("export me").hears('"Hello!"')
    assert len(table.rows("words")) == 2
    bob.says("delete").says("yes")
    assert [row["lines"] for row in table.rows("words")] == [("Hello yourself!",)]
    table.days_pass(32)
    assert not table.rows("words")
    assert table.rows("reports")
    table.days_pass(150)
    assert not table.rows("reports")
