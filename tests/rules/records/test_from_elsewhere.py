"""Games as other programs save them: in Aba-Pro notation, on the boards of the wider community."""

import re

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.records.text_parts import replay_of
from tests.rows import each_row
from tests.rules.records.making import final, made, plies, read, winners, written
from tests.rules.sentences import told
from tests.rules.setups import CELLS

GERMAN = """\
[Event "Friendly"]
[Site "Lyon"]
[Date "2009.03.14"]
[Round "?"]
[White "Ash, T."]
[Black "Morel"]
[Variant "German Daisy"]
[Notation "Aba-Pro"]
[Result "1-0"]
[Annotator "Morel"]

1.h9g8 g4f4 2.c1d2 c7c6 3.c3d3 b6c6 4.e3f3 c6d6 5.g9f8 {a quiet move} e4f4e5
6.c2d3 d7d6 7.g8g7 h4g4 8.b1b2c2 e6f6 9.c2d3 d5d4! 10.g5f5 b5c5
11.d3e4 c5c4 12.e4f5 c4d4 (12...e4d4 13.f5e4) 13.g6h7 c3c4 14.h6g5 e3e4 15.c2d2c3 d6d5
16.i8h7 d4e5 17.h7g6 e5f6 18.f3e3 g7h8 19.e3e4 h8h7 20.g6f5 c4c5
21.f5e4 g4f3 22.d3c2 1-0
"""
BELGIAN = """\
[Black "Nord"]
[White "Sued"]
[Variant "Belgian_Daisy"]
[Notation "ABA-PRO"]
[Result "0-1"]
[Termination "time forfeit"]
1. B3C3C4 A5B5 2. B2C2C3 B5C5 3. G7G8F6 H6G6 4. H7G7 B6C6 5. A1B1B2 H5G5
6. F7F6 H4G4 7. A2B2 I5I6H5 8. C2C3 G4G5 9. C3C4 C7D7 10. D2E3 D7D6
11. H9G8 H5H6 12. D2D3C2 G6H7 13. G8H8
0-1
"""
# The starts as they are drawn elsewhere: i at the top, a at the bottom.
GERMAN_START = """
    . . . . .
   w w . . b b
  w w w . b b b
 . w w . . b b .
. . . . . . . . .
 . b b . . w w .
  b b b . w w w
   b b . . w w
    . . . . .
"""
BELGIAN_START = """
    w w . b b
   w w w b b b
  . w w . b b .
 . . . . . . . .
. . . . . . . . .
 . . . . . . . .
  . b b . w w .
   b b b w w w
    b b . w w
"""


class Club:
    """A board as it is named elsewhere, on which moves are simply made: nothing is checked."""

    def __init__(self, picture: str) -> None:
        self.on: dict[tuple[int, int], str] = {}
        for row, line in zip(range(9, 0, -1), picture.strip("\n").split("\n"), strict=True):
            first = max(1, row - 4)
            for column, sign in enumerate(line.split(), first):
                if sign != ".":
                    self.on[row, column] = sign

    def play(self, text: str) -> None:
        cells = [("abcdefghi".index(r) + 1, int(c)) for r, c in re.findall("([a-i])([1-9])", text)]
        first, last, target = cells[0], cells[-2], cells[-1]
        step = target[0] - first[0], target[1] - first[1]
        if len(cells) == 2:
            chain = [first]
            while (ahead := _next(chain[-1], step)) in self.on:
                chain.append(ahead)
        else:
            along = [(last[i] > first[i]) - (last[i] < first[i]) for i in (0, 1)]
            chain = [first]
            while chain[-1] != last:
                chain.append((chain[-1][0] + along[0], chain[-1][1] + along[1]))
        moved = {_next(cell, step): self.on.pop(cell) for cell in chain}
        self.on |= {cell: sign for cell, sign in moved.items() if _is_on_board(cell)}

    def seats(self) -> str:
        """The signs of the cells as our state line has them, row by row from the top."""
        signs = {"b": "1", "w": "2", ".": "."}
        places = [("abcdefghi".index(name[0]) + 1, int(name[1])) for name in CELLS]
        return "".join(signs[self.on.get((10 - r, c + 5 - r), ".")] for r, c in places)


def _next(cell: tuple[int, int], step: tuple[int, int]) -> tuple[int, int]:
    return cell[0] + step[0], cell[1] + step[1]


def _is_on_board(cell: tuple[int, int]) -> bool:
    return all(1 <= number <= 9 for number in cell) and abs(cell[0] - cell[1]) < 5


def marbles(position: rules.AbalonePosition) -> str:
    return position.state().split()[0].replace("/", "")


@pytest.mark.parametrize(
    ("text", "start", "count"), [(GERMAN, GERMAN_START, 43), (BELGIAN, BELGIAN_START, 25)]
)
def test_it_is_imported_move_by_move(text: str, start: str, count: int) -> None:
    record = read(text)
    club = Club(start)
    assert marbles(replay_of(record).start) == club.seats()
    without_asides = re.sub(r"\[.*?\]|\{.*?\}|\(.*?\)|!", "", text).lower()
    texts = re.findall(r"\b(?:[a-i][1-9]){2,3}\b", without_asides)
    assert len(texts) == plies(record) == count
    for move, each in zip(texts, replay_of(record).steps, strict=True):
        club.play(move)
        assert marbles(each.position) == club.seats(), move


def test_what_else_is_in_it() -> None:
    german, belgian = read(GERMAN), read(BELGIAN)
    assert (german.options["layout"], german.names) == ("german", ("Morel", "Ash, T."))
    assert (winners(german), final(german).outcome.by, german.ended) == ((1,), "ejections", None)
    assert dict(german.tags)["Date"] == "2009.03.14"
    assert [name for name, _ in german.tags] == ["Event", "Site", "Date", "Round", "Annotator"]
    assert (belgian.options["layout"], belgian.names) == ("belgian", ("Nord", "Sued"))
    assert (winners(belgian), belgian.ended) == ((2,), rules.Ending("record", (2,)))
    assert belgian.tags == (("Termination", "time forfeit"),)
    for record in (german, belgian):
        assert read(written(record)) == record


def test_an_illegal_move_is_named_as_people_count() -> None:
    wrong = GERMAN.replace("13.g6h7", "13.i6h6")
    with pytest.raises(rules.RecordError) as refused:
        read(wrong)
    error = refused.value
    assert (error.reason, *map(error.params.get, ("ply", "number", "seat"))) == (
        "empty-cell",
        25,
        13,
        1,
    )
    assert error.params.get("given") == "i6h6"
    position = replay_of(read(GERMAN)).steps[23].position
    with pytest.raises(rules.IllegalMoveError) as own:
        rules.parse_abapro("i6h6", position)
    assert told(error) == f'Move 13 (ply 25, seat 1) reads "i6h6": {told(own.value)}'


def test_the_notation_is_not_guessed() -> None:
    with pytest.raises(rules.RecordError) as refused:
        read(GERMAN.replace('[Notation "Aba-Pro"]\n', ""))
    assert (refused.value.reason, refused.value.params.get("ply")) == ("not-a-move", 1)
    assert '[Notation "Aba-Pro"]' in told(refused.value)
    with pytest.raises(rules.RecordError) as refused:
        read(GERMAN.replace("Aba-Pro", "pbm"))
    assert '[Notation "Aba-Pro"]' not in told(refused.value)


@each_row(
    ("variant", "board"),
    [
        ("Belgian Daisy", "belgian"),
        ("BELGIAN-DAISY", "belgian"),
        ("german_daisy", "german"),
        ("SwissDaisy", "swiss"),
        ("Dutch daisy", "dutch"),
        ("Korean Daisy", "korean_daisy"),
        ("The Wall", "the_wall"),
        ("wall", "the_wall"),
        ("Face to Face", "face_to_face"),
        ("Face-To-Face", "face_to_face"),
        ("Snakes Variant", "snakes_variant"),
        ("Standard", "classic"),
        ("Classic", "classic"),
        ("Abalone", "classic"),
        ("bowl", "bowl"),
        ("pbm standard", "standard"),
    ],
)
def test_the_names_of_boards(variant: str, board: str) -> None:
    record = read(f'[Variant "{variant}"][Notation "Aba-Pro"]')
    assert record.options["layout"] == board


def test_standard_is_ours_in_our_notation() -> None:
    assert read('[Variant "Standard"] 1. a1-c3,d4').options["layout"] == "standard"
    assert read("1. a1-c3,d4").options["layout"] == "standard"
    assert read('[Notation "Aba-Pro"] 1. a1b2').options["layout"] == "classic"
    ours = made("standard", steps=("a1-c3,b2",))
    assert '[Variant "pbm standard"]' in written(ours, apgn=True, abapro=True)


def test_every_board_is_known_by_its_name_in_both_notations() -> None:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            for notation in ("pbm", "Aba-Pro"):
                text = written(made(board, players), apgn=True, abapro=notation == "Aba-Pro")
                assert read(text).options["layout"] == board
