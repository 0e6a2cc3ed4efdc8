import email
import email.policy
from datetime import UTC, datetime, timedelta, timezone
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.utils import parseaddr
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbm.mail.address import parse_address
from pbm.mail.writing.compose import HeaderError, OutgoingMail, compose
from tests.rows import each_row

DATE = datetime(2026, 11, 28, 18, 0, 5, tzinfo=UTC)


def mail(**parts: Any) -> OutgoingMail:
    values: dict[str, Any] = {
        "from_address": "pbm@host.example",
        "to": "alice@example.org",
        "subject": "Abalone Board 12: alice v bob",
        "message_id": "<one@host.example>",
        "date": DATE,
        "text": "Your move.\n",
        "html": "<p>Your move.</p>\n",
    }
    return OutgoingMail(**{**values, **parts})


def compat(raw: bytes) -> Message:
    return email.message_from_bytes(raw, policy=email.policy.compat32)


def modern(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=email.policy.default)


def decoded(value: str) -> str:
    return str(make_header(decode_header(value.replace("\r\n", "").replace("\n", ""))))


def header_names(raw: bytes) -> list[str]:
    head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
    return [line.partition(":")[0] for line in head.split("\r\n") if line[0] != " "]


def bodies(raw: bytes) -> tuple[str, str]:
    text, html = (
        part.get_payload(decode=True) for part in compat(raw).walk() if not part.is_multipart()
    )
    return cast(bytes, text).decode(), cast(bytes, html).decode()


def test_a_mail_with_everything_in_it() -> None:
    raw = compose(
        mail(
            reply_to="pbm+u7.abcdefghijklmnopqr@host.example",
            in_reply_to="<their@example.org>",
            references=("<first@host.example>", "<their@example.org>"),
            auto_submitted="auto-replied",
            extra={"X-PBM-Board": "12", "X-PBM-Ply": "3"},
        )
    )
    head = raw.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    assert head[:-1] == [
        "From: pbm <pbm@host.example>",
        "To: alice@example.org",
        "Reply-To: pbm+u7.abcdefghijklmnopqr@host.example",
        "Subject: Abalone Board 12: alice v bob",
        "Date: Sat, 28 Nov 2026 18:00:05 +0000",
        "Message-ID: <one@host.example>",
        "In-Reply-To: <their@example.org>",
        "References: <first@host.example> <their@example.org>",
        "Auto-Submitted: auto-replied",
        "X-PBM-Board: 12",
        "X-PBM-Ply: 3",
        "MIME-Version: 1.0",
    ]
    assert head[-1].startswith("Content-Type: multipart/alternative; boundary=")


def test_the_same_parts_make_the_same_bytes() -> None:
    assert compose(mail()) == compose(mail())
    assert compose(mail()) != compose(mail(message_id="<two@host.example>"))


def test_a_date_of_another_zone_is_the_same_moment() -> None:
    there = DATE.astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert compose(mail(date=there)) == compose(mail())


def test_long_references_are_folded_between_ids() -> None:
    ids = tuple(f"<{number:032d}@host.example>" for number in range(40))
    raw = compose(mail(references=ids))
    assert modern(raw)["References"].split() == list(ids)
    assert all(len(line) <= 78 for line in raw.split(b"\r\n"))
    assert header_names(raw).count("References") == 1


@each_row(
    "value",
    [
        "no brackets",
        "<>",
        "<a b@x>",
        "<a@x>\r\nBcc: bob@example.org",
        "<a@x",
        "<é@x>",
        "<a@x><b@x>",
        "<a(b)@x>",
        "<nobody>",
        "<" + "a" * 300 + "@x>",
    ],
)
@each_row("field", ["message_id", "in_reply_to", "references"])
def test_what_is_no_message_id(field: str, value: str) -> None:
    with pytest.raises(HeaderError):
        compose(mail(**{field: (value,) if field == "references" else value}))


@each_row(
    "extra",
    [
        {"X-One": ""},
        {"X-One": "1\r\nBcc: bob@example.org"},
        {"X-One": "1\n"},
        {"X-One": "é"},
        {"X-One": "=?utf-8?q?x?="},
        {"X-One": "x" * 1000},
    ],
)
def test_extra_fields_that_cannot_be_added(extra: dict[str, str]) -> None:
    with pytest.raises(HeaderError) as caught:
        compose(mail(extra=extra))
    assert "bob" not in str(caught.value)


FORBIDDEN = [
    "\r",
    "\n",
    "\r\nBcc: bob@example.org",
    "\0",
    "\t",
    "\x0b",
    "\x0c",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\u2029",
    "\ud800",
]


@each_row("bad", FORBIDDEN)
@each_row("field", ["from_address", "to", "subject", "reply_to", "auto_submitted"])
def test_no_line_break_or_control_character_reaches_a_header(field: str, bad: str) -> None:
    parts = {"from_address": "a@host.example", "to": "a@host.example", "reply_to": "a@host.example"}
    with pytest.raises(HeaderError):
        compose(mail(**{field: parts.get(field, "a") + bad}))


user_text = st.text(max_size=200) | st.text(
    st.sampled_from('ab =?_"\\(),;:<>@.äß€漢😀\u200d\r\n\t'), max_size=120
)


@given(subject=user_text)
def test_texts_of_users_stay_in_their_field(subject: str) -> None:
    try:
        raw = compose(mail(subject=subject))
    except HeaderError:
        return
    assert header_names(raw) == header_names(compose(mail()))
    assert all(len(line) <= 78 for line in raw.partition(b"\r\n\r\n")[0].split(b"\r\n")[:-1])
    new, old = modern(raw), compat(raw)
    assert new["Subject"] == subject
    assert decoded(old["Subject"]) == subject
    assert [(box.display_name, box.addr_spec) for box in new["From"].addresses] == [
        ("pbm", "pbm@host.example")
    ]
    name, address = parseaddr(old["From"].replace("\r\n", ""))
    assert (decoded(name), address) == ("pbm", "pbm@host.example")
    assert not new.defects
    assert not new["Subject"].defects
    assert not new["From"].defects


@given(value=user_text)
@example(value="0@A")
@example(value="0@¿")
@pytest.mark.parametrize("field", ["from_address", "to", "reply_to", "auto_submitted", "extra"])
def test_values_for_programs_stay_in_their_field(field: str, value: str) -> None:
    given: Any = {"X-Test": value} if field == "extra" else value
    usual: Any = {"X-Test": "1"} if field == "extra" else "x@host.example"
    name = {"from_address": "From", "to": "To", "reply_to": "Reply-To", "extra": "X-Test"}.get(
        field, "Auto-Submitted"
    )
    try:
        raw = compose(mail(**{field: given}))
    except HeaderError:
        return
    assert header_names(raw) == header_names(compose(mail(**{field: usual})))
    if name in ("From", "To", "Reply-To"):
        value = str(parse_address(value))  # its domain in lower case and in ASCII
    assert str(compat(raw)[name]).replace("\r\n", "").removeprefix("pbm ") in (
        value,
        f"<{value}>",
    )
    assert value in str(modern(raw)[name])


@given(text=user_text, html=user_text, lines=st.integers(0, 3))
def test_bodies_come_back_as_they_were(text: str, html: str, lines: int) -> None:
    raw = compose(mail(text=text + "\n" * lines, html=html))
    assert raw.isascii()
    assert raw.count(b"\n") == raw.count(b"\r\n") == raw.count(b"\r")
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
    assert header_names(raw) == header_names(compose(mail()))
    assert bodies(raw) == (as_mailed(text + "\n" * lines), as_mailed(html))
    assert [part.get_content_type() for part in compat(raw).walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]


def as_mailed(text: str) -> str:
    lines = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    return (lines if lines.endswith("\n") else lines + "\n").replace("\n", "\r\n")


@each_row(
    ("text", "encoding"),
    [
        ("plain\n", "7bit"),
        ("", "7bit"),
        ("x" * 998 + "\n", "7bit"),
        ("x" * 999 + "\n", "quoted-printable"),
        ("ä\n", "quoted-printable"),
        ("blank at the end \n", "quoted-printable"),
        ("form\x0cfeed\n", "quoted-printable"),
        ("nul\0\n", "quoted-printable"),
        (".\n.\r\n..\n", "7bit"),
        ("From here\n", "7bit"),
    ],
)
def test_the_plainest_encoding_that_is_safe(text: str, encoding: str) -> None:
    raw = compose(mail(text=text))
    first = cast(Message, compat(raw).get_payload(0))
    assert first["Content-Transfer-Encoding"] == encoding
    assert all(len(line) <= (76 if encoding != "7bit" else 998) for line in raw.split(b"\r\n"))


def test_a_text_that_holds_the_boundary_gets_another_one() -> None:
    first = compat(compose(mail())).get_boundary()
    raw = compose(mail(text=f"--{first}\n--{first}--\n"))
    assert compat(raw).get_boundary() != first
    assert bodies(raw)[0] == f"--{first}\r\n--{first}--\r\n"


def test_a_subject_that_looks_like_an_encoded_word_stays_as_it_is_spelt() -> None:
    spelt = "=?utf-8?q?bob?="
    assert modern(compose(mail(subject=spelt)))["Subject"] == spelt
