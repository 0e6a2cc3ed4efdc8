"""Games as records: makes a record of a board, and a board of a record from elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.events import BoardImported
from pbm.play import happened
from pbm.play.boards import close_board, mark, progress_at, request_move, steps_of
from pbm.play.clocks.waits import start_clock
from pbm.play.handovers import handed_over
from pbm.play.subjects import board_subject
from pbm.play.turn import GameTurn
from pbm.rules.contract import (
    Ending,
    Game,
    GameRecord,
    KeepsRecords,
    Leaving,
    Options,
    Position,
    has,
)
from pbm.rules.record import replay as play_through
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, NewPly

_NOTED_EVERY = timedelta(days=1)
_LONGEST_NAME = 40
_BY_RECORD = "record"
_DRAWN = ("agreed", "claimed")


def record_of(work: UnitOfWork, board: Board, server: str) -> GameRecord:
    return GameRecord(
        len(board.seats),
        board.options,
        # Empty if it is unknown.
        tuple(
            "" if board.from_record and seat.handle == _name("", seat.seat) else seat.handle
            for seat in board.seats
        ),
        steps_of(work, board),
        _ending(board),
        _own_tags(work, board, server) if board.tags is None else board.tags,
    )


def shown_names(record: GameRecord) -> list[str]:
    """Return shortened names for lists and subjects. A missing one becomes `seat 1` or the like."""
    return [_name(name, seat) for seat, name in enumerate(record.names, 1)]


@dataclass(frozen=True)
class Replay:
    record: GameRecord
    start: Position
    final: Position
    played: tuple[NewPly, ...]  # in the form for the database
    left: tuple[tuple[int, int, str], ...]  # the departures, in such a form, too


def replay(game: Game, record: GameRecord) -> Replay:
    """Replay a record. Raises RulesError for an illegal move."""
    through = play_through(game, record)
    played, left = list[NewPly](), list[tuple[int, int, str]]()
    for item in through.steps:
        if isinstance(item.step, Leaving):
            left.append((item.ply, item.seat, item.step.how))
        else:
            stood = mark(game, item.position)
            played.append(NewPly(item.ply, item.seat, item.step, dict(item.effect), stood))
    return Replay(record, through.start, through.position, tuple(played), tuple(left))


def read_record(game: Game, text: str, chosen: Options) -> Replay:
    """Parse a record and play it through, which is slow. Raises RecordError."""
    assert has(game, KeepsRecords)
    return replay(game, game.read(text, chosen))


def keep_record(
    turn: GameTurn,
    game: Game,
    through: Replay,
    player_ids: Sequence[int],
    *,
    names: Sequence[str],
    goes_on: bool = False,
) -> Board:
    """Store a game played elsewhere as a board. With `goes_on`, the players continue it here."""
    work, now, record = turn.work, turn.now, through.record
    board = work.boards.add(
        game.info.name,
        record.options,
        through.start,
        player_ids,
        board_subject(game.info.name, names),
        now,
        names=None if goes_on else names,
        tags=record.tags or (None if goes_on else ()),
    )
    reached = progress_at(board, through.final, len(through.played))
    board = work.playing.fill(board, through.played, through.left, reached, now)
    if not goes_on:
        happened.record(work, board.id, [BoardImported(board.id, player_ids[0])], now)
    ended = record.ended
    if ended is None and (goes_on or not board.playing):
        if board.playing:
            start_clock(work, board, now)
            request_move(work, board, now)
        return board
    how = ended.how if ended and ended.how in _DRAWN else _BY_RECORD
    return close_board(work, board, how, now, winners=ended.result if ended else None)


def note_seen(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Note that somebody looked at an imported board, since unseen ones are deleted some day."""
    if board.from_record and board.changed_at < now - _NOTED_EVERY:
        work.boards.get(board.id, lock=True)
        work.boards.change(board.id, changed_at=now)


def _own_tags(work: UnitOfWork, board: Board, server: str) -> tuple[tuple[str, str], ...]:
    number = (("Round", str(board.round.number)),) if board.round else ()
    had = handed_over(work, board)
    told = (f"seat {item['seat']}: {item['handle']} to ply {item['ply']}" for item in had)
    handed = (("Substitutes", "; ".join(told)),) if had else ()
    return (
        ("Event", f"Board {board.id}"),
        ("Site", server.rpartition("@")[2]),
        ("Date", f"{board.started_at:%Y.%m.%d}"),
        *number,
        *handed,
    )


def _ending(board: Board) -> Ending | None:
    """Return how a board's game was ended. Return None if the position shows the outcome.

    Return None, too, if the game goes on, or if its record states no result.
    """
    if board.playing or board.position.outcome:
        return None
    if board.winners is None:
        return None if board.from_record else Ending("closed")
    if board.ended_by in _DRAWN:
        return Ending(str(board.ended_by))
    how = "record" if board.from_record else "operator"
    return Ending(how, board.winners)


def _name(name: str, seat: int) -> str:
    kept = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return kept[:_LONGEST_NAME] or f"seat {seat}"
