"""Words to others without a move, boards whose words one does not want, and notes to oneself."""

import pytest

from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.players import suspend
from tests.conversations.playing import board_mail
from tests.table import Person, Table

FIRST, REPLY = "a1-c3,b2", "i5-g5,h5"
SECRET = "the quagga never looks left"


@pytest.fixture
def people(table: Table) -> list[Person]:
    return table.start("alice", "bob")


# -- words to those who play on a board ------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["chat 1 Good luck!", "chat 1\n\nGood luck!", "chat Good luck!", "abalone chat 1 Good luck!"],
)
def test_words_go_to_those_who_play_there(people: list[Person], text: str) -> None:
    alice, bob = people
    alice.says(text).gets(1).hears("| Good luck!", "Sent to bob.")
    bob.gets(1).hears("alice writes: | Good luck!")


def test_the_subject_may_have_it(people: list[Person]) -> None:
    alice, bob = people
    alice.writes("chat 1", "Good luck!\nresign").says("yes")
    bob.hears("alice writes: | Good luck! | resign")


def test_each_board_gets_its_own_words(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("challenge bob").says("challenge carol")
    for person in (bob, carol):
        person.forgets()
    words = "Thanks, bob!\nchat 2 Hello, carol!\nHow are you?\n\nBye, bob."
    alice.says(words, answering=board_mail(alice, 1))
    bob.gets(1).hears("| Thanks, bob! | | Bye, bob.")
    carol.gets(1).hears("| Hello, carol! | How are you?")
    assert "carol" not in bob.newest.text
    bob.forgets()
    carol.forgets()
    alice.says("chat 1\nOne\n\nTwo\nchat 2\nThree")
    bob.gets(1).hears("| One | | Two")
    carol.gets(1).hears("| Three")
    assert "Three" not in bob.newest.text
    alice.writes("multiple", "chat 1 Four\nchat 2 Five").says("yes")
    bob.hears("| Four")
    carol.hears("| Five")


def test_a_move_keeps_its_words_beside_a_note_and_words_for_others(
    table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\nHere I go.\n\nnote {SECRET}\n{REPLY}")
    assert table.moves(1) == [FIRST]
    bob.hears(f"alice played {FIRST}.", "| Here I go.")
    assert "quagga" not in bob.newest.text
    alice.hears(f"You noted, for yourself alone: | {SECRET} | {REPLY}")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("chat 1", "There are no words behind or below this command."),
        ("chat 2 Hello", "You do not play on board 2."),
        ("chat 9 Hello", "There is no board 9."),
        ("note 2 Hello", "You do not play on board 2."),
        ("note 1", "You have noted nothing about board 1."),
        ("note 1 none", "You have noted nothing about board 1."),
        ("note 1\n" + f"{'x' * 60}\n" * 80, "Notes about a board have 4000 characters"),
        ("mute 2", "You do not play on board 2."),
        ("mute bob", 'send "block bob"'),
        ("unmute bob", 'send "unblock bob"'),
    ],
)
def test_what_cannot_be_done_is_told(
    table: Table, people: list[Person], line: str, answer: str
) -> None:
    alice, bob = people
    table.joins("carol").says("challenge bob")
    bob.forgets()
    alice.forgets().says(line).gets(1).hears(answer)
    bob.hears_nothing()
    assert not table.rows("notes")


def test_the_same_words_are_sent_three_times(people: list[Person]) -> None:
    alice, bob = people
    for _ in range(3):
        alice.says("chat 1 Hurry!")
    bob.forgets()
    alice.forgets().says("chat 1 Hurry!").gets(1)
    alice.hears("You have sent these words", "| chat 1 Hurry!")
    bob.hears_nothing()


def test_a_thread_stays_open_for_14_days(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("resign")
    table.days_pass(13)
    bob.forgets()
    alice.says("Thanks for the game!", answering=board_mail(alice, 1))
    bob.gets(1).hears("| Thanks for the game!").forgets()
    table.days_pass(2)
    for text in ("One more thing.", "chat 1 One more thing."):
        alice.forgets().says(text, answering=board_mail(alice, 1)).gets(1)
        alice.hears("Board 1 has been over for more than 14 days", '"message"', "One more thing.")
    bob.hears_nothing()


def test_words_from_an_unproven_sender_wait_for_a_yes(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.forgets().writes("chat 1", "Good luck!\nAnd fun.").gets(1)
    bob.forgets().hears_nothing()
    alice.says("yes")
    bob.gets(1).hears("| Good luck! | And fun.")
    alice.forgets().writes("Hello", f"note 1 {SECRET}\nmore\nchat 1 Hi")
    assert not table.rows("notes")


# -- boards whose words one does not want ----------------------------------------------------------


def test_who_mutes_a_board_gets_its_moves_alone(table: Table, people: list[Person]) -> None:
    alice, bob = people
    bob.forgets().says("mute").gets(1).hears("You get no more words of board 1.")
    alice.forgets().says("Fool!", answering=board_mail(alice, 1)).gets(1).hears("Sent to bob.")
    bob.forgets().hears_nothing()
    alice.says(f"{FIRST}\nFool, I say.")
    bob.gets(1).hears(f"alice played {FIRST}.")
    assert "Fool" not in bob.newest.text + bob.newest.html
    bob.says(f"{REPLY}\nI do not hear you.").hears("| I do not hear you.")
    alice.hears("| I do not hear you.")
    bob.says("set digest daily").forgets()
    alice.says("draw\n\nFool, again.")
    table.days_pass(1)
    assert "Fool" not in bob.newest.text
    bob.says("set digest off").says("unmute 1").hears("You get the words of board 1 again.")
    alice.says("chat 1 Friends?")
    bob.hears("| Friends?")


# -- notes -----------------------------------------------------------------------------------------


def test_a_note_stays_until_it_is_erased(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"note 1 {SECRET}\n\n{REPLY}\nif {REPLY} then {FIRST}")
    assert not table.moves(1)
    assert not table.rows("plans")
    lines = f"| {SECRET} | {REPLY} | if {REPLY} then {FIRST}"
    alice.hears(f"You noted this about board 1, and nobody else can see it: {lines}")
    alice.says(FIRST).hears(f"You noted, for yourself alone: {lines}")
    alice.says("show 1").hears(lines).says("takeback")
    bob.says("accept takeback").says("resign")
    alice.hears(lines).says("note 1").hears(lines).says("export me").hears(f'"{SECRET}"')
    alice.says("note 1\n\nNew one.").hears("| New one.", "It takes the place of this:", lines)
    alice.says("note 1 none").hears("is erased. It was: | New one.")
    assert not table.rows("notes")


def test_nobody_else_learns_of_a_note(
    table: Table, people: list[Person], caplog: pytest.LogCaptureFixture
) -> None:
    alice, bob = people
    alice.writes("note 1", f"{SECRET}\n{FIRST}").says("yes")
    alice.says(f"note\n{SECRET}").says(FIRST)
    returned = "\n".join(alice.newest.text.splitlines()[-14:])
    assert "quagga" in returned
    bob.says("show 1").says("export 1").says("status").says("history").says("export me")
    bob.says("info alice").says("note 1").says("games alice").says("show alice").says(REPLY)
    alice.says(f"Well!\n\n| {SECRET}", answering=board_mail(alice, 1))
    bob.hears("| Well!")
    alice.says(f"Well, well!\n{SECRET}", answering=board_mail(alice, 1))
    alice.hears("Lines that you had noted came back with your mail")
    alice.says(f"Well, well, well!\n\n{returned}", answering=board_mail(alice, 1))
    alice.says("challenge bob").says("show 1 2").says(f"1 chat See you!\n{SECRET}")
    alice.says("report 1 bob is slow")
    table.days_pass(4)
    alice.says("resign 1")
    for name, box in table.mailboxes.items():
        for mail in box if not name.startswith("alice") else ():
            assert "quagga" not in mail.message.as_string(), mail.text
            assert "yourself alone" not in mail.text
    assert "quagga" not in caplog.text
    assert "quagga" not in " ".join(row["outcome"] or "" for row in table.rows("inbox"))
    alice.says("delete").says("yes")
    assert not table.rows("notes")


@pytest.mark.parametrize("words", ["Note that I am away till Friday.", "Please note: I am away."])
def test_talk_that_begins_with_the_word_is_talk(people: list[Person], words: str) -> None:
    alice, bob = people
    alice.says(words, answering=board_mail(alice, 1))
    bob.hears(f"| {words}")


@pytest.mark.parametrize("word", ["note your", "Note: his"])
def test_a_note_that_may_be_talk_is_asked_about(
    table: Table, people: list[Person], word: str
) -> None:
    alice, bob = people
    bob.forgets()
    alice.forgets().says(f"{word} left side is weak\n\nReally.").gets(1).hears("for you alone?")
    bob.hears_nothing()
    assert not table.rows("notes")
    alice.says("yes").hears(f"| {word.split()[1]} left side is weak | Really.")
    bob.hears_nothing()


# -- words to a player -----------------------------------------------------------------------------


def messages(person: Person) -> int:
    """How many mails have come that say what somebody wrote."""
    return sum(mail["Subject"].startswith("pbm: words of") for mail in person.mails)


def test_a_message_and_its_answer(table: Table, people: list[Person]) -> None:
    alice, bob = people
    bob.forgets()
    alice.forgets().says("message bob\n\nShall we play again?\n\nresign").gets(1)
    alice.hears("Sent to bob: | Shall we play again? | | resign")
    bob.gets(1).hears("alice writes to you: | Shall we play again? | | resign")
    assert bob.newest["Subject"] == "pbm: words of alice"
    assert "alice@example.org" not in bob.newest.message.as_string()
    mail = bob.newest
    for words in ("Yes", "I resign if you ask.", "Show me your best!"):
        bob.says(words, answering=mail).hears(f"Sent to alice: | {words}")
        alice.hears(f"bob writes to you: | {words}")
        assert "bob@example.org" not in alice.newest.message.as_string()
    assert table.board(1).playing
    bob.says("games", answering=mail).hears("alice")
    assert messages(alice) == 3


@pytest.mark.parametrize(
    ("line", "to"),
    [
        ("message bob, carol: Hello", "bob and carol"),
        ("message bob and carol Hello", "bob and carol"),
        ("message bob,carol Hello", "bob and carol"),
        ("message to bob carol\n\nHello", "bob and carol"),
        ("message bob Hello", "bob"),
        ("message bob, Hello", "bob"),
        ("message bob carol is well\n\nHello", "bob"),
    ],
)
def test_several_are_written_to(table: Table, line: str, to: str) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says(line).hears(f"Sent to {to}: |", "| Hello")
    bob.hears("| Hello")
    assert bob.newest.text.startswith(
        f"alice writes to you{' and carol' if 'carol' in to else ''}:"
    )
    assert messages(carol) == ("carol" in to)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("message bob", "There are no words behind or below this command."),
        ("message bbo hello", "There is no player called bbo."),
        ("message alice hello", "That is you."),
        ("message pebble hello", "pebble is a robot"),
        ("message carol hello", "You have had no board with carol yet."),
        ("message dave, carol hello", "You have had no board with carol yet."),
        ("message bob hello", "You play as partners with bob on board 2."),
        ("message erin hello", "erin has left this server."),
        ("message frank hello", "You have blocked frank."),
        ("message gina hello", "gina gets no words at present."),
        ("message dave\n" + f"{'x' * 70}\n" * 200, "Words to one player have 10000 characters"),
    ],
)
def test_who_cannot_be_written_to(table: Table, line: str, answer: str) -> None:
    table.robots_join()
    names = "alice bob carol dave erin frank gina".split()
    alice, bob, *others = map(table.joins, names)
    alice.says("challenge bob").says("challenge -teams dave bob erin").says("challenge frank erin")
    alice.says("challenge gina").says("block frank")
    others[2].says("delete").says("yes")
    suspend(OperatorSession(table.database, table.site, table.clock, "root"), "gina", "a test")
    table.posts()
    for person in (alice, bob, *others):
        person.forgets()
    alice.says(line).gets(1).hears(answer)
    for person in (bob, *others):
        person.hears_nothing()


def test_who_is_blocked_is_not_told(people: list[Person]) -> None:
    alice, bob = people
    bob.says("block alice").forgets()
    alice.forgets().says("message bob\n\nHello").gets(1).hears("Sent to bob: | Hello")
    bob.hears_nothing()


def test_messages_are_counted_as_other_mails_are(table: Table, people: list[Person]) -> None:
    alice, bob = people
    bob.says("set digest daily").forgets()
    alice.says("message bob\n\nHello\nresign 1")
    bob.hears_nothing()
    table.days_pass(1)
    bob.gets(1).hears("alice writes to you: | Hello | resign 1", '"message alice"')
    bob.says("set digest off").forgets()
    for count in range(1, 11):
        alice.says(f"message bob\n\nHello {count}")
    alice.forgets().says("message bob\n\nHello 11").gets(1).hears("within an hour", "| Hello 11")
    assert messages(bob) < 11


def test_a_password_goes_to_nobody(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("change password correct-horse").says("yes")
    bob.forgets()
    for line in ("message bob", "chat 1", "note 1", "Hi!\n\nchat 1"):
        alice.says(f"{line} my password is correct-horse", answering=board_mail(alice, 1))
        alice.says(f"{line}\nmy password is correct-horse", answering=board_mail(alice, 1))
    bob.hears_nothing()
    assert not table.rows("notes")


def test_a_yes_sends_a_message_that_only_a_from_vouches_for(people: list[Person]) -> None:
    alice, bob = people
    bob.forgets()
    alice.forgets().writes("message bob", "Hello\nagain").gets(1)
    bob.hears_nothing()
    alice.says("yes").hears("Sent to bob: | Hello | again")
    bob.gets(1).hears("| Hello | again")


def test_a_message_names_few_players_however_long_it_is(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.forgets()
    alice.says("message " + "bob, " * 2000 + "hi")
    bob.gets(1)
    assert bob.newest.text.count("bob,") == 2000 - 40  # the first words alone are read as handles
