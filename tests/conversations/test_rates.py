"""Promises 7 and 8: how much is taken, sent on, and written to strangers."""

import pytest

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.limits import (
    ASIDE,
    ASKED,
    FIRST_STARTS,
    NEWS,
    OF_ASKING,
    OF_ORIGIN,
    RESERVED,
    SAME_WORDS,
    STARTS,
    STRANGERS,
    UNASKED,
)
from tests.conversations.playing import handle
from tests.serving import keep, keeping, take_next
from tests.table import OPERATOR, SERVER, Person, Table

POSTMASTER = "postmaster@games.example"
LATER = "an hour came from you or in your name; please send this one again later."


def outcomes(table: Table, words: str) -> int:
    """How many mails ended so."""
    return sum(words in str(row["outcome"]) for row in table.rows("inbox"))


CLAIMING = STRANGERS.most - RESERVED  # answers where neither a network is known nor anybody vouches


def flood(table: Table, numbers: range, network: str = "") -> int:
    """Let as many strangers write, each once; return how many mails were taken.

    Each has a domain of its own.
    """
    taken = 0
    with table.database.transaction() as work:
        for number in numbers:
            person = table.person(f"victim{number}@forged{number}.example")
            raw = person.mail_bytes("signup me")
            kept = keeping(table.intake, person.address, (SERVER,), raw, Caller("", network))(work)
            assert isinstance(kept, str) or kept.code == 450
            taken += isinstance(kept, str)
    while take_next(table.turns):
        pass
    table.posts()
    return taken


# -- strangers ---------------------------------------------------------------------------------


def test_promise_08_a_thousand_forged_senders(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    before = set(table.mailboxes)
    table.clock.passes(hours=1)
    rows = {name: len(table.rows(name)) for name in ("inbox", "buckets")}
    assert flood(table, range(1000)) == CLAIMING
    written = set(table.mailboxes) - before
    assert len(written) == CLAIMING  # whatever is taken is answered
    assert len(table.rows("inbox")) == rows["inbox"] + CLAIMING
    # Who was put off is remembered, by a row for each, and what was taken from by some more.
    assert len(table.rows("buckets")) <= rows["buckets"] + 1000 + 4 * CLAIMING
    alice.forgets().says("a1-c3,d4").gets(1)  # nobody else's mail waits
    table.clock.passes(hours=1)
    assert flood(table, range(1000, 1200)) == CLAIMING
    assert len(set(table.mailboxes) - before) == 2 * CLAIMING


def test_promise_08_no_hour_sees_more_than_a_hundred(table: Table) -> None:
    sent = 0
    for number in range(240):
        person = table.person(f"victim{number}@forged{number}.example")
        sent += len(person.writes("hello").mails)
        table.clock.passes(seconds=15)
    assert CLAIMING < sent <= CLAIMING + STRANGERS.most


def test_promise_08_one_forged_sender_gets_five_a_day(table: Table) -> None:
    victim = table.person("victim@forged.example")
    for number in range(60):
        victim.writes(f"mail {number}")
        table.clock.passes(minutes=20)
    assert len(victim.mails) == 5
    table.clock.passes(hours=6)
    for number in range(20):
        victim.writes(f"further mail {number}")
    assert len(victim.mails) == 10


def test_promise_08_in_no_day_more_than_five(table: Table) -> None:
    victim = table.person("victim@forged.example")
    moments = []
    for hour in range(24 * 7):
        victim.writes(f"mail {hour}")
        table.clock.passes(hours=1)
        moments += [hour] * len(victim.arrived)
        victim.forgets()
    assert moments == [24 * day + hour for day in range(7) for hour in range(5)]


def test_promise_08_what_stands_behind_a_plus_makes_nobody_else(table: Table) -> None:
    for number in range(30):
        table.person(f"Victim+{number}@forged.example").writes("hello")
    table.person("victim@forged.example").writes("hello").hears_nothing()
    assert sum(len(box) for box in table.mailboxes.values()) == 5
    table.person("other+1@forged.example").writes("hello").gets(1)
    table.person("+1@forged.example").writes("hello").gets(1)


def test_promise_08_invitations_count_among_them(table: Table) -> None:
    alice = table.joins("alice")
    for number in range(5):
        alice.says(f"challenge dave+{number}@forged.example", answering=alice.mail("pbm: welcome"))
        alice.hears("We have asked")
        table.clock.passes(days=4)
        alice.writes("whoami").forgets()
    for number in range(5):
        table.person(f"erin+{number}@forged.example").writes("hello")
    alice.says("challenge erin@forged.example", answering=alice.mail("pbm: welcome"))
    alice.hears("We cannot ask erin@forged.example now", "You can try it again from")


def test_promise_08_nobody_is_invited_when_enough_strangers_were_written_to(table: Table) -> None:
    alice = table.joins("alice")
    with table.database.transaction() as work:
        assert sum(OF_ASKING.take(work, table.clock()) for _ in range(OF_ASKING.most - 2)) == 8
    lines = [f"challenge guest{number}@example.net" for number in range(4)]
    alice.says("\n".join(lines), subject="multiple", answering=alice.mail("pbm: welcome"))
    alice.hears("We have asked guest0@", "We have asked guest1@")
    told = " ".join(alice.newest.text.split())
    shared = "for all players who are new or have asked us for one today, together. You can try"
    assert f"we write 10 such mails an hour, {shared}" in told
    assert "from 2026-11-21 12:06 UTC on." in told
    asked = [row["address"] for row in table.rows("questions") if row["kind"] == "invite"]
    assert sorted(asked) == ["guest0@example.net", "guest1@example.net"]
    for number in range(4):
        mails = table.person(f"guest{number}@example.net").mails
        assert len(mails) == (number < 2)


def test_an_address_that_is_no_players_is_not_asked_beyond_it_either(table: Table) -> None:
    alice = table.joins("alice")
    with table.database.transaction() as work:
        assert sum(ASKED.take(work, table.clock()) for _ in range(30)) == ASKED.most
    alice.says("add alice@new.example", answering=alice.mail("pbm: welcome")).says("yes")
    table.person("alice@new.example").hears_nothing()


def uses_up(table: Table) -> None:
    """Leave no answer for strangers whose mails nobody vouches for."""
    assert flood(table, range(CLAIMING + 1)) <= CLAIMING
    assert flood(table, range(1)) == 0


def test_promise_08_a_network_has_a_share_of_the_answers(table: Table) -> None:
    assert flood(table, range(100), "192.0.2.0/24") == OF_ORIGIN.most
    assert flood(table, range(100, 200), "2001:db8::/48") == OF_ORIGIN.most
    newcomer = table.person("newcomer@example.net").writes("hello").gets(1)
    assert newcomer.replied.startswith("250 ")


def test_a_newcomer_beyond_the_share_is_asked_to_come_again(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    asked = table.person("asked@example.net").writes("hello")
    uses_up(table)
    newcomer = table.person("newcomer@example.net").writes("hello").hears_nothing()
    assert newcomer.replied == (
        "450 4.7.1 More people who are new here have written than we can answer at once; "
        "please send this mail again in an hour."
    )
    alice.says("a1-c3,d4")  # whom we know is served, and whoever answers a question
    bob.forgets().writes("whoami").gets(1)
    asked.forgets().says("what is this about").gets(1).says("yes").hears("You play as asked")
    raw = newcomer.mail_bytes("hello")
    both = keep(table, newcomer.address, (SERVER, POSTMASTER), raw, "")
    assert isinstance(both, str)
    table.runs()
    newcomer.hears_nothing()
    assert outcomes(table, "nothing: no answer to strangers is left for now") == 1
    table.clock.passes(minutes=2)
    newcomer.writes("hello").gets(1)


def test_a_domain_that_vouches_has_a_share_of_its_own(table: Table) -> None:
    uses_up(table)
    table.behind_front("dmarc=pass header.from=newcomer.example")
    people = [table.person(f"p{number}@newcomer.example") for number in range(OF_ORIGIN.most + 2)]
    taken = [person.writes("hello").replied.startswith("250 ") for person in people]
    assert taken == [True] * OF_ORIGIN.most + [False] * 2
    assert [len(person.mails) for person in people] == taken
    table.person("p@other.example").writes("hello").hears_nothing()
    table.behind_front("dmarc=pass header.from=other.example", tried=False)
    assert table.person("q@other.example").writes("hello").replied.startswith("450 ")
    table.behind_front("dmarc=pass header.from=other.example")
    table.person("r@other.example").writes("hello").gets(1)


def test_one_address_takes_no_more_than_its_own_answers(table: Table) -> None:
    person = table.person("victim@forged.example")
    replies = [table.hand_in(person.address, SERVER, person.mail_bytes("hi")) for _ in range(60)]
    assert all(reply.startswith("250 ") for reply in replies)
    robot = {"Auto-Submitted": "auto-replied"}
    for number in range(60):
        table.person(f"robot{number}@example.net").writes("Away", headers=robot)
    table.runs()
    person.gets(5)
    assert flood(table, range(100)) == CLAIMING - 5


def test_who_writes_to_anothers_question_uses_up_no_newcomers_answers(table: Table) -> None:
    asked = table.person("asked@example.net").writes("hello")
    others = [table.person(f"p{number}@example.net") for number in range(30)]
    for person in others:
        person.says("hello", answering=asked.newest)
    assert sum(len(person.mails) for person in others) == ASIDE.most
    table.person("newcomer@example.net").writes("hello").gets(1)


# -- mails taken -------------------------------------------------------------------------------


def sends(person: Person, count: int, *, to: str = SERVER, sender: str = "") -> int:
    """Hand in as many mails; return how many were taken. The others are put off."""
    taken = 0
    for number in range(count):
        raw = person.mail_bytes("help", f"{number}", to=to)
        reply = person.table.hand_in(sender or person.address, to, raw)
        assert reply.startswith("250 ") or (
            reply.startswith("450 4.7.1 More than ") and reply.endswith(LATER)
        ), reply
        taken += reply.startswith("250 ")
    return taken


def test_one_address_may_send_so_many_an_hour(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_address=20)
    alice, bob = table.start("alice", "bob")
    table.clock.passes(hours=1)
    assert sends(alice, 30) == 20
    assert sends(bob, 5) == 5
    table.clock.passes(minutes=30)
    assert sends(alice, 30) == 10
    assert sends(alice, 10, sender="other@sender.example") == 0  # From: counts


def test_a_mail_sent_again_is_not_counted_again(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_address=3)
    alice = table.person("alice@example.org")
    raw = alice.mail_bytes("help")
    for _ in range(10):
        assert table.hand_in(alice.address, SERVER, raw).startswith("250 ")
    assert sends(alice, 5) == 2


def test_what_is_put_off_leaves_nothing_behind(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_address=1)
    alice = table.person("alice@example.org")
    assert sends(alice, 3) == 1
    assert len(table.rows("inbox")) == 1
    raw = alice.mail_bytes("help")
    table.clock.passes(hours=1)
    assert table.hand_in(alice.address, SERVER, raw).startswith("250 ")


def test_forgers_delay_nothing_that_answers_a_mail_of_ours(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_address=20)
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    assert sends(alice, 40) < 40  # anybody can write such a From
    assert alice.says("a1-c3,d4", answering=board).replied.startswith("250 ")
    assert table.moves(1) == ["a1-c3,b2"]


def test_one_peer_may_send_so_many_an_hour_unless_it_is_trusted(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_peer=6)
    people = [table.joins(f"p{number}") for number in range(9)]

    def taken(peer: str) -> int:
        count = 0
        for person in people:
            raw = person.mail_bytes("help")
            reply = keep(table, person.address, (SERVER,), raw, peer)
            assert isinstance(reply, str) or reply.code == 450
            count += isinstance(reply, str)
        return count

    assert taken("192.0.2.1") == 6
    assert taken("192.0.2.2") == 6
    assert taken("2001:db8::1") == 6
    assert taken("2001:db8::2") == 0  # one household
    assert taken("2001:db8:0:1::1") == 6
    assert taken("127.0.0.1") == taken("::1") == taken("") == 9


def test_no_number_is_no_limit(table: Table) -> None:
    table.intake.rates = type(table.intake.rates)(per_address=0, per_peer=0)
    alice = table.joins("alice")
    for _ in range(6):
        assert sends(alice, 50) == 50
        table.runs()


def test_promise_23_mail_to_the_operator_is_put_off_when_it_floods(table: Table) -> None:
    for number in range(80):
        table.person(f"p{number}@example.org").writes("Help", to=POSTMASTER)
    operator = table.person(OPERATOR)
    assert len(operator.mails) == 60
    reply = keep(table, "x@example.org", (POSTMASTER,), b"\xff\xff no mail at all", "")
    assert isinstance(reply, Rejection)
    table.clock.passes(hours=1)
    reply = keep(table, "x@example.org", (POSTMASTER,), b"\xff\xff no mail at all", "")
    assert isinstance(reply, str)


# -- words and boards --------------------------------------------------------------------------


def test_promise_07_words_on_a_board_are_limited_and_moves_are_not(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    table.clock.passes(hours=1)  # so that the challenge counts no more
    for number in range(NEWS.most + 5):
        alice.says(f"Word {number}", answering=board)
    assert len(bob.arrived) == NEWS.most
    alice.hears(
        f"You have written {NEWS.most} times within an hour to board 1",
        "| Word 30",
        "to send again",
    )
    alice.says("a1-c3,d4\nA word with a move", answering=board)
    assert "| A word with a move" in bob.newest.text
    bob.forgets().says("Words of another")
    alice.hears("| Words of another")
    table.clock.passes(hours=1)
    alice.says("Back again", answering=board)
    bob.hears("| Back again")


def test_promise_07_so_are_offers(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for number in range(NEWS.most):
        alice.says(f"Word {number}", answering=board)
    bob.forgets()
    alice.forgets().says("draw", answering=board)
    alice.hears("| draw", "as much as we send on, not counting moves")
    bob.hears_nothing()
    assert table.board(1).offers == ()
    bob.says("resign", answering=bob.mail("Abalone Board 1"))  # but never the end of a game
    assert table.board(1).status == "finished"


def test_promise_07_the_same_words_come_back_once_and_then_are_passed_over(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    for _ in range(10):
        alice.says("I am away until Monday.", answering=board)
    assert len(bob.arrived) == SAME_WORDS.most
    assert len(alice.arrived) == SAME_WORDS.most + 1
    alice.hears("You had already sent these words 3 times today to board 1", "| I am away")
    assert outcomes(table, "alice: the same words again, passed over") == 6
    alice.says("Now I am here.", answering=board)
    bob.forgets()
    table.clock.passes(days=1)
    alice.says("I am away until Monday.", answering=board)
    bob.hears("| I am away until Monday.")


@pytest.mark.thorough
def test_boards_are_begun_at_a_bounded_rate(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    for _ in range(FIRST_STARTS.most):
        alice.says("challenge me bob", answering=alice.mail("pbm: welcome"))
        bob.says("Nice to meet you.").says("decline").forgets()
    alice.forgets().says("challenge bob", answering=alice.mail("pbm: welcome"))
    alice.hears(
        "You have begun 10 games within a day", "once others have moved in 5 games of yours"
    )
    assert len(table.boards()) == FIRST_STARTS.most
    table.clock.passes(days=1)
    others = [bob, table.joins("carol"), table.joins("dave")]  # nobody gets too many mails
    for number in range(STARTS.most + 1):  # they move, so that more may be begun
        other = others[number % len(others)]
        alice.says(f"challenge {handle(other)} me", answering=alice.mail("pbm: welcome"))
        other.says("a1-c3,d4")
    alice.forgets().says("challenge bob", answering=alice.mail("pbm: welcome"))
    alice.hears(f"You have begun {STARTS.most} games within an hour")
    assert len(table.boards()) == FIRST_STARTS.most + STARTS.most


# -- loops -------------------------------------------------------------------------------------


def robot(table: Table, person: Person, words: str, *, varied: bool) -> int:
    """A robot that answers whatever comes, for as long as anything does; returns its answers."""
    first = answered = len(person.mails) - 1
    while answered < len(person.mails) and answered - first < 2_000:
        mail = person.mails[answered]
        answered += 1
        person.says(f"{words}{f' ({answered})' if varied else ''}", answering=mail)
        table.clock.passes(seconds=2)
    return answered - first


@pytest.mark.parametrize(
    ("words", "varied"),
    [
        ("I am on holiday and will read your mail when I am back.", True),
        ("draw", False),
        ("yes", True),
        *(
            pytest.param(words, False, marks=pytest.mark.thorough)
            for words in (
                "I am on holiday and will read your mail when I am back.",
                "help",
                "show",
                "movve my mailbox a1,b2",
                "",
            )
        ),
    ],
)
def test_promise_07_a_robot_that_ignores_every_rule(table: Table, words: str, varied: bool) -> None:
    alice, bob = table.start("alice", "bob")
    assert robot(table, alice, words, varied=varied) < 120
    alice.forgets()
    bob.forgets()
    table.clock.passes(days=1)
    table.runs()
    alice.hears_nothing()  # it has stopped for good
    bob.hears_nothing()


@pytest.mark.thorough
def test_promise_07_two_robots_at_one_board(table: Table) -> None:
    people = table.start("alice", "bob")
    words = ("I am on holiday.", "Your mail was received and given the number 1.")
    read = [len(person.mails) for person in people]
    start = sum(read)
    people[0].says(words[0])
    for _ in range(2_000):
        waiting = [place for place in (0, 1) if read[place] < len(people[place].mails)]
        if not waiting:
            break
        for place in waiting:
            mail = people[place].mails[read[place]]
            read[place] += 1
            people[place].says(f"{words[place]} {read[place]}", answering=mail)
    assert sum(read) - start < 300
    assert not [row for row in table.rows("outbox") if row["status"] == "due"]


def test_promise_07_a_robot_that_is_a_stranger(table: Table) -> None:
    assert robot(table, table.person("robot@example.net").writes("hi"), "Away.", varied=True) < 6


def test_a_player_is_told_when_the_next_address_can_be_asked(table: Table) -> None:
    alice = table.joins("alice")
    player = table.player("alice")
    assert player is not None
    with table.database.transaction() as work:
        assert all(UNASKED.take(work, table.clock(), player.id) for _ in range(UNASKED.most))
    alice.says("challenge v7@example.net").hears(
        "We cannot ask v7@example.net now: for one player we write to 10 such addresses a day",
        "You can try it again from 2026-11-21 14:24 UTC on.",
    )
    table.clock.passes(hours=2, minutes=24)
    alice.says("challenge v7@example.net").hears("We have asked v7@example.net.")
