"""What the mail server in front says of a sender's domain (DMARC), and players who insist on it."""

from dataclasses import replace

import pytest

from tests.table import FRONT, SERVER, Mail, Table

PASS = "dmarc=pass header.from=example.org"
FAIL = "dmarc=fail (p=reject) header.from=example.org"
FORGED = f"{FRONT}; {PASS}"


def insists(table: Table, handle: str) -> None:
    """Let a player want the domain's word, too."""
    with table.database.transaction() as work:
        player = work.players.by_handle(handle)
        assert player is not None
        work.players.change_settings(player.id, strict=True)


def asked(mail: Mail) -> bool:
    return mail["Subject"].startswith("Please confirm: ")


class TestPass:
    def test_promise_12_a_pass_proves_the_player(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        table.behind_front(PASS)
        alice.writes("move 1 a1-c3,d4", "Here I come.").gets(1).hears("bob's move on board 1")
        bob.gets(1).hears("| Here I come.")

    def test_what_is_dangerous_is_asked_about_all_the_same(self, table: Table) -> None:
        alice = table.joins("alice")
        table.behind_front(PASS)
        alice.writes("newkey").gets(1).hears("| newkey", "Reply yes to do it")

    def test_a_pass_for_a_stranger_proves_nobody(self, table: Table) -> None:
        table.joins("alice")
        table.behind_front(PASS)
        carol = table.person("carol@example.org").writes("resign 1").gets(1)
        carol.hears("Reply yes to play as carol")

    def test_a_pass_elsewhere_does_not_take_a_tag_over(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        table.behind_front(PASS)
        bob.says("resign", answering=alice.newest).hears_nothing()
        alice.gets(1).hears("mails (board 1) came from bob@example.org. Nothing has been done.")
        assert table.board(1).status == "playing"

    def test_promise_12_not_before_the_operator_has_tried_it(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        table.behind_front(PASS, tried=False)
        alice.writes("resign 1").gets(1).hears("Reply yes")
        assert asked(alice.newest)

    def test_promise_12_not_from_another_peer(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        table.behind_front(PASS)
        table.peer = "192.0.2.1"
        alice.writes("resign 1").gets(1)
        assert asked(alice.newest)

    def test_promise_12_not_by_another_name_than_was_tried(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        table.behind_front(PASS)
        table.turns.site = replace(table.turns.site, authserv_id="mx.example.net")
        alice.writes("resign 1").gets(1)
        assert asked(alice.newest)

    @pytest.mark.parametrize(
        "headers",
        [
            {"Authentication-Results": FORGED},
            {"authentication-results": FORGED},
            {"Authentication-Results ": FORGED},
            {"Received": "from x by y", "Authentication-Results": FORGED},
        ],
    )
    def test_promise_12_a_forged_one_proves_nothing(
        self, table: Table, headers: dict[str, str]
    ) -> None:
        alice, bob = table.start("alice", "bob")
        table.behind_front("")
        alice.writes("resign 1", headers=headers).gets(1)
        assert asked(alice.newest)
        table.behind_front(FAIL)
        alice.forgets().writes("resign 1", headers=headers).gets(1)
        assert asked(alice.newest)
        bob.hears_nothing()


class TestFail:
    def test_promise_12_after_a_fail_a_tag_proves_nothing(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        board = alice.newest
        table.behind_front(FAIL)
        alice.says("a1-c3,d4\nHello!").gets(1).hears(
            "Please confirm: move #1 on board 1: a1-c3,b2",
            "its DMARC check has failed",
            "| Hello!",
            "Reply yes to do it",
        )
        assert "When you answer a mail of ours" not in alice.newest.text
        bob.hears_nothing()
        alice.says("yes").gets(1).hears("bob's move on board 1", "| Hello!")
        assert table.moves(1) == ["a1-c3,b2"]
        alice.says("show", answering=board).gets(1).hears("Abalone Board 1")  # reading needs none

    def test_the_board_of_the_reply_address_is_still_meant(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        one = alice.newest
        alice.says("challenge bob").forgets()
        table.behind_front(FAIL)
        alice.says("resign", answering=one, headers={"In-Reply-To": "", "References": ""})
        alice.hears('"resign 1"?')

    def test_a_question_answered_in_other_words_proves_nothing_either(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        alice.writes("move 1 a1-c3,d4").forgets()
        table.behind_front(FAIL)
        alice.says("resign 1").gets(1).hears('Did you send "resign 1"? Reply yes')
        bob.hears_nothing()

    def test_commands_below_a_yes_to_a_challenge_are_asked_about(self, table: Table) -> None:
        alice, bob = table.joins("alice"), table.joins("bob")
        bob.says("challenges ask")
        alice.says("challenge bob").forgets()
        table.behind_front(FAIL)
        bob.forgets().says("yes\nset picture off").gets(2)
        assert table.boards() == [1]
        bob.hears("Abalone Board 1: alice v bob", 'Did you send "set picture off"? Reply yes')
        assert '"picture" is now set to' not in bob.newest.text
        bob.says("yes", answering=bob.mail("Please confirm: set")).gets(1)
        bob.hears('"picture" is now set to "off".')

    def test_somebody_who_has_just_joined(self, table: Table) -> None:
        alice = table.person("alice@example.org").writes("hello")
        welcome = alice.newest
        other = table.person("alice@example.org").writes("signup alice").newest
        alice.says("yes", answering=other).forgets()
        table.behind_front(FAIL)
        alice.says("challenge me", answering=welcome)
        assert not table.boards()

    def test_another_domains_fail_says_nothing_for_it(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        table.behind_front("dmarc=fail header.from=example.net")
        alice.says("a1-c3,d4").gets(1)
        assert asked(alice.newest)


class TestStrict:
    def test_promise_12_both_are_needed(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        insists(table, "alice")
        board = alice.newest
        table.behind_front(PASS)
        alice.writes("move 1 a1-c3,d4").gets(1).hears("Reply yes", "When you answer a mail of ours")
        alice.says("a1-c3,d4", answering=board).gets(1).hears("bob's move on board 1")
        bob.gets(1)

    @pytest.mark.parametrize("says", ["", "dmarc=none header.from=example.org", "none", FAIL])
    def test_promise_12_a_tag_alone_is_asked_about(self, table: Table, says: str) -> None:
        alice, bob = table.start("alice", "bob")
        insists(table, "alice")
        table.behind_front(says)
        alice.says("a1-c3,d4").gets(1).hears("So we ask first.", "Reply yes to do it")
        assert "When you answer a mail of ours" not in alice.newest.text
        bob.hears_nothing()
        alice.says("yes").gets(1).hears("bob's move on board 1")

    def test_promise_12_without_such_a_server_there_is_always_a_question(
        self, table: Table
    ) -> None:
        alice, bob = table.start("alice", "bob")
        insists(table, "alice")
        alice.says("a1-c3,d4", headers={"Authentication-Results": FORGED}).gets(1)
        alice.hears('You have set "strict" on', "Reply yes to do it")
        bob.hears_nothing()
        alice.writes("resign 1", to=SERVER).gets(1).hears('You have set "strict" on')

    def test_others_are_not_asked(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        insists(table, "bob")
        alice.says("a1-c3,d4").gets(1).hears("bob's move on board 1")

    def test_other_words_in_answer_to_a_question(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        insists(table, "alice")
        alice.writes("move 1 a1-c3,d4").forgets()
        question = alice.newest
        alice.says("resign 1").gets(1).hears('Did you send "resign 1"? Reply yes')
        table.behind_front(PASS)
        alice.says("resign 1", answering=question).gets(1).hears("Board 1 is over")


def test_a_command_can_tell_whether_strict_makes_sense_here(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Context.can_be_strict` is what `set strict` asks."""
    from pbm.commands.families.account import WhoAmI

    told: list[bool] = []
    run = WhoAmI.run

    def noting(self: WhoAmI, context: object) -> object:
        told.append(context.can_be_strict)  # type: ignore[attr-defined]
        return run(self, context)  # type: ignore[arg-type]

    monkeypatch.setattr(WhoAmI, "run", noting)
    alice = table.joins("alice").writes("whoami")
    table.behind_front("", tried=False)
    alice.writes("whoami")
    table.behind_front("")
    alice.writes("whoami")
    assert told == [False, False, True]
