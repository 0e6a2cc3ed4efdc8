"""New passwords: asked about, hashed apart, and never taken from a mail's words."""

import pytest
from sqlalchemy import update

from pbm import passwords
from pbm.play.limits import ALL_NEW_PASSWORDS, CLAIMED_OF_ORIGIN
from pbm.service.accounts import CLEARED
from pbm.store.schema.asking import errands, questions
from pbm.store.schema.people import players
from tests.table import Table

PASSWORD = "open-Sesame-7"
FOREIGN = "$argon2id$v=19$m=8,t=4294967295,p=1$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43
CRAFTED = f"argon2id:{FOREIGN}"


class TestChange:
    """A new password: asked about, kept as our own hash, and never taken from a mail's words."""

    def test_a_hash_in_a_mail_is_a_password_like_any_other(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        alice.says(f"change password {CRAFTED}").gets(1).hears("| change password ****")
        alice.says("yes").hears("You have a new password.")
        player = table.player("alice")
        assert player is not None
        assert player.password_hash is not None
        assert "t=2,p=1$" in player.password_hash.text
        anybody = table.person("x@example.net")
        anybody.writes("move 1 alice x a1-c3,d4").hears("Reply yes to play")
        assert table.moves(1) == []
        anybody.writes(f"move 1 alice {CRAFTED} a1-c3,d4")
        assert table.moves(1) == ["a1-c3,b2"]
        bob.gets(1)

    def test_a_hash_with_a_sign_up_as_well(self, table: Table) -> None:
        mallory = table.person("mallory@example.net").writes(f"signup mallory {CRAFTED}")
        mallory.says("yes").hears("Your password is set")
        player = table.player("mallory")
        assert player is not None
        assert player.password_hash is not None
        assert "t=2,p=1$" in player.password_hash.text

    @pytest.mark.parametrize("kept", [FOREIGN, "another-of-our-own", None])
    def test_what_waits_counts_only_as_we_wrote_it(self, table: Table, kept: str | None) -> None:
        alice = table.joins("alice")
        alice.says(f"change password {PASSWORD}")
        if kept == "another-of-our-own":
            kept = passwords.hash_password("another-Word-9").text
        with table.database.engine.begin() as connection:
            connection.execute(update(errands).values(password_hash=kept))
        alice.says("yes").hears("The new password is not kept any more")
        player = table.player("alice")
        assert player is not None
        assert player.password_hash is None

    def test_a_seal_is_one_players(self, table: Table) -> None:
        alice, bob = table.joins("alice"), table.joins("bob")
        alice.says(f"change password {PASSWORD}")
        bob.says("change password another-Word-9")
        first, second = table.rows("errands")
        with table.database.engine.begin() as connection:
            stolen = {name: first[name] for name in ("password_hash", "password_seal")}
            connection.execute(update(errands).where(errands.c.id == second["id"]).values(stolen))
        bob.says("yes").hears("The new password is not kept any more")

    def test_a_sign_up_of_before_wants_the_password_again(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes(f"signup marta {PASSWORD}")
        (asked,) = table.rows("questions")
        left = {name: kept for name, kept in asked["params"].items() if name != "password_seal"}
        with table.database.engine.begin() as connection:
            connection.execute(update(questions).values(params=left))
        marta.says("yes").hears(
            "You play as marta now.", "The password that you sent is not kept any more."
        )
        assert "$argon2id$" not in table.everything_stored()

    @pytest.mark.parametrize("answer", ["yes", "no"])
    def test_once_answered_nothing_of_it_waits(self, table: Table, answer: str) -> None:
        alice = table.joins("alice")
        alice.says(f"change password {PASSWORD}").says(answer)
        (row,) = table.rows("errands")
        assert (row["password_hash"], row["password_seal"]) == (None, None)
        assert row["lines"] == ("change password ****",)

    def test_none_is_shown_as_it_is(self, table: Table) -> None:
        alice = table.joins("alice")
        alice.says("change password none").gets(1).hears("| change password none")
        alice.says("yes").hears("You have no password now.")

    def test_of_two_in_one_mail_the_last_counts(self, table: Table, checks: list[str]) -> None:
        alice, _ = table.start("alice", "bob")
        alice.says("change password first-Word-1\nchange password second-Word-2").says("yes")
        work = table.person("a.l@work.example")
        work.writes("move 1 alice first-Word-1 a1-c3,d4").hears("Reply yes to play")
        work.writes("move 1 alice second-Word-2 a1-c3,d4")
        assert table.moves(1) == ["a1-c3,b2"]
        assert checks == ["first-Word-1", "second-Word-2"]

    @pytest.mark.parametrize(
        ("lines", "has_one"),
        [(f"{PASSWORD}|none", False), (f"none|{PASSWORD}", True)],
        ids=["and-none", "after-none"],
    )
    def test_one_and_none_in_one_mail(self, table: Table, lines: str, has_one: bool) -> None:
        alice = table.joins("alice")
        alice.says("\n".join(f"change password {word}" for word in lines.split("|"))).says("yes")
        player = table.player("alice")
        assert player is not None
        assert (player.password_hash is not None) is has_one

    def test_a_line_of_before_sets_nothing(self, table: Table, hashed: list[str]) -> None:
        """As a process of the version before writes it, beside ours."""
        alice = table.joins("alice")
        alice.says(f"change password {PASSWORD}")
        old = "change password argon2id:" + FOREIGN.replace("c29t", "b2xk")
        waits = {"lines": [old], "password_hash": None}
        with table.database.engine.begin() as connection:
            connection.execute(update(errands).values(waits))
        alice.says("yes").hears("The new password is not kept any more")
        player = table.player("alice")
        assert player is not None
        assert player.password_hash is None
        assert hashed == [PASSWORD]

    def test_a_line_of_before_is_shown_to_nobody(self, table: Table) -> None:
        alice = table.joins("alice")
        alice.writes("newkey")
        old = "change password argon2id:" + FOREIGN.replace("c29t", "b2xk")
        with table.database.engine.begin() as connection:
            connection.execute(update(errands).values(lines=[old], board_id=None))
        alice.says("perhaps").hears("| change password ****")
        assert not any("argon2" in str(mail.message) for mail in alice.mails)

    def test_ten_in_an_hour(self, table: Table, hashed: list[str]) -> None:
        alice = table.joins("alice")
        welcome = alice.newest
        for mail in range(4):
            lines = [f"change password battery-Staple-{mail}-{number}" for number in range(3)]
            alice.says("\n".join(lines), answering=welcome)
        alice.hears("Too many new passwords have come within an hour")
        assert len(hashed) == 3  # of a mail the last one, for one question
        alice.says("change password none\nSo long!", answering=welcome).hears("| So long!")
        alice.says("change password short1", answering=welcome).hears("8 characters")
        table.clock.passes(hours=1)
        # Whoever only claims to be alice uses up none of hers, and has one wait at a time.
        for number in range(12):
            alice.writes(f"change password Battery-staple-{number}")
        assert len(hashed) == 4
        alice.says("change password open-Sesame-8", answering=welcome)
        assert len(hashed) == 5

    def test_a_forgers_does_not_wait_beside_the_players_own(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.writes(f"change password {PASSWORD}").gets(1)
        question = alice.newest
        alice.writes("change password evil-Word-99").hears(
            "A new password waits for your answer already."
        )
        alice.says("yes", answering=question).hears("You have a new password.")
        table.person("x@example.net").writes("move 1 alice evil-Word-99 a1-c3,d4")
        assert table.moves(1) == []
        # Before the player's own: a no makes room.
        alice.writes("change password evil-Word-98").gets(1)
        question = alice.newest
        alice.writes("change password open-Sesame-9").hears("no if it is not")
        alice.says("no", answering=question)
        alice.writes("change password open-Sesame-9").hears("Please confirm: change password")

    def test_nothing_is_hashed_for_a_question_that_is_not_asked(
        self, table: Table, hashed: list[str]
    ) -> None:
        alice = table.joins("alice")
        table.clock.passes(days=1)  # the first is wider
        for _ in range(CLAIMED_OF_ORIGIN):
            alice.writes("whoami")
        alice.writes(f"change password {PASSWORD}").forgets()
        assert not hashed

    def test_all_players_have_sixty_in_an_hour(self, table: Table, hashed: list[str]) -> None:
        alice = table.joins("alice")
        with table.database.transaction() as work:
            for _ in range(59):
                assert ALL_NEW_PASSWORDS.take(work, table.clock())
        welcome = alice.newest
        alice.says(f"change password {PASSWORD}", answering=welcome)
        alice.says("change password open-Sesame-8", answering=welcome).hears("Too many new")
        assert hashed == [PASSWORD]

    def test_ten_below_the_yes_of_a_sign_up_as_well(self, table: Table, hashed: list[str]) -> None:
        marta = table.person("marta@example.org").writes("signup marta")
        lines = [f"change password battery-Staple-{number}" for number in range(11)]
        marta.says("\n".join(["yes", *lines])).hears(
            "Too many new passwords have come within an hour"
        )
        assert hashed == []


class TestCleared:
    def test_the_players_are_told_once_at_every_address(self, table: Table) -> None:
        alice, bob = table.joins("alice"), table.joins("bob")
        with table.database.transaction() as work:
            work.players.add_address(1, "a.l@work.example", table.clock())
            work.facts.note(CLEARED, [1, 99], table.clock())
        for _ in range(2):  # as processes start
            table.turns.begin()
            table.runs()
        alice.gets(1).hears("The password of alice has been cleared.")
        table.person("a.l@work.example").gets(1).hears("The password of alice has been cleared.")
        bob.hears_nothing()
        alice.says(f"change password {PASSWORD}").says("yes").hears("You have a new password.")

    def test_a_hash_that_is_none_of_ours_is_no_password(
        self, table: Table, checks: list[str]
    ) -> None:
        alice, _ = table.start("alice", "bob")
        with table.database.engine.begin() as connection:
            connection.execute(update(players).values(password_hash=FOREIGN))
        stranger = table.person("x@example.net")
        stranger.writes(f"move 1 alice {PASSWORD} a1-c3,d4").hears("Reply yes to play")
        alice.writes(f"resign 1 alice {PASSWORD}").gets(1).hears("Please confirm: resign 1")
        assert set(checks) == {PASSWORD}  # against nobody's, so that the time tells nothing
