"""Promise 14: bounded work for any mail, however it was crafted.

Work is counted as calls, which don't depend on the machine; half a minute is only a guard
against a pattern that backtracks within one call.
"""

import subprocess
import sys
import time
import tracemalloc
from base64 import encodebytes
from contextlib import suppress

import pytest

from pbm.mail.reading.delivery_report import read_report
from pbm.mail.reading.inbound import clean_subject, read, read_header
from pbm.mail.reading.limits import LIMITS, UnreadableMail
from tests.mail.reading.promises import counted_calls
from tests.rows import each_row

_GUARD = 30.0  # seconds of the processor, however busy it is
_MOST_CALLS = 3_000_000
_TEXT = 60_000
_STATE = (
    "State: .1111/111111/..111../...1..../........./......../..222../222222/22222 2 0,0 quiet=1"
)


_SIGNED = bytes.fromhex(
    "308006092a864886f70d010702a08030800201013100308006092a864886f70d010701a0802480"
)


def _mail(body: str, *headers: str, kind: str = "text/plain") -> bytes:
    head = ["From: a@x.example", "To: pbm@games.example", *headers]
    if kind:
        head.append(f"Content-Type: {kind}")
    return ("\r\n".join(head) + "\r\n\r\n" + body.replace("\n", "\r\n")).encode("utf-8")


def _nested(count: int) -> bytes:
    kind = "Content-Type: multipart/mixed; boundary="
    levels = "".join(f"--b{n}\r\n{kind}b{n + 1}\r\n\r\n" for n in range(count))
    return f"From: a@x.example\r\n{kind}b0\r\n\r\n{levels}".encode()


def _parts(count: int, of: str = "--b\n\nx\n", kind: str = "multipart/mixed") -> bytes:
    return _mail(of * count, kind=f"{kind}; boundary=b")


def _same_delimiter_lines() -> bytes:
    levels = "".join(
        f"--{'a' * n}\nContent-Type: multipart/mixed; boundary={'a' * (n + 1)}\n\n"
        for n in range(1, 9)
    )
    return _mail(levels + "--ax\n" * 150_000, kind="multipart/mixed; boundary=a")


READABLE = {
    "a plain mail": _mail("move 12 a1-b2\n"),
    "semicolons in Content-Type": _mail("x", kind="text/plain" + ";" * 30_000),
    "parameters in Content-Type": _mail("x", kind="text/plain" + "; a=b" * 6_000),
    "blanks in Content-Type": _mail("x", kind="text/plain;" + " " * 30_000 + "a=b"),
    "an unclosed quote in Content-Type": _mail("x", kind='text/plain; a="' + ";b=" * 8_000),
    "quotes in To": _mail("x", "To: " + '"' * 30_000),
    "backslashes in From": _mail("x", 'From: "' + "\\" * 30_000),
    "brackets in From": _mail("x", "From: " + "<" * 30_000),
    "commas in From": _mail("x", "From: " + "," * 30_000),
    "parentheses in From": _mail("x", "From: " + "(" * 30_000),
    "encoded words in Subject": _mail("x", "Subject: " + "=?utf-8?q?=41?= " * 1_900),
    "half encoded words in Subject": _mail("x", "Subject: " + "=?a?q?" * 5_000),
    "question marks in Subject": _mail("x", "Subject: =?" + "?" * 30_000),
    "reply marks in Subject": _mail("x", "Subject: " + "Re: " * 7_500),
    "brackets in Subject": _mail("x", "Subject: " + "[" * 30_000),
    "references": _mail("x", "References: " + "<a@b> " * 5_000),
    "half references": _mail("x", "References: " + "<a" * 15_000),
    "an endless reference": _mail("x", "References: <" + "a@" * 15_000),
    "on and on": _mail("On " * (_TEXT // 3)),
    "on, line by line": _mail("On \n" * (_TEXT // 4)),
    "on and a colon, line by line": _mail("On 10:30 a@b wrot:\n" * (_TEXT // 19)),
    "signs before last lines of ours": _mail(
        "".join(f"{chr(33 + n % 15)} {_STATE[:40]}\n" for n in range(_TEXT // 43))
    ),
    "answers between attributions and marks": _mail(
        f"On 10:30 a@b wrote:\nx\n> {_STATE[:40]}\n" * (_TEXT // 65)
    ),
    "answers above one long quotation": _mail(
        "On 10:30 a@b wrote:\nx\n" * 8 + "> Hello\n" * (_TEXT // 8)
    ),
    "colons, line by line": _mail(":\n" * (_TEXT // 2)),
    "attributions, line by line": _mail("On 10:30 a@b wrote:\n" * (_TEXT // 20)),
    "fields, line by line": _mail("To: a@b\n" * (_TEXT // 8)),
    "fields with blank lines": _mail("Sent: x\n\n\n\n" * (_TEXT // 11)),
    "newlines": _mail("\n" * _TEXT),
    "dashes": _mail("-" * _TEXT),
    "dashes, line by line": _mail("--\n" * (_TEXT // 3)),
    "long dashes, line by line": _mail(("-" * 118 + "x\n") * (_TEXT // 120)),
    "dashes and blanks": _mail("- " * (_TEXT // 2)),
    "underscores": _mail("_" * _TEXT + "x"),
    "quote marks": _mail(">" * _TEXT),
    "quote marks, line by line": _mail(">\n" * (_TEXT // 2)),
    "blanks": _mail(" " * _TEXT + "x"),
    "tabs": _mail("\t" * _TEXT + "x"),
    "our last line": _mail((_STATE + "\n") * (_TEXT // 90)),
    "our lines above our last": _mail("You wrote:\n" * (_TEXT // 11) + _STATE),
    "our lines and other players' words": _mail(
        "Your move on board 1.\nbob goes on:\n" * (_TEXT // 35) + _STATE
    ),
    "our long sentences": _mail(
        ("To move, answer with a line such as\n" * 8 + "\n") * (_TEXT // 290) + _STATE
    ),
    "words of ours": _mail(("answer board move yours " * 3 + "\n") * (_TEXT // 73) + _STATE),
    "introductions and our lines": _mail(
        ("-----Original Message-----\nYou wrote:\n") * (_TEXT // 38) + _STATE
    ),
    "lines of a drawing": _mail("    I- x x x x x\n" * (_TEXT // 17) + _STATE),
    "broken last lines": _mail("> State:\n" + "1 2 3\n" * (_TEXT // 6)),
    "fields in a language that isn't known": _mail(
        "".join(f"f{chr(97 + n % 26)}: a@b 2026-11-21 13:00\n" for n in range(_TEXT // 28))
    ),
    "full quoted lines and rests": _mail(("> " + "x " * 35 + "\nrest\n") * (_TEXT // 78)),
    "fences, line by line": _mail("a\n" + "-----\n" * (_TEXT // 6)),
    "fences and names": _mail("a\n" + "=====\nMarta\n" * (_TEXT // 12)),
    "bars in a line above sentences": _mail(
        "Hello\n\n" + "i\n" * 300 + "J" + " | x" * (_TEXT // 4) + "\nThis is one sentence.\n" * 12
    ),
    "signs, line by line": _mail("# x\n\n: x\n\n" * (_TEXT // 10)),
    "signs below introductions": _mail("On 10:30 a@b wrote:\n: x\n" * (_TEXT // 24)),
    "initials, line by line": _mail("MQO>x\n" * (_TEXT // 6)),
    "greetings below introductions": _mail("On 10:30 a@b wrote:\nHi,\n> x\n" * (_TEXT // 28)),
    "PGP marks": _mail("-----BEGIN PGP SIGNED MESSAGE-----\n" * (_TEXT // 35)),
    "flowed lines": _mail("a \n" * (_TEXT // 3), kind="text/plain; format=flowed"),
    "flowed quotes": _mail("> a \n>> b \n" * (_TEXT // 11), kind="text/plain; format=flowed"),
    "flowed quote marks": _mail(
        ">" * 250 + " \n" + (">" * 250 + " \n") * 230, kind="text/plain; format=flowed"
    ),
    "a megabyte of text": _mail("x" * 70 + "\n" * 14_000),
    "a megabyte of base64": _mail(
        "QUJD" * 250_000, "Content-Transfer-Encoding: base64", kind="text/plain"
    ),
    "equal signs": _mail("=" * 1_000_000, "Content-Transfer-Encoding: base64"),
    "equal signs, quoted-printable": _mail(
        "=" * 1_000_000, "Content-Transfer-Encoding: quoted-printable"
    ),
    "S/MIME: pieces": _mail(
        encodebytes(_SIGNED + b"\x04\0" * 60_000 + b"\0\0").decode(),
        *("Content-Transfer-Encoding: base64",),
        kind="application/pkcs7-mime",
    ),
    "S/MIME: parts": _parts(48, "--b\nContent-Type: application/pkcs7-mime\n\n" + "x" * 20_000),
    "S/MIME: lengths": _mail("0\x80" * 300_000, kind="application/pkcs7-mime"),
    "S/MIME: 48 parts signed": _mail(
        encodebytes(
            _SIGNED + b"\x04\x83\x02\0\0" + _parts(48, kind="multipart/alternative")
        ).decode(),
        *("Content-Transfer-Encoding: base64",),
        kind="application/pkcs7-mime",
    ),
    "stubs": _parts(2, "--b\n\n" + "http://x\n" * 7 + "\n--b\nContent-Type: text/html\n\nx" * 20),
    ">From": _mail(">From x\n" * (_TEXT // 8)),
    "reactions": _mail("reacted to your message " * 3 + "https://x" * (_TEXT // 9)),
    "padded pieces": _mail("QQ==" * 250_000, "Content-Transfer-Encoding: base64"),
    "blanks behind soft breaks": _mail(
        ("=" + " " * 99 + "x") * 10_000, "Content-Transfer-Encoding: quoted-printable"
    ),
    "soft breaks": _mail("=\n" * 330_000, "Content-Transfer-Encoding: quoted-printable"),
    "lines like delimiters": _mail("--bx\n" * 160_000, kind="multipart/mixed; boundary=b"),
    "lines like delimiters, nested": _same_delimiter_lines(),
    "a boundary that never comes": _mail("--\n" * 250_000, kind="multipart/mixed; boundary=b"),
    "48 big parts": _parts(48, "--b\n\n" + "x\n" * 7_000),
    "48 alternatives": _parts(48, "--b\n\n\n", "multipart/alternative"),
    "HTML: nested": _mail("<div>" * 12_000, kind="text/html"),
    "HTML: nested quotes": _mail("<blockquote>x" * 4_600, kind="text/html"),
    "HTML: nested lists": _mail("<ul><li>" * 8_000, kind="text/html"),
    "HTML: attributes": _mail("<p " + " ".join(f"a{n}" for n in range(9_000)), kind="text/html"),
    "HTML: formatting": _mail(
        "<p>" + "".join(f"<i a={n}>" for n in range(3_000)) + "<p>x" * 8_000, kind="text/html"
    ),
    "HTML: formatting in disguise": _mail(
        "<p>" + "".join(f"<<i>i a={n}>" for n in range(2_500)) + "<p>x" * 5_000, kind="text/html"
    ),
    "HTML: unclosed formatting": _mail("<i " * 20_000, kind="text/html"),
    "HTML: classes": _mail("<p class='" + "a " * 30_000 + "'>", kind="text/html"),
    "HTML: styles": _mail("<p style='" + "display:" * 7_000 + "'>", kind="text/html"),
    "HTML: styled formatting": _mail(
        "".join(f"<i style='color:#{n:06x}'>" for n in range(2_000)) + "<p>x" * 4_000,
        kind="text/html",
    ),
    "HTML: a style sheet": _mail(
        "<style>" + ".a,p.a,#a{color:red}" * 1_500 + "</style>" + "<p class=a id=a>x" * 1_900,
        kind="text/html",
    ),
    "HTML: braces": _mail("<style>" + "{" * 30_000 + "}" * 30_000, kind="text/html"),
    "HTML: comments in styles": _mail("<p style='" + "/*" * 30_000 + "'>", kind="text/html"),
    "HTML: colours": _mail("<p style='color:" + "rgb(" * 15_000 + "'>", kind="text/html"),
    "HTML: fonts": _mail("<p style='font:" + "0px " * 15_000 + "'>", kind="text/html"),
    "HTML: quotes in tags": _mail("<i " + "a=\"b='" * 9_000 + ">", kind="text/html"),
    "HTML: less-thans": _mail("<" * _TEXT, kind="text/html"),
    "HTML: ampersands": _mail("&" * _TEXT, kind="text/html"),
    "HTML: comments": _mail("<!--" * 15_000, kind="text/html"),
    "HTML: preformatted": _mail("<pre>" + "\n" * _TEXT, kind="text/html"),
    "HTML: breaks": _mail("<br>" * 15_000, kind="text/html"),
    "HTML: Gmail's lines": _mail(
        "<div class=gmail_attr></div>" * 2_000 + "<br>" * 500, kind="text/html"
    ),
}

MAIL_TOO_LARGE = "This mail is larger than 1024 KB."
TOO_MANY_HEADERS = "This mail has more than 200 header fields."
HEADERS_TOO_LARGE = "The header of this mail is larger than 32 KB."
NESTED_TOO_DEEP = "The parts of this mail are nested more than 10 deep."
TOO_MANY_PARTS = "This mail has more than 50 parts."
UNREADABLE = {
    MAIL_TOO_LARGE: _mail("x" * LIMITS.mail_bytes),
    TOO_MANY_HEADERS: _mail("x", *("X: y" for _ in range(199))),
    HEADERS_TOO_LARGE: _mail("x", "X: " + "y" * 33_000),
    NESTED_TOO_DEEP: _nested(1_000),
    TOO_MANY_PARTS: _parts(40_000),
}

ALSO_UNREADABLE = [
    (HEADERS_TOO_LARGE, _mail("x", kind="text/plain" + ";" * 60_000)),
    (HEADERS_TOO_LARGE, _mail("x", "X: y" + "\r\n z" * 12_000)),
    (HEADERS_TOO_LARGE, b"x" * 1_000_000),
    (HEADERS_TOO_LARGE, b" \r\n" * 300_000),
    (TOO_MANY_HEADERS, b"x:\r\n" * 200_000),
    (TOO_MANY_PARTS, _parts(51)),
    (TOO_MANY_HEADERS, _parts(1, "--b\n" + "X: y\n" * 300)),
    (HEADERS_TOO_LARGE, _parts(1, "--b\nX: " + "y" * 40_000 + "\n")),
    (NESTED_TOO_DEEP, _nested(10)),
]


def _read(raw: bytes) -> None:
    read(raw, envelope_sender="a@x.example", own_address="pbm@games.example")
    read_report(raw)


def _peak(raw: bytes) -> int:
    """The most memory that was taken to read a mail."""
    tracemalloc.start()
    try:
        _read(raw)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak


def _calls(raw: bytes) -> int:
    def reading() -> None:
        with suppress(UnreadableMail):
            _read(raw)

    return counted_calls(reading)


def _problem(raw: bytes) -> str:
    """What is wrong with a mail when one looks at it at the door."""
    try:
        read_header(raw, "a@x.example", "pbm@x.example", LIMITS)
    except UnreadableMail as error:
        return str(error)
    return ""


@pytest.mark.parametrize("html", [False, True])
def test_promise_14_work_is_bounded(html: bool) -> None:
    for name, raw in READABLE.items():
        if name.startswith("HTML") == html:
            assert len(raw) <= LIMITS.mail_bytes, name
            started = time.process_time()
            assert _calls(raw) < _MOST_CALLS, name
            assert time.process_time() - started < _GUARD, name
            assert not _problem(raw), name


@pytest.mark.thorough
def test_promise_14_memory_is_bounded() -> None:
    for name, raw in READABLE.items():
        assert _peak(raw) < 8 * LIMITS.mail_bytes, name


@pytest.mark.parametrize(("reason", "raw"), [*UNREADABLE.items(), *ALSO_UNREADABLE])
def test_promise_14_beyond_the_limits(reason: str, raw: bytes) -> None:
    started = time.process_time()
    with pytest.raises(UnreadableMail) as caught:
        _read(raw)
    assert time.process_time() - started < _GUARD
    assert str(caught.value) == reason
    assert _problem(raw) == reason
    assert _calls(raw) < 100_000


@pytest.mark.parametrize(
    "raw",
    [
        _mail("x", *("X: y" for _ in range(197))),
        _parts(50),
        _nested(9),
        _mail("x", "X: " + "y" * 32_600),
    ],
    ids=["200 fields", "50 parts", "10 levels", "32 KB"],
)
def test_just_within_the_limits(raw: bytes) -> None:
    _read(raw)


def test_only_so_much_text_is_read() -> None:
    raw = _parts(40, "--b\n\n" + "y" * 70 + "\n" * 3 + ("x" * 70 + "\n") * 300)
    envelope = read(raw, envelope_sender="a@x.example", own_address="pbm@games.example")
    assert 0.9 * LIMITS.text_bytes < len("\n".join(envelope.said)) <= LIMITS.text_bytes


@pytest.mark.parametrize(
    "headers",
    [
        [],
        ["Content-Transfer-Encoding: base64"],
        ["Content-Transfer-Encoding: quoted-printable"],
    ],
    ids=["plain", "base64", "quoted-printable"],
)
@each_row("text", ["x", "\n", "a b ", ">", "> x\n", "=", "=\n", "\0", "\u00e9", "\u200b", "--b\n"])
def test_promise_14_a_megabyte_takes_few_of_them(text: str, headers: list[str]) -> None:
    raw = _mail(text * 400_000, *headers, kind="multipart/mixed; boundary=c")[: LIMITS.mail_bytes]
    assert _peak(raw) < 8 * LIMITS.mail_bytes


def test_promise_14_the_parser_of_html_takes_little_memory() -> None:
    """What a library allocates is seen only from outside: each mail is read in a fork of its own.

    The fork begins with what its parent has at that moment as the most it ever had.
    """
    script = (
        "import os, resource, sys\n"
        "from pbm.mail.reading.inbound import read\n"
        "while size := sys.stdin.buffer.readline():\n"
        "    data = sys.stdin.buffer.read(int(size))\n"
        "    if number := os.fork():\n"
        "        assert os.waitpid(number, 0)[1] == 0\n"
        "        continue\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    read(data, envelope_sender='a@x.example', own_address='p@y.example')\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, flush=True)\n"
        "    os._exit(0)\n"
    )
    mails = {name: raw for name, raw in READABLE.items() if name.startswith("HTML")}
    run = subprocess.run(
        [sys.executable, "-c", script],
        input=b"".join(b"%d\n%b" % (len(raw), raw) for raw in mails.values()),
        capture_output=True,
        check=True,
    )
    for name, kilobytes in zip(mails, run.stdout.split(), strict=True):
        assert int(kilobytes) < 100_000, name


@pytest.mark.parametrize(
    "text", ["Re: " * 50_000, "[" * 200_000, "[Fwd: " * 30_000, "(fwd)" * 40_000]
)
def test_a_subject_of_any_length_is_cleaned(text: str) -> None:
    started = time.process_time()
    clean_subject(text)
    assert time.process_time() - started < _GUARD
