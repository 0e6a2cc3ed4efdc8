"""Which parts of a mail are read, and how their bytes become text."""

import base64
import quopri
from collections.abc import Callable
from itertools import product

from pbm.mail.reading.charsets import (
    codec_for,
    decode,
    decode_transfer,
    fold_typography,
    plain_lines,
    without_unseen,
)
from pbm.mail.reading.inbound import Envelope
from pbm.mail.reading.mime import parse_content_type, parse_disposition, unflow
from tests.rows import each_row

Read = Callable[..., Envelope]


def _multipart(kind: str, *parts: str, boundary: str = "b") -> tuple[str, str]:
    """The Content-Type line and the body of a multipart."""
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts)
    return (
        f'Content-Type: multipart/{kind}; boundary="{boundary}"',
        f"a preamble\r\n{body}--{boundary}--\r\nan epilogue\r\n",
    )


TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\nmove 12 a1-b2"
HTML = "Content-Type: text/html; charset=utf-8\r\n\r\n<p>html says</p>"
EMPTY = "Content-Type: text/plain\r\n\r\n \r\n\r\n"
PICTURE = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo="
FILE = 'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="x.txt"\r\n\r\nfile'
NAMED = 'Content-Type: text/plain; name="x.txt"\r\n\r\nfile'
MAIL = "Content-Type: message/rfc822\r\n\r\nFrom: x@y.example\r\n\r\nattached mail"
SIGNATURE = "Content-Type: application/pgp-signature\r\n\r\n-----BEGIN PGP SIGNATURE-----"
FOOTER = "Content-Type: text/plain\r\n\r\n_______________________________\r\nclub mailing list"


def _nested(kind: str, *parts: str, boundary: str = "inner") -> str:
    header, body = _multipart(kind, *parts, boundary=boundary)
    return f"{header}\r\n\r\n{body}"


@each_row(
    ("kind", "parts", "said"),
    [
        ("alternative", (TEXT, HTML), ("move 12 a1-b2",)),
        ("alternative", (HTML, TEXT), ("move 12 a1-b2",)),
        ("alternative", (EMPTY, HTML), ("html says",)),
        ("alternative", (HTML,), ("html says",)),
        ("alternative", (TEXT, _nested("related", HTML, PICTURE)), ("move 12 a1-b2",)),
        ("alternative", (EMPTY, _nested("related", HTML, PICTURE)), ("html says",)),
        (
            "alternative",
            (EMPTY, _nested("mixed", HTML, FILE, HTML)),
            ("html says", "", "html says"),
        ),
        ("related", (HTML, PICTURE), ("html says",)),
        ("mixed", (TEXT, FILE), ("move 12 a1-b2",)),
        ("mixed", (TEXT, NAMED), ("move 12 a1-b2",)),
        ("mixed", (FILE, TEXT), ("move 12 a1-b2",)),
        ("mixed", (PICTURE, TEXT), ("move 12 a1-b2",)),
        ("mixed", (TEXT, MAIL), ("move 12 a1-b2",)),
        ("mixed", (TEXT, FOOTER), ("move 12 a1-b2",)),
        ("mixed", (TEXT, PICTURE, "\r\nbelow the picture"), ("move 12 a1-b2", "below the picture")),
        ("mixed", (_nested("alternative", TEXT, HTML), FILE), ("move 12 a1-b2",)),
        ("mixed", (_nested("alternative", EMPTY, HTML), FILE), ("html says",)),
        ("signed", (TEXT, SIGNATURE), ("move 12 a1-b2",)),
        ("signed", (_nested("mixed", TEXT, FILE), SIGNATURE), ("move 12 a1-b2",)),
        ("digest", ("\r\nFrom: x@y.example\r\n\r\nattached mail",), ()),
        ("encrypted", (SIGNATURE, PICTURE), ()),
        ("whatever", (TEXT,), ("move 12 a1-b2",)),
        ("mixed", ("",), ()),
        ("mixed", ("text without a header line",), ("text without a header line",)),
        ("mixed", ("--x: no header\r\n\r\ntext",), ("--x: no header", "", "text")),
    ],
)
def test_which_part_is_read(
    read_mail: Read, kind: str, parts: tuple[str, ...], said: tuple[str, ...]
) -> None:
    header, body = _multipart(kind, *parts)
    assert read_mail(header, body=body).said == said


def test_broken_multiparts_are_still_read(read_mail: Read) -> None:
    header, body = _multipart("mixed", TEXT, FILE)
    unclosed = body.partition("--b--")[0]
    assert read_mail(header, body=unclosed).said == ("move 12 a1-b2",)
    assert read_mail("Content-Type: multipart/mixed", body="x\r\n").said == ("x",)
    assert read_mail("Content-Type: multipart/mixed; boundary=c", body="x\r\n").said == ("x",)
    blanks = body.replace("--b\r\n", "--b \t \r\n")
    assert read_mail(header, body=blanks).said == ("move 12 a1-b2",)
    bare = body.replace("\r\n", "\n")
    assert read_mail(header, body=bare).said == ("move 12 a1-b2",)


def test_an_outer_delimiter_ends_inner_parts(read_mail: Read) -> None:
    inner = _nested("mixed", TEXT).partition("--inner--")[0]
    header, body = _multipart("mixed", inner, "\r\nouter")
    assert read_mail(header, body=body).said == ("move 12 a1-b2", "", "outer")


def test_a_boundary_that_begins_like_another(read_mail: Read) -> None:
    header, body = _multipart("mixed", _nested("mixed", TEXT, boundary="b-1"), "\r\nouter")
    assert read_mail(header, body=body).said == ("move 12 a1-b2", "outer")


def test_boundaries_are_no_patterns(read_mail: Read) -> None:
    header, body = _multipart("mixed", TEXT, boundary="=_.*(+?)[x]'$^")
    assert read_mail(header, body=body).said == ("move 12 a1-b2",)


def test_no_multipart_at_all(read_mail: Read) -> None:
    assert read_mail().said == ("move 12 a1-b2",)
    assert read_mail("Content-Type: text/html", body=b"<p>x<br>y").said == ("x", "y")
    assert read_mail("Content-Type: application/pdf", body=b"%PDF").said == ()
    assert read_mail("Content-Type: text/plain; name=x", body=b"x").said == ("x",)
    assert read_mail("Content-Type: nonsense", body=b"x").said == ("x",)
    assert read_mail("Content-Type: text", body=b"x").said == ("x",)
    assert read_mail(body="").said == ()
    assert read_mail(body=b"\r\n<HTML><body>a1-b2<br>x").said == ("a1-b2", "x")


@each_row(
    ("value", "kind", "parameters"),
    [
        ("text/plain", "text/plain", {}),
        ("TEXT/Html; Charset=UTF-8", "text/html", {"charset": "UTF-8"}),
        ('a/b; c="d; e=f"; g=h', "a/b", {"c": "d; e=f", "g": "h"}),
        ('a/b;c = d ; e=""', "a/b", {"c": "d", "e": ""}),
        ("a/b; charset*=utf-8''utf-8", "a/b", {"charset": "utf-8"}),
        ("a/b; x=1; x=2", "a/b", {"x": "1"}),
        ("a/b (comment); x=1", "a/b", {"x": "1"}),
        ("", "text/plain", {}),
        ("text", "text/plain", {}),
        ("/; x=y", "text/plain", {}),
    ],
)
def test_content_type(value: str, kind: str, parameters: dict[str, str]) -> None:
    assert parse_content_type(value) == (kind, parameters)


def test_content_disposition() -> None:
    assert parse_disposition("") == ("", frozenset())
    assert parse_disposition("INLINE") == ("inline", frozenset())
    assert parse_disposition("attachment; filename=x") == ("attachment", frozenset({"filename"}))
    assert parse_disposition("inline; filename*=utf-8''x")[1] == frozenset({"filename"})


WORDS = "schön gemacht: a1–b2"


@each_row(
    ("charset", "encoding"),
    [
        *product(("utf-8", "windows-1252", "gb18030"), ("base64", "quoted-printable", "8bit")),
        ("UTF-16", "base64"),
        ("utf-16le", "quoted-printable"),
    ],
)
def test_promise_16_charsets_and_transfer_encodings(
    read_mail: Read, charset: str, encoding: str
) -> None:
    content = WORDS.encode(charset)
    if encoding == "base64":
        content = base64.encodebytes(content).replace(b"\n", b"\r\n")
    elif encoding == "quoted-printable":
        content = quopri.encodestring(content)
    envelope = read_mail(
        f"Content-Type: text/plain; charset={charset}",
        f"Content-Transfer-Encoding: {encoding.upper()}",
        body=content,
    )
    assert envelope.said == (WORDS,)


@each_row(
    ("label", "raw", "text"),
    [
        ("", b"sch\xc3\xb6n", "schön"),
        ("", b"sch\xf6n", "schön"),
        ("us-ascii", b"sch\xc3\xb6n", "schön"),
        ("us-ascii", b"sch\xf6n \x96", "schön –"),
        ("iso-8859-1", b"sch\xf6n \x93x\x94", "schön “x”"),
        ("ISO_8859-15", b"\xa4", "€"),
        ("'utf8'", b"sch\xc3\xb6n", "schön"),
        ("utf-8", b"sch\xf6n", "sch\ufffdn"),
        ("utf-8", b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        ("utf-8", b"\xc3", "\ufffd"),
        ("windows-1251", b"\xf5\xee\xe4", "ход"),
        ("cp1251", b"\xf5\xee\xe4", "ход"),
        ("koi8-r", b"\xc8\xcf\xc4", "ход"),
        ("gb2312", "好棋".encode("gb2312"), "好棋"),
        ("big5", "好棋".encode("big5"), "好棋"),
        ("iso-2022-jp", "いい手".encode("iso-2022-jp"), "いい手"),
        ("shift_jis", "いい手".encode("shift_jis"), "いい手"),
        ("euc-kr", "좋아".encode("euc-kr"), "좋아"),
        ("windows-1256", "جيد".encode("windows-1256"), "جيد"),
        ("iso-8859-8-i", "טוב".encode("iso-8859-8"), "טוב"),
        ("latin-1", b"sch\xc3\xb6n", "schÃ¶n"),
        ("ISO8859-2", b"\xb6", "ś"),
        ("windows 1251", b"\xf5\xee\xe4", "ход"),
        # Unknown, misspelt, or known to Python only: read as UTF-8 if it is, else as Latin-1.
        ("x-unknown", b"sch\xf6n", "schön"),
        ("x-unknown", b"sch\xc3\xb6n", "schön"),
        ("uft-8", b"a1\xe2\x80\x93c3", "a1–c3"),
        ("unicode", "\ufeffhod".encode("utf-16-le"), "hod"),
        ("utf8mb4", b"sch\xc3\xb6n", "schön"),
        ("utf-8-sig", b"\xef\xbb\xbfsch\xc3\xb6n", "\ufeffschön"),
        ("{charset}", b"sch\xc3\xb6n \x93", "schÃ¶n “"),
        ("utf-9", b"a1-b2", "a1-b2"),
        ("utf-7", b"+AEEAMQ-", "+AEEAMQ-"),
        ("unicode_escape", b"\\u0041", "\\u0041"),
        ("raw_unicode_escape", b"\\u0041", "\\u0041"),
        ("punycode", b"egbpdaj6bu4bxfgehfvwxn", "egbpdaj6bu4bxfgehfvwxn"),
        ("idna", b"xn--a", "xn--a"),
        ("rot13", b"zbir", "zbir"),
        ("rot_13", b"zbir", "zbir"),
        ("hex", b"6d", "6d"),
        ("hex_codec", b"6d", "6d"),
        ("base64", b"bQ==", "bQ=="),
        ("zlib", b"x\x9c", "xœ"),
        ("bz2", b"BZ", "BZ"),
        ("mbcs", b"x", "x"),
        ("undefined", b"x", "x"),
        ("../../etc/passwd", b"x", "x"),
        ("utf-8\0", b"x", "x"),
        ("ä" * 100, b"x", "x"),
    ],
)
def test_promise_16_charsets_by_an_allow_list(label: str, raw: bytes, text: str) -> None:
    assert decode(raw, label) == text


def test_promise_16_every_codec_on_the_list_is_a_charset() -> None:
    import codecs

    from pbm.mail.reading import charsets

    for label, codec in charsets._CODECS.items():
        assert codecs.lookup(codec)._is_text_encoding, label  # type: ignore[attr-defined]
        assert codec_for(label.upper()) == codec
        for byte in range(256):
            decode(bytes([byte]) * 5, label)


@each_row(
    ("encoding", "raw", "content"),
    [
        ("base64", b"bW92ZQ==", b"move"),
        ("base64", b"bW92ZQ", b"move"),
        ("base64", b"bW9\r\n2Z Q==".replace(b" ", b""), b"move"),
        ("base64", b"bW92Z", b"mov"),
        ("base64", b"bW92ZSBpdCBub3cgcGxlYXNl*!bW92ZSBpdCBub3c", b"move it now pleasemove it now"),
        ("base64", b"bW92ZQ==\r\n-- \r\nclub mailing list\r\n", b"move"),
        ("base64", b"YTEt\r\nYw==\r\nMw==\r\nLGQ0\r\n", b"a1-c3,d4"),
        ("base64", b"YQ==MQ==LWMzLGQ0", b"a1-c3,d4"),
        ("base64", b"bW92ZQ==\r\nclub mailing list==\r\n", b"move"),
        ("base64", b"", b""),
        ("base64", b"====", b""),
        ("base64", b"move 12 a1-b2", b"move 12 a1-b2"),
        ("base64", b"nice one, thanks!\r\n", b"nice one, thanks!\r\n"),
        ("base64", b"sch\xc3\xb6n\r\n", b"sch\xc3\xb6n\r\n"),
        ("quoted-printable", b"a1=2Db2=\r\n now", b"a1-b2 now"),
        ("quoted-printable", b"a1=2D= \r\nc3=\t \n,d4=  ", b"a1-c3,d4"),
        ("quoted-printable", b"a=3D \r\nb = c", b"a= \r\nb = c"),
        ("quoted-printable", b"a=", b"a"),
        ("quoted-printable", b"=ZZ=4", b"=ZZ=4"),
        ("quoted-printable", b"sch=c3=b6n", b"sch\xc3\xb6n"),
        ("quoted-printable", b"sch\xc3\xb6n", b"sch\xc3\xb6n"),
        ("quoted-printable", b"a1-b2 = good", b"a1-b2 = good"),
        ("7bit", b"sch\xc3\xb6n", b"sch\xc3\xb6n"),
        ("8bit", b"a=2Db", b"a=2Db"),
        ("x-uuencode", b"begin 644 x", b"begin 644 x"),
        ("", b"x", b"x"),
    ],
)
def test_promise_16_transfer_encodings_broken_and_lying(
    encoding: str, raw: bytes, content: bytes
) -> None:
    assert decode_transfer(raw, encoding) == content


def test_flowed_text_is_joined() -> None:
    text = "move 12 \na1-b2\n\nA long \nparagraph.\n From here\n"
    text += ">> quoted \n>> twice\n> once\n-- \nAlice"
    assert unflow(text, delete_space=False).split("\n") == [
        "move 12 a1-b2",
        "",
        "A long paragraph.",
        "From here",
        ">> quoted twice",
        "> once",
        "-- ",
        "Alice",
    ]
    assert unflow("a1-\nb2 \n,c3", delete_space=True) == "a1-\nb2,c3"
    assert unflow("a \n-- \nb", delete_space=False) == "a \n-- \nb"
    assert unflow("a \n> b", delete_space=False) == "a \n> b"


def test_flowed_mails(read_mail: Read) -> None:
    body = "nice \r\none\r\n> quoted \r\n> a5-b5\r\n\r\nend "
    flowed = read_mail("Content-Type: text/plain; format=Flowed", body=body)
    assert flowed.said == ("nice one", "", "end")
    unspaced = read_mail('Content-Type: text/plain; FORMAT="flowed"; delsp=YES', body=body)
    assert unspaced.said == ("niceone", "", "end")
    assert read_mail("Content-Type: text/plain", body=body).said == ("nice", "one", "", "end")


def test_promise_17_typography_of_phones_and_nothing_else() -> None:
    assert fold_typography("a1–b2 —bowl −x ‑y") == "a1-b2 -bowl -x -y"
    assert fold_typography("‘a’ “b” „c“ «d» ‹e›") == '\'a\' "b" "c" "d" \'e\''
    assert fold_typography("move\u00a012\u202fa1\u2009b2") == "move 12 a1 b2"
    untouched = "ａ１－ｂ２ \u212a аbс a\u200bb a\u200fb a\u00adb a\u2060b １２ …\u3000·"
    assert fold_typography(untouched) == untouched


@each_row(
    ("text", "seen"),
    [
        *(
            (f"re{sign}sign", "resign")
            for sign in "\u200b\u200c\u2060\u00ad\u200e\u061c\ufeff\u034f\u3164\ufff9\U0001d173"
        ),
        ("a1-\u200d\u200d\u200dc3,\ufe0fd4", "a1-c3,d4"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("❤\ufe0f 👨\u200d👩!", "❤\ufe0f 👨\u200d👩!"),
    ],
)
def test_invisible_characters_inside_words(text: str, seen: str) -> None:
    assert without_unseen(text) == seen


def test_lines_are_plain() -> None:
    assert plain_lines("\ufeffa\r\nb\rc\u2028d\x0ce") == "a\nb\nc\nd\ne"
    assert plain_lines("mo\x00ve\x1b[1m\x7f\tx") == "mo\ufffdve\ufffd[1m\ufffd\tx"


def test_control_characters_never_reach_the_words(read_mail: Read) -> None:
    content = base64.b64encode(b"mo\0ve 12\r\n\x1b]0;x\x07a1-b2\r\n")
    said = read_mail("Content-Transfer-Encoding: base64", body=content).said
    assert said == ("mo\ufffdve 12", "\ufffd]0;x\ufffda1-b2")
