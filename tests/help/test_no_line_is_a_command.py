"""Nothing in the help is a command when it comes back, be it unquoted, wrapped or as HTML."""

from collections.abc import Iterable, Iterator
from functools import cache
from textwrap import wrap

import pytest

from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line, parse_move, whole_move
from pbm.commands.script import Script, confirmation, read_script
from pbm.commands.sentences.agreeing import WELCOME, Asked, agrees
from pbm.commands.sentences.agreeing_words import KINDS, Language
from pbm.play.subjects import is_own
from tests.help.pages import PAGES, SUBJECTS, html_lines, mailed, text_lines
from tests.mail.reading.our_mails import own_words
from tests.rows import each_row

ANY_WIDTH = range(40, 121)  # columns; nobody's mail program wraps at less


def commands_among(lines: Iterable[str]) -> dict[str, Command]:
    """The lines that would be obeyed, in answer to a board's mail at that."""
    read = {line: parse_move(line) or parse_line(line) or whole_move(line) for line in lines}
    return {line: found for line, found in read.items() if isinstance(found, Command)}


@cache
def rewrapped(subject: str) -> frozenset[str]:
    """All that a line of the mail can become in windows of any width."""
    lines = html_lines(subject)
    return frozenset(part for width in ANY_WIDTH for line in lines for part in wrap(line, width))


COMMANDS = (
    "resign 12|delete|newkey|vacation 2026-12-24 10d|move 12#17 a1-c3,b2|challenge bob|block bob"
)
QUESTIONS = [
    *(Asked((kind,), names=("alice",)) for kind in ("play", "draw", "takeback")),
    *(Asked.about([line], ("alice",)) for line in f"{COMMANDS}|change handle dora".split("|")),
    Asked(("address",), names=("alice",), grave=True),
]
EVERYTHING = Asked(KINDS, names=("alice",))


@each_row("subject", SUBJECTS)
def test_no_line_of_the_text_part_is_a_command(subject: str) -> None:
    assert not commands_among(text_lines(subject))


@each_row("subject", SUBJECTS)
def test_no_line_of_the_html_part_is_a_command(subject: str) -> None:
    assert not commands_among(html_lines(subject))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_line_changes_anything_wrapped_at_any_width(subject: str) -> None:
    found = commands_among(rewrapped(subject))
    written = subject in PAGES  # these don't even show anything
    assert not [line for line, command in found.items() if written or not command.reads_only]


@pytest.fixture(scope="module")
def words_are_read_once() -> Iterator[None]:
    """The same words begin a line in windows of any width, and are asked for in each language."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Language, "plain", cache(Language.plain))
        patched.setattr(Language, "_listed", cache(Language._listed))
        yield


@pytest.mark.usefixtures("words_are_read_once")
@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_line_answers_a_question(subject: str) -> None:
    lines = {*text_lines(subject), *html_lines(subject), *rewrapped(subject)}
    assert not [line for line in lines if confirmation([line], WELCOME)[0] is not None]
    # A yes to any question is one to a question about everything, which is asked first for speed.
    perhaps = [line for line in lines if agrees([line], EVERYTHING)]
    assert not [line for line in perhaps if any(agrees([line], asked) for asked in QUESTIONS)]


@each_row("subject", SUBJECTS)
def test_a_page_that_comes_back_whole_runs_nothing(subject: str) -> None:
    rendered = mailed(subject)
    for said in (own_words(rendered.text), html_lines(subject)):
        script = read_script(f"pbm: help {subject}", said, in_answer=True)
        assert script == Script(comment=script.comment, problem=script.problem, said=script.said)


def test_the_subject_of_an_answer_is_no_command() -> None:
    assert is_own(mailed("abalone").subject)


def test_a_command_would_be_found() -> None:
    assert commands_among(["see", "  show 12 ", "c5,d5"]).keys() == {"  show 12 ", "c5,d5"}
