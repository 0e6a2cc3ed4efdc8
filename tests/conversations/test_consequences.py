"""Each question begins with itself, and says before the yes what works no more after it."""

import pytest

from tests.table import Mail, Person, Table

PASSWORD = "correct-horse"


def first_line(mail: Mail) -> str:
    """What a phone shows of a mail before it is opened."""
    return " ".join(mail.text.split("\n\n")[0].split())


class TestTheQuestionComesFirst:
    def test_of_one_command(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.writes("resign 1", "Well played.")
        assert first_line(alice.newest) == (
            'Did you send "resign 1"? Reply yes to do it, or no to drop it.'
        )

    def test_of_several_and_of_words(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        board = alice.newest
        alice.says("Some words", answering=board, to="pbm@games.example")
        assert first_line(alice.newest) == (
            "Do you want to send the words below to the others?"
            " Reply yes to do it, or no to drop it."
        )
        alice.writes("resign 1")
        assert first_line(alice.newest) == (
            'Did you send "resign 1"? Reply yes to do it, or no to drop it.'
        )
        alice.writes("multiple", "draw 1\nchallenge bob")
        assert first_line(alice.newest) == (
            "Did you send the lines below? Reply yes to do it, or no to drop it."
        )

    def test_of_a_move_in_answer_to_an_older_mail(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        older = alice.newest
        alice.says("c3,d3", answering=older)
        bob.says("g7,f7")
        alice.says("d3,c3", answering=older)
        assert first_line(alice.newest) == (
            'Do you want "move #3 on board 1: d3,c3" played on the board as it is now?'
            " Reply yes to play it there, or no to drop it."
        )
        alice.hears("Board 1 is now at move 2 (#3):")

    def test_of_all_others(self, table: Table) -> None:
        stranger = table.person("marta@example.net").writes("hello")
        assert first_line(stranger.newest) == (
            "Would you like to play Abalone by mail?"
            " Reply yes to play as marta, or reply with another name."
            " Reply no if you would rather not."
        )
        alice, _ = table.start("alice", "bob")
        board = alice.newest
        alice.says("challenge dave@example.net")
        assert first_line(table.person("dave@example.net").newest) == (
            "Would you like to play Abalone with alice, by mail? Reply yes to play as dave, or"
            " reply with another name. Reply no if you would rather not."
        )
        table.person("a.l@work.example").says("resign", answering=board)
        assert first_line(alice.newest) == (
            "Did you write the reply that came from a.l@work.example? Reply yes, and we do what"
            " it says and add that address to yours. Reply no to drop it."
        )
        alice.says("no").says("add al@work.example", answering=board).says("yes")
        assert first_line(table.person("al@work.example").newest) == (
            "Are you alice, and is this an address of yours?"
            " Reply yes if that is you, or no if it is not."
        )


class TestWhatEndsIsSaid:
    def test_delete_names_the_games(self, table: Table) -> None:
        alice, bob, carol = table.start("alice", "bob", "carol")
        table.begins("alice", "bob", "carol")
        alice.says("challenge bob").says("resign 1").forgets()
        alice.says("delete").gets(1).hears(
            "Do you want to leave this server for good? Reply yes to do it, or no to drop it.",
            "With your yes these games are given up, at once and for good:",
            "- board 2, against bob and carol",
            "- board 3, against bob",
            "The name alice stays in the records of your games",
        )
        assert "board 1," not in alice.newest.text
        alice.says("yes")
        assert table.board(3).status == "finished"
        bob.forgets()
        carol.forgets()

    def test_delete_without_games_and_with_many(self, table: Table) -> None:
        alice = table.joins("alice")
        alice.says("delete").hears("We forget your addresses")
        assert "given up" not in alice.newest.text
        table.joins("bob")
        table.begins("alice", "bob", times=33)
        alice.says("delete", answering=alice.mail("pbm: welcome")).hears("- and 3 more")

    def test_newkey(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        old = alice.newest
        alice.says("newkey").gets(1).hears(
            "With your yes no mail that we have sent you so far can be answered any more",
            '"show 1" brings it at once',
        )
        alice.says("yes").forgets()
        alice.says("a1-c3,d4", answering=old)
        assert alice.replied.startswith("550 5.1.1")
        alice.writes("show 1").gets(1).says("a1-c3,d4").hears("bob's move on board 1")
        bob.forgets()

    @pytest.mark.parametrize(
        ("before", "line", "told"),
        [
            (True, "none", "With your yes your password no longer works"),
            (True, "another-horse", "your old password no longer works, and whoever"),
            (False, "another-horse", "With your yes whoever knows the new one can make the moves"),
            (False, "none", "You have no password, so with your yes nothing changes."),
        ],
    )
    def test_change_password(self, table: Table, before: bool, line: str, told: str) -> None:
        alice = table.joins("alice")
        welcome = alice.newest
        if before:
            alice.says(f"change password {PASSWORD}").says("yes").forgets()
        alice.says(f"change password {line}", answering=welcome).hears(told)

    def test_of_each_by_a_question_of_its_own(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.writes("multiple", "delete\nnewkey").gets(2)
        leaving, renewing = alice.arrived
        assert "- board 1, against bob" in leaving.text
        assert "newkey" not in leaving.text
        assert "- board 1, against bob" not in renewing.text


class TestAfterAChangeOfAddress:
    def test_the_boards_come_to_the_new_one(self, table: Table) -> None:
        bob, work = moved(table)
        work.gets(4)
        boards = [mail for mail in work.arrived if "Board" in mail["Subject"]]
        assert [mail["X-PBM-Board"] for mail in boards] == ["1", "2"]
        bob.hears_nothing()
        work.hears("You play from alice@work.example now", "Your move on board 1.")
        work.says("a1-c3,d4", answering=boards[0]).gets(1).hears("bob's move on board 1")
        bob.gets(1).forgets()

    def test_old_reply_addresses_say_so(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        old = alice.newest
        _change(table, alice)
        bob.forgets()
        work = table.person("alice@work.example").forgets()
        for who in (alice.forgets(), work, table.person("finder@example.net")):
            who.says("a1-c3,d4", answering=old).hears_nothing()
            assert who.replied.startswith("550 5.1.1 ")
            assert "has changed address or asked for a new key" in who.replied
            assert "pbm@games.example" in who.replied
            assert "alice" not in who.replied
        never = old.reply_to.replace("k1", "k1aaaa")[: len(old.reply_to)]
        alice.writes("a1-c3,d4", to=never.replace("u1.", "u2."))
        assert "changed address" not in alice.replied
        bob.hears_nothing()

    def test_the_question_says_what_will_be(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.says("change address alice@work.example").gets(1).hears(
            "Do you want to play from alice@work.example from now on? Reply yes to do it, or no to"
            " drop it.",
            "Then alice@example.org is no address of yours any more",
            "no mail that we have sent you so far can be answered",
            "Your games are sent to the new address at once.",
        )


def _change(table: Table, alice: Person) -> None:
    alice.says("change address alice@work.example").says("yes")
    table.person("alice@work.example").says("yes")


def moved(table: Table) -> tuple[Person, Person]:
    """The opponent of a player of two boards who has changed address, and the new one."""
    alice, bob = table.start("alice", "bob")
    table.begins("alice", "bob")
    _change(table, alice)
    bob.forgets()
    return bob, table.person("alice@work.example")
