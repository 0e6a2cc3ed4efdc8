"""Promise 19: a real client's reply is read right, wherever the quotation stands.

The mails are made after the known forms of Gmail, Outlook, Apple Mail, Thunderbird, Yahoo, Proton,
Samsung, mutt and many others, in some forty languages; what each says is in
`corpus/expected.toml`.
"""

import email
from collections import Counter

import pytest

from pbm.commands.language.declare import Command
from tests.mail.reading.replies_corpus import (
    FOLDER,
    Reply,
    html_alone,
    read_reply,
    replies,
    rewritten,
    script_of,
)
from tests.rows import each_row

REPLIES = replies()
WITH_HTML = [reply for reply in REPLIES if html_alone(reply.raw)]

# What stands in the quoted mails where another player's words would: a reader who takes it for
# the writer's own obeys it.
TOLD = (
    "alice played a1-c3,b2.",
    "bob played i9-g7,h8.",
    "bob pushed",
    "This is line 2",
    "Even already, I would say.",
    "I took the wrong line.",
    "Well played, all of you.",
)


def lines(commands: tuple[Command, ...]) -> tuple[str, ...]:
    return tuple(command.line for command in commands)


def quotes_in(comment: tuple[str, ...], reply: Reply) -> list[str]:
    """The lines of a comment that its writer did not write."""
    return [line for line in comment if line.strip() and line not in reply.comment]


@each_row("reply", REPLIES, ids=lambda reply: reply.name)
def test_promise_19_commands_and_comment(reply: Reply) -> None:
    script = script_of(reply.raw)
    assert lines(script.commands) == reply.commands
    assert script.comment == reply.comment
    assert script.problem is None


def test_promise_19_a_person_wrote_it() -> None:
    for reply in REPLIES:
        envelope = read_reply(reply.raw)
        assert envelope.automatic is None, reply.name
        assert envelope.author is not None, reply.name
        assert envelope.references, reply.name


@each_row("reply", WITH_HTML, ids=lambda reply: reply.name)
def test_promise_19_the_html_part_alone_says_the_same(reply: Reply) -> None:
    raw = html_alone(reply.raw)
    assert raw is not None
    script = script_of(raw)
    assert lines(script.commands) == reply.commands
    assert not quotes_in(script.comment, reply)
    assert [line for line in script.comment if line] == [line for line in reply.comment if line]


@pytest.mark.parametrize("command", ["resign", "a2-c4,b3", "challenge mallory"])
def test_promise_19_no_quoted_command_runs(command: str) -> None:
    def plant(text: str) -> str:
        for told in TOLD:
            text = text.replace(told, command)
        return text

    for reply in REPLIES:
        planted = rewritten(reply.raw, plant)
        assert lines(script_of(planted).commands) == reply.commands, reply.name


def test_promise_19_line_ends_of_any_kind() -> None:
    for reply in REPLIES:
        script = script_of(reply.raw.replace(b"\r\n", b"\n"))
        read = (lines(script.commands), script.comment)
        assert read == (reply.commands, reply.comment), reply.name


def test_promise_19_nine_of_ten_comments_are_free_of_quotes() -> None:
    clean = [reply for reply in REPLIES if not quotes_in(script_of(reply.raw).comment, reply)]
    assert len(clean) >= 0.9 * len(REPLIES)


def test_promise_19_there_are_replies_enough() -> None:
    assert len(REPLIES) >= 300
    assert {f"{reply.name}.eml" for reply in REPLIES} == {p.name for p in FOLDER.glob("*.eml")}
    commanding = [reply for reply in REPLIES if reply.commands and reply.comment]
    assert len(commanding) >= 270
    assert len(WITH_HTML) >= 120


@each_row(
    ("kind", "least"),
    [
        ("gmail", 30),
        ("outlook", 60),
        ("apple-mail", 4),
        ("iphone", 12),
        ("thunderbird", 15),
        ("yahoo", 5),
        ("proton", 3),
        ("samsung", 7),
        ("mutt", 2),
        ("html-only", 10),
        ("between", 6),
        ("below", 8),
    ],
)
def test_promise_19_each_program_is_here(kind: str, least: int) -> None:
    assert sum(kind in reply.name for reply in REPLIES) >= least


def test_promise_19_there_are_replies_that_were_written_before_they_were_read() -> None:
    assert sum(reply.name.startswith(("second-", "third-")) for reply in REPLIES) >= 97


def test_promise_19_each_charset_and_encoding_is_here() -> None:
    charsets: Counter[str] = Counter()
    encodings: Counter[str] = Counter()
    for reply in REPLIES:
        for part in email.message_from_bytes(reply.raw).walk():
            if part.get_content_maintype() == "text":
                charsets[part.get_content_charset() or ""] += 1
                encodings[part["Content-Transfer-Encoding"]] += 1
    assert encodings.keys() == {"7bit", "8bit", "base64", "quoted-printable"}
    wanted = """us-ascii utf-8 utf-16 iso-8859-1 iso-8859-2 iso-8859-7 iso-8859-8 iso-8859-9
        iso-8859-13 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1256
        windows-1257 windows-1255 gb18030 gbk big5 iso-2022-jp shift_jis euc-kr ks_c_5601-1987
        koi8-r tis-620"""
    assert charsets.keys() >= set(wanted.split())
