"""However a move was typed, everything that we print has its one canonical text."""

import re
from html import unescape

import pytest

from pbm.rules.abalone import NotationError
from pbm.rules.abalone.notation import read_canonical
from tests.help.pages import SUBJECTS, page_text
from tests.rows import each_row
from tests.table import Mail, Person, Table

MOVE = re.compile(r"\b[a-i][1-9](?:-[a-i][1-9])?,[a-i][1-9]\b", re.IGNORECASE)
QUOTED = re.compile(r"^\| .*$|<blockquote>.*?</blockquote>", re.MULTILINE)
OPENING = (  # what is typed, and what is printed
    ("a1-c3,d4", "a1-c3,b2"),
    ("I5-G5;F5", "i5-g5,h5"),
    ("a2 – c4 > d5", "a2-c4,b3"),
    ("g6-i6,f6", "i6-g6,h6"),
    ("Move 1: b1 , c1", "b1,c1"),
    ("ｇ７->ｆ７", "g7,f7"),
    ("b6-b5,c7", "b5-b6,c6"),
    ("move 1 h9 , g9 #8", "h9,g9"),
)
EXPLAINED = (  # what is typed, and whether its mail says that it has another name
    ("A1 – C3; B2", False),
    ("I5-G5;H5", False),
    ("a2-c4,d5", True),
    ("g6-i6,f6", True),
    ("b1,c1", False),
    ("ｇ７->ｆ７", False),
    ("b6-b5,c7", False),
    ("h9,g9", False),
)
TAUGHT = (  # in the help, as what may be typed, or may not
    "a1-c3,d4 is the same move",
    "The same is c3-c5,d6,",
    "The same is e7-f8,g9,",
    "but c4-c3,d4 takes",
    "a1-b2,c3 is refused",
    "You could have written a1-c3,d4 as well",
    "Say you had written a1-b2,c3.",
)


def is_canonical(text: str) -> bool:
    try:
        return str(read_canonical(text)) == text
    except (NotationError, ValueError):
        return False


def otherwise_written(text: str) -> list[str]:
    """The moves in a text that aren't in their canonical text."""
    return [move for move in MOVE.findall(text) if not is_canonical(move)]


def printed(mail: Mail) -> str:
    """What we say in a mail, without the lines of somebody's that it quotes."""
    shown = f"{mail['Subject']}\n{mail.text}\n{mail.html}"
    return unescape(QUOTED.sub("", shown))


def everything(table: Table) -> list[Mail]:
    return [mail for box in table.mailboxes.values() for mail in box]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("a1-c3,b2", True), ("a1-c3,d4", False), ("c3-a1,d4", False), ("A1-c3,b2", False)],
)
def test_the_test_knows_one_from_the_other(text: str, canonical: bool) -> None:
    assert bool(otherwise_written(f"It is {text}.")) != canonical


def play(people: list[Person]) -> None:
    """Type the moves of the opening, looking at each before and after."""
    for ply, (typed, written) in enumerate(OPENING):
        mover, other = people[ply % 2], people[1 - ply % 2]
        if "move" not in typed.lower():
            mover.says(f"preview {typed}").hears(f"as it would be after {written}")
        mover.says(typed)
        other.hears(f"played {written}.")


def test_all_that_comes_of_a_game(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    first = bob.newest
    play(people)
    assert table.moves(1) == [written for _, written in OPENING]
    alice.says("show 1#3").says("export").says("export -json").says("show")
    for wrong in (
        "a2-a4,b5",
        "a1-b2,c3",
        "moev c3-c5,d6",
        "c3-c5 to d6",
        "a3 - b3, d5",
        "c3-c5,c5",
    ):
        alice.says(f"{wrong}\n\nI hope that a3-c5,d6 is better.")
    bob.says("takeback\n\nI meant h8-h9,g9")
    alice.says("accept")
    bob.says("h9-h8,g8", answering=first).hears('"move #8 on board 1: h8-h9,g7" played')
    bob.says("no").writes("move 1 h9 - h8 ; g8").hears(
        "Please confirm: move #8 on board 1: h8-h9,g7"
    )
    bob.says("yes")
    alice.hears("bob played h8-h9,g7.").says("h9-f9,e9").says("resign")
    found = {mail["Subject"]: otherwise_written(printed(mail)) for mail in everything(table)}
    assert not [(subject, moves) for subject, moves in found.items() if moves]
    assert len(everything(table)) > 30


def test_the_two_names_of_a_move_are_explained_once_to_each(table: Table) -> None:
    people = table.start("alice", "bob")
    for ply, (typed, explains) in enumerate(EXPLAINED):
        mover, other = people[ply % 2].says(typed), people[1 - ply % 2]
        assert ("is the same move as" in " ".join(mover.newest.text.split())) is explains, typed
        assert "same move" not in other.newest.text


def test_they_are_explained_in_the_mail_that_has_the_answer_of_a_robot(table: Table) -> None:
    table.robots_join()
    alice = table.joins("alice").says("challenge pebble").forgets()
    alice.says("a1-c3,d4").hears_nothing()
    table.robots_think()
    alice.gets(1).hears(
        "You wrote a1-c3,d4, and that is the same move as a1-c3,b2:", "pebble played"
    )


@each_row("subject", SUBJECTS)
def test_the_help_but_where_it_explains_other_ways(subject: str) -> None:
    page = " ".join(page_text(subject).split())
    for taught in TAUGHT:
        page = page.replace(taught, "")
    assert not otherwise_written(page)


def test_what_is_taught_stands_in_the_help() -> None:
    pages = " ".join(" ".join(page_text(subject).split()) for subject in SUBJECTS)
    assert [taught for taught in TAUGHT if taught not in pages] == []
