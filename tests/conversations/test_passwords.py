"""A userid and its password where older servers wanted them, as a player's proof."""

from datetime import timedelta

import pytest

from pbm import passwords
from pbm.store.repositories.buckets import Rate
from tests.table import Person, Table

PASSWORD = "open-Sesame-7"
LOGIN = f"alice {PASSWORD}"


def start(table: Table) -> tuple[Person, Person]:
    """alice, who has a password, and bob, who has none, at a board."""
    alice = table.person("alice@example.org")
    alice.writes(f"signup {LOGIN}").says("yes")
    bob = table.joins("bob")
    alice.says("challenge bob")
    return alice.forgets(), bob.forgets()


def insists(table: Table) -> None:
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player is not None
        work.players.change_settings(player.id, strict=True)


class TestSignUp:
    def test_a_password_is_asked_about_and_set(self, table: Table) -> None:
        marta = table.person("marta@example.org")
        marta.writes(f"signup marta {PASSWORD}").gets(1).hears(
            "Reply yes to play as marta", "With your yes the password that you have sent is set."
        )
        (question,) = table.rows("questions")
        assert question["params"]["password_hash"].startswith("$argon2id$")
        marta.says("yes").gets(1).hears("You play as marta now.", "Your password is set")
        player = table.player("marta")
        assert player is not None
        assert player.password_hash is not None
        assert player.password_hash.text == question["params"]["password_hash"]
        assert "password_hash" not in table.rows("questions")[0]["params"]

    def test_without_one_nothing_is_said_of_any(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes("signup marta")
        assert "password" not in marta.newest.text
        assert "password" not in marta.says("yes").newest.text
        player = table.player("marta")
        assert player is not None
        assert player.password_hash is None

    @pytest.mark.parametrize("answer", ["marta", "mia", "signup mia"])
    def test_a_name_instead_of_yes_wants_none(self, table: Table, answer: str) -> None:
        marta = table.person("marta@example.org").writes(f"signup marta {PASSWORD}")
        marta.says(answer)
        if not answer.startswith("signup"):
            marta.hears(f"Play as {answer}?").says("yes")  # a name alone is asked back
        marta.hears(f"You play as {answer.split()[-1]} now.")
        player = table.player(answer.split()[-1])
        assert player is not None
        assert player.password_hash is None
        assert "$argon2id$" not in table.everything_stored()

    def test_a_name_with_a_password_in_the_answer(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello")
        marta.says(f"signup mia {PASSWORD}").hears("You play as mia now.", "Your password is set")
        player = table.player("mia")
        assert player is not None
        assert player.password_hash is not None
        assert passwords.check_password(player.password_hash, PASSWORD)

    def test_a_handle_that_is_taken_leaves_the_password(self, table: Table) -> None:
        table.joins("sam")
        one = table.person("one@example.org").writes(f"signup sam {PASSWORD}")
        one.says("yes").hears("Your password is set")
        player = table.player("sam2")
        assert player is not None
        assert player.password_hash

    def test_a_short_one_is_not_kept(self, table: Table) -> None:
        marta = table.person("marta@example.org")
        marta.writes("signup marta short").gets(1).hears(
            "a password has 8 characters or more", "Reply yes to play as marta"
        )
        marta.says("signup mia short").gets(1).hears("a password has 8 characters or more")
        assert not table.player("mia")
        marta.says("yes").hears("You play as marta")
        assert "$argon2id$" not in table.everything_stored()

    def test_a_no_leaves_no_hash_behind(self, table: Table) -> None:
        table.person("marta@example.org").writes(f"signup marta {PASSWORD}").says("no")
        assert "$argon2id$" not in table.everything_stored()

    def test_strangers_cannot_make_us_hash_for_ever(self, table: Table) -> None:
        with table.database.transaction() as work:
            taken = [
                Rate("signup-passwords", 60, timedelta(hours=1)).take(work, table.clock())
                for _ in range(61)
            ]
        assert taken.count(True) == 60
        marta = table.person("marta@example.org").writes(f"signup marta {PASSWORD}").gets(1)
        marta.hears("so yours was not kept", "Reply yes to play as marta")
        assert "$argon2id$" not in table.everything_stored()


class TestProof:
    def test_from_any_address(self, table: Table) -> None:
        alice, bob = start(table)
        work = table.person("a.l@work.example")
        work.writes(f"abalone move 1 {LOGIN} a1-c3,d4", "From the office.").hears_nothing()
        assert table.moves(1) == ["a1-c3,b2"]
        alice.gets(1).hears("bob's move on board 1", "| From the office.")
        bob.gets(1).hears("| From the office.")
        assert not alice.newest["In-Reply-To"].endswith("@mailer.example>")
        player = table.player("alice")
        assert player is not None
        assert player.addresses == ("alice@example.org",)

    def test_from_ones_own_address_without_a_tag(self, table: Table) -> None:
        alice, _ = start(table)
        alice.writes(f"move 1 {LOGIN} a1-c3,d4").gets(1).hears("bob's move on board 1")

    def test_what_goes_wrong_is_told_to_the_player_only(self, table: Table) -> None:
        alice, _ = start(table)
        work = table.person("a.l@work.example")
        work.writes(f"move 1 {LOGIN} a1,c3").hears_nothing()
        alice.gets(1).hears("move 1 alice **** a1,c3", "marbles move one cell")

    def test_by_a_stolen_reply_address_as_well(self, table: Table) -> None:
        alice, _ = start(table)
        work = table.person("a.l@work.example")
        work.says(f"resign 1 {LOGIN}", answering=alice.newest).hears_nothing()
        alice.gets(1).hears("Board 1 is over")  # and no question

    def test_in_another_players_mail(self, table: Table) -> None:
        alice, bob = start(table)
        bob.writes("", f"move 1 {LOGIN} a1-c3,d4\nmove 1 i5-g5,f5").gets(2)
        assert len(table.moves(1)) == 1  # bob's own was asked about
        bob.hears("Your move on board 1.", "Please confirm: move #2 on board 1: i5-g5,h5")
        alice.gets(1)

    def test_only_the_commands_that_carry_it(self, table: Table) -> None:
        alice, bob = start(table)
        alice.says("challenge bob").forgets()
        alice.writes("", f"move 1 {LOGIN} a1-c3,d4\nresign 2\nSorry!").gets(2)
        alice.hears("bob's move on board 1", "Please confirm: resign 2", "| Sorry!")
        assert "Sorry" not in bob.newest.text
        assert table.board(2).status == "playing"

    def test_the_words_go_with_the_last_command(self, table: Table) -> None:
        alice, bob = start(table)
        alice.says("challenge bob").forgets()
        alice.writes("", f"resign 2\nmove 1 {LOGIN} a1-c3,d4\nHello!").gets(2)
        alice.hears("| Hello!", "Please confirm: resign 2")
        bob.forgets()
        question = alice.mail("Please confirm")
        assert "Hello" not in question.text

    def test_a_stranger_is_still_welcomed_for_the_rest(self, table: Table) -> None:
        alice, _ = start(table)
        work = table.person("a.l@work.example")
        work.writes("", f"move 1 {LOGIN} a1-c3,d4\ngames").gets(1).hears("Reply yes to play as a-l")
        alice.gets(1).hears("bob's move on board 1")

    def test_a_players_own_mail_needs_no_check(self, table: Table, checks: list[str]) -> None:
        alice, _ = start(table)
        alice.says("move 1 alice wrong-one a1-c3,d4").gets(1).hears("bob's move on board 1")
        assert not checks

    def test_several_commands_cost_one_check(self, table: Table, checks: list[str]) -> None:
        alice, _ = start(table)
        alice.says("challenge bob").forgets()
        work = table.person("a.l@work.example")
        work.writes("", f"move 1 {LOGIN} a1-c3,d4\nmove 2 {LOGIN} a1-c3,d4").hears_nothing()
        assert (len(table.moves(1)), len(table.moves(2))) == (1, 1)
        assert checks == [PASSWORD]

    def test_what_waited_for_a_yes_asks_for_no_password(
        self, table: Table, checks: list[str]
    ) -> None:
        alice, _ = start(table)
        alice.writes("resign 1 alice wrong-one").gets(1).hears('Did you send "resign 1"?')
        alice.says("yes").hears("Board 1 is over")
        assert checks == ["wrong-one"]


class TestNoProof:
    @pytest.mark.parametrize("login", ["alice wrong-one", f"bob {PASSWORD}", f"zoe {PASSWORD}"])
    def test_a_wrong_one_is_as_none(self, table: Table, login: str) -> None:
        alice, bob = start(table)
        alice.writes(f"move 1 {login} a1-c3,d4").gets(1).hears("Please confirm: move #1 on board 1")
        table.person("x@example.net").writes(f"move 1 {login} a1-c3,d4").hears("Reply yes to play")
        assert table.moves(1) == []
        bob.hears_nothing()
        assert "proves nothing" in table.mail_kept(len(table.rows("inbox"))).outcome  # type: ignore[operator]

    def test_a_suspended_player_is_told_so(self, table: Table) -> None:
        alice, _ = start(table)
        with table.database.transaction() as work:
            work.players.change(1, status="suspended")
        table.person("x@example.net").writes(f"resign 1 {LOGIN}").hears_nothing()
        alice.gets(1).hears("Your account is suspended")
        assert table.board(1).status == "playing"

    def test_a_removed_player_is_nobody(self, table: Table, checks: list[str]) -> None:
        start(table)
        with table.database.transaction() as work:
            work.players.set_addresses(1, (), table.clock())
        table.person("x@example.net").writes(f"resign 1 {LOGIN}").hears("Reply yes to play")
        assert checks == [PASSWORD]  # against nothing
        assert table.board(1).status == "playing"

    def test_a_question_is_not_answered_by_a_password(self, table: Table) -> None:
        alice, bob = start(table)
        alice.writes("resign 1").forgets()
        question = alice.newest
        thief = table.person("x@example.net")
        thief.says(f"move 1 {LOGIN} a1-c3,d4", answering=question).hears_nothing()
        assert len(table.moves(1)) == 1
        assert table.board(1).status == "playing"
        bob.gets(1)

    def test_a_challenge_takes_none(self, table: Table) -> None:
        alice, _ = start(table)
        alice.writes("challenge bob alice sesame").gets(1).hears("no player called sesame")
        assert table.boards() == [1]

    def test_promise_22_it_is_nowhere(
        self, table: Table, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alice, bob = start(table)
        for line in (
            f"move 1 {LOGIN} a1-c3,d4",
            f"move 1 bob {PASSWORD} i5-g5,f5",
            f"move 1 {LOGIN} a1-c9",
            f"resign 1 {LOGIN} now",
            f"draw 1 {LOGIN} please",
        ):
            alice.writes(line)
            bob.writes("", f"{line}\nBye!")
        assert PASSWORD not in table.everything_stored()
        assert not any(PASSWORD.encode() in mail.raw for mail in [*alice.mails, *bob.mails])
        assert PASSWORD not in "".join(capsys.readouterr())


class TestStrict:
    def test_a_password_alone_is_not_enough(self, table: Table, checks: list[str]) -> None:
        alice, _ = start(table)
        insists(table)
        table.behind_front("dmarc=pass header.from=example.org")
        table.person("x@example.org").writes(f"resign 1 {LOGIN}").hears("Reply yes to play")
        table.behind_front("")
        alice.writes(f"resign 1 {LOGIN}").gets(1).hears("So we ask first.")
        table.behind_front("dmarc=pass header.from=example.org")
        alice.writes(f"resign 1 {LOGIN}").gets(1).hears("Board 1 is over")
        assert checks == [PASSWORD] * 3


class TestRate:
    def test_ten_checks_an_hour_for_a_handle(self, table: Table, checks: list[str]) -> None:
        alice, _ = start(table)
        table.behind_front("")  # from where everybody's mail comes
        for number in range(12):
            table.person(f"x{number}@example.net").writes(f"move 1 alice wrong-{number} a1-c3,d4")
        assert len(checks) == 10
        work = table.person("a.l@work.example")
        work.writes(f"move 1 {LOGIN} a1-c3,d4").hears("Reply yes to play")  # not even the right one
        assert (len(checks), table.moves(1)) == (10, [])
        table.clock.passes(minutes=6)
        work.writes(f"move 1 {LOGIN} a1-c3,d4")
        assert (len(checks), len(table.moves(1))) == (11, 1)
        alice.gets(1)

    def test_ten_checks_an_hour_for_a_peer(self, table: Table, checks: list[str]) -> None:
        start(table)
        for name in ("carol", "dave"):
            person = table.person(f"{name}@example.org")
            person.writes(f"signup {name} {PASSWORD}").says("yes")
        table.peer = "192.0.2.1"
        for number in range(12):
            handle = ("alice", "carol", "dave")[number % 3]
            table.person(f"x{number}@example.net").writes(f"resign 1 {handle} wrong-{number}")
        assert len(checks) == 10
        table.peer = "192.0.2.2"
        table.person("y@example.net").writes("resign 1 alice wrong-one")
        assert len(checks) == 11

    def test_a_hundred_checks_an_hour_for_our_own_mail_server(
        self, table: Table, checks: list[str]
    ) -> None:
        start(table)
        table.behind_front("")
        with table.database.transaction() as work:
            rate = Rate("password-peer 127.0.0.1", 100, timedelta(hours=1))
            assert all(rate.take(work, table.clock()) for _ in range(99))
        for number in range(3):
            table.person(f"x{number}@example.net").writes(f"resign 1 alice wrong-{number}")
        assert checks == ["wrong-0"]

    @pytest.mark.parametrize("handle", ["alice", "bob", "nobody2", "strict"])
    def test_who_has_none_costs_the_same(
        self, table: Table, checks: list[str], handle: str
    ) -> None:
        start(table)
        if handle == "strict":
            insists(table)
            handle = "alice"
        for number in range(12):
            table.person("x@example.net").writes(f"resign 1 {handle} wrong-{number}")
        assert checks == [f"wrong-{number}" for number in range(10)]
        for handles in (f"{handle}", "dave", "erin"), ("fred", "gina", "hans"):
            table.clock.passes(hours=1)
            checks.clear()
            lines = [f"resign 1 {name} wrong-one" for name in handles]
            table.person("y@example.net").writes("", "\n".join(lines))
            assert checks == ["wrong-one"] * 3

    def test_three_different_logins_in_a_mail(self, table: Table, checks: list[str]) -> None:
        start(table)
        lines = [f"resign 1 alice wrong-{number}" for number in range(9)]
        table.person("x@example.net").writes("", "\n".join([*lines, f"resign 1 {LOGIN}"]))
        assert checks == ["wrong-0", "wrong-1", "wrong-2"]
        assert table.board(1).status == "playing"
