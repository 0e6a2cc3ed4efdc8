"""What a unit of work remembers is what the database would say."""

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from pbm.play.boards import add_move
from pbm.play.views import recent_since
from pbm.store.db import UnitOfWork
from pbm.store.remembered import Marks
from pbm.store.values.boards import Offer
from pbm.store.values.plies import MARK, Progress
from tests.rows import each_row
from tests.table import START, Table

BOARDS = (1, 2, 3)
PLAYERS = (1, 2, 3)
STEPS = 40
Write = Callable[[UnitOfWork, random.Random], object]
FIRST_DAY = date(2026, 1, 1)


def plays(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    if board.playing:
        moves = board.position.legal_moves()
        add_move(work, board, str(lot.choice(moves[:3])), START)


def goes_back(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    if board.ply:
        start = Progress(str(board.start.state()), 0, board.seats[0].player_id)
        work.playing.go_back(board, start, START)


def ends(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    over = lot.random() < 0.5
    mover = None if over else board.seats[0].player_id
    status, winners = ("finished", (1,)) if over else ("playing", None)
    progress = Progress(str(board.position.state()), board.ply, mover, status, None, winners)
    work.playing.set_progress(board, progress, START)


def offers(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    work.boards.set_offers(board, [Offer("draw", 1, board.ply, (2,))] if lot.random() < 0.7 else [])


def waits(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    work.waits.set_used(board, 1, lot.randrange(90), lot.choice((None, 5)))
    work.waits.note_reminded(board, lot.randrange(5))
    work.waits.set(board, given=lot.randrange(9), paused_since=START)


def says(work: UnitOfWork, lot: random.Random) -> None:
    work.boards.note_answered(lot.choice(BOARDS), lot.choice(PLAYERS))
    work.boards.note_told_of_words(lot.choice(BOARDS), lot.choice(PLAYERS))


def hands_over(work: UnitOfWork, lot: random.Random) -> None:
    board = work.boards.get(lot.choice(BOARDS), lock=True)
    work.boards.replace_player(board, lot.choice((1, 2)), lot.choice(PLAYERS), START)


def changes_a_player(work: UnitOfWork, lot: random.Random) -> None:
    player = work.players.get(lot.choice(PLAYERS))
    address = f"new{lot.randrange(10**9)}@example.org"
    changes: tuple[Callable[[], object], ...] = (
        lambda: work.players.change_settings(player.id, picture=lot.random() < 0.5),
        lambda: work.players.set_status(player.id, lot.choice(("active", "suspended"))),
        lambda: work.players.renew_epoch(player.id),
        lambda: work.players.change_handle(player, f"h{lot.randrange(10**9)}"),
        lambda: work.players.set_address(player.id, address, START),
        lambda: work.players.add_address(player.id, address, START),
        lambda: work.players.put_address_first(player, address, START),
        lambda: work.players.set_bounces(player.id, 1, START, lot.choice((None, START))),
        lambda: work.players.begin_absence(player.id, START),
        lambda: work.players.end_absence(player.id),
        lambda: work.players.set_password(player.id, None),
    )
    lot.choice(changes)()


def goes_away(work: UnitOfWork, lot: random.Random) -> None:
    player_id, first = lot.choice(PLAYERS), FIRST_DAY + timedelta(days=lot.randrange(300))
    work.vacations.add(player_id, first, first + timedelta(days=9), lot.choice((None, 1)))
    for item in work.vacations.of_player(player_id, FIRST_DAY)[:1]:
        work.vacations.end_on(item, item.first_day + timedelta(days=lot.choice((-1, 3))))


def runs_anything(work: UnitOfWork, lot: random.Random) -> None:
    work.run(text(f"UPDATE seats SET used = {lot.randrange(99)}"))


def is_undone(work: UnitOfWork, lot: random.Random) -> None:
    with pytest.raises(ZeroDivisionError):
        undo(work, lot)


def undo(work: UnitOfWork, lot: random.Random) -> None:
    with work.savepoint():
        for _ in range(lot.randrange(4)):
            lot.choice(WRITES)(work, lot)
            look(work, lot)
        raise ZeroDivisionError


def is_done(work: UnitOfWork, lot: random.Random) -> None:
    with work.savepoint():
        for _ in range(lot.randrange(4)):
            lot.choice(WRITES)(work, lot)
            look(work, lot)


def reads_ahead(work: UnitOfWork, lot: random.Random) -> None:
    held = work.take_ahead(lot.sample(BOARDS, 2), lot.sample(PLAYERS, 1))
    assert len(held.boards) == 2


WRITES: tuple[Write, ...] = (
    *(plays, plays, plays, goes_back, ends, offers, waits, says, hands_over, changes_a_player),
    *(changes_a_player, goes_away, runs_anything, reads_ahead),
)


def everything(work: UnitOfWork) -> dict[str, Any]:
    """All that may be remembered, in one way of asking for each."""
    found: dict[str, Any] = {}
    for number in BOARDS:
        board = work.boards.get(number)
        found[f"board {number}"] = board
        for since in (recent_since(board), max(0, board.ply - 1)):
            found[f"plies {number}, {since}"] = work.plies.of(number, since=since)
        found[f"seated {number}"] = work.players.seated(number)
    for number in PLAYERS:
        player = found[f"player {number}"] = work.players.get(number)
        for address in player.addresses:
            found[address] = work.players.by_address(address.lower())
        for since in (FIRST_DAY, FIRST_DAY + timedelta(days=150)):
            found[f"away {number}, {since}"] = work.vacations.of_player(number, since)
    return found


def look(work: UnitOfWork, lot: random.Random) -> None:
    """Remember some, so that there is something to forget."""
    if lot.random() < 0.5:
        work.players.seated(work.boards.get(lot.choice(BOARDS), lock=lot.random() < 0.5).id)
        work.plies.of(lot.choice(BOARDS), since=0)
        work.vacations.of_player(lot.choice(PLAYERS), FIRST_DAY)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_remembered_is_what_is_there(database_url: str, seed: int) -> None:
    table = Table(database_url)
    table.start("alice", "bob")
    table.joins("carol")
    table.begins("alice", "carol")
    table.begins("bob", "alice")
    lot = random.Random(seed)
    with table.database.engine.begin() as connection:
        work = UnitOfWork(connection)
        for _ in range(STEPS):
            step = lot.choice((*WRITES, is_undone, is_done))
            step(work, lot)
            look(work, lot)
            remembered = everything(work)
            work.flush()
            anew = everything(UnitOfWork(connection))  # in which nothing is remembered
            assert remembered == anew, step.__name__
    table.database.close()


def locks(work: UnitOfWork) -> None:
    work.boards.get(1, lock=True)


def locks_those_that_wait(work: UnitOfWork) -> None:
    waiting_for = work.boards.bookkeeping(1).to_move_id
    assert waiting_for is not None
    assert work.boards.longest_waiting(waiting_for, 0, 9)


@pytest.mark.parametrize("lock", [locks, locks_those_that_wait])
def test_what_was_read_before_a_lock_is_read_anew(
    postgres_url: str, lock: Callable[[UnitOfWork], None]
) -> None:
    table = Table(postgres_url)
    table.start("alice", "bob")
    with table.database.transaction() as work:
        before = work.boards.get(1)
        assert (before.ply, work.plies.of(1)) == (0, ())
        with table.database.transaction() as other:
            plays_once(other)
        lock(work)
        assert work.boards.get(1, lock=True).ply == 1
        assert len(work.plies.of(1)) == 1
    table.database.close()


def plays_once(work: UnitOfWork) -> None:
    board = work.boards.get(1, lock=True)
    add_move(work, board, str(board.position.legal_moves()[0]), START)


@each_row(
    ("mark", "since", "times"),
    [
        ("a", 101, 3),
        ("a", 1, 3),  # as many as a claim asks for, whatever stood before
        ("a", 102, 2),
        ("b", 101, 2),
        ("b", 100, None),
        ("c", 101, 0),
        ("c", 1, None),
        (None, 1, 0),
    ],
)
def test_marks_tell_how_often_one_stood_or_that_it_is_not_known(
    mark: str | None, since: int, times: int | None
) -> None:
    marks = Marks(100, "")
    for each in "ababa":
        marks = marks.and_then(each * MARK)
    assert marks.latest == 105
    assert marks.count(mark and mark * MARK, since) == times
