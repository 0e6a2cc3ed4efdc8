"""Games as records: what a board's record says, and a game from elsewhere as a board."""

from collections.abc import Sequence
from datetime import datetime

from pbm.play.awaited import await_move
from pbm.play.boards import close_board, progress_at
from pbm.play.clocks.waits import start_clock
from pbm.play.marks import mark
from pbm.play.subjects import board_subject
from pbm.play.turn import Turn
from pbm.rules.contract import Ending, Game, GameRecord, Leaving
from pbm.rules.record import merged_steps, replayed, start_of
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Seat
from pbm.store.values.plies import NewPly

_LONGEST_NAME = 40
_BY_RECORD = "record"
_DRAWN = ("agreed", "claimed")


def record_of(work: UnitOfWork, board: Board, server: str) -> GameRecord:
    """The record of a board, as far as it has been played."""
    moves = [ply.text for ply in work.plies.of(board.id)]
    left = [
        (item.after_ply, Leaving(item.seat, _how(item.how)))
        for item in work.plies.departures(board.id)
    ]
    return GameRecord(
        len(board.seats),
        board.options,
        tuple(_written(seat, board) for seat in board.seats),
        merged_steps(moves, left),
        _ending(board),
        _own_tags(board, server) if board.tags is None else board.tags,
    )


def shown_names(record: GameRecord) -> list[str]:
    """The names in a record as they stand in lists and subjects: short, none empty."""
    return [_name(name, seat) for seat, name in enumerate(record.names, 1)]


def keep_record(
    turn: Turn,
    game: Game,
    record: GameRecord,
    player_ids: Sequence[int],
    *,
    names: Sequence[str],
    goes_on: bool = False,
) -> Board:
    """Put a game that was played elsewhere on the server: a record, or one that goes on here.

    A record is over, and its seats keep the names that it gives; one that goes on is played
    by the players whose names they are. Nothing has ended here, so no event tells of an end.
    """
    work, now = turn.work, turn.now
    steps = replayed(game, record)
    played = [
        NewPly(item.ply, item.seat, item.step, dict(item.effect), mark(game, item.position))
        for item in steps
        if isinstance(item.step, str)
    ]
    left = [
        (item.ply, item.seat, item.step.how) for item in steps if isinstance(item.step, Leaving)
    ]
    start = start_of(game, record)
    board = work.boards.add(
        game.info.name,
        record.options,
        start,
        player_ids,
        board_subject(game.info.name, names),
        now,
        names=None if goes_on else names,
        tags=record.tags or (None if goes_on else ()),
    )
    final = steps[-1].position if steps else start
    reached = progress_at(board, final, len(played))
    board = work.playing.fill(board, played, left, reached, now)
    if record.ended is None and (goes_on or not board.playing):
        return _going_on(work, board, now)
    return _closed(work, board, record.ended, now)


def _going_on(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Let a board be played on, unless its moves have ended it."""
    if board.playing:
        start_clock(work, board, now)
    await_move(work, board, now)
    return board


def _closed(work: UnitOfWork, board: Board, ended: Ending | None, now: datetime) -> Board:
    """End a board as its record says, or without a result where that says nothing."""
    if ended is None or ended.result is None:
        return close_board(work, board, _BY_RECORD, now)
    by_word = ended.how if ended.how in _DRAWN else _BY_RECORD
    return close_board(work, board, by_word, now, winners=ended.result)


def _own_tags(board: Board, server: str) -> tuple[tuple[str, str], ...]:
    """The tags of a game that was begun here."""
    number = (("Round", str(board.round.number)),) if board.round else ()
    return (
        ("Event", f"Board {board.id}"),
        ("Site", server.rpartition("@")[2]),
        ("Date", f"{board.started_at:%Y.%m.%d}"),
        *number,
    )


def _ending(board: Board) -> Ending | None:
    """How a board ended that by its moves alone would go on."""
    if board.playing or board.position.outcome:
        return None
    if board.winners is None:
        return None if board.from_record else Ending("closed")
    if board.ended_by in _DRAWN:
        return Ending(str(board.ended_by))
    how = "record" if board.from_record else "operator"
    return Ending(how, board.winners)


def _how(how: str) -> str:
    return "removed" if how == "removed" else "forfeited" if how == "forfeited" else "resigned"


def _written(seat: Seat, board: Board) -> str:
    """A name as a record has it: empty where nobody knows it."""
    unknown = board.from_record and seat.handle == _name("", seat.seat)
    return "" if unknown else seat.handle


def _name(name: str, seat: int) -> str:
    kept = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return kept[:_LONGEST_NAME] or f"seat {seat}"
