"""What a mail asks for: subject first, then the body line by line."""

import re
from functools import partial
from pathlib import Path

import pytest

from pbm.commands.script import answer_to_welcome, confirmation, is_bare_yes, read_script
from pbm.commands.sentences.agreeing import WELCOME
from pbm.play.subjects import (
    board_named,
    board_subject,
    games_subject,
    is_own,
    question_subject,
)
from tests.mail.reading.promises import counted_calls
from tests.rows import each_row


def asked(subject: str, *said: str, in_answer: bool = False) -> tuple[list[str], list[str], str]:
    """The lines of the commands, the comment, and the code of the problem."""
    script = read_script(subject, said, in_answer=in_answer)
    problem = script.problem.code if script.problem else ""
    return [command.line for command in script.commands], list(script.comment), problem


def test_a_command_as_subject_makes_the_body_a_comment() -> None:
    assert asked("show 12", "", "show 13", "Hello", "") == (["show 12"], ["show 13", "Hello"], "")


def test_leading_lines_of_the_body() -> None:
    body = ("", "show 12", "", "games", "Hello", "show 13")
    assert asked("Hi", *body) == (["show 12", "games"], ["Hello", "show 13"], "")


def test_one_of_our_subjects_is_no_command() -> None:
    for subject in ("Abalone Board 12: alice v bob", "Please confirm: resign 12", "pbm: help"):
        assert asked(subject, "games") == (["games"], [], "")
        assert asked(subject, "Hello") == ([], ["Hello"], "")


def test_a_bare_move_is_a_command_in_an_answer_only() -> None:
    assert asked("", "a1-c3,d4", "Hi", in_answer=True) == (["a1-c3,d4"], ["Hi"], "")
    assert asked("", "a1-c3,d4", "Hi") == ([], ["Hi"], "bare-move")
    assert asked("a1-c3,d4", "Hi", in_answer=True) == (["a1-c3,d4"], ["Hi"], "")


def test_the_work_for_lines_below_quotations_is_bounded() -> None:
    said = ["so", ""] * 2000
    read = partial(read_script, "", said, in_answer=True, below_quotes=range(0, 4000, 2))
    assert len(read().comment) == 3999
    assert counted_calls(read) < 50_000


def test_the_work_for_lines_below_a_yes_is_bounded() -> None:
    said = ["Yes, and so it is", ""] * 2000
    assert answer_to_welcome(said)[0] is None
    assert counted_calls(lambda: answer_to_welcome(said)) < 100_000


def test_a_command_below_the_longest_yes() -> None:
    yes = ["Yes, please."] * 14
    assert answer_to_welcome([*yes, "show 12"]) == (True, ("show 12",))
    assert answer_to_welcome([*yes, "Yes, please.", "show 12"])[0] is None


def test_a_first_line_that_went_wrong_stops_all() -> None:
    assert asked("", "move e4", "games", "Hi") == ([], ["games", "Hi"], "syntax")
    assert asked("move e4", "Hi") == ([], ["Hi"], "syntax")
    assert asked("move e4", "games") == (["games"], [], "")
    assert asked("Hi", "shwo 12") == ([], [], "unknown-command")


@each_row(
    ("said", "below", "commands", "comment"),
    [
        (["Ouch!", "", "a1-c3,d4", "", "Bye"], [2], ["a1-c3,d4"], ["Ouch!", "", "Bye"]),
        (["Ouch!", "", "Hm.", "", "show 1", "games"], [2, 4], ["show 1", "games"], None),
        (["Ouch!", "", "a1-c3,d4", "", "show"], [2, 4], ["a1-c3,d4", "show"], ["Ouch!"]),
        (["a1-c3,d4", "", "Well.", "", "resign"], [2, 4], ["a1-c3,d4"], ["Well.", "", "resign"]),
        (["Ouch!", "", "a1-c3,d4"], [], [], ["Ouch!", "", "a1-c3,d4"]),
        (["Ouch!", "a1-c3,d4"], [0], [], ["Ouch!", "a1-c3,d4"]),
        (["Ouch!", "", "a1-c3,d4 or not?"], [2], [], ["Ouch!", "", "a1-c3,d4 or not?"]),
        (["Here it is.", "", "import 1", "x"], [2], [], ["Here it is.", "", "import 1", "x"]),
        (["chat 12 hello", "", "Thanks!"], [2], [], ["Thanks!"]),
        (["Well.", "", "chat 12 hello", "", "games"], [4], ["games"], ["Well."]),
        (["K -", "", "Q", "", "games"], [4], ["games"], None),
    ],
)
def test_the_first_command_below_a_quotation_counts(
    said: list[str], below: list[int], commands: list[str], comment: list[str] | None
) -> None:
    script = read_script("Re: x", said, in_answer=True, below_quotes=below)
    assert [command.line for command in script.commands] == commands
    if comment is not None:
        assert list(script.comment) == comment
    assert script.problem is None


def test_a_first_line_that_went_wrong_stops_those_below_as_well() -> None:
    script = read_script("", ["move e4", "", "games"], in_answer=True, below_quotes=[2])
    assert not script.commands
    assert script.problem is not None


def test_multiple() -> None:
    assert asked("MULTIPLE", "", "show 1", "", "games") == (["show 1", "games"], [], "")
    assert asked("multiple", "show 1", "Hello") == ([], [], "not-a-command")
    assert asked("multiple", "show 1", "move") == ([], [], "syntax")
    assert asked("multiple") == ([], [], "")


def test_nothing_at_all() -> None:
    assert asked("", "", " ") == ([], [], "")
    assert asked("Hello") == ([], [], "")


@pytest.mark.parametrize("subject", ["", "multiple"])
def test_twenty_and_no_more(subject: str) -> None:
    assert len(asked(subject, *["games"] * 20)[0]) == 20
    assert asked(subject, *["games"] * 21) == ([], [], "too-many-commands")
    assert asked(subject, *["games"] * 1_000_000) == ([], [], "too-many-commands")


@each_row(
    ("said", "answer", "rest"),
    [
        (["yes"], True, ()),
        (["", " YES ", "", "games"], True, ("games",)),
        (["ok"], True, ()),
        (["Confirm"], True, ()),
        (["no", "thanks"], False, ("thanks",)),
        (["yes please"], True, ()),
        (["Yes, please.", "games"], True, ("games",)),
        (["Hi Alice,", "", "yes", "", "games"], True, ("games",)),
        (["yes, resign 1"], None, ("yes, resign 1",)),
        (["o\u212a"], None, ("o\u212a",)),
        (["well", "yes"], True, ()),
        (["why", "yes"], None, ("why", "yes")),
        ([], None, ()),
    ],
)
def test_confirmations(said: list[str], answer: bool | None, rest: tuple[str, ...]) -> None:
    assert confirmation(said, WELCOME, with_commands=True) == (answer, rest)


def test_a_bare_yes() -> None:
    assert is_bare_yes(read_script("Re: x", ["yes"], in_answer=True))
    for said in (["no"], ["yes", "yes"], ["yes, I do"], ["games"], []):
        assert not is_bare_yes(read_script("Re: x", said, in_answer=True))


@each_row("handles", [["al", "bo"], ["a" * 16, "b" * 16, "cc"], ["aa"] * 6])
def test_our_subjects_are_recognised(handles: list[str]) -> None:
    subject = board_subject("abalone", handles).format(number=12)
    assert board_named(subject) == 12
    assert len(subject) <= 70
    for own in (
        subject,
        question_subject("move 12 " + "x" * 400),
        "pbm: help",
        "pbm: deine Partien",
        games_subject([None], "3 in progress"),
        games_subject(handles[:2], "3 in progress"),
        games_subject([*handles, "one", "more"], "3 in progress"),
        subject.upper(),
    ):
        assert is_own(own)
    assert len(question_subject("x" * 400)) < 100


@each_row(
    "subject",
    [
        "Abalone Board 12",
        "abalone board 12 a1-c3,d4",
        "Abalone Board 12: a1-c3,d4",
        "abalone board 12#3 a1-c3,d4",
        "Abalone Boards 12: alice v bob",
        "About Abalone Board 12: alice v bob",
        "help",
    ],
)
def test_what_players_write_is_not_taken_for_ours(subject: str) -> None:
    assert not is_own(subject)


@pytest.mark.parametrize("subject", ["Abalone Board 12 alice", "abalone board 12 alice **"])
def test_the_classic_subject_is_ours_too(subject: str) -> None:
    assert board_named(subject) == 12


def test_the_subject_of_the_example_in_the_readme_is_ours() -> None:
    readme = Path(__file__).resolve().parents[2] / "README.md"
    (subject,) = re.findall(r'"Subject: Re: (.*?)"', readme.read_text(encoding="utf-8"))
    assert is_own(subject)
