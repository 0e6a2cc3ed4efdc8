"""Our own faults: one mail gets stuck and is told of; everything else goes on."""

from typing import NoReturn

import pytest
from sqlalchemy import text

from pbm.commands.families.account import WhoAmI
from pbm.commands.families.play import PlayMove, Resign
from pbm.commands.language.context import Context
from pbm.commands.turn import Turn
from pbm.mail.reading import inbound
from pbm.play.actions import end_board
from pbm.service.post.post import raw_mail
from pbm.service.trouble import notices
from pbm.service.turns import handle_mail, inbox_worker
from pbm.store.queues.inbox import Inbox
from tests.serving import broken, keep, take_next
from tests.table import OPERATOR, SERVER, Table


def retry(table: Table, number: int) -> None:
    with table.database.transaction() as work:
        work.inbox.retry(number)
        notices.tell_anew(work)
    table.runs()


def stuck(table: Table) -> list[int]:
    return [row["id"] for row in table.rows("inbox") if row["status"] == "stuck"]


def test_a_bug_makes_one_mail_stuck_and_stops_nothing_else(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")
    operator = table.person(OPERATOR)
    board = alice.newest
    with monkeypatch.context() as planted:
        planted.setattr(PlayMove, "run", broken)
        alice.says("a1-c3,d4\nHere I come.", answering=board).gets(1).hears(
            "pbm: your mail has to wait",
            "Your last mail ran into a fault of ours.",
            "You need not send it again.",
        )
        (number,) = stuck(table)
        operator.gets(1).hears(
            f"pbm: mail i{number} is stuck",
            "| ZeroDivisionError: a planted bug",
            f"pbm-admin queue retry i{number}",
        )
        assert table.mail_kept(number).tries == inbox_worker.MOST_TRIES
        assert table.mail_kept(number).raw  # kept for the retry
        bob.says("show").gets(1).hears("alice's move on board 1")
        alice.says("resign 9", answering=board).gets(1).hears("There is no board 9.")
        operator.hears_nothing()
        retry(table, number)  # not mended yet
        alice.gets(1).forgets()
        operator.gets(1).forgets()
    assert table.moves(1) == []

    retry(table, number)
    assert table.moves(1) == ["a1-c3,b2"]
    assert table.mail_kept(number).status == "done"
    assert not table.mail_kept(number).raw
    bob.gets(1).hears("Your move on board 1.", "| Here I come.")
    alice.gets(1).hears("bob's move on board 1")
    retry(table, number)  # there is nothing left of it to do
    assert table.moves(1) == ["a1-c3,b2"]


def test_nothing_of_a_mail_with_a_bug_in_it_is_done(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")
    monkeypatch.setattr(WhoAmI, "run", broken)
    alice.says("a1-c3,d4\nresign 1\nwhoami").gets(1).hears("nothing in it has been done yet")
    bob.hears_nothing()
    assert (table.moves(1), table.departures(1)) == ([], ())
    assert stuck(table)


@pytest.mark.on_postgresql
def test_a_passing_fault_is_got_over(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")
    left = [1, 1]

    def sometimes(self: PlayMove, *args: object) -> object:
        if left:
            left.pop()
            raise RuntimeError("not yet")
        return real(self, *args)

    real = PlayMove.run
    monkeypatch.setattr(PlayMove, "run", sometimes)
    alice.says("a1-c3,d4").gets(1).hears("bob's move")
    bob.gets(1)
    assert table.moves(1) == ["a1-c3,b2"]
    assert not stuck(table)
    table.person(OPERATOR).hears_nothing()


@pytest.mark.parametrize(
    "error", [RecursionError, MemoryError, KeyError, UnicodeError, LookupError]
)
def test_faults_of_every_kind(
    error: type[Exception], table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, _ = table.start("alice", "bob")

    def fail(*_: object) -> NoReturn:
        raise error("odd\x00 \ud800 \n text " + "long " * 500)

    monkeypatch.setattr(Resign, "run", fail)
    alice.says("resign").gets(1).hears("Your last mail ran into a fault of ours.")
    (number,) = stuck(table)
    outcome = table.mail_kept(number).outcome
    assert outcome is not None
    assert outcome.startswith(error.__name__)
    assert len(outcome) <= 300
    assert outcome.isprintable()


def test_a_fault_in_the_reading_itself(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")
    operator = table.person(OPERATOR)
    with monkeypatch.context() as planted:
        planted.setattr(inbox_worker, "read", broken)
        planted.setattr(notices, "read_header", broken)
        alice.says("a1-c3,d4").hears_nothing()  # nobody can tell whose it is
        operator.gets(1).hears("ZeroDivisionError")
        assert len(stuck(table)) == 1
    assert inbound.read is inbox_worker.read
    bob.says("show").gets(1)
    retry(table, stuck(table)[0])
    assert table.moves(1) == ["a1-c3,b2"]


def test_a_fault_in_telling_of_it(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")
    with monkeypatch.context() as planted:
        planted.setattr(PlayMove, "run", broken)
        planted.setattr(inbox_worker, "tell_operator", broken)
        alice.says("a1-c3,d4").gets(1).hears("Your last mail ran into a fault of ours.")
        table.person(OPERATOR).hears_nothing()
        assert len(stuck(table)) == 1
    bob.says("show").gets(1)


@pytest.mark.on_postgresql
def test_a_wrong_statement_is_a_fault_of_its_mail(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")

    def wrong(_: PlayMove, context: Context) -> None:
        context.work.execute(text("SELECT nothing FROM nowhere"))

    monkeypatch.setattr(PlayMove, "run", wrong)
    alice.says("a1-c3,d4").gets(1).hears("a fault of ours")
    assert len(stuck(table)) == 1
    bob.says("show").gets(1)


def test_a_stranger_with_a_bug_is_not_written_to(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handle_mail, "answer_stranger", broken)
    table.person("someone@example.net").writes("hello").hears_nothing()
    table.person(OPERATOR).gets(1)


# -- the same mail again -----------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_promise_04_the_same_bytes_are_one_row(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    to = alice.newest.reply_to
    raw = alice.mail_bytes("", "a1-c3,d4", to=to)
    replies = {alice.sends(raw, to=to).replied for _ in range(3)}
    assert len(replies) == 1
    alice.gets(1)
    bob.gets(1)
    trace = b"Received: from a by b; Sat, 21 Nov 2026 12:00:01 +0000\r\n\tfolded\r\n"
    assert alice.sends(b"Return-Path: <x@y>\r\n" + trace + raw, to=to).replied in replies
    table.clock.passes(days=29)
    assert alice.sends(raw, to=to).replied in replies
    alice.gets(1)
    assert table.moves(1) == ["a1-c3,b2"]


def test_promise_04_a_replay_with_another_message_id_is_out_of_turn(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    to = alice.newest.reply_to
    for _ in range(2):
        alice.writes("a1-c3,d4", to=to)
    alice.gets(2).hears("On board 1 it is bob's turn.")
    bob.gets(1)
    assert table.moves(1) == ["a1-c3,b2"]


def test_promise_04_after_thirty_days_it_is_a_new_mail(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    to = alice.newest.reply_to
    raw = alice.mail_bytes("whoami", to=to)
    alice.sends(raw, to=to).gets(1).forgets()
    table.clock.passes(days=30, seconds=1)
    alice.sends(raw, to=to).gets(1).forgets()
    alice.sends(raw, to=to).hears_nothing()
    table.clock.passes(days=31)
    alice.sends(raw, to=to).gets(1)


def test_promise_04_without_a_message_id_ten_minutes_count(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    to = alice.newest.reply_to
    for headers in ({"Message-ID": ""}, {"Message-ID": "  "}):
        raw = alice.mail_bytes("whoami", str(headers), to=to, headers=headers)
        alice.forgets().sends(raw, to=to).gets(1)
        table.clock.passes(minutes=9, seconds=59)
        alice.sends(raw, to=to).gets(1).forgets()
        table.clock.passes(seconds=2)
        alice.sends(raw, to=to).gets(1)


@pytest.mark.parametrize("first", [0, 1])
def test_promise_04_a_mail_to_two_of_our_addresses_is_obeyed_once(table: Table, first: int) -> None:
    alice, bob = table.start("alice", "bob")
    to = alice.newest.reply_to
    raw = alice.mail_bytes("", "move 1 a1-c3,d4", to=to)
    recipients = ((to, SERVER), (SERVER, to))[first]
    keep(table, alice.address, (*recipients, to.upper()), raw)
    table.runs()
    alice.gets(1).hears("bob's move on board 1")
    bob.gets(1)
    last = max(table.rows("inbox"), key=lambda row: int(row["id"]))
    assert (last["recipient"], last["status"]) == (SERVER, "done")
    assert table.rows("inbox_raw") == []
    assert last["outcome"] == "nothing: came to another address, too"


def test_promise_04_also_where_it_comes_by_two_ways(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    to, other = alice.newest.reply_to, alice.mails[1].reply_to
    assert to != other
    raw = alice.mail_bytes("", "Hello!", to=to)
    assert alice.sends(raw, to=to).replied.startswith("250")
    trace = b"Received: from c by d; Sat, 21 Nov 2026 12:00:01 +0000\r\n"
    for recipient in (SERVER, other, to):
        assert alice.sends(trace + raw, to=recipient).replied.startswith("250")
    alice.gets(1)
    bob.gets(1)


def test_promise_04_mails_to_addresses_of_two_players_are_two(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    raw = alice.mail_bytes("", "Hello!")
    to = (alice.newest.reply_to, bob.newest.reply_to)
    keep(table, alice.address, to, raw)
    table.runs()
    alice.gets(1).hears("| Hello!")
    bob.gets(2).hears("| Hello!", "came from alice@example.org. Nothing has been done.")


def test_promise_23_mail_to_postmaster_beside_us_goes_to_both(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    raw = alice.mail_bytes("whoami")
    postmaster = "postmaster@games.example"
    keep(table, alice.address, (SERVER, postmaster), raw)
    table.runs()
    alice.gets(1).hears("You are alice")
    table.person(OPERATOR).gets(1)


@pytest.mark.on_postgresql
def test_doing_a_row_again_changes_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")

    def dying(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as planted:
        planted.setattr(Inbox, "finish", dying)  # all is written, the commit is not reached
        with pytest.raises(KeyboardInterrupt):
            alice.says("a1-c3,d4")
    assert table.moves(1) == []
    assert not [row for row in table.rows("outbox") if row["status"] == "due"]
    table.runs()
    assert table.moves(1) == ["a1-c3,b2"]
    table.runs()
    alice.gets(1)
    bob.gets(1)


def test_a_mail_is_the_same_bytes_however_often_it_is_sent(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.hand_in(alice.address, alice.newest.reply_to, alice.mail_bytes("", "a1-c3,d4"))
    while take_next(table.turns):
        pass

    def written() -> list[bytes]:
        with table.database.reading() as work:
            due = work.outbox.claim_due(table.clock(), most=9, passing_over=())
        return [raw_mail(mail, table.site.address.plain, table.renderer) for mail in due]

    first = written()
    assert len(first) == 2
    table.clock.passes(days=2)
    with table.database.transaction() as work:  # what is sent was settled with the turn
        work.players.set_addresses(1, ["elsewhere@example.org"], table.clock())
        end_board(work, work.boards.get(1), None, table.clock())
    assert written() == first
    table.posts()
    assert [alice.newest.raw, bob.newest.raw] == first


def test_what_the_server_cannot_take_is_refused_while_the_peer_waits(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    to = alice.newest.reply_to
    many = {f"X-Field-{number}": "x" for number in range(250)}
    alice.forgets().writes("whoami", to=to, headers=many)
    assert alice.replied == "550 5.6.0 This mail has more than 200 header fields."
    nested = "".join(
        f"--b{depth}\nContent-Type: multipart/mixed; boundary=b{depth + 1}\n\n"
        for depth in range(20)
    )
    kind = {"Content-Type": "multipart/mixed; boundary=b0"}
    alice.writes("whoami", nested, to=to, headers=kind)
    assert alice.replied.startswith("550 5.6.0 The parts of this mail are nested")
    alice.hears_nothing()
    table.behind_front("")  # it would send the refusal to whomever the mail names as its sender
    for headers, body in ((many, ""), (kind, nested)):
        alice.writes("whoami", body, to=to, headers=headers).writes("whoami", body, headers=headers)
        assert alice.replied.startswith("250 ")
    alice.gets(2).hears("I cannot read it", "more than 200 header fields.", "are nested more than")
    assert table.rows("inbox")[-1]["outcome"].startswith("nothing: The parts of this mail are")
    assert not stuck(table)


def test_postmaster_gets_what_the_server_would_not_read(table: Table) -> None:
    someone = table.person("someone@example.net")
    many = {f"X-Field-{number}": "x" for number in range(250)}
    for to in ("postmaster", "Abuse@games.example"):
        someone.writes("You have a problem", to=to, headers=many)
        assert someone.replied.startswith("250 ")
    operator = table.person(OPERATOR).gets(2)
    assert b"You have a problem" in operator.newest.raw
    someone.hears_nothing()


def test_the_operator_gets_one_mail_a_day_for_one_cause(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, _ = table.start("alice", "bob")
    operator = table.person(OPERATOR)
    monkeypatch.setattr(WhoAmI, "run", broken)
    for _ in range(3):
        alice.says("whoami")
    assert len(stuck(table)) == 3
    operator.gets(1).hears("is stuck").forgets()

    def fails(reason: str) -> None:
        with table.database.transaction() as work:
            mail = work.outbox.get(1)
            shop = Turn(work=work, site=table.site, now=table.clock())
            notices.tell_of_failed(shop, mail, reason)
        table.posts()  # what was told before waits no more

    for number in range(25):
        fails(f"RCPT: 550 5.7.1 <p{number}@example.org>: relay access denied, 4F{number}A")
    operator.gets(1).hears("could not be sent").forgets()
    fails("RCPT: 550 5.1.1 no such user")
    fails("UndefinedError: 'dict object' has no attribute 'a'")
    fails("UndefinedError: 'dict object' has no attribute 'b'")
    operator.gets(2).forgets()
    table.clock.passes(days=1, minutes=1)
    fails("RCPT: 550 5.7.1 <p26@example.org>: relay access denied")
    operator.gets(1).hears("You get at most one of these mails a day for the same error")
