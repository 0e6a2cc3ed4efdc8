"""Message-IDs are read strictly, and in the order of the thread."""

from collections.abc import Callable

from pbm.mail.address import is_message_id, parse_message_ids, short_name
from pbm.mail.reading.inbound import Envelope
from tests.rows import each_row

Read = Callable[..., Envelope]


@each_row(
    ("text", "ids"),
    [
        ("", ()),
        ("<a@b>", ("<a@b>",)),
        ("<a@b> <c.d@e.f>", ("<a@b>", "<c.d@e.f>")),
        ("<a@b><c@d>", ("<a@b>", "<c@d>")),
        ("<a@b> (comment <x y>) <a@b> <c@d>", ("<a@b>", "<c@d>")),
        ("<a@[192.0.2.1]>", ("<a@[192.0.2.1]>",)),
        ("a@b", ()),
        ("<a b@c>", ()),
        ("<a@b", ()),
        ("<a@b@c>", ()),
        ("<a>", ()),
        ("<@b>", ()),
        ("<a@>", ()),
        ("<a\r\nX: y@b>", ()),
        ("<ä@b>", ()),
        ("<a@b\x00>", ()),
        ("<" + "a" * 201 + "@b>", ()),
        ("<<a@b>>", ("<a@b>",)),
        ("<=?utf-8?q?=3E?=@b> <a@=?utf-8?b?eA==?=> <=?@b> <a=b?@c>", ("<a=b?@c>",)),
        ("<" + "a" * 200 + "@" + "b" * 198 + "=?>", ()),
    ],
)
def test_strict_ids(text: str, ids: tuple[str, ...]) -> None:
    assert parse_message_ids(text, 20) == ids
    assert is_message_id(text) == (ids == (text,))


def test_at_most_so_many() -> None:
    text = " ".join(f"<{n}@x>" for n in range(30))
    assert parse_message_ids(text, 3) == ("<0@x>", "<1@x>", "<2@x>")


def test_references_newest_first(read_mail: Read) -> None:
    envelope = read_mail("References: <1@x> <2@x>\r\n <3@x>", "In-Reply-To: <3@x>")
    assert envelope.references == ("<3@x>", "<2@x>", "<1@x>")
    envelope = read_mail("References: <1@x> <2@x>", "In-Reply-To: your mail <9@x> of today")
    assert envelope.references == ("<9@x>", "<2@x>", "<1@x>")


def test_references_are_bounded_to_the_newest(read_mail: Read) -> None:
    ids = [f"<{n}@games.example>" for n in range(1_000)]
    envelope = read_mail("References: " + "\r\n ".join(ids))
    assert envelope.references == tuple(reversed(ids))[:20]


@each_row(
    ("headers", "expected"),
    [
        ((), None),
        (("Message-ID: <1@x>",), "<1@x>"),
        (("MESSAGE-ID:\r\n <1@x>",), "<1@x>"),
        (("Message-ID: <1@x>", "Message-ID: <2@x>"), None),
        (("Message-ID: <1@x> <2@x>",), None),
        (("Message-ID: 1@x",), None),
        (("Message-ID: <1@x> x",), None),
        (("Message-ID: <\u0456@x>",), None),
    ],
)
def test_the_id_of_the_mail(
    read_mail: Read, headers: tuple[str, ...], expected: str | None
) -> None:
    assert read_mail(*headers).message_id == expected


@each_row(
    ("message_id", "name"),
    [
        ("<g12.p17.3f9a01c2d4e5f607@games.example>", "3f9a01c2"),
        ("<g12.p0.u7.d4e5f6073f9a01c2@games.example>", "d4e5f607"),
        ("<m.00000001@a.b.example>", "00000001"),
    ],
)
def test_promise_09_a_mail_of_ours_has_a_short_name(message_id: str, name: str) -> None:
    assert short_name(message_id) == name
