"""Who speaks: a `From:` line alone proves nothing, an answer to any mail of ours does."""

import pytest

from pbm.store.values.mails import ArrivedMail
from tests.table import SERVER, Person, Table

PLAIN = "550 5.1.1 This reply address is not valid any more; please write to pbm@games.example"


def test_a_plain_mail_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 a1-c3,d4", "Here I come.").gets(1).hears(
        "Please confirm: move #1 on board 1: a1-c3,b2",
        'Did you send "move #1 on board 1: a1-c3,b2"?',
        "| Here I come.",
        "Reply yes to do it, or no to drop it.",
        "This question stays open for 48 hours.",
        "When you answer a mail of ours, even an old one, we need not ask whether it was you.",
    )
    bob.hears_nothing()
    assert table.moves(1) == []
    alice.says("yes").gets(1).hears("bob's move on board 1", "| Here I come.")
    bob.gets(1).hears("Your move on board 1.", "| Here I come.")
    assert table.moves(1) == ["a1-c3,b2"]


@pytest.mark.on_postgresql
def test_waiting_commands_share_one_question_and_run_in_order(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    lines = "challenge bob\nmove 1 a1-c3,d4\nchallenge bob -bowl\nSome words."
    alice.writes("", lines).forgets()
    question = alice.newest
    for line in (
        "| challenge alice bob",
        "| move #1 on board 1: a1-c3,b2",
        "| challenge -bowl alice bob",
    ):
        assert line in question.text
    assert "Did you send the lines below? Reply yes" in question.text
    bob.hears_nothing()

    alice.says("yes", answering=question).gets(3)
    first, second = table.boards()[1:]
    layouts = [table.board(number).options["layout"] for number in (first, second)]
    assert layouts == ["standard", "bowl"]
    alice.hears("bob's move on board 1", f"Board {first}:", f"Board {second}:")
    bob.gets(3).hears("| Some words.")
    alice.says("yes", answering=question).gets(1).hears("That question is not open any more")


def test_each_question_is_good_for_what_it_names(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("move 1 a1-c3,d4")
    first = alice.newest
    alice.writes("resign 1").forgets()
    alice.says("yes", answering=first).hears("bob's move on board 1")
    assert table.board(1).status == "playing"
    alice.says("yes", answering=alice.mail("Please confirm: resign")).hears("Board 1 is over")


def test_no_drops_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("resign 1").forgets()
    question = alice.newest
    alice.says("No").gets(1).hears("Dropped. Nothing has changed. You had asked for: | resign 1")
    alice.says("yes", answering=question).gets(1).hears("That question is not open any more")
    alice.writes("move 1 a1-c3,d4")
    assert "resign" not in alice.newest.text
    assert table.board(1).status == "playing"
    bob.hears_nothing()


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "YES",
        " Ok ",
        "confirm",
        "yes\n\nAlice",
        "yes please",
        "yes.",
        "y",
        "Sure!",
        "yes, resign 1",
    ],
)
def test_the_words_that_confirm(word: str, table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("resign 1").says(word)
    assert table.board(1).status == "finished"


@pytest.mark.parametrize(
    "words",
    ["yes?", "I say\nyes", "> yes", "o\u212a", "y\u0435s", "Yes, but not now", "Yes\nKidding"],
)
def test_words_that_do_not(words: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("resign 1").forgets()
    question = alice.newest
    alice.says(words).gets(1).hears("I could not read that as yes or as no")
    bob.hears_nothing()
    assert table.board(1).status == "playing"
    alice.says("yes", answering=question)
    assert table.board(1).status == "finished"


def test_after_48_hours_it_is_too_late(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes("resign 1").forgets()
    table.clock.passes(hours=47, minutes=59)
    other = alice.newest
    alice.writes("move 1 a1-c3,d4").forgets()
    table.clock.passes(minutes=2)
    alice.says("yes", answering=other).hears("That question is not open any more")
    assert table.board(1).status == "playing"
    alice.writes("show 1").forgets()
    alice.says("yes", answering=alice.mail("Please confirm: move")).forgets()
    assert table.board(1).status == "playing"  # a yes is about one mail
    assert len(table.moves(1)) == 1


def test_a_waiting_move_keeps_its_ply(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.writes("move 1 a1-c3,d4")
    question = alice.newest
    alice.says("a2-c4,d5", answering=board)
    bob.says("i5-g5,f5")
    alice.forgets().says("yes", answering=question).gets(1)
    alice.hears("You meant this as move #1, but the next move on board 1 is #3.")
    assert len(table.moves(1)) == 2


def test_what_would_be_refused_is_refused_at_once(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.writes("move 1 i5-g5,f5", "Hi").gets(1).hears("it is alice's turn", "| Hi")
    alice.writes("move 1 a1,c3").gets(1).hears("marbles move one cell")
    alice.writes("resign 7").gets(1).hears("There is no board 7.")
    assert not [row for row in table.rows("questions") if row["kind"] == "confirm"]


def test_chat_from_a_plain_mail_is_asked_about(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("Hello bob!", to=SERVER).gets(1).hears(
        "Your words to the others:", "| Hello bob!", "Reply yes"
    )
    bob.hears_nothing()
    alice.says("yes").gets(1).hears("You wrote: | Hello bob!")
    bob.gets(1).hears("alice writes: | Hello bob!")


@pytest.mark.parametrize("line", ["help", "show 1", "games", "whoami", "help move", "show bob"])
def test_reading_needs_no_question(line: str, table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.writes(line).gets(1)
    assert not alice.newest["Subject"].startswith("Please confirm")
    assert alice.newest["To"] == "alice@example.org"


def test_an_old_mail_and_one_of_a_finished_game_prove_it_too(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    first = alice.newest
    alice.says("resign")
    table.clock.passes(days=300)
    alice.forgets().says("challenge bob", answering=first).gets(1).hears("Abalone Board 2")
    alice.says("games", answering=first).hears("Board 2: alice, bob.")
    bob.forgets()
    alice.says("Remember this one?", answering=first).gets(1).hears("14 days", "message")
    bob.hears_nothing()


def test_the_reply_address_names_the_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    one = alice.newest
    alice.says("challenge bob").forgets()
    two = alice.newest
    # The reply address comes before what the mail answers, and before its subject.
    headers = {"In-Reply-To": two["Message-ID"], "References": two["Message-ID"]}
    subject = f"Re: {two['Subject']}"
    alice.says("c3,d3", answering=one, headers=headers, subject=subject).hears("board 1")
    assert (len(table.moves(1)), len(table.moves(2))) == (1, 0)
    # Then what it answers, before its subject.
    account = alice.mail("pbm: welcome")
    alice.says("move c3,d3", answering=account, headers=headers, subject=f"Re: {one['Subject']}")
    assert (len(table.moves(1)), len(table.moves(2))) == (1, 1)
    # Then its subject.
    bob.says("challenge alice").forgets()
    alice.says(
        "resign",
        answering=account,
        subject="Re: Abalone Board 3: bob v alice",
        headers={"In-Reply-To": "", "References": ""},
    ).hears("Board 3 is over: you lost.")
    # A number comes before all of them.
    alice.says("show 2", answering=one, headers=headers, subject=subject).hears("Board 2")


def test_the_message_id_of_another_server_names_no_board(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.begins("alice", "bob")
    account = alice.mail("pbm: welcome")
    headers = {"In-Reply-To": "<g1.p0.u1.abc@elsewhere.example>", "References": ""}
    alice.says("a1-c3,d4", answering=account, headers=headers).hears("I cannot tell which board")
    assert table.moves(1) == []


def test_an_answer_to_the_answer_works_on(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("a1,b1").says("show").says("a1-c3,d4").hears("bob's move on board 1")


def test_a_wrong_tag_is_refused_at_the_door(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    good = alice.newest.reply_to
    for bad in (
        good.replace("g1.u1", "g1.u2"),
        good.replace("g1.u1", "g2.u1"),
        good.replace("g1.u1", "u1"),
        good[: good.index("@") - 1]
        + ("a@" if good[good.index("@") - 1] != "a" else "b@")
        + "games.example",
        good.replace("u1", "u99"),
        "pbm+c.aaaaaaaaaaaaaaaaaaaaaaaa@games.example",
    ):
        alice.forgets().writes("resign 1", to=bad)
        assert alice.replied == f"{PLAIN} instead.", bad
        alice.hears_nothing()
    for bad in ("pbm+nothing@games.example", "nobody@games.example", "pbm@elsewhere.example"):
        alice.writes("resign 1", to=bad)
        assert alice.replied.startswith("550 5.1.1 ")
        assert SERVER in alice.replied
    alice.says("resign", to=good.upper())
    assert table.board(1).status == "finished"
    bob.hears("Board 1 is over: you win.")


def test_newkey_is_confirmed_and_kills_the_old_addresses(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    board, account = alice.newest, alice.mail("pbm: welcome")
    alice.writes("show 99999").writes("resign 1").forgets()
    waiting = alice.newest
    signup = alice.mails[0]
    alice.says("newkey", answering=board).gets(1).hears("| newkey", "Reply yes to do it")
    assert "needs no question" not in alice.newest.text
    alice.says("a1-c3,d4", answering=board).forgets()  # still good
    question = alice.mail("Please confirm: newkey")
    alice.says("yes", answering=question).gets(1).hears(
        "You can answer this one, and all that follow."
    )
    fresh = alice.newest
    for old in (board, account, signup, waiting, question):
        alice.says("yes", answering=old)
        renewed = "has changed address or asked for a new key" in alice.replied
        assert alice.replied.startswith("550 5.1.1 This reply address is not valid any more")
        assert renewed == (old in (board, account))
        alice.hears_nothing()
    assert table.board(1).status == "playing"
    alice.says("whoami", answering=fresh).gets(1).hears("You are alice")
    alice.writes("newkey").hears("Reply yes").says("no").hears("Dropped.")
    alice.says("whoami", answering=fresh).gets(1).hears("You are alice")


def test_a_mail_kept_before_newkey_proves_nothing_after_it(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    board = alice.newest
    late = alice.mail_bytes("", "resign 1", to=board.reply_to)
    alice.says("newkey").says("yes", answering=alice.mail("Please confirm")).forgets()
    with table.database.transaction() as work:  # it had passed the door before
        now = table.clock()
        work.inbox.keep(
            ArrivedMail("x", board.reply_to, alice.address, "", late, now, same_for=now - now)
        )
    table.runs()
    alice.gets(1).hears('Did you send "resign 1"?', "Reply yes to do it")
    assert table.board(1).status == "playing"


def suspend(table: Table, handle: str) -> None:
    with table.database.transaction() as work:
        player = work.players.by_handle(handle)
        assert player is not None
        work.players.change(player.id, status="suspended")


def test_a_suspended_player_is_told_so_and_nothing_runs(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    board = alice.newest
    alice.writes("move 1 a1-c3,d4").forgets()
    question = alice.newest
    suspend(table, "alice")
    for words, answered in (
        ("a1-c3,d4", board),
        ("yes", question),
        ("newkey", question),
        ("help", board),
        ("Hello!", board),
        ("yes", alice.mails[0]),
        ("yes\nresign 1", alice.mails[0]),
    ):
        alice.says(words, answering=answered).gets(1).hears("Your account is suspended")
    bob.hears_nothing()
    assert (table.moves(1), table.board(1).status) == ([], "playing")


def test_automatic_mail_is_neither_obeyed_nor_answered(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for headers in (
        {"Auto-Submitted": "auto-replied"},
        {"Precedence": "junk"},
        {"List-Unsubscribe": "<mailto:x@example.org>"},
        {"X-Auto-Response-Suppress": "", "X-Autorespond": "vacation"},
        {"Content-Type": "multipart/report; boundary=x"},
        {"X-PBM-Board": "1"},
    ):
        alice.says("resign", headers=headers)
    alice.hears_nothing()
    bob.hears_nothing()
    assert table.board(1).status == "playing"
    alice.says("resign", headers={"Auto-Submitted": "no"}).hears("Board 1 is over")


@pytest.mark.parametrize(
    "author",
    [
        "",
        "alice@example.org, bob@example.org",
        "alice@example.org\r\nFrom: bob@example.org",
        "players: alice@example.org;",
        "alice",
        "<@relay.example:alice@example.org>",
        "alice@example.org (Alice) (@x)",
        "alice@example.org)bob@example.org",
        "=?utf-8?q?alice=40example.org?=",
        "ali\0ce@example.org",
    ],
)
def test_promise_10_a_from_that_is_not_one_address_is_nobody(author: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("resign", headers={"From": author})
    alice.hears_nothing()
    bob.hears_nothing()
    assert table.board(1).status == "playing"


def test_promise_10_the_display_name_says_nothing(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    forger: Person = table.person("mallory@example.net")
    name = {"From": '"alice@example.org" <mallory@example.net>'}
    forger.says("resign", answering=alice.newest, headers=name)
    assert table.board(1).status == "playing"
    alice.says("resign", headers={"From": '"bob@example.org" <ALICE@example.org>'})
    assert table.board(1).status == "finished"
