"""The help as it is asked for, and as it is laid out."""

import re
from itertools import pairwise

import pytest

from pbm.commands.families.help import MARK, Help, help_page
from pbm.commands.language.declare import Command
from pbm.commands.registry import COMMAND_WORDS, COMMANDS, parse_line, parse_move
from pbm.errors import Refusal
from pbm.mail.reading.inbound import clean_subject
from pbm.mail.writing.blocks import COLUMNS, blocks_of
from pbm.resources import help_pages
from pbm.rules.robots import ROBOTS
from tests.help.boards import flow
from tests.help.pages import PAGES, SERVER, SUBJECTS, html_lines, mailed, page_text, text_lines
from tests.rows import each_row

PHONE = 40  # characters of fixed width that a narrow phone shows in a line

FILE_COLUMNS = 76  # of a page kept as a file; a mail of it is wrapped anew

MOST_THINGS = 8  # that a newcomer is told at once


def title(subject: str) -> str:
    return f"help {help_page(subject, COMMANDS, SERVER)['page']}".rstrip()


def test_the_pages_are_these() -> None:
    others = [
        "answers",
        "boards",
        "boards all",
        "clocks",
        "colours",
        "commands",
        "language",
        "limits",
        "picture",
        "privacy",
        "push",
    ]
    others += ["robots", "start", "time", "tutorial"]
    game = ["abalone", *(f"abalone {more}" for more in ("boards", "notation", "rules", "tactics"))]
    assert sorted([*others, *game]) == PAGES


@each_row("subject", SUBJECTS)
def test_a_page_fits_the_columns_of_a_mail(subject: str) -> None:
    assert max(map(len, text_lines(subject))) <= COLUMNS


@each_row("name", PAGES)
def test_a_page_can_be_read_as_a_file(name: str) -> None:
    text = help_pages()[name].read_text(encoding="ascii")
    assert max(map(len, text.split("\n"))) <= FILE_COLUMNS
    assert text.endswith("\n")


@each_row("subject", SUBJECTS)
def test_lines_that_keep_their_shape_fit_a_phone(subject: str) -> None:
    blocks = [block for block in page_text(subject).split("\n\n") if not block.startswith("- ")]
    shaped = [line for block in blocks for line in block.split("\n") if line.startswith(" ")]
    assert not [line for line in shaped if len(line) > PHONE]


@each_row("subject", SUBJECTS)
def test_a_list_item_stays_whole_over_several_lines(subject: str) -> None:
    """A line below an item that does not belong to it would be a paragraph of its own."""
    text = text_lines(subject)
    torn = [
        (above, line)
        for above, line in pairwise(text)
        if above.startswith("- ") and line and not line.startswith(("- ", "  "))
    ]
    assert not torn
    items = [line for block in page_text(subject).split("\n\n") for line in _items(block)]
    shown = html_lines(subject)
    assert all(any(item in line for line in shown) for item in items)


def _items(block: str) -> list[str]:
    """The items of a list, each as one line."""
    if not block.startswith("- "):
        return []
    return [" ".join(item.split()) for item in f"\n{block}".split("\n- ")[1:]]


@each_row("subject", SUBJECTS)
def test_nothing_is_left_to_fill_in(subject: str) -> None:
    assert not re.search("[{}`]", page_text(subject))


def test_both_parts_say_the_same() -> None:
    for subject in SUBJECTS:
        text = [line.removeprefix("- ") for line in text_lines(subject)]
        assert flow(" ".join(text)) == flow(" ".join(html_lines(subject)))


def test_help_alone_is_the_start_page_and_says_where_to_read_on() -> None:
    assert page_text("") == page_text("start") == page_text("me")
    assert title("") == "help"
    assert SERVER in page_text("")
    for name in ("tutorial", "abalone", "commands"):
        assert f'"help {name}"' in page_text("")


@each_row(("name", "most"), [("abalone", 100), ("boards", 30), ("boards german", 20)])
def test_a_first_page_is_short_and_leads_on(name: str, most: int) -> None:
    assert len(text_lines(name)) <= most
    if name == "boards german":
        return
    named = re.findall(r'"help ([a-z ]+)"', flow(page_text(name)))
    further = [page for page in PAGES if page.startswith(f"{name} ")]
    assert set(further) <= set(named)


def test_headings_and_links_of_a_page() -> None:
    html = mailed("abalone").html
    for title in ("THE BOARD", "TO READ NEXT"):
        assert re.search(f"<p style=[^>]*>{title}</p>", html)
    for page in PAGES:
        if page.startswith("abalone "):
            assert f'body=help%20{page.replace(" ", "%20")}">' in html


@each_row("option", ["-layout=german", "-bowl", "--nagtime=3d", "[-unrated]"])
def test_an_option_breaks_nowhere_in_html(option: str) -> None:
    block = blocks_of(f"Write {option} behind it.")[0]
    assert f'white-space:nowrap">{option.strip("[]")}</span>' in block.html
    assert block.text == f"Write {option} behind it."


def test_the_start_page_is_short() -> None:
    assert len(page_text("")) < 1500
    things = page_text("").partition("WHAT YOU CAN WRITE")[2].partition("TO READ NEXT")[0]
    assert things.count("\n- ") == MOST_THINGS


@each_row(
    "subject", ["help abalone", "pbm help abalone", "Re: pbm HELP  Abalone", "abalone help abalone"]
)
def test_the_rules_answer_to_a_subject(subject: str) -> None:
    command = parse_line(clean_subject(subject))
    assert isinstance(command, Help)
    assert title(command.subject or "") == "help abalone"


@each_row(
    ("subject", "page"),
    [
        ("rules", "abalone"),
        ("notation", "abalone notation"),
        ("abalone  Rules", "abalone rules"),
        ("tactics", "abalone tactics"),
        ("  Tutorial ", "tutorial"),
        ("abalone tutorial", "tutorial"),
        ("ai-pebble", "robots"),
        ("AI-Boulder", "robots"),
        *((name, "robots") for name in ROBOTS),
        ("robot", "robots"),
        ("ai", "robots"),
    ],
)
def test_a_page_has_other_names(subject: str, page: str) -> None:
    assert page_text(subject) == page_text(page)


@each_row("subject", ["vacations", "../start", "start.txt", "e5", "help move"])
def test_an_unknown_page_is_refused_with_those_there_are(subject: str) -> None:
    with pytest.raises(Refusal) as refused:
        help_page(subject, COMMANDS, SERVER)
    assert refused.value.code == "no-such-page"
    assert refused.value.params["subject"] == subject
    assert refused.value.params["pages"] == PAGES


@each_row("name", ["abalone", "abalone notation", "start", "tutorial", "robots"])
def test_what_a_page_shows_to_be_sent_can_be_sent(name: str) -> None:
    text = help_pages()[name].read_text(encoding="utf-8")
    shown = [line.removeprefix(MARK) for line in text.split("\n") if line.startswith(MARK)]
    for line in shown:
        assert isinstance(parse_move(line) or parse_line(line), Command)
    assert all(MARK.strip() not in line for line in shown)


@each_row("subject", SUBJECTS)
def test_a_command_named_in_a_sentence_exists(subject: str) -> None:
    for quoted in re.findall(r'"([^"]+)"', flow(page_text(subject))):
        begins, *more = quoted.split()
        if begins in COMMAND_WORDS and more and quoted != "go ahead":  # a yes
            assert isinstance(parse_line(quoted), Command)
        if begins == "help":
            assert help_page(" ".join(more), COMMANDS, SERVER)


def test_the_pages_for_newcomers_name_what_they_need() -> None:
    for name in ("start", "tutorial"):
        quoted = " ".join(re.findall(r'(?:"|=> )([^"\n]+)', page_text(name)))
        for word in ("challenge", "resign", "decline", "show", "games", "help", "a1-c3,b2"):
            assert word in quoted.split()
