"""Promise 10: exactly one `From` with exactly one address, strictly parsed."""

from collections.abc import Callable

from pbm.mail.reading.inbound import Envelope, read
from tests.rows import each_row

Read = Callable[..., Envelope]


@each_row(
    ("field", "author"),
    [
        ("From: alice@example.org", "alice@example.org"),
        ("From: <alice@example.org>", "alice@example.org"),
        ("from:   Alice Liddell <Alice@EXAMPLE.org>  ", "Alice@example.org"),
        ('From: "Liddell, Alice (home); @work" <alice@example.org>', "alice@example.org"),
        ('From: "bob@example.net" <alice@example.org>', "alice@example.org"),
        ('From: "say \\"hi\\"" <alice@example.org>', "alice@example.org"),
        ("From: Alice P. Liddell <alice@example.org>", "alice@example.org"),
        ("From: =?utf-8?q?bob=40example.net?= <alice@example.org>", "alice@example.org"),
        ("From: Ålice Ünïcode <alice@example.org>", "alice@example.org"),
        ("From: Alice\r\n <alice@example.org>", "alice@example.org"),
        ("From : alice@example.org", "alice@example.org"),
        ("From: alice@example.org (Alice)", "alice@example.org"),
        ("From: alice@example.org(Alice Liddell)", "alice@example.org"),
        ('From: alice@example.org (Liddell, Alice; "Al": home)', "alice@example.org"),
        ("From: alice@example.org\r\n (=?utf-8?q?=C3=85lice?=) ", "alice@example.org"),
        ("From: alice@example.org ()", "alice@example.org"),
        ("From: <alice@example.org> (Alice)", "alice@example.org"),
        ("From: Alice (home) <alice@example.org>", "alice@example.org"),
        ("From: alice@example.org <alice@example.org>", "alice@example.org"),
        ("From: 'alice@example.org' <Alice@Example.org>", "Alice@example.org"),
        ("From: alice@müller.example", "alice@xn--mller-kva.example"),
        ("From: Alice <alice@MÜLLER.example>".encode("latin-1"), "alice@xn--mller-kva.example"),
        ("From: alice@XN--mller-kva.example", "alice@xn--mller-kva.example"),
        ("From: alice@日本語.example", "alice@xn--wgv71a119e.example"),
        ("From: 'Alice' <alice+pbm@example.org>", "alice+pbm@example.org"),
        ("From: Alice < alice@example.org\t>", "alice@example.org"),
    ],
)
def test_promise_10_one_address(read_mail: Read, field: str | bytes, author: str) -> None:
    envelope = read_mail(field)
    assert (envelope.author, envelope.author_problem) == (author, None)


@each_row(
    "field",
    [
        "From: alice@example.org\r\nFrom: bob@example.net",
        "From: alice@example.org\r\nfRoM : alice@example.org",
        "From: alice@example.org\r\nX-Other: x\r\nFROM: bob@example.net",
        "From: alice@example.org\r\nthis is no field\r\nFrom: bob@example.net",
        "From: alice@example.org, bob@example.net",
        "From: Alice <alice@example.org>, Bob <bob@example.net>",
        "From: alice@example.org <bob@example.net>",
        "From: <alice@example.org> <bob@example.net>",
        "From: <alice@example.org> bob@example.net",
        "From: <alice@example.org><bob@example.net>",
        "From: <<alice@example.org>>",
        "From: friends: alice@example.org, bob@example.net;",
        "From: undisclosed-recipients:;",
        "From: <@relay.example:alice@example.org>",
        "From: <@relay.example,@other.example:alice@example.org>",
        "From: alice@example.org (Alice) bob@example.net",
        "From: alice@example.org (Alice), bob@example.net",
        "From: alice@example.org (Alice) <bob@example.net>",
        "From: alice@example.org (bob@example.net)",
        "From: alice@example.org (Bob <bob@example.net>)",
        "From: alice@example.org (a) (b)",
        "From: alice@example.org (a (b))",
        "From: alice@example.org (a\\) (b)",
        "From: alice@example.org (Alice",
        "From: alice@example.org Alice)",
        "From: alice (Alice)@example.org",
        "From: alice@(home)example.org",
        "From: Alice (home) <alice@example.org>, <bob@example.net>",
        "From: (alice@example.org)",
        "From: (Bob) alice@example.org",
        "From: alice(bob@example.net)@example.org",
        "From: a@x.example)b@y.example",
        "From: a@x.example(b@y.example",
        "From: =?utf-8?q?alice=40example.org?=",
        "From: =?utf-8?q?alice?=@example.org",
        "From: Alice <=?utf-8?q?alice=40example.org?=>",
        "From: alice@example.org\0",
        "From: Alice\0 <alice@example.org>",
        "From: ali\0ce@example.org",
        "From: Alice \x07<alice@example.org>",
        "From: Alice <alice@example.org",
        "From: Alice alice@example.org>",
        'From: "Alice <alice@example.org>',
        "From: Alice \\<alice@example.org>",
        "From: alice@ex\u212aample.org",
        "From: alice@straße.example",
        "From: alice@ex\u00adample.org",
        "From: alice@ex。ample.org",
        "From: alice@" + "ü" * 64 + ".example",
        "From: ålice@example.org",
        "From: alice@example.org <alice@example.net>",
        "From: 'alice@example.org' <malice@example.org>",
        "From: аlice@example.org",
        "From: alice@example.org\u200b",
        "From: alice",
        "From: alice@",
        "From: @example.org",
        "From: a@b@example.org",
        "From: alice @example.org",
        "From: Alice <alice @example.org>",
        "From:",
        "From: <>",
        "From: " + "x" * 3_000 + " <alice@example.org>",
    ],
)
def test_promise_10_anything_else_is_nobody(read_mail: Read, field: str) -> None:
    envelope = read_mail(field)
    assert envelope.author is None
    assert envelope.author_problem
    assert envelope.author_problem.endswith(".")
    assert "alice" not in envelope.author_problem.lower(), "foreign header text is never echoed"


@each_row("raw", [b"", b"\r\n", b"hello\r\n", b"Fron: a@x.example\r\n\r\nFrom: b@y\r\n"])
def test_a_mail_without_from_has_no_author(raw: bytes) -> None:
    envelope = read(raw, envelope_sender="a@x.example", own_address="pbm@games.example")
    assert envelope.author is None
    assert envelope.author_problem == "The mail has no From line."
