"""Userid and password where older servers wanted them: read over, and never seen again."""

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.play import PlayMove
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef
from pbm.commands.registry import Problem, parse_line
from tests.rows import each_row

WHAT = {"draw": "draw", "take-back": "takeback", "undo": "takeback"}


@each_row(
    "line",
    [
        "abalone move 12 alice sesame a1-c3,d4",
        "move 12#17 alice sesame a1-c3,d4",
        "board 12 alice sesame a1-c3,d4",
        "resign 12 alice sesame",
        "decline 12 alice sesame",
        "draw 12 alice sesame",
        "abalone propose 12 alice sesame",
        "undo 12 alice sesame",
        "rematch 12 alice sesame",
        "claim 12 alice sesame",
        "accept 12 alice sesame",
        "accept draw 12 alice sesame",
        "accept 12 take-back alice sesame",
        "reject undo 12 alice sesame",
    ],
)
def test_the_classic_place_is_read_over(line: str) -> None:
    command = parse_line(line)
    assert isinstance(command, Command)
    assert "sesame" not in command.line
    assert "****" in command.line
    if isinstance(command, PlayMove):
        assert command.move == "a1-c3,d4"
    if isinstance(command, Accept | Reject):
        assert command.board == BoardRef(12)
        assert command.what == next((WHAT[word] for word in WHAT if word in line), None)


@each_row(
    "line",
    [
        "move 12 alice sesame a1-c9",
        "resign 12 alice sesame now",
        "move 12 alice sesame",
        "accept draw 12 alice sesame now",
        "accept 12 undo alice sesame -x",
    ],
)
def test_a_botched_line_hides_it_too(line: str) -> None:
    problem = parse_line(line)
    assert isinstance(problem, Problem)
    assert "sesame" not in repr(problem)


def test_a_move_with_blanks_is_no_login() -> None:
    command = parse_line("move 12 a1 - c3 , d4")
    assert isinstance(command, PlayMove)
    assert command.move == "a1 - c3 , d4"
