"""Promise 18: nothing we send is a command when it comes back.

Every kind of mail that we send, and every help page, is fed to the parser: quoted, without marks,
broken or filled anew at any width, as HTML turned to text. `tests/help` asks the same of each
single line of the help.
"""

from collections.abc import Iterable
from functools import cache

import pytest

from pbm.commands import script
from pbm.commands.script import confirmation, read_script
from pbm.commands.sentences.agreeing import WELCOME
from pbm.mail.reading.htmltext import html_to_text
from pbm.mail.reading.inbound import clean_subject
from pbm.mail.reading.quoting import OwnWords, find_own_words
from tests.help.pages import SUBJECTS, mailed
from tests.mail.reading.our_mails import (
    OurMail,
    broken,
    our_mails,
    own_words,
    quoted,
    refilled,
    without_marks,
)
from tests.rows import each_row

WIDTHS = range(60, 81)
EVERY_FOURTH = WIDTHS[::4]
SOME_WIDTHS = (60, 72, 76)
INTRODUCTIONS = (
    "On Sat, 21 Nov 2026 at 13:00, pbm <pbm@games.example> wrote:\n",
    "-----Original Message-----\nFrom: pbm <pbm@games.example>\nSent: today\nSubject: x\n",
    "________________________________\nVon: pbm <pbm@games.example>\nGesendet: heute\n",
)


@cache
def mails() -> list[OurMail]:
    return our_mails() + [
        OurMail(f"help {subject}", f"pbm: help {subject}", page.text.rstrip("\n"), page.html)
        for subject in SUBJECTS
        for page in [mailed(subject)]
    ]


every_mail = each_row("mail", mails, ids=lambda mail: mail.name)


def at_widths(thorough: Iterable[int]) -> pytest.MarkDecorator:
    """At some widths, and in the thorough run at more."""
    more = pytest.param(thorough, marks=pytest.mark.thorough, id="more")
    return pytest.mark.parametrize("widths", [pytest.param(SOME_WIDTHS, id="some"), more])


@pytest.fixture(autouse=True, scope="module")
def _lines_are_read_once() -> Iterable[None]:
    """A line says the same wherever it stands, and most stand in many of these bodies."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(script, "_read_line", cache(script._read_line))
        yield


@cache
def texts(mail: OurMail) -> Iterable[str]:
    """All that a program may have as the text of our mail, each once."""
    return dict.fromkeys((mail.text, html_to_text(mail.html), without_marks(mail.html)))


def rewrapped(text: str, widths: Iterable[int]) -> Iterable[str]:
    """The text as it is, and broken or filled anew, each once."""
    ways = (way(text, width) for width in widths for way in (broken, refilled))
    return dict.fromkeys((text, *ways))


def asked(words: OwnWords, subject: str) -> list[str]:
    """The commands in these words, in answer to a board's mail at that."""
    script = read_script(
        clean_subject(subject), words.lines, in_answer=True, below_quotes=words.below_quotes
    )
    return [command.line for command in script.commands]


def commands_in(body: str, subject: str) -> list[str]:
    """What a mail with this body would make us do."""
    return asked(find_own_words(body), subject)


@at_widths(WIDTHS)
@every_mail
def test_promise_18_as_it_is(mail: OurMail, widths: Iterable[int]) -> None:
    for text in texts(mail):
        for body in rewrapped(text, widths):
            words = find_own_words(body)
            for subject in (f"Re: {mail.subject}", "", "Hello"):
                assert asked(words, subject) == [], body
                # A reader of lines alone, without any cleaning, would find no command first.
                assert asked(OwnWords(tuple(body.split("\n"))), subject) == [], body
            assert confirmation(words.lines, WELCOME)[0] is None, body


@at_widths(EVERY_FOURTH)
@every_mail
def test_promise_18_quoted(mail: OurMail, widths: Iterable[int]) -> None:
    for text in texts(mail):
        for body in rewrapped(text, widths):
            assert own_words(quoted(body)) == ()
            assert own_words(quoted(body, ">")) == ()
            assert own_words(quoted(quoted(body))) == ()


@at_widths(WIDTHS)
@every_mail
def test_promise_18_quoted_and_broken_afterwards(mail: OurMail, widths: Iterable[int]) -> None:
    for text in texts(mail):
        for body in dict.fromkeys(broken(quoted(text), width) for width in widths):
            assert commands_in(body, mail.subject) == [], body
            assert commands_in(f"show\n\n{body}", mail.subject) == ["show"], body


@at_widths(EVERY_FOURTH)
@every_mail
def test_promise_18_below_an_introduction(mail: OurMail, widths: Iterable[int]) -> None:
    belows = [
        below
        for text in texts(mail)
        for body in rewrapped(text, widths)
        for below in (body, quoted(body))
    ]
    few = widths is SOME_WIDTHS
    turn = len(mail.text) % len(INTRODUCTIONS)  # at some widths one of them, whichever it is
    for introduction in INTRODUCTIONS[turn : turn + 1] if few else INTRODUCTIONS:
        for below in dict.fromkeys(belows):
            whole = f"{introduction}\n{below}"
            assert own_words(whole) == (), whole
            assert commands_in(f"show\n\n{whole}", mail.subject) == ["show"], whole


@at_widths(EVERY_FOURTH)
@every_mail
def test_promise_18_below_a_command_without_an_introduction(
    mail: OurMail, widths: Iterable[int]
) -> None:
    for text in texts(mail):
        for body in rewrapped(text, widths):
            assert commands_in(f"show\nThanks!\n\n{body}", mail.subject) == ["show"], body
            assert commands_in(f"show\n\n{body}", mail.subject) == ["show"], body


@every_mail
def test_promise_18_its_subject(mail: OurMail) -> None:
    for mark in ("", "Re: ", "AW: Re: ", "[club] ", "Fwd: "):
        assert commands_in("", mark + mail.subject) == []


def test_promise_18_every_kind_of_mail_is_here() -> None:
    assert len(mails()) >= 30 + len(SUBJECTS)
    assert sum(mail.is_a_boards for mail in mails()) >= 8
