"""Promise 13: no text of a user's reaches a header unchecked.

Whatever people put where it could get into a header of ours, each of our mails has the header
lines of its kind, no more, read with both of Python's parsers. On 3.11.7 the standard builder
lets such values through; the tests run on whatever Python the server is to run on.
"""

import email
import email.policy
from collections.abc import Iterator
from email.header import Header

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm.mail.address import parse_message_ids
from tests.secrets_issued import ISSUED
from tests.table import SERVER, Mail, Person, Table

ALWAYS = ("From", "To", "Reply-To", "Subject", "Date", "Message-ID")
THREAD = ("In-Reply-To", "References")
BOARD = ("X-PBM-Board", "X-PBM-Ply", "X-PBM-Turn", "X-PBM-State")
END = ("MIME-Version", "Content-Type")
KINDS = {
    (*ALWAYS, *thread, "Auto-Submitted", *board, *END)
    for thread in ((), THREAD)
    for board in ((), BOARD)
}
KINDS |= {tuple(name for name in kind if name != "Reply-To") for kind in KINDS}  # to strangers
EVIL = (
    "\r\nX-Evil: 1",
    "\nX-Evil: 1",
    "\rX-Evil: 1",
    "\x0bX-Evil: 1",
    "\x0cX-Evil: 1",
    "\x1cX-Evil: 1",
    "\x85X-Evil: 1",
    "\u2028X-Evil: 1",
    "=0D=0AX-Evil:_1",
    "=?utf-8?q?=0D=0AX-Evil:_1?=",
    "=?utf-8?b?DQpYLUV2aWw6IDE=?=",
    "=?utf-7?q?+AA0ACg-X-Evil:_1?=",
    " <x@evil.example>",
    "\0",
    "\ud800",
    "\u202e",
)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from((*EVIL, "alice", "bob", " ", "é", "漢", "x" * 90)), max_size=5).map(
        "".join
    ),
)


class Server:
    """A server with a board, and somebody who writes to it anew each day."""

    def __init__(self, url: str) -> None:
        self.table = Table(url)
        self.alice, self.bob = self.table.start("alice", "bob")
        self.guests = 0
        self.board = self.alice.newest

    def answers(self, person: Person, raw: bytes, to: str) -> list[Mail]:
        """All mails that come of one."""
        boxes = self.table.mailboxes
        before = {address: len(box) for address, box in boxes.items()}
        person.sends(raw, to=to)
        self.table.clock.passes(days=2)
        return [mail for address, box in boxes.items() for mail in box[before.get(address, 0) :]]

    def guest(self) -> Person:
        self.guests += 1
        return self.table.person(f"guest{self.guests}@example.net")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(f"sqlite:///{tmp_path_factory.mktemp('headers') / 'pbm.sqlite3'}")
    with pytest.MonkeyPatch.context() as patch:
        # What is made up may stand where a password is read: "alice", then found everywhere.
        patch.setattr(ISSUED, "_note_password", lambda _password: None)
        yield made
    made.table.close()


def raw_mail(fields: dict[str, str], body: str) -> bytes:
    """A mail with values as they are; line breaks in them make lines of their own."""
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{head}\r\n{body}\r\n".encode("utf-8", "surrogatepass")


def encoded(text: str) -> str:
    """A text in encoded words, as programs write what isn't ASCII: nothing of it is lost."""
    return Header(text.encode("utf-8", "replace").decode(), "utf-8", maxlinelen=998).encode(
        linesep=""
    )


def check_headers(mail: Mail) -> None:
    """The header lines are those of the kind, whoever reads them."""
    head = mail.raw.partition(b"\r\n\r\n")[0]
    assert head.isascii()
    lines = head.decode("ascii").split("\r\n")
    assert all(line.isprintable() for line in lines)
    names = tuple(line.partition(":")[0] for line in lines if line[0] != " ")
    assert names in KINDS, names
    for policy in (email.policy.compat32, email.policy.default, email.policy.SMTP):
        assert tuple(email.message_from_bytes(mail.raw, policy=policy).keys()) == names
    for name in (*THREAD, "Message-ID"):
        value = mail[name]
        assert parse_message_ids(value, 10) == tuple(value.split())
    assert mail["From"] == f"pbm <{SERVER}>"
    assert mail["To"] in mail.raw.decode("ascii", "replace")
    assert "\n" not in mail["Subject"].replace("\r\n ", "")


def wrote(fields: dict[str, str], person: Person, **changed: str) -> dict[str, str]:
    usual = {
        "From": person.address,
        "To": SERVER,
        "Subject": "Hello",
        "Message-ID": person.table.next_message_id(),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    return {**usual, **fields, **changed}


@settings(max_examples=25, deadline=None)
@given(text=TEXTS, what=st.sampled_from(("", "signup ", "challenge ", "show ", "info ", "set ")))
def test_promise_13_a_subject(server: Server, text: str, what: str) -> None:
    for subject in (f"{what}{text}", encoded(f"{what}{text}")):
        for person in (server.alice, server.guest()):
            raw = raw_mail(wrote({"Subject": subject}, person), "Hello!")
            for mail in server.answers(person, raw, SERVER):
                check_headers(mail)


@settings(max_examples=25, deadline=None)
@given(
    text=TEXTS, what=st.sampled_from(("", "signup ", "challenge ", "show ", "chat 1\n", "help "))
)
def test_promise_13_a_body(server: Server, text: str, what: str) -> None:
    for person in (server.alice, server.guest()):
        raw = raw_mail(wrote({"Subject": "multiple"}, person), f"{what}{text}")
        for mail in server.answers(person, raw, SERVER):
            check_headers(mail)
    raw = raw_mail(wrote({"Subject": "Re: x"}, server.alice), f"{what}{text}")
    for mail in server.answers(server.alice, raw, server.board.reply_to):
        check_headers(mail)


@settings(max_examples=25, deadline=None)
@given(
    text=TEXTS,
    field=st.sampled_from(("Message-ID", "In-Reply-To", "References", "To", "Sender", "Date")),
)
@example(text="=??B?A0000I00A000A0?=", field="Message-ID")
def test_promise_13_other_fields(server: Server, text: str, field: str) -> None:
    values = (text, f"<{text}@evil.example>", f"<a@b.example> {text}", encoded(text))
    answered = server.board["Message-ID"]
    thread = {"In-Reply-To": answered, "References": answered}
    for value in values:
        fields = wrote({"Subject": "Re: x", **thread, field: value}, server.alice)
        raw = raw_mail(fields, "show 1")
        for mail in server.answers(server.alice, raw, server.board.reply_to):
            check_headers(mail)


@settings(max_examples=25, deadline=None)
@given(text=TEXTS)
def test_promise_13_a_display_name(server: Server, text: str) -> None:
    for name in (text, f'"{text}"', encoded(text)):
        for person in (server.alice, server.guest()):
            raw = raw_mail(wrote({"From": f"{name} <{person.address}>"}, person), "help")
            for mail in server.answers(person, raw, SERVER):
                check_headers(mail)


@settings(max_examples=25, deadline=None)
@given(local=st.text(max_size=30), host=st.text(max_size=20))
def test_promise_13_an_address_to_write_to(server: Server, local: str, host: str) -> None:
    """Addresses of the writer's and of who is invited: they become `To`."""
    address = f"{local}@{host}.example"
    raw = raw_mail(wrote({"Subject": f"challenge {address}"}, server.alice), "Hello!")
    for mail in server.answers(server.alice, raw, server.board.reply_to):
        check_headers(mail)
    person = server.guest()
    for sender in (address, f"<{address}>", f"x <{address}>"):
        raw = raw_mail(wrote({}, person, From=sender), "help")
        for mail in server.answers(person, raw, SERVER):
            check_headers(mail)


@settings(max_examples=25, deadline=None)
@given(handle=TEXTS)
def test_promise_13_a_handle(server: Server, handle: str) -> None:
    """It stands in a board's subject: none becomes one but what is plain ASCII."""
    person = server.guest()
    raw = raw_mail(wrote({"Subject": encoded(f"signup {handle}")}, person), "")
    asked = server.answers(person, raw, SERVER)
    for mail in asked:
        check_headers(mail)
        yes = person.mail_bytes(f"Re: {mail['Subject']}", "yes", to=mail.reply_to)
        for answer in server.answers(person, yes, mail.reply_to):
            check_headers(answer)
    for row in server.table.rows("players"):
        assert str(row["handle"]).isascii()
        assert str(row["handle"]).replace("-", "").replace("_", "").isalnum()


@settings(max_examples=25, deadline=None)
@given(text=TEXTS)
def test_promise_13_the_names_in_a_record(server: Server, text: str) -> None:
    """Of an event, of players: they are shown, and stand in no header."""
    quoted = text.replace("\\", "").replace('"', "")
    record = f'[Event "{quoted}"]\n[White "{quoted}"]\n[Black "{quoted}"]\n\n1. a1-c3,d4 *'
    raw = raw_mail(wrote({"Subject": "import"}, server.alice), record)
    for mail in server.answers(server.alice, raw, server.board.reply_to):
        check_headers(mail)


def test_promise_13_the_texts_do_reach_us(server: Server) -> None:
    answered = {"In-Reply-To": server.board["Message-ID"]}
    fields = wrote({**answered, "Message-ID": "<strict@mailer.example>"}, server.alice)
    (mail,) = server.answers(server.alice, raw_mail(fields, "show 1"), server.board.reply_to)
    assert mail["In-Reply-To"] == "<strict@mailer.example>"


def test_promise_13_what_a_subject_says_is_told_in_the_body(server: Server) -> None:
    """An encoded subject is quoted in the body of the answer: it was read, and kept apart."""
    fields = wrote({"Subject": encoded("show \x0bX-Evil: 1")}, server.alice)
    (mail,) = server.answers(server.alice, raw_mail(fields, ""), server.board.reply_to)
    assert "X-Evil" in mail.text
    check_headers(mail)
