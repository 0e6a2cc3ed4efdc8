"""Somebody who knows nothing writes a first mail, and plays two mails later."""

import pytest

from pbm.errors import Refusal
from pbm.service.accounts import check_new_handle, suggest_handle
from tests.table import Person, Table


def players(table: Table) -> list[str]:
    return [row["handle"] for row in table.rows("players")]


def test_any_text_is_welcomed(table: Table) -> None:
    marta = table.person("Marta@Example.org")
    marta.writes("hi, how does this work?", "I heard of this from a friend.").gets(1)
    marta.hears(
        "This is a server for playing Abalone by mail",
        "A- o o o o o / 7",
        "Reply yes to play as marta, or reply with another name.",
    )
    introduction = marta.newest.text.split("\n\n")[0]
    assert len(introduction.split("\n")) == 2
    assert not players(table)

    marta.says("yes").gets(1).hears(
        "You play as marta now.",
        "Somebody who does not play here yet can be challenged by mail address, such as"
        ' "challenge friend@example.org".',
    )
    player = table.player("marta")
    assert player is not None
    assert player.addresses == ("Marta@example.org",)
    assert player.status == "active"


@pytest.mark.parametrize("text", ["", "???", "move a1-c3,d4", "12 e4", "no", "yes", "привет"])
def test_whatever_comes_first_is_welcomed(text: str, table: Table) -> None:
    table.person("marta@example.org").writes(text, text).gets(1).hears("Reply yes to play as marta")
    assert not players(table)


def test_another_name(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("Martha\n").gets(1).hears("Play as martha?", "Reply yes to play as martha")
    assert not players(table)
    marta.says("yes").hears("You play as martha now.")
    assert players(table) == ["martha"]


def test_a_reply_that_quotes_us(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello")
    quoted = "\n".join(f"> {line}" for line in marta.newest.text.split("\n"))
    marta.says(f"Yes\n\nOn Sat, 21 Nov 2026 at 12:00, pbm <pbm@games.example> wrote:\n{quoted}")
    assert players(table) == ["marta"]


def test_the_only_word_is_the_whole_line(table: Table) -> None:
    for number, words in enumerate(("I would like to play if I may", "Dear all, nora here", "hm")):
        marta = table.person(f"marta{number}@example.org").writes("hello")
        marta.forgets().says(words).gets(1)
        marta.hears("I could not read that as yes, as no, or as one name.")
    assert not players(table)


@pytest.mark.parametrize(
    "words",
    [
        *"ja oui si sí Sí SI\u0301 sim да Да ДА tak ano hai Yes. yes! ok! YES!!".split(),
        *("yes please", "yes please!", "Yes, please", "ja gerne", "Ja, bitte!", "oui merci"),
    ],
)
def test_a_yes_in_other_words(words: str, table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says(words).gets(1).hears("You play as marta now.")
    assert players(table) == ["marta"]


@pytest.mark.parametrize("words", ["no", "No.", "nein", "Non!", "no, thank you", "Nein danke"])
def test_a_no_in_other_words(words: str, table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says(words).gets(1).hears("Fine. You will not be asked again unless you write to us.")
    assert not players(table)


def test_a_yes_in_another_language_can_be_an_address(table: Table) -> None:
    table.person("ja@example.org").writes("hello").hears("Reply yes to play as ja2")
    table.person("oui@example.org").writes("signup oui").hears('"oui" cannot be a handle')
    table.person("non@example.org").writes("signup non").hears('"non" cannot be a handle')


def test_a_yes_that_endangers_something_is_yes(table: Table) -> None:
    alice = table.joins("alice")
    for words in ("fine", "yes, go on", "tak", "Yes!?", "Yes, but wait", "👍", "why not"):
        alice.says("newkey").forgets()
        question = alice.newest
        alice.says(words, answering=question).hears("I could not read that as yes or as no")
    alice.says("Yes", answering=question).hears("Done: mails that we sent you before this one")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bob", "The handle bob is taken."),
        ("move", '"move" cannot be a handle, because it means something else in commands.'),
        ("challenger", '"challenger" cannot be a handle, because it means something else'),
        ("takeback", '"takeback" cannot be a handle, because it means something else'),
        ("me", '"me" cannot be a handle'),
        ("e4", '"e4" cannot be a handle, because it means something else'),
        ("a1-c3", '"a1-c3" cannot be a handle, because it means something else'),
        ("x", '"x" cannot be a handle: a handle has 2 to 16 letters'),
        ("9lives", '"9lives" cannot be a handle: a handle has 2 to 16 letters'),
        ("marta.b", '"marta.b" cannot be a handle: a handle has 2 to 16 letters'),
        ("m" * 17, "cannot be a handle: a handle has 2 to 16 letters"),
        ("м" * 3, "cannot be a handle: a handle has 2 to 16 letters"),
        ("\u212aate", "cannot be a handle: a handle has 2 to 16 letters"),  # Kelvin sign
        ("mar\u0301ta", "cannot be a handle: a handle has 2 to 16 letters"),
    ],
)
def test_a_name_that_cannot_be_had(name: str, sentence: str, table: Table) -> None:
    table.joins("bob")
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says(name).gets(1).hears(sentence, "Reply yes to play as marta")
    assert players(table) == ["bob"]
    marta.says("yes").hears("You play as marta now.")


@pytest.mark.parametrize(
    "name",
    "admin administrator Root operator operator2 postmaster abuse noc hostmaster webmaster www info"
    " support security noreply no-reply no_reply mailer-daemon majordomo listserv moderator staff"
    " server system daemon pbm abalone null nil none nobody no-one anybody everybody everyone"
    " somebody anonymous undefined nan true false yes no nope nein stop unsubscribe quit signoff"
    " test user default".split(),
)
def test_a_name_that_is_kept_free(name: str, table: Table) -> None:
    with table.database.reading() as work, pytest.raises(Refusal) as caught:
        check_new_handle(work, name.lower())
    assert caught.value.code in ("reserved-handle", "kept-handle")
    with table.database.reading() as work:
        suggested = suggest_handle(work, f"{name}@example.net")
        check_new_handle(work, suggested)
    assert suggested in ("player", f"{name.lower()}2")


def test_whose_name_is_kept_free_now_keeps_it(table: Table) -> None:
    table.joins("bob")
    table.person("x@example.org").writes("signup operator").hears('"operator" cannot be a handle')
    table.person("postmistress@example.org").writes("signup nobody").hears(
        '"nobody" cannot be a handle, because others could take it for something else than a player'
    )
    with table.database.transaction() as work:
        work.players.add("admin", "admin@example.org", table.clock())
    admin = table.person("admin@example.org").writes("challenge bob").says("yes").forgets()
    admin.says("a1-c3,d4").hears("bob's move on board")


@pytest.mark.parametrize(
    ("subject", "body"),
    [("stop", ""), ("", "unsubscribe"), ("Unsubscribe", "Marta"), ("", "Please remove me!")],
)
def test_who_wants_no_mail_is_not_asked(subject: str, body: str, table: Table) -> None:
    marta = table.person("marta@example.org")
    marta.writes(subject, body).gets(1).hears("only if you write to us, or if a player here wants")
    assert not table.rows("questions")


def test_who_has_said_no_for_good_is_told_so(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").says("no").forgets()
    marta.writes("stop").gets(1).hears("You will not be asked again unless you write to us.")
    table.joins("bob").says("challenge marta@example.org").hears(
        "We have asked marta@example.org before"
    )


def test_a_name_with_more_below_is_asked_about(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("Martha\n\nIs this for free?").gets(1)
    marta.hears("Play as martha?", "Reply yes to play as martha")
    assert not players(table)
    marta.says("yes").hears("You play as martha now.")


@pytest.mark.parametrize("line", ["delete", "games\ndelete", "DELETE"])
def test_a_farewell_below_the_yes_is_neither(line: str, table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says(f"yes\n{line}").gets(1).hears("Reply yes to play as marta")
    assert not players(table)
    marta.says("yes").hears("You play as marta now.")


@pytest.mark.parametrize("line", ["newkey", "games\nnewkey", "NEWKEY", "games\n" * 4 + "delete"])
def test_what_is_dangerous_below_the_yes_is_asked_about(line: str, table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says(f"yes\n{line}").gets(2).hears("You play as marta", "Please confirm:")
    assert [row["status"] for row in table.rows("players")] == ["active"]
    marta.says("no").hears("Dropped.")


def test_signup_asks_the_same(table: Table) -> None:
    table.joins("bob")
    marta = table.person("m.example@example.org")
    marta.writes("signup marta").gets(1).hears("Reply yes to play as marta")
    marta.writes("", "pbm signup bob\n").gets(1).hears(
        "The handle bob is taken.", "Reply yes to play as bob2"
    )
    marta.writes("signup 4ever").gets(1).hears(
        '"4ever" is not a player\'s handle', "Reply yes to play as m-example"
    )
    marta.writes("signup").gets(1).hears("Something is missing: the handle.")
    assert players(table) == ["bob"]
    marta.says("signup marta").hears("You play as marta now.")


def test_the_same_address_in_other_letters_is_the_same(table: Table) -> None:
    marta = table.joins("marta")
    table.person("MARTA@example.ORG").writes("whoami").hears("You are marta")
    assert marta.newest["To"] == "marta@example.org"


def test_a_password_is_taken_and_kept_nowhere(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "hunter2-pass"
    marta = table.person("marta@example.org")
    marta.writes(f"signup marta {secret}").gets(1).hears("Reply yes to play as marta")
    marta.writes("hello", f"SIGNUP marta {secret}")
    marta.writes(f"signup marta {secret} again")
    marta.writes(f"sginup marta {secret} again")
    marta.says(f"yes\nsignup other {secret}").hears("You play as marta now.", "signup other ****")
    marta.writes(f"signup marta -{secret}").hears("signup marta ****")
    marta.writes("", f"signup marta {secret}\n" * 21).hears("signup marta ****")
    marta.writes("multiple", f"signup marta {secret}\nnonsense").hears("nonsense")
    table.clock.passes(hours=2)
    table.joins("bob").says(f"challenge marta\nsignup bob {secret}").forgets()
    assert players(table) == ["marta", "bob"]

    assert secret not in table.everything_stored()
    assert all(secret.encode() not in mail.raw for mail in marta.mails)
    assert secret not in "".join(capsys.readouterr())


def test_commands_below_the_yes_run(table: Table) -> None:
    bob = table.joins("bob")
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("yes\nchallenge bob -bowl\n\nA good game to you!").gets(2)
    marta.hears("You play as marta now.", "Your move on board 1.", "| A good game to you!")
    bob.gets(1).hears("A new game: marta and bob, on the bowl board.", "| A good game to you!")

    carl = table.person("carl@example.org").writes("hello").forgets()
    carl.says("charles\nshow 1\nchalenge bob").gets(1)
    carl.hears("Play as charles?", "The rest of your mail was not kept. Put it below your yes.")
    carl.says("signup charles\nshow 1\nchalenge bob").gets(1)
    carl.hears("You play as charles now.", "Abalone Board 1: marta v bob")
    assert table.boards() == [1]

    dora = table.person("dora@example.org").writes("hello").forgets()
    dora.says("yes\nchalenge bob").gets(1)
    dora.hears("You play as dora now.", 'Perhaps you meant "challenge bob".')
    assert table.boards() == [1]


def test_words_below_the_yes_harm_nothing(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    marta.says("yes\nThanks for having me.\n-- \nMarta").gets(1).hears("You play as marta now.")


def test_help_is_answered_before_and_after_the_question(table: Table) -> None:
    marta = table.person("marta@example.org")
    marta.writes("help").gets(1).hears("pbm: help")
    marta.writes("pbm help abalone").gets(1).hears("pbm: help abalone")
    marta.writes("help me please").gets(1).hears("Reply yes to play as marta")
    question = marta.newest
    marta.says("help commands").gets(1).hears("pbm: help commands")
    assert not players(table)
    marta.says("yes", answering=question).gets(1).hears("You play as marta now.")


def test_five_answers_a_day_and_the_last_says_so(table: Table) -> None:
    marta = table.person("marta@example.org")
    for _ in range(4):
        marta.writes("hello").gets(1)
        assert "This is the last answer" not in marta.newest.text
        marta.forgets()
    marta.writes("help").gets(1).hears("This is the last answer to your address for today.")
    question = marta.mails[-2]
    for text in ("hello", "help", "signup marta"):
        marta.writes(text).hears_nothing()
    for text in ("bob the builder", "help", "thanks, but really"):
        marta.says(text, answering=question).hears_nothing()
    marta.says("yes", answering=question).gets(1).hears("You play as marta now.")
    assert players(table) == ["marta"]


def test_the_last_welcome_says_that_a_yes_still_counts(table: Table) -> None:
    marta = table.person("marta@example.org")
    for _ in range(5):
        marta.forgets().writes("hello")
    marta.hears("This is the last answer to your address for today. Your yes still counts.")
    table.clock.passes(hours=24, minutes=1)
    marta.writes("hello").gets(1).hears("Reply yes")


def test_a_no_is_kept_to_even_after_the_five(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    question = marta.newest
    marta.says("No").gets(1).hears("Fine. You will not be asked again unless you write to us.")
    marta.says("yes", answering=question).gets(1)
    marta.hears("That question is not open any more; this one is.", "Reply yes to play as marta")
    assert not players(table)
    for _ in range(2):
        marta.writes("hello")
    last = marta.forgets().newest
    marta.says("no", answering=last).hears_nothing()
    marta.says("yes", answering=last).hears_nothing()
    assert not players(table)


def test_a_question_waits_for_three_days(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").forgets()
    table.clock.passes(days=3)
    marta.says("yes").gets(1).hears("That question is not open any more", "Reply yes to play as")
    assert not players(table)
    table.clock.passes(days=2, hours=23)
    marta.says("yes").gets(1).hears("You play as marta now.")


def test_a_second_yes_changes_nothing(table: Table) -> None:
    marta = table.joins("marta")
    question = marta.mails[0]
    marta.says("yes", answering=question).gets(1).hears("You play as marta already.")
    marta.says("no", answering=question).gets(1).hears("You play as marta already.")
    assert players(table) == ["marta"]
    marta.says("whoami", answering=question).gets(1).hears("You are marta")


def test_two_questions_and_two_answers_are_one_player(table: Table) -> None:
    marta = table.person("marta@example.org").writes("signup marta").writes("signup martha")
    first, second = marta.mails
    marta.says("yes", answering=first).forgets()
    marta.says("yes", answering=second).gets(1).hears("You play as marta already.")
    assert players(table) == ["marta"]


def test_two_who_want_the_same_name(table: Table) -> None:
    one = table.person("one@example.org").writes("signup sam")
    two = table.person("two@example.org").writes("signup sam").forgets()
    one.says("yes").hears("You play as sam now.")
    two.says("yes").gets(1).hears("The handle sam is taken.", "Reply yes to play as two")
    two.says("yes").gets(1).hears("You play as two now.")


def test_an_answer_from_another_address_signs_nobody_up(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello")
    other = table.person("someone@example.net")
    other.says("yes", answering=marta.newest).gets(1).hears("Reply yes to play as someone")
    assert not players(table)
    bob = table.joins("bob")
    bob.says("yes", answering=marta.newest).gets(1).hears("no question here")
    assert players(table) == ["bob"]


def test_a_name_is_made_of_any_address(table: Table) -> None:
    def suggested(address: str) -> str:
        person = table.person(address).writes("hello")
        asked = " ".join(person.newest.text.split())
        return asked.split("Reply yes to play as ")[1].split(",")[0]

    assert suggested("jean.dupont+games@example.org") == "jean-dupont"
    assert suggested("1234@example.org") == "player"
    assert suggested("a@example.org") == "player"
    assert suggested("help@example.org") == "help2"
    assert len(suggested(f"{'x' * 60}@example.org")) == 16


def test_the_server_says_nothing_to_robots(table: Table) -> None:
    robot = table.person("robot@example.org")
    for headers in (
        {"Auto-Submitted": "auto-replied"},
        {"AUTO-SUBMITTED": "Auto-Generated"},
        {"List-Id": "<news.example.org>"},
        {"Precedence": "Bulk"},
        {"X-Autoreply": "yes"},
        {"From": "MAILER-DAEMON@example.org"},
        {"From": "pbm@games.example"},
    ):
        robot.writes("help", headers=headers).hears_nothing()
    assert robot.replied.startswith("250")
    null_sender(robot)
    robot.hears_nothing()
    assert not table.rows("outbox")


def null_sender(person: Person) -> None:
    person.table.deliver("", "pbm@games.example", person.mail_bytes("help"))


def test_who_reads_all_the_help_first_can_still_sign_up(table: Table) -> None:
    vic = table.person("vic@example.org")
    for subject in ("help", "help tutorial", "help abalone", "help commands"):
        vic.writes(subject).gets(1).forgets()
    vic.writes("help challenge").gets(1).hears("Reply yes to play as vic", "last answer")
    vic.says("yes").hears("You play as vic now.")


def test_commands_below_a_first_sign_up_are_asked_for_again(table: Table) -> None:
    table.joins("ines")
    kim = table.person("kim@example.org")
    kim.writes("", "signup kim\nchallenge ines").hears("The rest of your mail was not kept.")
    kim.says("yes\nchallenge ines").hears("Your move on board 1.")


def test_a_command_that_comes_too_early_is_asked_for_again(table: Table) -> None:
    ines = table.joins("ines")
    kim = table.person("kim@example.org")
    kim.writes("challenge dora@example.org").gets(1).hears(
        "Reply yes to play as kim",
        'You asked for "challenge". Only players can do that, so it was not done and not kept:'
        " put it below your yes, or send it again later.",
    )
    assert "dora" not in kim.newest.text + kim.newest.html  # a stranger's words go to nobody
    kim.writes("Hello", "challenge ines\ngames\nchallenge me ines").gets(1)
    kim.hears('You asked for "challenge" and "games".')
    kim.writes("Hello").gets(1).forgets()
    assert "You asked" not in kim.newest.text
    kim.writes("signup kim", "challenge ines").gets(1).hears("The rest of your mail was not kept.")
    assert "You asked" not in kim.newest.text
    kim.forgets().says("yes\nchallenge ines").hears("Your move on board 1.")
    ines.hears("kim's move on board 1; nothing to do.")


def test_what_stands_below_a_yes_that_failed_dmarc_is_asked_about(table: Table) -> None:
    bob = table.joins("bob").forgets()
    marta = table.person("marta@example.net").writes("hello")
    table.behind_front("dmarc=fail header.from=example.net")
    marta.forgets().says("yes\nhelp move\nchallenge bob").gets(2)
    marta.hears("You play as marta now.", "=> move [board] move", "Please confirm: challenge")
    bob.hears_nothing()
    question = marta.mail("Please confirm: challenge")
    marta.says("yes", answering=question).hears("marta v bob")
    bob.hears("marta v bob")
    carol = table.person("carol@example.net").writes("hello")
    table.behind_front("dmarc=pass header.from=example.net")
    carol.says("yes\nchallenge bob").hears("carol v bob")
