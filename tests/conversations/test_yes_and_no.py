"""Yes and no as people say them: to the welcome, to questions, and to offers on a board."""

from itertools import pairwise

import pytest

from pbm.commands.script import answer_to_welcome, confirmation
from pbm.commands.sentences.agreeing import WELCOME, agrees
from pbm.commands.sentences.answers import puts_off, spoken
from tests.conversations.playing import plays
from tests.rows import each_row
from tests.table import Mail, Person, Table

YES = (
    *("y", "Yep!", "yeah", "OK", "okay.", "O.K.", "Sure!", "fine", "yes please", "Yes, please!"),
    *("Yes, I would love to", "ok let's do it", "why not", "count me in", "Count me in!", "👍"),
    *("Yes 👍🏽", "yes :-)", "Yes I would like to play", "yes yes yes", "Hi Alice, yes", "*yes*"),
    *(
        "Hello!\n\nSure, thanks.\n\nDave",
        "of course",
        "Absolutely!",
        '"yes"',
        "`yes`",
        "Oh yes!",
        "No problem, yes",
        "Yes. How do I start a game?",
    ),
    *("ja", "Ja, gerne!", "jo", "natürlich", "Klar, warum nicht", "oui", "Oui, avec plaisir !"),
    *("sí", "Sí, claro", "¡Sí!", "sim", "Sim, por favor", "sì grazie", "va bene", "da", "ja graag"),
    *("ja tak", "ja takk", "ja tack", "joo", "kyllä", "jah", "jā", "taip", "tak", "jasne", "ano"),
    *(
        "áno",
        "igen",
        "evet",
        "tamam",
        "ναι",
        "Ναι, ευχαριστώ",
        "да",
        "Да, конечно!",
        "давай",
        "так",
    ),
    *("כן", "نعم", "हाँ", "iya", "vâng", "ใช่", "好", "是的", "可以", "没问题", "はい"),
    *("はい、お願いします。", "네", "네, 감사합니다"),
)
UNSURE = (
    *(
        "Yes, but not today",
        "no problem",
        "I don't know",
        "yes?",
        "maybe",
        "ok, what is this?",
    ),
    *(
        "sure, who are you?",
        "Sure, why me",
        "Yes. But how?",
        "Sure! Who are you?",
        "Yes. What is it?",
        "Yes! Really?",
        "ok... later perhaps",
        "Yes if it is free",
        "ok no",
    ),
    *("yes and no", "Yes\u2026 not", "perhaps", "Ja, aber nicht heute", "Oui, mais pas maintenant"),
    *("Sí, pero mañana", "Да, но позже", "Ja, men inte idag", "tak, ale później", "好的，但是不行"),
    *(
        "はい、でも今日は",
        "Evet ama sonra",
        "Yes, thanks for the\ninvitation, but not today",
        "Hm, ok?",
    ),
    *("ok\n\nActually I would rather not.", "Sure!\n\nPlease do not.", "ja\n\nDoch lieber nicht"),
    *("yes\n\nno", "Yes!\nNo thanks", "ja\n\n\nOn second thought, no.\n\nDave", "ok\nunsubscribe"),
    *(
        "Thanks",
        "好的，谢谢",
        "OK thanks",
        "Alright, noted",
        "Yes, received",
        "Ok, danke",
        "It depends",
        "ok then, tell me how much it costs and what the rules are",
    ),
)
NO = (
    *("no", "Nope.", "n", "No thanks", "no, thank you!", "Nah", "nein", "Nein danke!", "non merci"),
    *("нет", "いいえ", "不要", "아니요", "no gracias", "nej tak", "nie, dziękuję", "όχι", "hayır"),
)


@each_row("words", YES)
def test_a_yes_in_the_words_of_many(words: str) -> None:
    assert confirmation(words.split("\n"), WELCOME)[0] is True
    assert answer_to_welcome(words.split("\n"))[0] is True


@each_row("words", NO)
def test_a_no_in_the_words_of_many(words: str) -> None:
    assert confirmation(words.split("\n"), WELCOME)[0] is False
    assert answer_to_welcome(words.split("\n"))[0] is False


@each_row("words", UNSURE)
def test_what_may_be_neither(words: str) -> None:
    assert confirmation(words.split("\n"), WELCOME)[0] is None
    assert answer_to_welcome(words.split("\n"))[0] is None


@pytest.mark.parametrize("words", YES[::12])
def test_a_yes_to_an_invitation_begins_the_game(words: str, table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    dave.says(words).gets(2).hears("You play as dave now.", "Abalone Board 1: alice v dave")


@pytest.mark.parametrize("words", [words for words in UNSURE if not puts_off(words)][::5])
def test_what_is_unsure_is_asked_again_with_all_that_was_said(words: str, table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    dave.says(words).gets(1).hears(
        "Please confirm: a game of Abalone with alice",
        "Would you like to play Abalone with alice, by mail?",
        "I could not read that as yes, as no, or as one name.",
        "A- o o o o o / 7",
        "Reply yes to play as dave, or reply with another name. Reply no if you would rather not.",
    )
    assert "never again" not in dave.newest.text  # it has just been asked again
    assert len(table.rows("players")) == 1
    dave.says("yes").hears("You play as dave now.", "Abalone Board 1: alice v dave")


NOT_NOW = (
    *("not today, ask me next week", "Maybe next month", "Frag mich nächste Woche nochmal"),
    *("Pas maintenant, peut-être cet été", "Ahora no, quizás mañana", "Non oggi, forse domani"),
    *("Vandaag niet, misschien volgende week", "Hoje não, talvez na próxima semana"),
    "Nie dzisiaj, może w przyszłym tygodniu",
)


@each_row("words", NOT_NOW)
def test_words_that_put_off(words: str) -> None:
    assert puts_off(words)
    assert answer_to_welcome([words])[0] is None


def test_another_day_leaves_the_invitation_as_it_is(table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    dave.says(NOT_NOW[0]).gets(1).hears("nothing happens now. The invitation of alice stands until")
    assert "could not read" not in dave.newest.text
    dave.says(NOT_NOW[0]).gets(0).says("yes").hears("Abalone Board 1: alice v dave")
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("not now").gets(1).hears("nothing happens now. Our question stands until")
    marta.says("yes").hears("You play as marta now.")


def test_an_unsure_answer_to_the_welcome_is_asked_again(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("ok, what is this?").gets(1).hears(
        "I could not read that as yes, as no, or as one name.",
        "Reply yes to play as marta, or reply with another name. Reply no if you would rather not.",
    )
    for _ in range(5):
        marta.says("maybe")
    assert len(marta.mails) == 2  # the welcome, asked once more, and then silence
    marta.says("yes").hears("You play as marta now.")


class TestANameInAnAnswer:
    @pytest.mark.parametrize(
        "words",
        [
            *(
                "nora",
                "Nora",
                "nora.",
                '"Nora"',
                "nora, please",
                "Nora\n\nThank you!",
                "call me nora",
            ),
            *("Please call me Nora!", "My name is Nora.", "yes, call me nora", "Yes, as nora"),
            *("No, call me nora", "ich heiße Nora", "je m'appelle Nora", "меня зовут nora"),
        ],
    )
    def test_it_is_asked_back(self, words: str, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello").forgets()
        marta.says(words).gets(1).hears(
            "Please confirm: play as nora",
            "Play as nora?",
            "Reply yes to play as nora, or reply with another name.",
        )
        assert not table.rows("players")
        marta.says("yes").gets(1).hears("You play as nora now.")

    @pytest.mark.parametrize(
        "words",
        [
            *(
                "thanks",
                "merci",
                "спасибо",
                "hmm",
                "interesting",
                "later",
                "Delivered",
                "Mittwoch",
                "kanske",
                "Nora?",
            ),
            *("who", "Nora Jones", "my name is Nora Jones", "call me later", "call me maybe"),
            *("Nora,", "I am nora and I think about it", "quando"),
        ],
    )
    def test_what_may_be_something_else_is_none(self, words: str, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello").forgets()
        told = "nothing happens now" if puts_off(words) else "I could not read that"
        marta.says(words).gets(1).hears(told, "yes to play as marta")
        assert not table.rows("players")

    @pytest.mark.parametrize("words", ["marta", "Marta", "MARTA."])
    def test_the_one_that_was_asked_about_is_a_yes(self, words: str, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello").forgets()
        marta.says(words).gets(1).hears("You play as marta now.")

    @pytest.mark.parametrize("words", ["move", "e4", "bob", "draw", "me"])
    def test_nor_what_nobody_can_have(self, words: str, table: Table) -> None:
        table.joins("bob")
        marta = table.person("marta@example.org").writes("hello").forgets()
        marta.says(words).gets(1).hears("Reply yes to play as marta,")
        assert len(table.rows("players")) == 1

    def test_signup_says_it_clearly(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello").forgets()
        marta.says("signup nora").gets(1).hears("You play as nora now.")

    def test_a_doubt_keeps_the_name_that_was_asked_about(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes("hello").says("nora").forgets()
        marta.says("hm?").gets(1).hears("I could not read that", "Reply yes to play as nora,")
        marta.says("martha").hears("Play as martha?").says("yes").hears("You play as martha now.")

    def test_a_no_to_it_is_one_for_ever(self, table: Table) -> None:
        alice = table.joins("alice").says("challenge dave@example.net").forgets()
        dave = table.person("dave@example.net").says("davy").forgets()
        dave.says("no").gets(1).hears("You will not be asked again unless you write to us.")
        alice.hears("dave@example.net does not want to play")
        table.joins("bob").says("challenge dave@example.net").hears(
            "We have asked dave@example.net before"
        )
        assert not table.boards()

    def test_it_goes_on_saying_who_invites_and_begins_that_game(self, table: Table) -> None:
        alice = table.joins("alice").says("challenge dave@example.net -bowl").forgets()
        dave = table.person("dave@example.net").forgets()
        for words in ("davy", "hm?"):
            dave.says(words).gets(1).hears(
                "a game of Abalone with alice",
                "Abalone with",
                "by mail",
                "Reply yes to play as davy, or reply with another name.",
            )
        dave.says("Yes, gladly").hears("You play as davy now.", "Abalone Board 1: alice v davy")
        alice.hears("on the bowl board")

    def test_once_the_invitation_is_off_it_is_a_welcome(self, table: Table) -> None:
        alice = table.joins("alice")
        dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
        alice.says("challenge dave@example.net me erin@example.net")
        erin.says("no")
        dave.forgets().says("davy").gets(1).hears("This is a server for playing Abalone by mail")
        dave.says("yes").hears("You play as davy now.", "will not take place")

    def test_a_password_of_before_does_not_come_with_it(self, table: Table) -> None:
        marta = table.person("marta@example.org").writes("signup marta hunter2-pass").forgets()
        marta.says("nora").hears("Play as nora?")
        assert "password" not in marta.newest.text
        marta.says("yes").hears("You play as nora now.")
        player = table.player("nora")
        assert player is not None
        assert player.password_hash is None


class TestAPlayersQuestion:
    def asked(self, table: Table, line: str = "resign 1") -> Person:
        alice, _ = table.start("alice", "bob")
        return alice.writes(line).forgets()

    @pytest.mark.parametrize("words", ["ja", "Sure!", "yes, that was me", "ok let's do it", "👍"])
    def test_a_yes(self, words: str, table: Table) -> None:
        self.asked(table).says(words)
        assert table.board(1).status == "finished"

    @pytest.mark.parametrize(
        "words", [*NO[::5], "stop", "unsubscribe", "cancel", "no, I did not ask", "abmelden"]
    )
    def test_a_no(self, words: str, table: Table) -> None:
        self.asked(table).says(words).gets(1).hears("Dropped. Nothing has changed.")
        assert table.board(1).playing
        assert table.rows("errands")[-1]["status"] == "dropped"

    @pytest.mark.parametrize("words", UNSURE[1::7])
    def test_what_is_unsure_is_asked_again(self, words: str, table: Table) -> None:
        alice = self.asked(table)
        alice.says(words).gets(1).hears(
            "I could not read that as yes or as no, so nothing has changed and nobody was told.",
            "| resign 1",
            "Reply yes to do it, or no to drop it. Write nothing else.",
        )
        assert table.board(1).playing

    def test_the_same_question_takes_the_next_answer(self, table: Table) -> None:
        alice = self.asked(table)
        first = alice.newest
        alice.says("hm").says("maybe").forgets()
        assert len(table.rows("questions")) == 3  # two of signing up
        alice.says("yes")
        assert table.board(1).status == "finished"
        alice.says("yes", answering=first).hears("That question is not open any more")
        alice.says("hm", answering=first).hears("That question is not open any more")

    def test_it_is_open_no_longer_than_before(self, table: Table) -> None:
        alice = self.asked(table)
        table.clock.passes(hours=47)
        alice.says("hm").forgets()
        table.clock.passes(hours=1, minutes=1)
        alice.says("yes").hears("That question is not open any more")
        assert table.board(1).playing

    @pytest.mark.parametrize("line", ["delete", "newkey", "change password none"])
    @pytest.mark.parametrize("words", ["fine", "why not", "yes, go on", "tak", "👍", "Yes, later"])
    def test_where_much_is_at_stake_only_a_clear_yes_counts(
        self, line: str, words: str, table: Table
    ) -> None:
        alice = table.joins("alice").says(line).forgets()
        alice.says(words).gets(1).hears("I could not read that", f"| {line}", "Reply yes to do it")
        player, *_ = table.rows("players")
        assert (player["epoch"], player["status"]) == (1, "active")
        assert table.rows("errands")[-1]["status"] == "held"

    @pytest.mark.parametrize(
        "words",
        [
            "Yes please!",
            "ja",
            "oui, merci",
            "OK.",
            "Yes, do it",
            "Yes, that's right",
            "Yes that is correct.",
        ],
    )
    def test_and_a_clear_one_does(self, words: str, table: Table) -> None:
        table.joins("alice").says("newkey").says(words).hears("Done: mails that we sent you")

    @pytest.mark.parametrize("words", ["yes, delete me please", "Yes, goodbye", "Yes delete me"])
    def test_whoever_leaves_may_say_so_again(self, words: str, table: Table) -> None:
        alice = table.joins("alice").says("newkey").says(words).hears("I could not read that")
        alice.says("no").says("delete").forgets().says(words).hears("You have left this server")
        assert table.rows("players")[0]["status"] == "removed"

    @pytest.mark.parametrize(
        "words", ["No, I meant a1-c3,d4", "no\n\na1-c3,d4", "No!\nHi Bob,\na1-c3,d4\nSee you"]
    )
    def test_a_move_behind_a_no_is_played(self, words: str, table: Table) -> None:
        self.asked(table).says(words).gets(2).hears(
            "Dropped. Nothing has changed.", "| resign 1", "bob's move on board 1"
        )
        assert table.moves(1) == ["a1-c3,b2"]

    def test_one_that_is_none_is_refused(self, table: Table) -> None:
        self.asked(table).says("No, I meant a1-a9").gets(2).hears("Dropped.", "| I meant a1-a9")
        assert table.moves(1) == []

    @pytest.mark.parametrize("rest", ["I did not ask", "resign", "resign 1"])
    def test_other_words_behind_a_no_go_to_nobody_and_come_back(
        self, rest: str, table: Table
    ) -> None:
        self.asked(table, "delete").says(f"no, {rest}").gets(1).hears(
            "Dropped. Nothing has changed. You had asked for: | delete",
            f"Your other words were not read as commands, and went to nobody: | {rest}",
        )
        assert table.board(1).playing

    def test_a_command_is_no_answer(self, table: Table) -> None:
        alice = self.asked(table)
        alice.says("show 1").hears("Board 1").says("yes", answering=alice.mail("Please confirm"))
        assert table.board(1).status == "finished"

    def test_of_an_alias(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        board = alice.newest
        table.person("a.l@work.example").says("a1-c3,d4", answering=board)
        alice.forgets().says("I think so").gets(1).hears(
            "It is about the reply that came from a.l@work.example. Reply yes to do what it says,"
        )
        alice.says("Yes!").hears("a.l@work.example is one of your addresses now")
        assert len(table.moves(1)) == 1

    def test_of_a_new_address(self, table: Table) -> None:
        alice = table.joins("alice").says("add a.l@work.example").says("yes")
        work = table.person("a.l@work.example").forgets()
        work.says("who is that?").gets(1).hears("alice wants to play from this address. Reply yes")
        work.says("maybe").hears_nothing()
        work.says("yes, that is me").forgets()
        alice.hears("a.l@work.example")
        assert work.table.player("alice").addresses[1:] == ("a.l@work.example",)

    def test_of_an_invitation_to_somebody_who_plays_by_now(self, table: Table) -> None:
        table.joins("alice").says("challenge dave@example.net")
        dave = table.person("dave@example.net")
        invitation = dave.newest
        dave.writes("hello").says("signup davy").forgets()
        dave.says("hm, maybe", answering=invitation).gets(1).hears(
            "alice would like to play with you. Reply yes to play, or no if you would rather not"
        )
        dave.says("Sure").hears("Abalone Board 1: alice v davy")


def offered(table: Table, *handles: str, what: str = "draw") -> list[Person]:
    """Players at a board, the first of whom asks the others for something."""
    people = table.start(*handles)
    people[0].says("a1-c3,d4").says(what)
    for person in people:
        person.forgets()
    return people


def has_open_offer(table: Table) -> bool:
    return any(offer.open for offer in table.board(1).offers)


class TestAnOffer:
    @pytest.mark.parametrize(
        "words",
        [
            "yes",
            "OK",
            "Sure!",
            "ja",
            "fine",
            "Yes, please",
            "да",
            "はい",
            "Hi Alice, yes",
            "OK, fine with me",
            "Yes, gladly.",
            "Thanks, sure, why not",
            "OK, draw",
            "Yes, that's right",
        ],
    )
    def test_a_yes_accepts_it(self, words: str, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says(words).gets(1).hears("Board 1 is over: a draw.")
        alice.gets(1).hears("Board 1 is over: a draw.")
        assert "writes" not in alice.newest.text

    @pytest.mark.parametrize("words", NO[1::4])
    def test_a_no_rejects_it(self, words: str, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says(words).gets(1)
        alice.gets(1).hears("bob said no to the draw that you offered. The game goes on.")
        assert "writes" not in alice.newest.text

    @pytest.mark.parametrize(
        ("words", "comment"),
        [
            ("yes, good game", "yes, good game"),
            ("Yes! Great game.", "Yes! Great game."),
            ("Agreed! That was fun.", "Agreed! That was fun."),
            ("Ja hoor. Mooie partij!", "Ja hoor. Mooie partij!"),
            ("Yes\n\nGood game, and\nsee you again.", "Good game, and | see you again."),
        ],
    )
    def test_whoever_says_more_is_quoted_in_full(
        self, words: str, comment: str, table: Table
    ) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says(words)
        alice.gets(1).hears("Board 1 is over: a draw.", f"bob writes: | {comment}")

    def test_so_it_is_with_a_no(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says("No thanks, let us play on: I can win this")
        alice.gets(1).hears("bob said no to the draw", "| No thanks, let us play on: I can win")

    def test_a_take_back(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob", what="takeback")
        bob.says("Sure, take it back!").gets(1)
        assert "writes" not in bob.newest.text
        assert table.moves(1) == []
        alice.says("a1-c3,d4").says("takeback")
        bob.forgets().says("nope").gets(1)
        alice.hears("bob said no")
        assert len(table.moves(1)) == 1

    @pytest.mark.parametrize(
        "words",
        [
            *("yes?", "yes, i5-g5,f5 or draw?"),
            *("yes\ni5-g5,f5", "Yes, i5-g5,f5", "no\nresign", "Yes\n\ntakeback"),
        ],
    )
    def test_what_is_unsure_is_asked_and_goes_to_nobody(self, words: str, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says(words).gets(1)
        alice.hears_nothing()
        assert has_open_offer(table)
        assert len(table.moves(1)) == 1
        bob.says("yes")
        alice.hears("Board 1 is over: a draw.")

    def test_unclear_words_go_to_the_others_and_are_asked_about_once(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        for words in ("Fine, let us continue", "Sure, take your time", "Yes, nice position"):
            before = sum("I am not sure how you meant" in mail.text for mail in bob.mails)
            bob.says(words)
            alice.gets(1).hears(f"| {words}")
            alice.forgets()
            assert has_open_offer(table)
            told = sum("I am not sure how you meant" in mail.text for mail in bob.mails)
            assert told == 1
            assert (told > before) == (words == "Fine, let us continue")
        bob.says("yes")
        assert not table.board(1).playing

    def test_the_answer_says_what_to_write(self, table: Table) -> None:
        _, bob = offered(table, "alice", "bob")
        bob.says("yes?").hears(
            "I am not sure how you meant your answer, so nothing has changed and nobody was told.",
            'On this board you are asked for a draw: answer with the words "accept draw" or',
            "if you move instead, that is a no. You can also just answer yes or no.",
        )

    @pytest.mark.parametrize("words", ["Thanks for the game", "Great move!", "maybe later", "Hm."])
    def test_other_words_are_for_the_others(self, words: str, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says(words)
        alice.gets(1).hears(f"| {words}")
        assert has_open_offer(table)

    @pytest.mark.parametrize("word", ["yes", "no"])
    def test_an_answer_to_an_older_mail_is_asked_about(self, word: str, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        alice.says("a1-c3,d4\nIs that good?")
        older = bob.newest
        alice.says("draw").forgets()
        bob.forgets().says(word, answering=older).gets(1).hears('"accept draw" or "reject draw"')
        alice.hears_nothing()
        assert has_open_offer(table)
        bob.says(word)  # to the mail that asks
        assert not has_open_offer(table)

    def test_so_is_one_to_an_offer_of_before(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        older = bob.newest
        bob.says("no")
        plays(table, [bob, alice], plies=2)
        alice.says("draw").forgets()
        bob.forgets().says("yes", answering=older).gets(1).hears("I am not sure")
        assert has_open_offer(table)

    def test_so_is_one_that_answers_no_mail_of_ours(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says("yes", headers={"In-Reply-To": "", "References": ""}).gets(1).hears(
            "I am not sure"
        )
        alice.hears_nothing()
        assert has_open_offer(table)

    def test_a_later_mail_shows_it_as_well(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        alice.says("Well?")
        assert table.board(1).playing
        bob.says("yes")
        assert not table.board(1).playing

    def test_where_others_are_asked_too_it_takes_the_words(self, table: Table) -> None:
        alice, bob, carol = offered(table, "alice", "bob", "carol")
        bob.says("yes").gets(1).hears('"accept draw" or "reject draw"')
        assert "A yes or a no" not in bob.newest.text
        alice.hears_nothing()
        bob.says("accept draw").forgets()
        alice.forgets()
        carol.says("yes")  # only she is left
        alice.hears("Board 1 is over: a draw.")

    def test_nobody_who_offers_answers(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        alice.says("yes").gets(1).hears("When we ask, answer the mail that asks.")
        bob.hears_nothing()
        assert has_open_offer(table)

    @pytest.mark.parametrize("words", ["I accept", "I accept your offer, thanks"])
    def test_where_none_waits_an_acceptance_goes_to_nobody(self, words: str, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        alice.forgets()
        bob.forgets().says(words).gets(1).hears("nobody was told")
        alice.hears_nothing()

    def test_a_mail_that_proves_nothing_is_asked_about(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        mail = bob.newest
        thread = {"In-Reply-To": mail["Message-ID"], "References": mail["Message-ID"]}
        bob.writes(f"Re: {mail['Subject']}", "yes", headers=thread).gets(1)
        bob.hears("Please confirm: accept draw 1", "Reply yes to do it, or no to drop it.")
        alice.hears_nothing()
        bob.says("yes")
        alice.hears("Board 1 is over: a draw.")

    def test_held_words_stay_held(self, table: Table) -> None:
        alice, bob = offered(table, "alice", "bob")
        bob.says("change password sesame-open").says("yes").forgets()
        mail = bob.mail("Abalone Board 1")
        bob.says("Yes, good game\n12 bob sesame-open", answering=mail)
        alice.hears_nothing()
        assert has_open_offer(table)


@pytest.mark.parametrize("word", ["unsubscribe", "abmelden", "stop"])
def test_a_wish_for_no_mail_answers_no_offer(word: str, table: Table) -> None:
    _, bob = offered(table, "alice", "bob")
    bob.says(word)
    assert has_open_offer(table)


def test_nothing_of_ours_comes_back_as_an_answer(table: Table) -> None:
    alice, bob = offered(table, "alice", "bob")
    bob.says("yes?").says("no")
    alice.writes("resign 1").says("hm").says("no")
    dave = table.person("dave@example.net").writes("hello").says("davy").says("hm").says("nope")
    mails: list[Mail] = [mail for person in (alice, bob, dave) for mail in person.mails]
    for mail in mails:
        lines = mail.text.split("\n")
        for said in (lines, *([*pair] for pair in pairwise(lines))):
            assert confirmation(said, WELCOME)[0] is None, said


@pytest.mark.parametrize("words", ["ｙｅｓ", "yеs", "o\u212a", "y\u200bes", "nо", "ѕure", "уes"])
def test_no_look_alike_is_an_answer(words: str) -> None:
    assert not spoken([words]).no
    assert not agrees([words], WELCOME)


def test_an_open_question_does_not_keep_the_server_from_answering(table: Table) -> None:
    alice, _bob = table.start("alice", "bob")
    alice.forgets().writes("resign 1").hears("Please confirm: resign 1")
    asked = alice.newest
    alice.says("Hm, my cat sat on it.", answering=asked).gets(1)
    alice.forgets().says("Hm, who knows.", answering=asked).hears_nothing()  # asked again once
    alice.says("Until when do I have to move?", answering=asked).gets(1).hears("Your time for this")
    alice.says("Yes, I resign.", answering=asked).hears("You resigned")
