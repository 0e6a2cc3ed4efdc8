"""A challenge may name somebody who does not play here yet by mail address."""

import re

import pytest

from pbm.play.limits import STARTS
from pbm.service.asking.challenges import without_links
from tests.table import Person, Table


def seats(table: Table, number: int = 1) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


@pytest.mark.on_postgresql
def test_yes_signs_up_and_starts(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("Dave.Jones@example.net")
    alice.says("challenge Dave.Jones@Example.NET -bowl\n\nLike in the old days?").gets(1)
    alice.hears(
        "We have asked Dave.Jones@example.net. When the answer is yes, the board starts, and"
        " everybody gets it.",
        "Your words have not gone out yet. They come with the board.",
    )
    dave.gets(1).hears(
        "Please confirm: a game of Abalone with alice",
        "Would you like to play Abalone with alice, by mail?",
        "Reply yes to play as dave-jones, or reply with another name.",
    )
    assert not dave.newest["In-Reply-To"]
    assert not table.boards()

    dave.says("yes").gets(2)
    assert dave.arrived[0].text.startswith("The game with alice starts now; the board comes in a")
    assert "challenge pebble" not in dave.arrived[0].text
    dave.hears(
        "The game with alice starts now; the board comes in a mail of its own.",
        "You play as dave-jones now.",
        "Abalone Board 1: alice v dave-jones",
        "| Like in the old days?",
    )
    alice.gets(1).hears("Your move on board 1.", "on the bowl board", "| Like in the old days?")
    assert not alice.newest["In-Reply-To"]
    assert seats(table) == ["alice", "dave-jones"]
    assert table.board(1).options["layout"] == "bowl"
    alice.says("example").forgets().says("a1-c3,b2").hears("dave-jones's move on board 1")


def test_who_has_moved_before_is_quoted(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4").forgets()
    asked = "challenge {}@example.net\n\nDo you remember our games?\nMine are on www.a1.example/x."
    guests = [table.person(f"{name}@example.net") for name in ("dave", "erin")]
    for person, guest in ((alice, "dave"), (bob, "erin")):
        person.says(asked.format(guest), answering=person.mail("pbm: welcome"))
    alice.hears("Our question quotes the beginning of your words, without links and addresses.")
    bob.hears("Your words have not gone out yet. They come with the board.")
    guests[0].hears("alice writes: | Do you remember our games? Mine are on \u2026", "Reply yes")
    assert "remember" not in guests[1].newest.text
    guests[0].says("Which Alice?").hears(
        "alice has played here since 2026-11-21, has 1 game in progress, and has finished none."
    )
    guests[0].says("yes").hears("| Do you remember our games?\n| Mine are on www.a1.example/x.")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("See https://a.example/b?c now", "See \u2026 now"),
        ("See (www.a.example), or a.example/b", "See \u2026 or \u2026"),
        (
            "Or HTTP:\\\\a.example hxxps://a mailto:bob tel:+123 skype:bob",
            "Or \u2026 \u2026 \u2026 \u2026 \u2026",
        ),
        ("Write to bob@a.example or <bob\uff20a.example>", "Write to \u2026 or \u2026"),
        ("bob(at)a(dot)example and a[.]example too", "\u2026 and \u2026 too"),
        ("\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444 a\uff0eexample x", "\u2026 \u2026 x"),
        ("\u597d\u7684\u3002\u6211\u4eec\u6765\u5427\uff01 \u0438 \u0442.\u0434.", None),
        ("At 192.0.2.17:80 or a.example.", "At \u2026 or \u2026"),
        ("[here](https://a.example) and\nthere", "\u2026 and there"),
        (
            "a\u3002example a\uff61example https:\u2044\u2044a hxxp www a dot b",
            "\u2026 \u2026 \u2026 \u2026 \u2026 a \u2026 b",
        ),
        (
            "a&#46;example a%2Eexample a*dot*b c_at_d_dot_e 2001:db8::1 .org go",
            "\u2026 \u2026 \u2026 \u2026 \u2026 \u2026 go",
        ),
        ("https://a.example", ""),
        ("Well... e.g. at 10:30, 3.5 hours; OK? :) a1-c3,b2!", None),
        ("Caf\u00e9 \u6bd4\u8d5b\uff01 a/b", None),
        ("word " * 50, f"{'word ' * 39}word\u2026"),
        ("x" * 5000, f"{'x' * 199}\u2026"),
    ],
)
def test_what_is_quoted_of_an_inviters_words(said: str, told: str | None) -> None:
    quoted = without_links(said.split("\n"))
    assert quoted == (said if told is None else told)
    assert len(quoted) <= 200


def test_another_name_starts_it_as_well(table: Table) -> None:
    alice = table.joins("alice")
    bob = table.joins("bob")
    dave = table.person("dave@example.net")
    alice.says("challenge dave@example.net")
    dave.forgets().says("bob").gets(1).hears("The handle bob is taken.", "Reply yes to play as")
    dave.says("davy").gets(1).hears("Play as davy?", "alice would like to play Abalone with you")
    dave.says("yes").gets(2).hears("You play as davy now.", "Abalone Board 1: alice v davy")
    bob.hears_nothing()


def test_the_seats_stay_in_order_and_wait_for_all(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
    alice.says("challenge dave@example.net bob me erin@example.net").gets(1)
    alice.hears("We have asked dave@example.net and erin@example.net. When all of them have said")
    bob.hears_nothing()
    erin.gets(1).says("yes").forgets()
    assert not table.boards()
    assert "starts when the others who were asked have said yes, too" in " ".join(
        erin.newest.text.split()
    )
    dave.gets(1).says("yes").forgets()
    assert seats(table) == ["dave", "bob", "alice", "erin"]
    for person in (alice, bob, dave, erin):
        assert person.newest["Subject"] == "Abalone Board 1: dave, bob +2"
    bob.gets(1).hears("dave's move on board 1")


def test_who_takes_another_handle_meanwhile_keeps_the_seat(table: Table) -> None:
    alice = table.joins("alice")
    dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
    alice.says("challenge dave@example.net alice2@example.net me erin@example.net")
    fay = table.person("alice2@example.net")
    for guest in (dave, fay):
        guest.says("yes")
    dave.says("change handle davy").says("yes")
    alice.says("change handle alicia").says("yes")
    erin.says("yes").hears("Abalone Board 1: davy, alice2 +2")
    assert seats(table) == ["davy", "alice2", "alicia", "erin"]


def test_nobody_is_asked_twice(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    dave = table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    dave.gets(1).forgets()
    for person in (alice, bob):
        person.says("challenge DAVE@example.net").gets(1).hears(
            "We have asked DAVE@example.net before, and ask nobody twice.",
            "can write to pbm@games.example at any time",
        )
    table.clock.passes(days=400)
    bob.says("challenge me alice dave@example.net").gets(1).hears("ask nobody twice")
    dave.hears_nothing()
    assert not table.boards()


def told_of(table: Table, asks: Person, address: str, line: str) -> list[str]:
    """What somebody reads who invites an address, without what is different in every mail."""
    asks.forgets().says(line.format(address), answering=asks.mail("pbm: welcome"))
    asks.says(line.format(address), answering=asks.mail("pbm: welcome"))
    table.days_pass(3.1)
    mails = [f"{mail['Subject']}\n{mail.text}" for mail in asks.arrived]
    return [re.sub(r"\d{2}(-\d\d)* \d\d:\d\d", "", text.replace(address, "X")) for text in mails]


@pytest.mark.parametrize("says", ["", "challenges ask", "challenges off", "limit 1", "block alice"])
def test_an_address_tells_nobody_who_plays_from_it(says: str, table: Table) -> None:
    """Whether somebody plays from it or not, what is read is the same."""
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    if says == "limit 1":
        carol.says("challenge bob").forgets()
    if says:
        bob.says(says)
    bob.forgets()
    for line in ("challenge {}", "challenge me {} carol"):
        told = told_of(table, alice, bob.address, line)
        assert told == told_of(table, alice, "kim@example.org", line)
        assert "bob" not in " ".join(told)
    asked = [mail for mail in bob.arrived if "with alice" in mail["Subject"]]
    assert len(asked) == (says in ("", "challenges ask"))
    told = [
        "".join(mail.text for mail in alice.forgets().says(f"add {address}").says("yes").arrived)
        for address in (bob.address, "lea@example.org")
    ]
    assert told[0].replace(bob.address, "X") == told[1].replace("lea@example.org", "X")
    bob.hears(
        "The player alice wants to use bob@example.org. That is your address: you play from it as"
    )


def test_an_invitation_that_is_not_sent_keeps_nobody_else_from_it(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    bob.says("block alice").forgets()
    alice.says("challenge bob@example.org").hears("We have asked bob@example.org.")
    table.clock.passes(days=4)
    bob.hears_nothing()
    alice.says("challenge bob@example.org").hears("and ask nobody twice")
    carol.says("challenge bob@example.org").hears("We have asked bob@example.org.")
    bob.hears("Would you like to play Abalone with carol?")


@pytest.mark.parametrize(
    ("asks", "told"),
    [
        ("hm", "as yes or as no"),
        ("Who is Alice?", "alice has played here since 2026-11-21, has no"),
    ],
)
def test_somebody_who_plays_here_is_asked_and_says_who_it_is(
    asks: str, told: str, table: Table
) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge Bob@Example.org -bowl\n\nHello!").hears("We have asked Bob@example.org.")
    bob.gets(1).hears(
        "Would you like to play Abalone with alice? Reply yes, and the board starts.",
        "alice gave us this address of yours. Unless you say yes, alice is not told that you play",
    )
    assert not table.boards()
    bob.says(asks).gets(1).hears(told, "The question is still open.")
    bob.says("yes").gets(2).hears("| Hello!", "alice v bob")
    alice.hears("Abalone Board 1: alice v bob", "on the bowl board")
    alice.says("challenge bob@example.org").hears("We have asked bob@example.org.")
    alice.says("challenge bob@example.org").hears("and ask nobody twice")
    alice.says("challenge me alice@example.org").hears("You cannot challenge yourself")


def test_no_is_told_to_the_one_who_asked(table: Table) -> None:
    alice = table.joins("alice")
    dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
    alice.says("challenge dave@example.net me erin@example.net").forgets()
    dave.says("yes").forgets()
    erin.forgets().says("no").gets(1).hears("You will not be asked again unless you write to us.")
    dave.gets(1).hears("no game", "The game that you were invited to will not take place")
    alice.gets(1).hears("erin@example.net does not want to play, so the game")
    assert alice.newest["Auto-Submitted"] == "auto-generated"
    assert alice.newest["In-Reply-To"] == ""
    erin.says("yes").forgets()
    assert not table.boards()
    alice.says("challenge dave").hears("Abalone Board 1: alice v dave")


NO_FOR_EVER = (
    *("nope", "Nah!", "No thanks", "no thank you.", "not interested", "No, sorry, I can't", "n"),
    *("jamais", "Niemals!", "unsub", "Unwanted.", "genug"),
    *("stop", "STOP", "unsubscribe", "remove me please", "Leave me alone!", "opt out", "quit"),
    *(
        "signoff",
        "Please take me off your list",
        "don\u2019t write to me again",
        "delete",
        "cancel",
    ),
    *("Hello alice,\n\nno thanks.\n\nDave", "Hi! Thanks, but no thanks", "alice, no", "pass"),
    *("nein", "Nein danke!", "kein Interesse", "non merci", "nej tak", "nie", "нет", "не хочу"),
    *("não obrigado", "nei", "ei kiitos", "no gracias", "不", "不要", "いいえ", "아니요", "nem"),
)


def invited(table: Table) -> tuple[Person, Person]:
    """alice, and dave, whom she has asked to play."""
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    table.opens("alice asks dave", lambda: alice.says("challenge dave@example.net"))
    return alice.forgets(), dave.forgets()


@pytest.mark.parametrize("words", [*NO_FOR_EVER, ""])
def test_whatever_may_be_a_no_is_one(words: str, table: Table) -> None:
    alice, dave = invited(table)
    subject = "" if words else "Unsubscribe"
    dave.says(words, subject=subject).gets(1).hears("You will not be asked again")
    assert "Reply yes" not in dave.newest.text
    assert [row["handle"] for row in table.rows("players")] == ["alice"]
    alice.gets(1).hears("dave@example.net does not want to play, so the game")
    assert not table.boards()


@pytest.mark.parametrize("words", ["no", "delete", "nein", ""])
def test_a_no_is_one_for_ever(words: str, table: Table) -> None:
    alice, dave = invited(table)
    dave.says(words, subject="" if words else "Unsubscribe").forgets()
    alice.forgets()
    for line in ("challenge dave@example.net", "challenge Dave+games@example.net"):
        alice.says(line).hears("before, and ask nobody twice")
    alice.says("add dave@example.net").hears("wants no mail from here").forgets()
    dave.hears_nothing()
    assert not table.boards()


@pytest.mark.parametrize(
    "words",
    ["who", "?", "", "Hm.", "Thanks\nI will think about it.", "sure?", "no problem", "Alice,"],
)
def test_what_is_neither_is_asked_again(words: str, table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    dave.says(words).gets(1).hears("Reply yes to play as dave")
    assert len(table.rows("players")) == 1
    dave.says("yes").hears("You play as dave now.", "Abalone Board 1")


@pytest.mark.parametrize(
    "words",
    [
        *("Who is this? Is this spam?", "Hello,\nwer sind Sie?", "C'est qui ?\n\nDave"),
        *("Who is alice?", "Which Alice? Alice from work?", "Hi! I don't know any Alice."),
        *(
            "Wer ist denn Alice?",
            "Qui est Alice ?",
            "Chi \u00e8 alice?",
            "Wie is Alice?",
            "Kim jest Alice?",
        ),
    ],
)
def test_a_stranger_learns_who_asks(words: str, table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    dave.says(words).gets(1).hears(
        "alice, who plays Abalone by mail on this server, asked us to invite you",
        "alice has played here since 2026-11-21, has no game in progress, and has finished none.",
        "That is all we may tell. Unless you reply yes, nothing more comes from us. Reply yes to",
    )
    assert len(table.rows("players")) == 1
    dave.says("yes").hears("You play as dave now.", "Abalone Board 1")
    stranger = table.person("erin@example.net").writes("Re: Hello", "Is this spam?").gets(1)
    stranger.hears("This is a server on which people play Abalone by mail")


def test_help_and_robots_leave_an_invitation_open(table: Table) -> None:
    table.joins("alice").says("challenge dave@example.net")
    dave = table.person("dave@example.net").forgets()
    invitation = dave.newest
    dave.says("help").gets(1).hears("pbm: help")
    dave.says("no", subject="Out of office: a game", answering=invitation).hears_nothing()
    dave.says("no", answering=invitation, headers={"Auto-Submitted": "auto-replied"}).gets(0)
    dave.says("yes", answering=invitation).hears("Abalone Board 1: alice v dave")


def test_a_no_to_the_welcome_is_kept_to_as_well(table: Table) -> None:
    dave = table.person("dave@example.net").writes("hello").says("nope").forgets()
    table.joins("alice").says("challenge dave@example.net").hears("and ask nobody twice")
    dave.hears_nothing()
    dave.writes("hello").hears("Reply yes to play as dave").says("yes").hears("You play as dave")


def test_a_late_no_counts(table: Table) -> None:
    alice = table.joins("alice").says("challenge dave@example.net").forgets()
    table.clock.passes(days=4)
    table.person("dave@example.net").forgets().says("nope").gets(1).hears("Fine.")
    alice.hears("dave@example.net does not want to play")


def test_the_asked_one_may_have_signed_up_meanwhile(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    invitation = dave.newest
    dave.writes("hello").says("signup davy").forgets()
    assert not table.boards()
    dave.says("yes", answering=invitation).gets(2).hears("The game with alice starts now")
    assert seats(table) == ["alice", "davy"]
    dave.says("yes", answering=invitation).gets(1).hears("You play as davy already.")
    assert table.boards() == [1]


def test_or_may_decline_it_then(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    invitation = dave.newest
    dave.writes("hello").says("signup davy").forgets()
    dave.says("no", answering=invitation).gets(1).hears("Dropped.")
    alice.hears("dave@example.net does not want to play")
    assert not table.boards()


def test_a_late_yes_is_asked_about_once_more(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    table.clock.passes(days=4)
    dave.forgets().says("yes").gets(1).hears("That question is not open any more; this one is.")
    assert not table.boards()
    dave.says("yes").gets(2).hears("The game with alice starts now")
    assert seats(table) == ["alice", "dave"]


def test_an_unproven_invitation_is_confirmed_first(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("dave@example.net")
    alice.writes("challenge dave@example.net", "Come and play!").gets(1)
    alice.hears(
        'Did you send "challenge alice dave@example.net"?',
        "| Come and play!",
        "Reply yes to do it",
    )
    dave.hears_nothing()
    alice.says("yes").gets(1).hears("We have asked dave@example.net.")
    dave.gets(1).says("yes").hears("Abalone Board 1: alice v dave", "| Come and play!")


def test_invitations_are_bounded(table: Table) -> None:
    alice = table.joins("alice")
    for number in range(5):
        alice.says(f"challenge guest{number}@example.net").hears("We have asked")
    alice.says("challenge guest5@example.net").hears(
        "You have invited 5 people who have not answered yet"
    )
    assert "guest5@example.net" not in table.mailboxes
    table.person("guest0@example.net").says("no")
    alice.says("challenge guest5@example.net").hears("We have asked guest5@example.net")
    table.clock.passes(days=3)
    alice.says("challenge guest6@example.net").hears("We have asked guest6@example.net")


def test_an_address_that_had_its_five_answers_is_left_alone(table: Table) -> None:
    alice = table.joins("alice")
    dave = table.person("dave@example.net")
    for _ in range(5):
        dave.writes("hello")
    dave.gets(5).forgets()
    alice.says("challenge dave@example.net").hears(
        "We cannot ask dave@example.net now: it was sent 5 mails of ours within a day",
        "You can try it again from 2026-11-22 12:00 UTC on.",
    )
    dave.hears_nothing()
    table.clock.passes(hours=24)
    alice.says("challenge dave@example.net", answering=alice.mail("pbm: welcome"))
    dave.gets(1)


def test_the_inviter_is_told_when_it_cannot_start_after_all(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    dave = table.person("dave@example.net")
    alice.says("challenge me bob dave@example.net").forgets()
    with table.database.transaction() as work:
        bob = work.players.by_handle("bob")
        assert bob is not None
        work.players.change(bob.id, status="suspended")
    dave.forgets().says("yes").gets(2).hears("You play as dave now.", "will not take place")
    alice.gets(1).hears("| challenge alice bob dave", "bob cannot play at present.")
    assert not table.boards()


def test_who_leaves_ends_it_and_nobody_reads_whose_address_it_was(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    dave = table.person("dave@example.net")
    alice.says("challenge me bob@example.org dave@example.net").forgets()
    dave.forgets().says("yes").forgets()
    bob.says("delete").says("yes").hears("You have left")
    alice.hears_nothing()
    dave.hears_nothing()
    assert not table.rows("challenges")


def test_it_starts_however_many_games_the_inviter_has_begun(table: Table) -> None:
    alice, dave = table.joins("alice"), table.person("dave@example.net")
    alice.says("challenge dave@example.net").forgets()
    with table.database.transaction() as work:
        while STARTS.take(work, table.clock(), 1):
            pass
    dave.says("yes").hears("You play as dave now.")
    assert table.boards() == [1]
