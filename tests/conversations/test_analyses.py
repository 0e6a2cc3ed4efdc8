"""A game that is over is analysed, piece by piece, and told to whoever asks."""

import re
from dataclasses import replace
from random import Random
from traceback import extract_stack

import pytest
from sqlalchemy import update

from pbm.play import advice
from pbm.play.advice import mark_of
from pbm.play.boards import marks_alike
from pbm.play.limits import ANALYSES
from pbm.robots import analysis
from pbm.rules import abalone as rules
from pbm.rules.contract import Game, Position
from pbm.service.robots.jobs import RobotJobs
from pbm.store.schema.games import boards
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import mirrored, plays_on, plays_silently
from tests.serving import think_next
from tests.table import Person, Table

LOOK_AT = analysis.look_at
MOST_BYTES = 40_000
# As version 0023 of the schema kept it, until what the made moves allowed was told as well.
KEPT_BEFORE = {
    "mistakes": [
        {
            "ply": 2,
            "seat": 2,
            "move": "i5-h5,i6",
            "lost": 130,
            "line": ["i9-g7,h8", "a2-c4,b3"],
            "misses_win": False,
            "allows_loss": False,
            "reasons": [{"what": "centre", "count": 3}],
        },
        {
            "ply": 4,
            "seat": 2,
            "move": "i8-g6,h7",
            "lost": 2_000,
            "line": ["i6,h6"],
            "misses_win": True,
            "allows_loss": True,
            "reasons": [],
        },
    ],
    "last": None,
    "most": 1_000,
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is looked at, in pieces of two plies."""
    monkeypatch.setattr(analysis, "SHORT_LOOK", 60)
    monkeypatch.setattr(analysis, "LONG_LOOK", 120)
    monkeypatch.setattr(analysis, "PIECE", 120)


def played(table: Table, *handles: str, plies: int = 8) -> list[Person]:
    """A game of some plies, which everybody but the first resigns."""
    people, chance = table.start(*handles), Random(3)
    for _ in range(plies):
        board = table.board(1)
        assert board.to_move
        mover = people[handles.index(board.to_move.handle)]
        mover.says(f"move 1 {greedy_move(rules.parse_state(board.state), chance)}")
    for person in people[1:]:
        person.says("resign 1")
    return [person.forgets() for person in people]


@pytest.mark.on_postgresql
def test_the_moves_that_cost_most_are_told_and_kept(table: Table) -> None:
    alice, bob = played(table, "alice", "bob")
    alice.says("analyse 1").gets(1).hears("Board 1 is being analysed, all its moves.")
    bob.says("analyze 1").gets(1).hears("Board 1 is being analysed")
    for person in (alice, bob):
        person.forgets()
    table.robots_think()
    told = alice.gets(1).newest.text
    alice.hears(
        "On board 1 these three moves cost most, as far as our robots can see.",
        "Who was ahead, and by how many marbles, from the first move to the last: you above, bob",
        "It costs about 0.",
        "The best answer is ",
        "A better move was ",
        "After the last move The best line from there: 5 (#9). ",
        "What the mistakes were about - you: three moves to the centre missed,",
        "moves 1 (#1), 3 (#5) and 4 (#7)",
        "Board 1 is over: you win.",
    )
    assert told.count("A better") == told.count("The best answer is") == 3
    assert told.count("A- ") == 4, "a board for each, and the last one"
    assert len(alice.newest.raw) < MOST_BYTES
    assert " It " in told.replace("\n", " ")
    bob.gets(1).hears("On board 1 these three moves cost most")
    assert not table.rows("thoughts")
    assert not table.rows("analysis_readers")
    carol = table.joins("carol")
    carol.says("analyse 1").gets(1).hears("On board 1 these three moves cost most")
    assert "your" not in carol.newest.text.split("Board 1 is over")[0]
    assert not table.rows("thoughts")


def test_who_asked_first_may_be_gone_when_it_is_told(table: Table) -> None:
    alice, bob = played(table, "alice", "bob")
    alice.says("analyse 1")
    bob.says("analyse 1").forgets()
    alice.says("delete").says("yes").forgets()
    table.robots_think()
    bob.gets(1).hears("On board 1 these three moves cost most")
    alice.hears_nothing()


def test_its_lines_stand_in_the_record_and_are_no_part_of_the_game(table: Table) -> None:
    alice, _ = played(table, "alice", "bob")
    before = alice.says("export 1").newest.text
    assert "{" not in before.partition("{seat 2 resigned}")[0]
    alice.says("analyse 1")
    table.robots_think()
    after = alice.forgets().says("export 1 -apgn").gets(1).newest.text
    said = after.replace("\n", " ")
    assert (said.count("better: "), said.count("best line: ")) == (3, 1)
    assert rules.parse_record(after, {}) == rules.parse_record(before, {})
    for form in ("-json", "-abapro", "-apgn -abapro", "-diagram"):
        alice.forgets().says(f"export 1 {form}").gets(1)
    alice.forgets().says(f"import\n{after}").gets(1).hears("Imported: 4 moves (#8)")


def test_after_a_crash_it_goes_on_where_it_was(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, _ = played(table, "alice", "bob")
    looked_at: list[tuple[int, ...]] = []

    def look_at(course: analysis.Course, piece: analysis.Piece) -> list[analysis.Judged]:
        looked_at.append(piece.plies)
        return LOOK_AT(course, piece)

    monkeypatch.setattr("pbm.robots.analysis.look_at", look_at)
    alice.says("analyse 1").forgets()
    for _ in range(2):
        assert think_next(table.robots)
    table.robots = RobotJobs(table.database, table.site, table.clock)
    table.robots.begin()
    table.robots_think()
    assert looked_at[:4] == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert all(len(plies) == 1 for plies in looked_at[4:])
    assert looked_at[-1] == (9,)
    alice.gets(1).hears("On board 1 these three moves cost most")


@pytest.mark.parametrize(
    "handles",
    [
        "alice bob carol",
        pytest.param("alice bob carol dave erin frank", marks=pytest.mark.thorough),
    ],
)
def test_games_of_more_than_two_are_analysed_as_well(table: Table, handles: str) -> None:
    alice, *_ = played(table, *handles.split())
    alice.says("analyse 1").forgets()
    table.robots_think()
    alice.gets(1).hears("moves cost most", "A better move was ", "After the last move")
    # Where the search passes over the next player, there is no answer, nor a board after it.
    _, *mistakes = re.split(r"Move \d+ \(#\d+\): ", " ".join(alice.newest.text.split()))
    assert any("Compared with the board after move " in told for told in mistakes)
    for told in mistakes:
        assert ("with the board above" in told) <= ("The board would then be:" in told)


def test_a_game_without_mistakes_has_none(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "LEAST", 3_000)
    alice, _ = played(table, "alice", "bob", plies=2)
    alice.says("analyse 1").forgets()
    table.robots_think()
    alice.gets(1).hears("On board 1 no move cost much, as far as our robots can see.")
    told = " ".join(alice.newest.text.split())
    assert re.search(r"(Of all|in the end), move 1 \(#[12]\), \S+ by (you|bob), cost most\.", told)
    assert "Better was" not in alice.newest.text


def test_what_cannot_be_analysed_is_told(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,b2").forgets()
    alice.says("analyse 1").gets(1).hears("Board 1 is still being played. It can be analysed once")
    alice.forgets().says("analyse 9").gets(1).hears("There is no board 9.")
    bob.says("resign 1")
    with table.database.engine.begin() as connection:
        connection.execute(update(boards).values(rules_version=99))
    alice.forgets().says("analyse 1").gets(1).hears("was played under other rules of Abalone")
    table.begins("alice", "bob")
    bob.says("decline 2")
    alice.forgets().says("analyse 2").gets(1).hears("Board 2 has no moves to analyse.")
    assert not table.rows("thoughts")


def test_so_many_a_day_but_those_that_are_kept(table: Table) -> None:
    alice, _ = played(table, "alice", "bob", plies=1)
    player = table.player("alice")
    assert player
    with table.database.transaction() as work:
        for _ in range(ANALYSES.most):
            assert ANALYSES.take(work, table.clock(), player.id)
    alice.says("analyse 1").gets(1).hears("You have had 3 games analysed within a day")
    table.joins("carol").says("analyse 1")
    table.robots_think()
    alice.forgets().says("analyse 1").gets(1).hears("On board 1 ")


def test_where_it_fails_that_is_told_and_it_can_be_asked_for_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, _ = played(table, "alice", "bob", plies=2)

    def fails(*_: object) -> None:
        raise ValueError("nothing comes to mind")

    with monkeypatch.context() as patched:
        patched.setattr("pbm.robots.analysis.look_at", fails)
        alice.says("analyse 1").forgets()
        for _ in range(12):
            table.robots_think()
            table.clock.passes(seconds=5)
    alice.gets(1).hears("Board 1 could not be analysed just now. Please ask for it once more.")
    assert not table.rows("analyses")
    alice.forgets().says("analyse 1").forgets()
    table.robots_think()
    alice.gets(1).hears("On board 1 ")


def test_a_game_that_goes_on_after_all_is_analysed_anew(table: Table) -> None:
    """What was found of it before is told to nobody, and stands in no record."""
    alice, _ = played(table, "alice", "bob", plies=4)
    alice.says("analyse 1").forgets()
    table.robots_think()
    with table.database.engine.begin() as connection:
        connection.execute(update(boards).values(ply=3, taken_back=1))
    alice.forgets().says("analyse 1").gets(1).hears("Board 1 is being analysed, all its moves.")
    with table.database.engine.begin() as connection:
        connection.execute(update(boards).values(ply=4, taken_back=0))


def test_a_plain_mail_is_asked_about_first(table: Table) -> None:
    alice, _ = played(table, "alice", "bob", plies=1)
    alice.writes("analyze 1").gets(1).hears('Did you send "analyse 1"?')
    assert not table.rows("thoughts")


def test_who_leaves_takes_nobody_elses_analysis_along(table: Table) -> None:
    alice, bob = played(table, "alice", "bob", plies=2)
    for person in (alice, bob):
        person.says("analyse 1").forgets()
    alice.says("delete").says("yes").forgets()
    assert [row["player_id"] for row in table.rows("analysis_readers")] == [2]
    table.robots_think()
    bob.gets(1).hears("On board 1 ")
    alice.hears_nothing()


@pytest.mark.on_postgresql
def test_a_record_does_not_tell_what_to_play_on_a_board_that_stands_so(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for mover, move in ((alice, "a1-c3,b2"), (bob, "i9-g7,h8")):
        mover.says(f"move 1 {move}")
    record = "1. a1-c3,b2 i9-g7,h8 2. b2-d4,c3 *"
    alice.says(f"import\n{record}").hears("It is board 2 now")
    bob.forgets().says(f"import\n{record}").hears("It is board 3 now")
    alice.forgets().says("analyse 2").gets(1).hears(
        "Board 1, on which you play, stands now, stood lately or may stand after the next move as"
        " the game of board 2 did after move #1, perhaps turned or mirrored. So that can be"
        " analysed for you once board 1 has gone on."
    )
    assert not table.rows("thoughts")
    table.joins("carol").says("analyse 2").gets(1).hears("Board 2 is being analysed")
    alice.forgets().says("move 1 a2-c4,b3").says("analyse 2").hears("as the game of board 2 did")
    plays_on(table, 1, 5)
    alice.says("analyse 2").hears("Board 2 is being analysed")
    bob.says("analyse 3").hears("Board 3 is being analysed")


@pytest.mark.parametrize(
    ("record", "ply"),
    [
        # The running game is 1. a1-c3,b2 i9-g7,h8 2. b6,c6 h4,g4, and alice is to move.
        ("1. b6,c6 h4,g4 2. a1-c3,b2 i9-g7,h8 *", 4),  # the same in another order
        ("1. b1,c1 h4,g4 2. a1-c3,b2 i9-g7,h8 3. b6,c6 *", 5),  # what she means to play
        ("1. b6,c6 h4,g4 2. a1-c3,b2 *", 3),  # a move before it, which never stood there
        ("1. c3,d3 g7,f7 2. b6,c6 *", 0),
    ],
)
def test_nor_does_one_with_the_moves_in_another_order(record: str, ply: int, table: Table) -> None:
    """Before the present position and behind it; mirrored, too."""
    alice, _ = table.start("alice", "bob")
    plays_silently(table, 1, ["a1-c3,b2", "i9-g7,h8", "b6,c6", "h4,g4"])
    for number, text in ((2, record), (3, mirrored(record))):
        alice.forgets().says(f"import\n{text}")
        told = (
            f"as the game of board {number} did after move #{ply}" if ply else "is being analysed"
        )
        alice.forgets().says(f"analyse {number}").hears(told)


def test_positions_are_compared_outside_transactions(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    callers = list[set[str]]()

    def noted(game: Game, position: Position) -> frozenset[str]:
        callers.append({frame.name for frame in extract_stack()})
        return marks_alike(game, position)

    monkeypatch.setattr(advice, "marks_alike", noted)
    alice, _ = table.start("alice", "bob")
    plays_silently(table, 1, ["a1-c3,b2", "i9-g7,h8"])
    alice.forgets().says("import\n1. c3,d3 g7,f7 2. b6,c6 *").says("analyse 2")
    assert callers
    assert all("work_out" in names and "handle" not in names for names in callers)


def test_neither_does_a_copy_of_it_nor_a_game_that_was_played_for_that(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("challenge bob")
    line = [(alice, "a1-c3,b2"), (bob, "i9-g7,h8"), (alice, "b2-d4,c3")]
    for mover, move in line:
        mover.says(f"move 1 {move}")
    record = mirrored(f"1. {line[0][1]} {line[1][1]} 2. {line[2][1]} h4,g4 *")
    bob.says(f"import\n{record}").hears("It is board 2 now")
    carol.says("analyse 2").hears("Board 2 is being analysed")
    table.robots_think()
    bob.forgets().says("analyse 2").gets(1).hears(
        "as the game of board 2 did after move #1, perhaps"
    )
    assert "{" not in bob.says("export 2").newest.text
    assert "{better: " in " ".join(carol.says("export 2").newest.text.split())
    table.clock.passes(minutes=1)
    bob.says("challenge carol me")
    for (_, move), mover in zip(line, (carol, bob, carol), strict=True):
        mover.says(f"move 3 {mirrored(move)}")
    carol.says("resign 3")
    bob.forgets().says("analyse 3").gets(1).hears(
        "as the game of board 3 did after move #1, perhaps"
    )
    plays_on(table, 1, 5)
    bob.says("analyse 3").hears("as the game of board 3 did after move #3, perhaps")
    plays_on(table, 1, 1)
    bob.says("analyse 3").hears("Board 3 is being analysed")


def test_nor_a_copy_that_was_played_on_before(table: Table) -> None:
    """Somebody plays on a copy what they mean to play, and the answer to be expected."""
    alice, _bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("challenge bob")
    alice.says("challenge carol")
    for mover, move in ((alice, "a1-c3,b2"), (carol, "i9-g7,h8")):
        mover.says(f"move 2 {move}")
    carol.says("resign 2")
    table.clock.passes(minutes=1)
    alice.says("move 1 a1-c3,b2")
    table.person("bob@example.org").says("move 1 i9-g7,h8", answering=_bob.newest)
    alice.forgets().says("analyse 2").gets(1).hears(
        "as the game of board 2 did after move #1, perhaps"
    )


def test_a_game_that_was_played_before_is_analysed(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,b2")
    bob.says("resign 1")
    table.clock.passes(minutes=1)
    alice.says("challenge me bob").says("move 2 a1-c3,b2")
    bob.says("analyse 1").hears("Board 1 is being analysed")


def test_a_record_may_stand_as_a_board_on_which_there_are_hints(table: Table) -> None:
    table.robots_join()
    alice = table.joins("alice")
    alice.says("challenge me pebble -unrated").says("move 1 a1-c3,b2")
    alice.says("import\n1. a1-c3,b2 i9-g7,h8 *").says("analyse 2").hears("is being analysed")


def test_one_of_before_is_still_told(table: Table) -> None:
    alice, bob = played(table, "alice", "bob", plies=4)
    bob.says("set picture off").forgets()
    with table.database.transaction() as work:
        board = work.boards.get(1)
        work.analyses.begin(1, mark_of(board), table.clock())
        work.analyses.keep(1, KEPT_BEFORE, table.clock())
    alice.says("analyse 1").gets(1).hears(
        "On board 1 these two moves cost most",
        "Move 1 (#2): i5-h5,i6 by bob It costs about 1.3 marbles.",
        "A better move was i9-g7,h8. It moves three",
        "Move 2 (#4): i8-g6,h7 by bob It throws a win away, and loses by force.",
        "A better move was i6,h6.",
    )
    assert "Who was ahead" not in alice.newest.text
    assert "board.png" in alice.newest.raw.decode()
    bob.says("analyse 1").gets(1).hears("On board 1 these two moves cost most")


def test_one_of_before_that_was_under_way_begins_anew(table: Table) -> None:
    alice, _ = played(table, "alice", "bob", plies=2)
    alice.says("analyse 1")
    with table.database.transaction() as work:
        before = {"short": [0, 0], "long": [KEPT_BEFORE["mistakes"]]}
        work.analyses.keep(1, before)
    table.robots_think()
    alice.hears("On board 1 ", "After the last move")


def test_the_lead_is_a_picture_for_those_who_want_pictures(table: Table) -> None:
    alice, bob = played(table, "alice", "bob")
    bob.says("set picture off").forgets()
    alice.says("analyse 1").forgets()
    table.robots_think()
    mail = alice.gets(1).newest
    assert mail.html.count("<img") == 1
    assert 'alt="The lead: from move to move ' in mail.html
    assert "\nalice  ." in mail.text
    assert "\nalice  ." not in mail.html
    bob.says("analyse 1").gets(1)
    assert "<img" not in bob.newest.html
    assert "<pre>alice  ." in bob.newest.html


def test_a_loss_by_force_is_called_one(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The winner's last push was there one move before, and the loser allowed it."""

    def look_at(course: analysis.Course, piece: analysis.Piece) -> list[analysis.Judged]:
        found = LOOK_AT(course, piece)
        lost = analysis.DECIDED
        return [
            replace(item, best=-20, made=-lost)
            if item.ply == 6
            else replace(item, best=lost, made=lost)
            if item.ply == 7
            else item
            for item in found
        ]

    monkeypatch.setattr("pbm.robots.analysis.look_at", look_at)
    alice, _ = played(table, "alice", "bob", plies=6)
    alice.says("analyse 1").forgets()
    table.robots_think()
    alice.gets(1).hears(
        "The game turned with move 3 (#6), ",
        "by bob: you were ahead from then on. After move 3 (#6) bob could no longer avoid losing.",
        "by bob It loses the game by force.",
        "# is a win by force",
    )
