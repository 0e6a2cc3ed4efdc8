"""What a board's mails are like: one to each player, one thread, one subject, one answer back."""

import re
from email import message_from_bytes, policy
from email.utils import parsedate_to_datetime

import pytest

from pbm.mail.address import Bounce
from pbm.mail.reading.automatic import is_own
from tests.pictures import pictures, without_pictures
from tests.table import SERVER, Table


def test_one_mail_to_each_player_for_each_turn(table: Table) -> None:
    people = table.start("alice", "bob", "carol", "dave")
    for person, move in zip(people, ("b1,c1", "f9,f8", "h6,h5", "e2,e3"), strict=True):
        person.says(move)
        for reader in people:
            reader.gets(1).forgets()
    assert len(table.moves(1)) == 4


def test_the_headers_of_a_boards_mail(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.clock.passes(minutes=5)
    alice.says("a1-c3,d4")
    mail = bob.newest
    assert mail["From"] == f"pbm <{SERVER}>"
    assert mail["To"] == "bob@example.org"
    assert mail["Subject"] == "Abalone Board 1: alice v bob"
    assert parsedate_to_datetime(mail["Date"]) == table.clock()
    assert (mail["X-PBM-Board"], mail["X-PBM-Ply"], mail["X-PBM-Turn"]) == ("1", "1", "bob")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert alice.newest["Auto-Submitted"] == "auto-replied"
    assert isinstance(table.site.address.parse(mail.envelope_sender), Bounce)
    assert mail.reply_to.startswith("pbm+g1.u")
    assert is_own(mail.reply_to, SERVER)
    assert mail["Message-ID"].startswith("<g1.p1.")
    assert [part.get_content_type() for part in mail.message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]


def test_questions_and_answers_to_strangers_are_notices(table: Table) -> None:
    marta = table.person("marta@example.org").writes("hello").writes("help")
    assert [mail.envelope_sender for mail in marta.mails] == ["", ""]
    assert [mail["Auto-Submitted"] for mail in marta.mails] == ["auto-replied"] * 2
    marta.says("yes", answering=marta.mails[0]).writes("newkey")
    assert marta.newest.envelope_sender == ""


def test_every_mail_has_its_own_message_id(table: Table) -> None:
    people = table.start("alice", "bob", "carol")
    people[0].says("b1,c1").says("a1,b1").says("show").says("Hi!")
    ids = [mail["Message-ID"] for box in table.mailboxes.values() for mail in box]
    assert len(set(ids)) == len(ids) > 15


@pytest.mark.thorough
def test_a_long_game_is_one_thread_with_short_references(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    people = (alice, bob)
    roots = [person.newest["Message-ID"] for person in people]
    for ply in range(300):
        people[ply % 2].says((("c3,d3", "g7,f7"), ("d3,c3", "f7,g7"))[ply // 2 % 2][ply % 2])
    assert len(table.moves(1)) == 300
    alice.says("a1,a9").says("show 1").says("Nice!")
    for person, root in zip(people, roots, strict=True):
        for mail in person.mails[person.mails.index(person.mail("Abalone Board")) :]:
            assert root in (mail["Message-ID"], *mail.references)
        assert len(person.newest.references) <= 2
        assert len(str(person.newest.message["References"])) < 250
        subjects = [mail["Subject"] for mail in person.mails if mail["X-PBM-Board"]]
        assert set(subjects) == {"Abalone Board 1: alice v bob"}
        assert len(without_pictures(person.newest.raw)) < 10_000
        assert len(pictures(person.newest.raw)) == 1
    assert roots[0] != roots[1]
    listed = re.findall(r"(?m)^ *\d+ \(#\d+\)\. ", bob.newest.text)
    assert len(listed) == 4  # rounds; the work for a turn does not grow


def test_replies_go_into_the_thread_of_the_one_who_wrote(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    own = alice.newest
    assert own.references == [alice.mails[2]["Message-ID"], own["In-Reply-To"]]
    assert own["In-Reply-To"].endswith("@mailer.example>")
    assert bob.newest.references == [bob.newest["In-Reply-To"]] == [bob.mails[2]["Message-ID"]]


def test_no_message_id_of_others_but_a_strict_one_is_repeated(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for odd in ("<a b@c>", "no brackets@x", "<x@y> <z@w>", "<x@y>\r\n <evil@z>", "<" + "x" * 999):
        alice.says("show", headers={"Message-ID": odd})
        assert alice.newest["In-Reply-To"] == alice.newest.references[0]
        assert "evil" not in alice.newest.raw.decode()


def test_the_state_line_stays_whole(table: Table) -> None:
    people = table.start("alice", "bob", "carol", "dave", "erin", "frank", bowl=True)
    lines = people[0].newest.text.rstrip().split("\n")[-3:]
    assert max(map(len, lines)) < 70  # a quoted line has two characters more
    line = " ".join(lines)
    assert line == f"State: {table.board(1).state}"
    assert f'font-size:11px;color:#777;word-break:break-all">{line}</p>' in people[0].newest.html


def test_the_state_stands_in_a_field_and_stays_whole_where_that_is_folded(table: Table) -> None:
    people = table.start("alice", "bob", "carol", "dave", "erin", "frank", bowl=True)
    mail = people[0].newest
    assert mail["X-PBM-State"] == table.board(1).state
    assert len(f"X-PBM-State: {table.board(1).state}") > 78
    field = f"\r\nX-PBM-State: {table.board(1).state}\r\n".encode()
    folded = message_from_bytes(mail.raw, policy=policy.SMTP).as_bytes()
    assert field in mail.raw
    assert field not in folded
    assert field in re.sub(rb"\r\n(?=[ \t])", b"", folded)  # RFC 5322, section 2.2.3


def test_no_move_breaks_at_its_hyphen(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nNot a2-b3, as in play-by-mail of 2001!")
    kept = re.findall(r'<span style="white-space:nowrap">([^<]+)</span>', bob.newest.html)
    # By when, what happened, the comment, how to answer; the list of moves never breaks.
    assert kept == ["a1-c3,b2", "a2-b3", "i8-g6,h7", "i9-g7,h8", "i5-g5,h5"]
    words = re.sub(
        r'(?s)<head>.*</head>|<pre>.*?</pre>| (?:style|alt)="[^"]*"|\nhref="[^"]*"',
        "",
        bob.newest.html,
    )
    left = re.sub(r"<span>[^<]+</span>", "", words)
    assert re.findall(r"\w+-\w+", left) == ["play-by"]


def test_the_moves_of_a_seat_are_below_each_other(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for person, move in ((alice, "c3,d3"), (bob, "i9-g7,f6"), (alice, "a2-c4,d5"), (bob, "g5,f5")):
        person.says(move)
    listed = "1 (#1). c3,d3     i9-g7,h8\n2 (#3). a2-c4,b3  g5,f5\n"
    assert listed in alice.newest.text
    assert f"<pre>{listed.rstrip()}</pre>" in alice.newest.html


def test_the_first_lines_say_what_there_is_to_do(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nHello!")
    assert bob.newest.text.split("\n\n")[:5] == [
        "alice moved: your turn on board 1, by Sat 28 November (7 days).",
        "alice played a1-c3,b2.",
        "alice writes:",
        "| Hello!",
        "You are x (bottom). Scores: you 0, alice 0; to win, push six off.",
    ]
    assert alice.newest.text.startswith("bob's move on board 1; nothing to do.\n")


def test_what_happened_since_ones_last_move(table: Table) -> None:
    people = alice, bob, carol, dave = table.start("alice", "bob", "carol", "dave")
    alice.says("b1,c1")
    bob.says("f9,f8")
    carol.says("h6,h5")
    assert [line for line in dave.newest.text.split("\n") if line.startswith("- ")] == [
        "- alice played b1,c1.",
        "- bob played f9,f8.",
        "- carol played h6,h5.",
    ]
    dave.says("e2,e3")
    assert "You played e2,e3.\n" in dave.newest.text
    assert "carol played" not in dave.newest.text
    alice.says("c1,d2")
    assert [line for line in bob.newest.text.split("\n") if line.startswith("- ")] == [
        "- carol played h6,h5.",
        "- dave played e2,e3.",
        "- alice played c1,d2.",
    ]
    bob.says("resign")
    for person in people:
        assert person.newest.text.count(" resigned.") == 1
    carol.says("h5,g5")
    assert "bob resigned." not in alice.newest.text
    assert "carol played h5,g5.\n" not in bob.newest.text  # who has left reads of the end


def test_an_example_is_always_legal(table: Table) -> None:
    alice, bob = table.start("alice", "bob", bowl=True)
    for ply in range(10):
        mover, other = (alice, bob) if ply % 2 == 0 else (bob, alice)
        example = mover.newest.text.split("such as ")[1].split()[0].rstrip(".")
        assert "such as" not in other.newest.text
        mover.says(example)
    assert len(table.moves(1)) == 10


def test_a_comment_keeps_its_writers_line_breaks(table: Table) -> None:
    """As poems and lists need them; only what is too long for a mail program is folded."""
    alice, bob = table.start("alice", "bob")
    short, widest = "  Roses are red,", "wide " * 15 + "w"
    alice.says(f"a1-c3,d4\n\n{short}\n\n\tviolets\t\n{widest}\n{widest}ider")
    said = [short, "", "        violets", widest, widest.removesuffix(" w"), "wider"]
    above = bob.newest.text.split("You are")[0].split("alice writes:\n\n")[1]
    assert above.rstrip() == "\n".join(f"| {line}".rstrip() for line in said)
    assert "wide w<br>" in bob.newest.html
