"""Every labelled board in the help is what the rules make of the moves told beside it."""

import pytest

from pbm.rules import abalone as rules
from tests.help.boards import after, boards_in, drawn, flow, set_up
from tests.help.pages import SUBJECTS, html_lines, page_text, text_lines
from tests.rows import each_row
from tests.rules.sentences import told

START = rules.start()
NEIGHBOURS = set_up("...../....../......./...xx.../...xox.../...xx.../......./....../.....", 2)
THREES = set_up("...../....../......./.......x/...oooxx./......../......./....../.....", 2)
PUSH = set_up("ooooo/oooooo/..o..../......../......o../......o./..xxx.x/xxxxx./xxxxx", 1)
OPENING = ("a1-c3,d4", "i5-g5,f5")
FIRST_GAME = (
    *("a1-c3,b2", "i5-g5,h5", "a2-c4,b3", "i6-g6,h6", "a3-c5,b4", "h5-f5,g5", "b6,c6"),
    *("i7-g7,h7", "b1,c2", "h9,g8", "a4-c6,b5", "i9-i8,i8", "b3-d5,c4", "i8-g8,h8"),
)

# What stands between the board above and this one, and the position to be shown.
TOLD = {
    "abalone": [
        ("THE BOARD", START),
    ],
    "abalone rules": [("d4 and d5 above, e4 and e6 beside, f5 and f6 below:", NEIGHBOURS)],
    "abalone notation": [
        ("=> c5,d5 Before:", START),
        ("After:", after(START, "c5,d5")),
        ("Here a1, b2 and c3 move in line, and a1 goes to b2: => a1-c3,b2 Before:", START),
        ("After:", after(START, "a1-c3,d4")),
        ("three marbles go sideways, to d4, d5 and d6: => c3-c5,d4 Before:", START),
        ("After:", after(START, "c3-c5,d4")),
        ("on e7 and f8, go against one x on g9", PUSH),
        ("After, with the x gone and one more for o:", after(PUSH, "e7-f8,g9")),
    ],
    "abalone tactics": [("With d8,e9 a third x joins them, and that push is gone:", THREES)],
    "abalone boards": [
        ("Two players, 14 marbles each:", rules.start("standard", 2)),
        ("Three players, 11 marbles each:", rules.start("standard", 3)),
        ("Four players, 8 marbles each:", rules.start("standard", 4)),
        ("Five players, 8 marbles each and 7 for the last:", rules.start("standard", 5)),
        ("Six players, 6 marbles each:", rules.start("standard", 6)),
        ("Now the bowls", rules.start("bowl", 2)),
        ("Three players, 10 marbles each:", rules.start("bowl", 3)),
        ("Four players, 7 marbles each:", rules.start("bowl", 4)),
        ("Five players, 7 marbles each:", rules.start("bowl", 5)),
        ("Six players, 6 marbles each:", rules.start("bowl", 6)),
    ],
    "tutorial": [
        ('"You are o (top)", and shows this:', START),
        ("=> a1-c3,b2", after(START, *OPENING)),
        ("It is your move again:", after(START, *FIRST_GAME)),
        ("=> c4-e6,d5", after(START, *FIRST_GAME, "c4-e6,f7")),
        ("he plays h4,h5.", after(START, *FIRST_GAME, "c4-e6,f7", "h4,h5", "d5-f7,g8")),
    ],
}


EVERY_BOARD = [
    (f"{name.upper()}, {players} players{' in teams' if teams else ''}:", position)
    for name, numbers in rules.BOARDS.items()
    for players in numbers
    for teams in (False, True)
    if not teams or (players == 4 and name == "bowl")
    for position in [rules.start(name, players, teams=teams)]
]


@each_row("name", rules.BOARDS)
def test_a_board_has_a_page_of_its_own(name: str) -> None:
    own = [(words, position) for words, position in EVERY_BOARD if words.startswith(name.upper())]
    own = [(words, position) for words, position in own if words[len(name)] == ","]
    for subject in (f"boards {name}", f"Boards {name.replace('_', '-')}"):
        assert [item.board for item in boards_in(subject)] == [drawn(item) for _, item in own]
        assert f"-layout={name}" in page_text(subject)


@each_row("subject", SUBJECTS)
def test_a_page_shows_the_boards_that_it_tells_of(subject: str) -> None:
    shown = boards_in(subject)
    told = TOLD.get(subject, EVERY_BOARD if subject == "boards all" else [])
    assert [item.board for item in shown] == [drawn(position) for _, position in told]
    for item, (words, _) in zip(shown, told, strict=True):
        assert words in item.words


@each_row("name", ["", *rules.BOARDS])
def test_boards_stand_in_both_parts_of_the_help_as_in_any_mail(name: str) -> None:
    label = f"{name.upper()}," if name else ""
    subject = f"boards {name or 'all'}"
    for lines in (text_lines(subject), html_lines(subject)):
        mail = "\n".join([*lines, ""])
        for words, position in EVERY_BOARD:
            if words.startswith(label):
                assert f"\n{position.drawn()}\n" in mail


@pytest.mark.parametrize(("board", "last"), [("standard", 5), ("bowl", 10)])
def test_each_board_of_the_server_is_drawn_for_each_number_of_players(
    board: str, last: int
) -> None:
    numbers = rules.BOARDS[board]
    positions = [rules.start(board, players) for players in numbers]
    section = boards_in("abalone boards")[last - len(numbers) : last]
    assert [item.board for item in section] == [drawn(position) for position in positions]
    for item, position in zip(section, positions, strict=True):
        assert item.words.endswith(_caption(position))


def test_no_board_of_the_server_is_missing() -> None:
    assert list(rules.BOARDS)[:2] == ["standard", "bowl"]
    assert len(boards_in("abalone boards")) == 10


def _caption(position: rules.AbalonePosition) -> str:
    number = ("", "", "Two", "Three", "Four", "Five", "Six")[position.players]
    *others, last = [position.count(seat) for seat in position.seats]
    assert len(set(others)) == 1
    more = "" if last == others[0] else f" and {last} for the last"
    return f"{number} players, {others[0]} marbles each{more}:"


def test_the_bowls_have_marbles_in_two_places_for_two_and_three_players() -> None:
    for players in rules.BOARDS["bowl"]:
        homes = list(map(rules.home_of, rules.start("bowl", players).marbles))
        assert [" and " in home for home in homes] == [players in (2, 3)] * players
    assert "With two and with three players, your marbles begin in two places." in flow(
        page_text("abalone boards")
    )


def test_the_first_game_lists_its_moves_as_a_mail_does() -> None:
    rounds = [FIRST_GAME[ply : ply + 2] for ply in range(0, len(FIRST_GAME), 2)]
    listed = [
        f"{f'{number + 1} (#{2 * number + 1}).':>10} {'  '.join(moves)}"
        for number, moves in enumerate(rounds)
    ]
    assert "\n".join(listed) in page_text("tutorial")
    assert after(START, *OPENING) == after(START, *FIRST_GAME[:2])


def test_the_first_game_has_a_push_of_two_and_then_one_off_the_edge() -> None:
    position = after(START, *FIRST_GAME)
    push = position.play(rules.parse_move("c4-e6,f7", position))
    assert _signs(position, "c4 d5 e6 f7 g8 h9") == "oooxx."
    assert _signs(push.position, "c4 d5 e6 f7 g8 h9") == ".oooxx"
    last = after(push.position, "h4,h5")
    off = last.play(rules.parse_move("d5-f7,g8", last))
    assert (off.ejected, off.effect.get("from"), off.position.scores) == ((2,), "h9", (1, 0))


def test_two_spellings_of_an_example_are_one_move() -> None:
    for position, texts in [
        (START, ("a1-c3,d4", "a1-c3,b2")),
        (START, ("c3-c5,d4", "c3-c5,d6")),
        (PUSH, ("e7-f8,g9", "e7-f8,f8")),
    ]:
        first, second = (rules.parse_move(text, position) for text in texts)
        assert first == second
        assert all(text in page_text("abalone notation") for text in texts)
    assert str(rules.parse_move("a1-c3,d4", START)) == "a1-c3,b2"


def test_the_order_of_two_ends_matters_as_told() -> None:
    assert _signs(after(START, "c3-c4,d4"), "d3 d4 d5") == ".oo"
    assert _signs(after(START, "c4-c3,d4"), "d3 d4 d5") == "oo."
    assert "c3-c4,d4 takes the two to d4 and d5, but c4-c3,d4 takes them to d3 and d4" in flow(
        page_text("abalone notation")
    )


def test_an_example_of_a_refusal_is_the_refusal() -> None:
    with pytest.raises(rules.IllegalMoveError) as refused:
        rules.parse_move("a1-b2,c3", START)
    assert f'written a1-b2,c3. We would have answered: "{told(refused.value)}"' in flow(
        page_text("tutorial")
    )


def test_a_third_marble_ends_the_push_as_the_tip_says() -> None:
    waiting = after(set_up(_rows(THREES), 1), "e4-e6,e7")
    assert _signs(waiting, "e5 e6 e7 e8 e9") == "oooxx"
    joined = after(THREES, "d8,e9")
    with pytest.raises(rules.IllegalMoveError) as refused:
        rules.parse_move("e4-e6,e7", joined)
    assert told(refused.value).startswith("Three marbles push two at most")


def test_separators_and_capitals_are_read_as_told() -> None:
    meant = rules.parse_move("a1-c3,d4", START)
    assert rules.parse_move("A1 - C3 ; D4", START) == meant
    assert rules.parse_move("a1-c3>d4", START) == meant


def _rows(position: rules.AbalonePosition) -> str:
    rows = position.state().split()[0]
    return rows.replace("1", "o").replace("2", "x")


def _signs(position: rules.AbalonePosition, cells: str) -> str:
    """What stands on some cells, read off the rows of the state line."""
    rows = _rows(position).split("/")
    signs = []
    for row, column in cells.split():
        number = "abcdefghi".index(row)
        signs.append(rows[number][int(column) - max(1, number - 3)])
    return "".join(signs)
