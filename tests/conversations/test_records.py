"""Games leave and come as records, by mail."""

from random import Random

import pytest

from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line, parse_move
from pbm.play.limits import IMPORTS
from pbm.rules import abalone as rules
from tests.conversations.greedy import greedy_move
from tests.table import SERVER, Person, Table

ELSEWHERE = """[Event "Club evening"]
[Black "Ann"]
[White "Ben"]
[Variant "Belgian Daisy"]
[Notation "Aba-Pro"]
[Result "*"]

1. a1b2 i5h5 2. a2b3
g4g5 *
"""


def played(table: Table, people: list[Person], number: int, plies: int) -> None:
    """Play some plies of a board by mail."""
    chance = Random(7)
    for _ in range(plies):
        board = table.board(number)
        mover = board.to_move
        assert mover is not None
        person = next(item for item in people if item.address.startswith(f"{mover.handle}@"))
        person.says(f"move {number} {greedy_move(board.position, chance)}")


def exported(person: Person, line: str) -> str:
    """The record that a mail of ours holds."""
    person.says(line)
    return person.newest.text


def same_game(table: Table, one: int, other: int) -> None:
    """Check that two boards hold the same game."""
    first, second = table.board(one), table.board(other)
    assert (first.start_state, first.state) == (second.start_state, second.state)
    assert table.moves(one) == table.moves(other)
    told = [
        [(item.after_ply, item.seat, item.how) for item in table.departures(number)]
        for number in (one, other)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("form", ["", "-json", "-apgn -abapro"])
def test_what_is_exported_can_be_imported(form: str, table: Table) -> None:
    alice, bob, carol = people = table.start("alice", "bob", "carol", bowl=True)
    played(table, people, 1, 8)
    bob.says("resign 1")
    text = exported(alice, f"export 1 {form}")
    carol.says(f"import\n\n{text}").hears(
        "Imported: 3 moves (#8) on the bowl board. It is board 2 now", "Board 2 is closed."
    )
    same_game(table, 1, 2)
    again = exported(carol, f"export 2 {form}")
    assert again.replace("Board 2", "Board 1").split() == text.split()


def test_a_bare_list_needs_its_board(table: Table) -> None:
    alice, bob = people = table.start("alice", "bob")
    played(table, people, 1, 5)
    alice.says("challenge bob -layout=german")
    played(table, people, 2, 5)
    text = exported(alice, "export 2 -abapro")
    alice.says(f"import -abapro\n{text}").hears(
        "I cannot import this record.",
        'name the board. For example: "import -abapro -layout=belgian".',
    )
    alice.says(f"import -abapro -layout=german\n{text}").hears("It is board 3 now")
    same_game(table, 2, 3)
    assert bob.newest["Subject"].startswith("Abalone Board 2")  # a record is nobody else's


def test_a_game_from_elsewhere_is_kept_with_its_names(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says(f"import\n{ELSEWHERE}").gets(1).hears(
        "Abalone Board 1: Ann v Ben",
        "It is board 1 now, as a record of yours",
        "Ann (o) 0, Ben (x) 0",
    )
    assert table.moves(1) == ["i5-g5,h5", "a1-c3,b2", "i6-h6,h6", "c2-c3,c3"]
    bob.says("show 1").hears("Board 1 is closed.", "1 (#1). i5-g5,h5 a1-c3,b2 2 (#3). ")
    for line in ("move 1 c5,d5", "resign 1", "draw 1", "decline 1"):
        alice.says(line).hears("Board 1 is over.")
    alice.says("rematch 1").hears("You do not play on board 1.")
    alice.says("games all").hears("Board 1: Ann, Ben. Closed.")


def test_its_tags_come_back(table: Table) -> None:
    alice = table.joins("alice")
    date = '[Date "2009.03.14"]\n[Annotator "A. \\"Q\\" Nonymous"]\n'
    text = ELSEWHERE.replace("[Black", f"{date}[Black")
    alice.says(f"import\n{text}")
    for form in ("", "-json", "-apgn -abapro"):
        again = exported(alice, f"export {table.boards()[-1]} {form}")
        record = rules.parse_record(again, {})
        assert record == rules.parse_record(text, {})
        assert dict(record.tags)["Date"] == "2009.03.14"
        alice.says(f"import\n{again}")


def test_a_name_that_nobody_knows_is_not_made_up(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("import -abapro -layout=belgian\n1. a1b2 i5h5 *").hears("seat 1 (o) 0, seat 2 (x) 0")
    record = rules.parse_record(exported(alice, "export 1"), {})
    assert (record.names, record.tags) == (("", ""), ())


def test_the_first_illegal_move_is_named_with_its_reason(table: Table) -> None:
    alice = table.joins("alice")
    wrong = ELSEWHERE.replace("a2b3", "e5e6")
    alice.says(f"import\n{wrong}").gets(1).hears(
        'Move 2 (ply 3, seat 1) reads "e5e6":', "Nothing has changed."
    )
    assert table.boards() == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "There is no record in your mail."),
        ("hello there", "I cannot import this record."),
        ('[Variant "Mars"]\n\n1. a1-c3,b2', "I cannot import this record."),
        ("State: " + rules.start().state(), "I cannot import this record."),
        ("{", "I cannot import this record."),
    ],
)
def test_what_is_no_record_is_refused(text: str, told: str, table: Table) -> None:
    alice = table.joins("alice")
    alice.says(f"import\n{text}").gets(1).hears(told, "Nothing has changed.")
    assert table.boards() == []


def test_the_subject_will_do_and_without_a_proof_it_is_asked_about(table: Table) -> None:
    alice = table.joins("alice")
    alice.writes("import", ELSEWHERE).hears('Did you send "import"?', '| [Event "Club evening"]')
    assert table.boards() == []
    alice.says("yes").hears("Imported")
    assert table.board(table.boards()[0]).from_record


def test_other_commands_go_before_the_text(table: Table) -> None:
    alice = table.joins("alice")
    alice.says(f"whoami\nimport\n{ELSEWHERE}").hears("You are alice", "It is board 1 now")
    alice.says(f"settle\nimport\n{ELSEWHERE}").gets(1)
    alice.writes("multiple", f"import\n{ELSEWHERE}").hears('Did you send "import"?')


def test_how_a_game_ended_goes_along(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw")
    bob.says("accept")
    for form in ("", "-json"):
        text = exported(alice, f"export 1 {form}")
        alice.says(f"import\n{text}").hears("is over: a draw.")
        number = table.boards()[-1]
        kept = table.board(number)
        assert (kept.status, kept.ended_by, kept.winners) == ("finished", "agreed", ())


@pytest.mark.parametrize("form", ["", "-json", "-diagram", "-apgn -abapro", "-abapro"])
def test_no_line_of_a_record_is_a_command_when_it_comes_back(form: str, table: Table) -> None:
    alice, _ = people = table.start("alice", "bob")
    played(table, people, 1, 6)
    text = exported(alice, f"export 1 {form}")
    found = [parse_move(line) or parse_line(line) for line in text.split("\n")]
    assert [item.line for item in found if isinstance(item, Command)] == []


def test_a_record_has_one_form(table: Table) -> None:
    alice, *_ = table.start("alice", "bob", "carol")
    alice.says("export 1 -json -diagram").hears("A record has one form")
    alice.says("export 1 -json -apgn").hears("A record has one form")
    alice.says("export 1 -abapro").hears("write -apgn -abapro instead")
    alice.says("export 7").hears("There is no board 7.")


def test_one_record_too_many_leaves_the_rest_of_the_mail(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    with table.database.transaction() as work:
        while IMPORTS.take(work, table.clock(), 1):
            pass
    alice.says(f"move 1 a1-c3,b2\nimport\n{ELSEWHERE}").gets(2).hears("30 times", "You played")
    assert table.moves(1) == ["a1-c3,b2"]
    bob.hears("alice played a1-c3,b2")
    assert "Club evening" not in bob.newest.text


def test_a_record_below_a_refused_line_counts_once(table: Table) -> None:
    alice = table.joins("alice")
    alice.says(f"add {SERVER}\nimport\n{ELSEWHERE}").hears("Imported")
    (left,) = (row for row in table.rows("buckets") if row["key"].startswith("imports:"))
    assert left["tokens"] == IMPORTS.most - 1
