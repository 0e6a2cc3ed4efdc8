"""A link for each next step: a reply with its words, to the reply address of that very mail."""

import re
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from html import escape
from pathlib import Path

import pytest

from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line
from pbm.mail.reading.htmltext import html_to_text
from tests.table import Mail, Person, Table

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "mails").glob("*.eml"))
BARE = ("yes", "no")
LINK = re.compile(r'<a\nhref="([^"]*)">(.*?)</a>')


def clicks(person: Person, words: str, mail: Mail | None = None) -> Person:
    """Send what a link opens, as it is: a new mail, which refers to none."""
    opened = {said: (to, about) for to, about, said in (mail or person.newest).links}
    to, about = opened[words]
    return person.forgets().writes(about, words, to=to)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: str(file.stem))
def test_every_link_is_an_answer_to_its_mail(file: Path) -> None:
    mail = Mail(file.read_bytes().replace(b"\n", b"\r\n"), "")
    if mail.header.get_content_type() == "text/plain":
        return
    labels = [re.sub("<[^>]*>", "", words) for _, words in LINK.findall(mail.html)]
    assert [words for _, _, words in mail.links] == labels
    for to, about, words in mail.links:
        assert to == mail.reply_to
        assert about == f"Re: {mail['Subject']}"
        assert words in BARE or isinstance(parse_line(words), Command), words
        assert re.search(rf'(?<!\w)"?{words}"?(?!\w)', " ".join(mail.text.split()))
    assert "\ue005" not in mail.text + mail.html


def test_a_whole_hour_by_links_alone(table: Table) -> None:
    table.robots_join()
    alice, bob = table.person("alice@example.org"), table.joins("bob")
    clicks(alice.writes("hello"), "yes").hears("You play as alice now.")
    clicks(alice, "play").hears("nobody to pair you with")
    bob.writes("play").says("yes")
    (board,) = table.boards()
    alice.hears(f"move on board {board}")
    bob.says("draw")
    clicks(alice, "reject draw").gets(1).hears("You said no to the draw")
    assert table.board(board).playing
    alice.says("a1-c3,b2")
    alice.says("draw")
    clicks(bob, "accept draw").gets(1).hears(f"Board {board} is over: a draw.")
    clicks(alice, "rematch").hears(f"A rematch of board {board}")
    assert table.board(table.boards()[1]).playing


@pytest.mark.parametrize("words", ["help", "show 1", "stop"])
def test_the_last_line_of_each_board(table: Table, words: str) -> None:
    alice, bob = table.start("alice", "bob")
    assert [said for *_, said in alice.newest.links][-3:] == ["help", "show 1", "stop"]
    clicks(bob, words).gets(1)
    assert not alice.arrived


def test_offers_of_several_boards_name_theirs(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("challenge bob").says("yes")
    bob.forgets()
    first, second = table.boards()
    alice.says("draw", answering=alice.mail(f"Abalone Board {first}"))
    alice.says("draw", answering=alice.mail(f"Abalone Board {second}"))
    bob.writes(f"show {first} {second}")
    clicks(bob, f"accept draw {second}")
    assert table.board(first).playing
    assert not table.board(second).playing


# -- whoever else sees a link --------------------------------------------------------------------


def test_a_friend_who_got_a_copy_does_nothing_by_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw")
    shown = alice.newest
    friend = table.person("friend@elsewhere.example")
    clicks(friend, "accept draw", shown).hears_nothing()
    alice.hears("Did you write the reply that came from friend@elsewhere.example?")
    assert table.board(1).playing
    bob.forgets().hears_nothing()


def test_a_question_is_answered_from_the_asked_address_only(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("resign 1")
    question = alice.newest
    for other in (bob, table.person("friend@elsewhere.example")):
        clicks(other, "yes", question)
        assert table.board(1).playing
    clicks(alice, "yes", question).hears("Board 1 is over")


def test_newkey_ends_the_links_of_before(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw")
    shown = alice.newest
    alice.says("newkey").says("yes")
    clicks(alice, "accept draw", shown)
    assert alice.replied.startswith("550")
    assert table.board(1).playing


# -- links in quotations -------------------------------------------------------------------------


@dataclass
class Reply:
    """A reply of a mail program that gives back an HTML part, below words or above them."""

    html: str = ""
    text: str = ""

    def sent(self, reader: Person, mail: Mail, quoted: Mail) -> None:
        """Send the reply to a mail; it quotes that one, or another."""
        reply = EmailMessage(policy.SMTP)
        reply["From"], reply["To"] = reader.address, mail.reply_to
        reply["Subject"], reply["Date"] = f"Re: {mail['Subject']}", mail["Date"]
        reply["Message-ID"] = reader.table.next_message_id()
        reply["In-Reply-To"] = mail["Message-ID"]
        body = quoted.html.partition("<body>")[2].partition("</body>")[0]
        fill = {
            "body": body,
            "source": escape(body),
            "outlook": html_to_text(LINK.sub(r"\2&lt;\1&gt;", quoted.html)),
            "bracketed": html_to_text(LINK.sub(r"\2 [\1]", quoted.html)),
        }
        if self.text:
            reply.set_content(self.text.format(**fill))
        if self.html:
            add = reply.add_alternative if self.text else reply.set_content
            add(self.html.format(**fill), subtype="html")
        reader.sends(reply.as_bytes(), to=mail.reply_to)


REPLIES = {
    "gmail": Reply(
        '<div dir="ltr">Nice one!</div><div class="gmail_quote"><div class="gmail_attr">On Sat, '
        "pbm wrote:</div><blockquote>{body}</blockquote></div>"
    ),
    "outlook": Reply(text="Nice one!\n\n-----Original Message-----\nFrom: pbm\n\n{outlook}"),
    "unmarked text": Reply(text="Nice one!\n\n{outlook}"),
    "text below": Reply(text="{outlook}\n\nNice one!"),
    "footnotes": Reply(text="Nice one!\n\n{bracketed}"),
    "both parts": Reply("<p>Nice one!</p>{body}", "Nice one!\n\n{outlook}"),
    "unmarked html": Reply("<p>Nice one!</p>{body}"),
    "shown source": Reply("<p>Nice one!</p><p>{source}</p>"),
    "source as text": Reply(text="Nice one!\n\n{body}"),
    "one line only": Reply(
        '<p>Nice one! I clicked <a href="mailto:x">this</a>:</p><pre>{source}</pre>'
    ),
}


@pytest.mark.parametrize("client", REPLIES)
@pytest.mark.parametrize("kind", ["board", "show", "question"])
def test_no_tag_of_a_link_reaches_an_opponent(table: Table, client: str, kind: str) -> None:
    alice, bob = table.start("alice", "bob")
    board = quoted = alice.newest
    if kind != "board":
        quoted = alice.writes("show 1" if kind == "show" else "resign 1").newest
    (secret,) = {to.partition("@")[0].rpartition(".")[2] for to, *_ in quoted.links}
    REPLIES[client].sent(alice, board, quoted)
    assert alice.replied.startswith("250")
    assert all(secret not in f"{mail.header}{mail.text}{mail.html}" for mail in bob.mails)
    assert table.board(1).playing
    assert table.moves(1) == []
