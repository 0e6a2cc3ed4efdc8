"""Passwords and reply addresses that a player writes without meaning to reach nobody else."""

import pytest

from tests.table import OPERATOR, Person, Table

PASSWORD = "open-Sesame-7"
LOGIN = f"alice {PASSWORD}"
HELD = "Your words were not sent on and not kept"
MASKED = "Your mail held a reply address of yours"


@pytest.fixture
def table(table: Table) -> Table:
    """alice, who has a password, and bob, who has none, at a board."""
    alice = table.person("alice@example.org")

    def begins() -> None:
        alice.writes(f"signup {LOGIN}").says("yes")
        table.joins("bob")
        alice.says("challenge bob")

    table.opens(f"signup {LOGIN}: challenge bob", begins)
    return table


def people(table: Table) -> tuple[Person, Person]:
    return table.person("alice@example.org").forgets(), table.person("bob@example.org").forgets()


def sent(person: Person) -> str:
    return "\n".join(mail.text + mail.html + mail["Subject"] for mail in person.arrived)


class TestPasswords:
    @pytest.mark.parametrize(
        "words",
        [
            f"Hello bob\nmove 12 {LOGIN} a1-c3,d4",
            f"I tried: move 12 {LOGIN} a1-c3,d4 but",
            f"resign12 {LOGIN}",
            f"12 resign {LOGIN}",
            f"Well.\n* move12 {LOGIN}",
            f"It is {LOGIN}.",
            f"It is alice\n{PASSWORD}, I think.",
            f'Use "alice" "{PASSWORD}"!',
            f"Userid: Alice / password: {PASSWORD}",
            f"ALICE\u200b {PASSWORD[:4]}\u200b{PASSWORD[4:]}",
            f"a1-c3,d4\n\nAs alice:{PASSWORD} says",
            f"draw\nalice's password is {PASSWORD}",
            f"resign\nBye, alice {PASSWORD}",
            f"challenge bob\nNow with alice {PASSWORD}",
            f"challenge carl@example.net\nalice {PASSWORD}",
            f"help\nalice {PASSWORD}",
            f"report 1 alice {PASSWORD} bob is rude",
            f"report 1 bob is rude\nI am alice {PASSWORD}",
            f"e4 alice {PASSWORD}",
            f"Hello\nsignup alice {PASSWORD}",
            f"alice\u200b{PASSWORD}",
            f"alice%20{PASSWORD}",
            f"move\u00a01\u00a0alice\u00a0{PASSWORD} does not work",
            f"Login: alice@example.org {PASSWORD}",
            f"To alice@example.org/{PASSWORD} please",
        ],
    )
    def test_of_ones_own_go_to_nobody(self, table: Table, words: str) -> None:
        alice, bob = people(table)
        alice.says(words).hears(HELD, 'the word after "alice"')
        carl, operator = table.person("carl@example.net"), table.person(OPERATOR)
        assert PASSWORD not in sent(bob) + sent(carl) + sent(operator)
        assert PASSWORD not in table.everything_stored()

    @pytest.mark.parametrize(
        "words",
        [
            f"login: a.l@work.example, password: {PASSWORD}",
            f"The password {PASSWORD} of mine",
            f"Mein Passwort ist {PASSWORD}!",
            f"Мой пароль {PASSWORD}",
            "Hi bob\nchange password a-new-Sesame",
            "Hi bob,\n- set my password: a-new-Sesame",
            "Hi bob\n\nnew password: a-new-Sesame",
            "The password is a-new-Sesame",
            "Please change password a-new-Sesame",
            "Hi\n- password a-new-Sesame",
            "1. **password** a-new-Sesame",
            "password -> a-new-Sesame",
            "Well\npassword\n\na-new-Sesame",
        ],
    )
    def test_nor_do_those_that_are_called_so(self, table: Table, words: str) -> None:
        alice, bob = people(table)
        alice.says(words).hears(HELD, "word after")
        assert PASSWORD not in sent(bob) + table.everything_stored()
        assert "a-new-Sesame" not in table.everything_stored()
        bob.hears_nothing()

    def test_alone_in_a_line_it_is_held_whatever_it_looks_like(
        self, table: Table, checks: list[str]
    ) -> None:
        alice, bob = people(table)
        board = alice.newest
        for words in (
            PASSWORD,
            f"Hi bob,\n\n{PASSWORD}\n\nAlice",
            f'- "{PASSWORD}".',
            f"a1-c3,d4\n\n{PASSWORD[:3]}\u200b{PASSWORD[3:]}",
            "\n".join(f"interesting{chr(97 + n)}" for n in range(20)) + f"\n{PASSWORD}",
        ):
            checks.clear()
            alice.forgets().says(words, answering=board).hears("a word alone in its line is yours")
            assert 0 < len(checks) <= 8
            assert PASSWORD not in sent(bob) + table.everything_stored()
        alice.says("Well done, my friend.\ncongratulations", answering=board)
        bob.hears("congratulations")

    @pytest.mark.parametrize(
        "words",
        [
            "Hello\nmove 12 alice mistyped-Sesame a1-c3,d4",
            "> so\n\nHi\n- resign 1 alice mistyped",
            "Hello\nresign alice mistyped-Sesame",
            "So:\nmove 12 bob surprised everybody",  # nobody learns whether bob has one
        ],
    )
    def test_the_classic_place_needs_no_right_one(
        self, table: Table, checks: list[str], words: str
    ) -> None:
        alice, bob = people(table)
        checks.clear()
        alice.says(words).gets(1).hears(HELD)
        bob.hears_nothing()
        assert not checks

    @pytest.mark.parametrize(
        ("words", "tries"),
        [
            ("Hi, alice and bob, well played on move 12", 0),
            ("On move 12 bob surprised everybody.", 0),
            ("bob congratulations, bob beautiful!", 0),
            ("alice congratulations on this", 1),
            ("alice@example.org is how you reach me, many thanks", 0),
            ("Malice somewhere, alices everywhere", 0),
            ("I lost my password yesterday, so I change passwords everywhere", 2),
            ("You change password protected archives?", 1),
            ("- the password for today: none", 0),
            ("al\u0131ce congratulations", 0),
        ],
    )
    def test_other_words_go_on(
        self, table: Table, checks: list[str], words: str, tries: int
    ) -> None:
        alice, bob = people(table)
        checks.clear()
        alice.says(words).gets(1)
        bob.gets(1).hears(words.split("\n")[-1])
        assert len(checks) == tries

    def test_of_another_player_either(self, table: Table, checks: list[str]) -> None:
        alice, bob = people(table)
        checks.clear()
        bob.says(f"She told me: alice {PASSWORD}").gets(1).hears(HELD)
        alice.hears_nothing()
        assert checks == [PASSWORD]

    def test_guessing_by_words_comes_to_an_end_and_uses_up_no_logins(
        self, table: Table, checks: list[str]
    ) -> None:
        _, bob = people(table)
        checks.clear()
        for number in range(12):
            bob.says(f"alice guesses-{number}")
        assert len(checks) == 10
        table.person("x@example.net").writes(f"resign 1 {LOGIN}")
        assert len(checks) == 11
        assert table.board(1).status == "finished"

    def test_many_places_cost_nothing_and_are_held(self, table: Table, checks: list[str]) -> None:
        alice, bob = people(table)
        checks.clear()
        alice.says("\n".join(f"alice some-word-{number}" for number in range(1000))).hears(HELD)
        bob.hears_nothing()
        assert not checks

    def test_words_that_wait_for_a_yes_are_held_before(self, table: Table) -> None:
        alice, bob = people(table)
        alice.writes("resign 1", f"Bye from alice {PASSWORD}").gets(1).hears(
            HELD, 'Did you send "resign 1"?'
        )
        alice.says("yes").hears("Board 1 is over")
        assert "Bye" not in sent(bob)

    def test_a_reply_from_elsewhere_says_none(self, table: Table) -> None:
        alice, bob = people(table)
        office = table.person("a.l@work.example")
        office.says(f"So: alice {PASSWORD}", answering=alice.newest)
        assert PASSWORD not in sent(alice) + sent(bob) + table.everything_stored()

    def test_words_below_a_right_login_are_held_too(self, table: Table) -> None:
        alice, bob = people(table)
        office = table.person("a.l@work.example")
        office.writes(f"move 1 {LOGIN} a1-c3,d4", f"As alice {PASSWORD}").hears_nothing()
        alice.hears("bob's move on board 1", HELD)
        assert PASSWORD not in sent(bob)


def spellings(address: str) -> list[str]:
    """The address as mail programs write it, and its parts."""
    tag = address.split("@")[0].split(".")[-1]
    half = len(tag) // 2
    return [
        address,
        f"<mailto:{address}?subject=a>",
        address.upper(),
        address.replace("+", "%2B").replace("@", "%40"),
        address.replace(".", "%252E"),
        address.replace("+", "=2B"),
        address.replace("+", "&#43;").replace(".", "&#x002e;"),
        address.replace("@", " [at] ").replace(".", " [dot] "),
        address.replace("@", " at ").replace(".", " dot "),
        "\u200b".join(address),
        "".join(chr(ord(letter) + 0xFEE0) for letter in address),
        "".join(f"%{ord(letter):02x}" for letter in address),
        address.replace(tag, f"{tag[:half]}\n{tag[half:]}"),
        address.replace(tag, f"{tag[:half]}=\n{tag[half:]}"),
        address.replace(tag, f"{tag[:half]} {tag[half:]}"),
        address.split("@")[0].split("+")[1],
        f"({tag})",
        tag.upper(),
        tag[-16:],
    ]


class TestReplyAddresses:
    @pytest.mark.parametrize("which", ["reply", "player", "question", "bounce"])
    def test_in_any_spelling_go_to_nobody(self, table: Table, which: str) -> None:
        alice, bob = people(table)
        board = alice.mail("Abalone Board 1")
        alice.writes("resign 1")  # asks
        addresses = {
            "reply": board.reply_to,
            "player": alice.mail("pbm: welcome").reply_to,
            "question": alice.mail("Please confirm").reply_to,
            "bounce": board.envelope_sender,
        }
        address = addresses[which]
        secret = address.split("@")[0].split(".")[-1]
        known = spellings(address) if which in ("reply", "player") else spellings(address)[:14]
        for number, spelt in enumerate(known):
            table.clock.passes(days=1)
            alice.forgets()
            alice.says(f"No. {number}:\nwrite to {spelt} if\nyou like", answering=board)
            alice.hears(MASKED)
            heard = "".join(c for c in sent(bob).lower() if c.isalnum())
            assert f"no{number}writeto" in heard, spelt
            assert secret[2:9] not in heard, spelt
            bob.forgets()

    def test_are_masked_in_what_waits_and_in_refusals(self, table: Table) -> None:
        alice, bob = people(table)
        address = alice.newest.reply_to
        alice.writes("resign 1", f"Bye, {address}").gets(1).hears(MASKED, "Reply yes to do it")
        alice.says("yes").forgets()
        bob.hears("| Bye, ****@games.example")
        alice.writes(f"challenge {address}").hears("****")

    def test_a_password_may_look_like_a_tag(self, table: Table) -> None:
        password = "k1abcdefghij234567"
        alice, _ = people(table)
        alice.says(f"change password {password}").says("yes").hears("You have a new password")
        office = table.person("a.l@work.example")
        office.writes(f"move 1 alice {password} a1-c3,d4")
        assert len(table.moves(1)) == 1
