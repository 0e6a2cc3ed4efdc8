"""Promise 9: a player whose mail bounces is marked, the others are told, any mail ends it."""

from pathlib import Path

import pytest

from pbm.mail.address import Bounce
from pbm.mail.smtp_out.delivery import Deferred, Failed, Sent
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.players import set_address
from pbm.service.post.post import Composer, Post
from pbm.store.values.mails import OutboxMail
from tests.serving import take_next
from tests.table import SERVER, Mail, Person, Table

REPORTS = Path(__file__).parents[1] / "mail" / "reading" / "reports"
AWAY = "Mail to alice comes back as undeliverable."
TURN = "alice's move on board 1 (mail to alice comes back); nothing to do."
BACK = "Mail to alice came back for a while. Now alice has written to us"
LASTED = {"hours": 24.1}  # from when on others are told


def report(table: Table, mail: Mail, name: str) -> str:
    """Let a server report what became of a mail; return the outcome for the operator."""
    raw = (REPORTS / f"{name}.eml").read_bytes().replace(b"\n", b"\r\n")
    return reported(table, mail.envelope_sender, raw + table.next_message_id().encode())


def reported(table: Table, recipient: str, raw: bytes) -> str:
    """Hand in a report, and return what was made of it."""
    reply = table.deliver("", recipient, raw)
    assert reply.startswith("250"), reply
    newest = max(table.rows("inbox"), key=lambda row: int(row["id"]))
    return str(newest["outcome"])


def unreachable(table: Table, handle: str = "alice") -> bool:
    """Whether mail to a player counts as coming back."""
    player = table.player(handle)
    assert player is not None
    return player.unreachable_since is not None


def to_move(table: Table) -> tuple[Person, Person]:
    """A board on which it is alice's turn, and all has been read."""
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    bob.says("i9-g7,f6")
    return alice.forgets(), bob.forgets()


@pytest.mark.on_postgresql
def test_promise_09_the_envelope_sender_names_player_and_mail(table: Table) -> None:
    alice, bob = to_move(table)
    parsed = table.site.address.parse(alice.newest.envelope_sender)
    assert isinstance(parsed, Bounce)
    player = table.player("alice")
    assert player is not None
    assert parsed.player_id == player.id
    assert parsed.mail in alice.newest["Message-ID"]
    senders = [mail.envelope_sender for mail in alice.mails + bob.mails]
    named = [sender for sender in senders if sender]
    assert len(set(named)) == len(named)
    assert all(len(sender.rpartition("@")[0]) <= 64 for sender in named)


def test_promise_09_questions_and_strangers_mails_have_none(table: Table) -> None:
    alice = table.person("alice@example.org").writes("hello")
    assert alice.newest.envelope_sender == ""
    alice.says("yes")
    assert alice.newest.envelope_sender
    alice.writes("newkey")
    assert alice.newest["Subject"] == "Please confirm: newkey"
    assert alice.newest.envelope_sender == ""


def test_promise_09_a_hard_bounce_marks_and_the_others_are_told(table: Table) -> None:
    alice, bob = to_move(table)
    outcome = report(table, alice.newest, "postfix-unknown-user")
    assert "to alice came back (hard); mail to alice counts as coming back now" in outcome
    assert unreachable(table)
    table.days_pass(hours=23.9)
    alice.hears_nothing()
    bob.hears_nothing()
    table.days_pass(hours=0.2)
    bob.gets(1)
    assert bob.newest["Subject"] == "Abalone Board 1: alice v bob"
    bob.hears(AWAY, TURN)
    bob.says("show").hears("(mail to alice comes back)")
    bob.says("games").hears("Move 2 (#3) is alice's (mail to alice comes back)")
    assert table.moves(1) == ["a1-c3,b2", "i9-g7,h8"]


def test_promise_09_any_mail_of_theirs_ends_it(table: Table) -> None:
    alice, bob = to_move(table)
    board = alice.newest
    report(table, board, "postfix-unknown-user")
    alice.forgets()
    bob.forgets()
    alice.says("a2-c4,d5", answering=board)
    assert not unreachable(table)
    bob.gets(1).hears("alice played a2-c4,b3.", "Your move on board 1.").forgets()
    table.days_pass(2)
    bob.hears_nothing()  # he was told nothing
    alice.hears("bob's move on board 1; nothing to do.")


def test_promise_09_so_does_one_that_only_looks(table: Table) -> None:
    alice, bob = to_move(table)
    report(table, alice.newest, "postfix-unknown-user")
    table.days_pass(**LASTED)
    alice.forgets()
    bob.gets(1).forgets()
    alice.writes("whoami")
    assert not unreachable(table)
    alice.gets(2).hears("You are alice", "Our mails to you came back", "Your move on board 1.")
    table.days_pass(hours=23.9)
    bob.hears_nothing()
    table.days_pass(hours=0.2)
    bob.gets(1).hears(BACK, "alice's move on board 1; nothing to do.")


def test_promise_09_nobody_is_told_twice(table: Table) -> None:
    alice, bob = to_move(table)
    alice.says("show")
    first, second = alice.mails[-2:]
    report(table, first, "postfix-unknown-user")
    table.days_pass(**LASTED)
    bob.gets(1).forgets()
    assert "came back (hard)" in report(table, second, "exchange-unknown-recipient")
    assert "has come back before" in report(table, first, "gmail-no-such-user")
    bob.hears_nothing()


def test_promise_09_what_is_no_failure_changes_nothing(table: Table) -> None:
    alice, bob = to_move(table)
    for name in ("postfix-delayed", "gmail-delayed", "exim-warning", "postfix-relayed"):
        assert report(table, alice.newest, name).startswith("nothing: mail to alice is ")
    for name in ("not-vacation", "not-a-person", "not-read-receipt", "not-complaint"):
        assert report(table, alice.newest, name).startswith("nothing: no report")
    player = table.player("alice")
    assert player is not None
    assert (player.bounces, player.bounced_at) == (0, None)
    bob.hears_nothing()


@pytest.mark.parametrize("name", ["status-4.0.0", "exim-over-quota", "words-alone"])
def test_promise_09_three_soft_ones_on_three_days_mark(table: Table, name: str) -> None:
    alice, bob = to_move(table)
    for day in range(3):
        assert not unreachable(table)
        bob.hears_nothing()
        for mail in alice.mails[-1 - day : len(alice.mails)]:
            report(table, mail, name)  # those of one day count as one
        table.clock.passes(days=1, minutes=1)
        table.runs()
    assert unreachable(table)
    table.days_pass(**LASTED)
    bob.hears(AWAY)


def test_promise_09_soft_ones_with_a_mail_between_do_not_mark(table: Table) -> None:
    alice, bob = to_move(table)
    for _ in range(4):
        report(table, alice.newest, "status-4.0.0")
        table.clock.passes(days=1, minutes=1)
        table.runs()
        alice.hears("An earlier mail to you about this board came back")
        alice.says("games")
    assert not unreachable(table)
    bob.hears_nothing()


def test_promise_09_soft_ones_long_apart_do_not_mark(table: Table) -> None:
    alice, _ = to_move(table)
    for _ in range(4):
        report(table, alice.newest, "status-4.0.0")
        table.clock.passes(days=1, minutes=1)
        table.runs()
        report(table, alice.newest, "status-4.0.0")
        table.clock.passes(days=31)
        table.runs()
    assert not unreachable(table)


def test_promise_09_a_forged_bounce_changes_nothing(table: Table) -> None:
    alice, bob = to_move(table)
    raw = (REPORTS / "postfix-unknown-user.eml").read_bytes().replace(b"\n", b"\r\n")
    good = alice.newest.envelope_sender
    forged = [
        good.replace("+b.1.", "+b.2."),
        good.replace(".0000", ".1000"),
        good[: good.index("@") - 1] + ("a@" if good[good.index("@") - 1] != "a" else "b@"),
        bob.newest.envelope_sender.replace("+b.2.", "+b.1."),
        f"pbm+b.1.00000001.k9{'a' * 16}@games.example",
        alice.newest.reply_to.replace("+g1.u1.", "+b.1.00000001."),
    ]
    for address in forged:
        reply = table.deliver("", address.split("@")[0] + "@games.example", raw)
        assert reply == (
            f"550 5.1.1 This address was never one of ours; please write to {SERVER} instead."
        ), address
    for address in (SERVER, alice.newest.reply_to):
        other = raw + address.encode()
        assert reported(table, address, other).startswith("nothing: automatic mail")
    assert not unreachable(table)
    bob.hears_nothing()


def test_promise_09_only_mails_to_the_present_address_count(table: Table) -> None:
    alice, bob = to_move(table)
    old = alice.newest
    office = OperatorSession(table.database, table.site, table.clock, "root")
    set_address(office, "alice", "alice@new.example", "a test")
    assert "old address of alice" in report(table, old, "postfix-unknown-user")
    assert not unreachable(table)
    bob.hears_nothing()


def test_promise_09_a_new_address_ends_it(table: Table) -> None:
    alice, bob = to_move(table)
    report(table, alice.newest, "postfix-unknown-user")
    bob.forgets()
    office = OperatorSession(table.database, table.site, table.clock, "root")
    set_address(office, "alice", "alice@new.example", "a test")
    table.runs()
    assert not unreachable(table)
    table.person("alice@new.example").hears("Your move on board 1.")


def test_a_report_of_an_old_mail_is_not_heard(table: Table) -> None:
    alice, _ = to_move(table)
    table.clock.passes(days=31)
    assert "about an old mail" in report(table, alice.newest, "postfix-unknown-user")
    assert not unreachable(table)


def test_mails_wait_while_they_come_back_and_go_out_in_order(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    report(table, alice.newest, "postfix-unknown-user")
    bob.says("One?", answering=bob.mail("Abalone Board 1"))
    carol.says("Two?", answering=carol.mail("Abalone Board 1"))
    alice.hears_nothing()
    table.clock.passes(hours=23)
    table.runs()
    alice.hears_nothing()
    table.clock.passes(hours=1, minutes=1)
    table.runs()
    alice.gets(2)  # the first takes the place of what was written once more
    assert "An earlier mail to you about this board came back" in alice.arrived[0].text
    assert "| One?" in alice.arrived[0].text
    assert "| Two?" in alice.arrived[1].text
    assert unreachable(table)  # nobody knows whether these arrive


def test_what_waits_goes_out_with_the_first_mail_of_theirs(table: Table) -> None:
    alice, bob = to_move(table)
    board = alice.newest
    report(table, board, "postfix-unknown-user")
    bob.says("Where are you?", answering=bob.mail("Abalone Board 1"))
    alice.forgets().says("whoami", answering=board)
    alice.hears("| Where are you?", "You are alice")
    assert not [row for row in table.rows("outbox") if row["status"] == "due"]


def soft_bounce(table: Table) -> tuple[Person, Person]:
    """A board on which it is alice's turn, the mail of which has come back for now."""
    alice, bob = to_move(table)
    report(table, alice.newest, "status-4.0.0")
    table.runs()
    alice.hears_nothing()
    return alice.forgets(), bob


def test_one_soft_bounce_holds_no_later_mail_back(table: Table) -> None:
    alice, bob = soft_bounce(table)
    bob.says("Are you there?", answering=bob.mail("Abalone Board 1"))
    alice.gets(1).hears("An earlier mail to you about this board came back", "| Are you there?")
    table.clock.passes(days=2)
    table.runs()
    alice.hears_nothing()  # no older position comes after it


@pytest.mark.parametrize("unproven", [False, True])
def test_after_a_soft_bounce_the_board_comes_with_the_next_mail_of_theirs(
    table: Table, *, unproven: bool
) -> None:
    alice, _ = soft_bounce(table)
    alice.writes("whoami") if unproven else alice.says("whoami")
    alice.gets(2).hears("You are alice", "An earlier mail to you about this board came back")
    table.clock.passes(days=2)
    table.runs()
    alice.hears_nothing()


def test_after_a_soft_bounce_a_move_brings_the_board_once(table: Table) -> None:
    alice, _ = soft_bounce(table)
    alice.says("a2-c4,d5").gets(1).hears("bob's move on board 1; nothing to do.")
    table.clock.passes(days=2)
    table.runs()
    alice.hears_nothing()


def test_a_dead_mailbox_gets_one_try_a_week_at_last(table: Table) -> None:
    alice, bob = to_move(table)
    for _ in range(5):
        bob.says("challenge alice", answering=bob.mail("pbm: welcome"))
    gaps: list[int] = []
    for mail in alice.mails[-6:]:
        report(table, mail, "postfix-unknown-user")
    alice.forgets()
    days = 0
    for _ in range(60):
        table.clock.passes(days=1)
        days += 1
        table.runs()
        if alice.arrived:
            alice.gets(1)
            report(table, alice.newest, "postfix-unknown-user")
            alice.forgets()
            gaps.append(days)
            days = 0
    assert gaps == [1, 1, 2, 4, 7, 7, 7, 7, 7, 7, 7]
    assert unreachable(table)


def test_all_boards_that_wait_are_told_and_get_the_boards_again(table: Table) -> None:
    alice, bob = to_move(table)
    carol, dave = table.joins("carol"), table.joins("dave")
    alice.says("challenge carol").says("challenge dave")
    bob.says("challenge carol", answering=bob.mail("pbm: welcome"))
    dave.says("block alice").says("set mails turn")
    people = [person.forgets() for person in (alice, bob, carol, dave)]
    report(table, alice.newest, "postfix-unknown-user")
    table.days_pass(**LASTED)
    bob.gets(1).hears("Abalone Board 1", AWAY)
    carol.gets(1).hears("Abalone Board 2", AWAY)
    alice.says("whoami", answering=alice.mails[-1])
    alice.hears("Abalone Board 1", "Abalone Board 2", "Abalone Board 3")
    for person in people:
        person.forgets()
    table.days_pass(**LASTED)
    bob.hears(BACK)
    carol.hears(BACK)
    dave.hears_nothing()


def test_coming_and_going_brings_the_others_nothing(table: Table) -> None:
    """Whoever makes mail come back, and writes, as often as that can be."""
    alice, bob = to_move(table)
    for _ in range(20):
        report(table, alice.newest, "postfix-unknown-user")
        alice.says("whoami", answering=alice.mail("Abalone Board 1"))
        table.days_pass(minutes=1)
    table.days_pass(3)
    bob.hears_nothing()


def test_a_game_that_is_over_is_not_told(table: Table) -> None:
    alice, bob = to_move(table)
    alice.says("resign")
    bob.forgets()
    report(table, alice.newest, "postfix-unknown-user")
    assert unreachable(table)
    bob.hears_nothing()


def test_forged_mails_bring_nobody_back_for_ever(table: Table) -> None:
    alice, bob = to_move(table)
    told = 0
    for _ in range(20):
        report(table, alice.newest, "postfix-unknown-user")
        alice.writes("whoami")  # anybody can write such a From
        table.runs()
        told += len(bob.arrived)
        bob.forgets()
    assert told <= 10
    assert unreachable(table)
    alice.says("whoami", answering=alice.mail("pbm: welcome"))  # but nobody this
    assert not unreachable(table)


# -- what the next server refuses at once ----------------------------------------------------


def refused(table: Table, outcome: Deferred | Failed | Sent) -> OutboxMail:
    """Let the next mail to a player meet with this; return how its row stands."""
    post = Post(table.database, table.site, table.clock, None, Composer(""))  # type: ignore[arg-type]
    claimed = post.claim()
    post.holds.close()
    mail = next(mail for mail in claimed if mail.player_id)
    with table.database.transaction() as work:
        post.record(work, [(mail, outcome)])
        return work.outbox.get(mail.id)


def write_one(table: Table) -> Person:
    """A mail to bob that waits to be sent, about a board where it is his turn; alice."""
    alice, bob = table.start("alice", "bob")
    raw = alice.mail_bytes("", "a1-c3,d4")
    table.hand_in(alice.address, alice.newest.reply_to, raw)
    take_next(table.turns)
    with table.database.transaction() as work:
        for mail in work.outbox.claim_due(table.clock(), most=9, passing_over=()):
            if mail.recipient == alice.address:
                work.outbox.finish([mail.id], "sent", table.clock())
    bob.forgets()
    return alice.forgets()


@pytest.mark.parametrize("status", ["5.1.1", "5.2.1", "5.1.10"])
def test_promise_09_a_refused_mailbox_counts_at_once(table: Table, status: str) -> None:
    alice = write_one(table)
    assert refused(table, Failed("RCPT: 550 no such user", status)).status == "failed"
    assert unreachable(table, "bob")
    table.posts()
    table.person("operator@games.example").hears("could not be sent")
    alice.hears_nothing()
    table.clock.passes(days=1, minutes=1)
    again = refused(table, Failed("RCPT: 550 no such user", status))
    assert again.status == "dropped"  # the operator has been told
    table.days_pass(0)
    alice.hears("Mail to bob comes back", "bob's move on board 1 (mail to bob comes back)")
    table.person("operator@games.example").gets(1)


@pytest.mark.parametrize("status", ["5.0.0", "5.7.1", "5.3.0", "4.2.2"])
def test_promise_09_what_may_be_about_us_counts_as_soft(table: Table, status: str) -> None:
    alice = write_one(table)
    for _ in range(3):
        assert not unreachable(table, "bob")
        refused(table, Failed("RCPT: 554 relay access denied", status))
        table.posts()
        table.clock.passes(days=1, minutes=1)
    assert unreachable(table, "bob")
    table.days_pass(**LASTED)
    alice.hears("Mail to bob comes back")


def test_a_mail_refused_for_what_it_is_says_nothing_of_its_reader(table: Table) -> None:
    write_one(table)
    refused(table, Failed("DATA: 554 looks like spam"))
    bob = table.player("bob")
    assert bob is not None
    assert (bob.bounces, bob.bounced_at) == (0, None)


@pytest.mark.thorough
def test_a_mail_that_had_to_wait_is_tried_for_a_day(table: Table) -> None:
    alice, bob = to_move(table)
    report(table, alice.newest, "postfix-unknown-user")
    bob.says("Hello?", answering=bob.mail("Abalone Board 1"))
    table.clock.passes(days=8)
    for _ in range(24):
        assert refused(table, Deferred("not now")).status == "due"
        table.clock.passes(hours=1)
    assert refused(table, Deferred("not now")).status == "failed"
