"""Replaying finds whatever does not follow from the moves, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pbm.errors import OperatorError
from pbm.service.operator import boards, players
from pbm.service.operator.verify import verify
from pbm.store.schema import metadata
from tests.admin.conftest import Room

REPLY = "i5-g5,h5"


TAMPERED = {
    "position": ("UPDATE boards SET state = start_state", "its position after ply 2 is kept as"),
    "unreadable position": (
        "UPDATE boards SET state = 'junk'",
        "its position after ply 2 is kept as junk",
    ),
    "count": ("UPDATE boards SET ply = 5", "it counts 5 plies, and 2 are recorded"),
    "first ply gone": ("DELETE FROM moves WHERE ply = 1", "ply 1 is missing"),
    "last ply gone": ("DELETE FROM moves WHERE ply = 2", "it counts 2 plies, and 1 are recorded"),
    "other move": (
        "UPDATE moves SET text = 'a2-c4,b3' WHERE ply = 1",
        "its position after ply 2 is kept as",
    ),
    "illegal move": (
        "UPDATE moves SET text = 'e5,e6' WHERE ply = 1",
        "cannot be played again, at ply 1, e5,e6: There is no marble on e5.",
    ),
    "no move": (
        "UPDATE moves SET text = 'hello' WHERE ply = 2",
        "cannot be played again, at ply 2, hello: That does not read as a move",
    ),
    "other spelling": (
        "UPDATE moves SET text = 'a1-c3,d4' WHERE ply = 1",
        "ply 1 is written as a1-c3,d4, and should be a1-c3,b2",
    ),
    "other seat": (
        "UPDATE moves SET seat = 2 WHERE ply = 1",
        "ply 1 is written to seat 2, but it is seat 1's turn",
    ),
    "effect": (
        """UPDATE moves SET effect = '{"ejected"\\: 2, "from"\\: "e5"}' WHERE ply = 1""",
        "what ply 1 did is kept as {'ejected': 2, 'from': 'e5'}, and should be {}",
    ),
    "turn": (
        "UPDATE boards SET to_move_id = (SELECT id FROM players WHERE handle = 'bob')",
        "it is kept as the turn of player 2, but it is alice's",
    ),
    "nobody's turn": ("UPDATE boards SET to_move_id = NULL", "the turn of player None"),
    "result": (
        "UPDATE boards SET status = 'finished', ended_by = 'ejections', winners = '[1]'",
        "it is finished by ejections, won by seat 1, but the moves make it playing",
    ),
    "closed by nobody": ("UPDATE boards SET status = 'closed'", "but the moves make it playing"),
    "a result that is none": (
        "UPDATE boards SET status = 'finished', ended_by = 'operator', winners = '[7]'",
        "which is no result",
    ),
    "no result": (
        "UPDATE boards SET status = 'finished', ended_by = 'operator'",
        "which is no result",
    ),
    "a result of a closed board": (
        "UPDATE boards SET status = 'closed', ended_by = 'operator', winners = '[1]'",
        "which is no result",
    ),
    "last move": (
        "UPDATE seats SET last_ply = 0 WHERE seat = 1",
        "seat 1 is kept as having moved last at 0, not 1",
    ),
    "mark": ("UPDATE seats SET playing = false WHERE seat = 1", "not marked as playing"),
    "departure": (
        "INSERT INTO departures (board_id, after_ply, seat, how, left_at) "
        "SELECT id, 1, 2, 'resigned', started_at FROM boards",
        "cannot be played again, at ply 2, i5-g5,h5: This game is over.",
    ),
    "late departure": (
        "INSERT INTO departures (board_id, after_ply, seat, how, left_at) "
        "SELECT id, 9, 2, 'resigned', started_at FROM boards",
        "seat 2 left after ply 9, which was not played",
    ),
    "beginning": ("UPDATE boards SET start_state = state", "its beginning is kept as"),
    "unreadable beginning": (
        "UPDATE boards SET start_state = 'junk'",
        "cannot be played again: A state line has four parts",
    ),
    "layout": ('UPDATE boards SET options = \'{"layout": "bowl"}\'', "its beginning is kept as"),
    "no layout": (
        'UPDATE boards SET options = \'{"layout": "square"}\'',
        "it cannot have begun so",
    ),
    "seats": ("DELETE FROM seats WHERE seat = 2", "1 seats are taken in a game of 2"),
    "rules": ("UPDATE boards SET rules_version = 99", "version 99 of the rules"),
    "event gone": (
        "DELETE FROM board_events WHERE number = 1",
        "events, and the last has the number",
    ),
    "cursor": ("UPDATE readers SET seen = 99", "a reader was told of event 99, and the last has"),
}


@contextmanager
def as_before(room: Room) -> Iterator[None]:
    """Make the board at the end what it was at the beginning."""
    boards_table = metadata.tables["boards"]
    (board,) = room.table.rows("boards")
    others = [
        metadata.tables[name]
        for name in ("seats", "moves", "departures", "board_events", "readers")
    ]
    rows = {table: room.table.rows(table.name) for table in others}
    yield
    with room.table.database.engine.begin() as connection:
        connection.execute(boards_table.update().values(**board))
        for table in others:
            connection.execute(table.delete())
            if rows[table]:
                connection.execute(table.insert(), rows[table])


def problems(room: Room, *numbers: int) -> list[str]:
    return [text for verdict in verify(room.office, numbers) for text in verdict.problems]


def test_whatever_was_done_rightly_is_sound(room: Room) -> None:
    dora, carol = room.table.joins("dora"), room.table.joins("carol")
    carol.says("challenge dora")
    dora.newest.text.index("board 2")
    dora.says("decline 2")
    carol.says("challenge -bowl me dora alice bob")
    carol.says(f"move 3 {room.some_move(3)}")
    dora.says("resign 3")
    room.bob.says("move 1 i5-g5,f5")
    players.suspend(room.office, "alice", "a while")
    boards.undo(room.office, 1, "a slip")
    boards.end(room.office, 1, "over", ["bob"])
    players.remove(room.office, "carol", "bye")
    assert [(verdict.number, verdict.problems) for verdict in verify(room.office)] == [
        (1, ()),
        (2, ()),
        (3, ()),
    ]


@pytest.mark.on_postgresql
def test_tampering_is_found(room: Room) -> None:
    room.bob.says(REPLY)
    for what, (statement, words) in TAMPERED.items():
        assert problems(room) == [], what
        with as_before(room):
            room.tampers(statement)
            assert any(words in problem for problem in problems(room)), (what, problems(room))


def test_only_the_boards_that_are_named(room: Room) -> None:
    room.alice.says("challenge bob")
    room.tampers("UPDATE boards SET ply = 5 WHERE id = 2")
    assert problems(room, 1) == []
    assert len(problems(room, 2)) == 1
    assert [verdict.number for verdict in verify(room.office, [2, 1])] == [2, 1]


def test_a_board_that_is_not_there(room: Room) -> None:
    with pytest.raises(OperatorError, match="There is no board 9"):
        list(verify(room.office, [1, 9]))


def test_the_operator_is_told_to_verify_a_broken_board(room: Room) -> None:
    room.tampers("UPDATE boards SET start_state = 'junk'")
    with pytest.raises(OperatorError, match="pbm-admin verify"):
        boards.undo(room.office, 1, "a slip")
