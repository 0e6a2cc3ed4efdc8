"""`pbm-admin verify`: replays games from their moves, and compares what is stored."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from pbm.errors import Refusal
from pbm.mail.writing.render import sentence
from pbm.play.actions import BY_OPERATOR
from pbm.play.boards import move_key, setup_of
from pbm.play.game_words import why
from pbm.play.ratings import STALE, pool_of, recount
from pbm.rules.contract import Game, Played, Position, RulesError
from pbm.rules.registry import games
from pbm.rules.sides import mover, turn
from pbm.service.operator.operator_session import OperatorSession, find_board
from pbm.service.operator.progress import counted
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.boards import Board, BoardStatus, Departure, Ply
from pbm.store.values.players import RatingResult
from pbm.store.values.queues import SearchKind

_ENDED_BY_WORD = {
    BoardStatus.CLOSED: ("declined", BY_OPERATOR, "record"),
    BoardStatus.FINISHED: (BY_OPERATOR, "agreed", "claimed", "record"),
}
_ALWAYS_A_DRAW = ("agreed", "claimed")


@dataclass(frozen=True)
class Verdict:
    number: int
    problems: tuple[str, ...]  # sentences


def verify(session: OperatorSession, numbers: Sequence[int] = ()) -> Iterator[Verdict]:
    """Verify the boards with these numbers; () means all boards."""
    with session.look() as work:
        for number in numbers:
            find_board(work, number)
        chosen = tuple(numbers) or work.boards.numbers()
    for number in counted(chosen, "verifying boards"):
        yield verdict_on(session.database, number)


def verdict_on(database: Database, number: int) -> Verdict:
    with database.reading() as work:
        return verdict_in(work, number)


def verdict_in(work: UnitOfWork, number: int) -> Verdict:
    return Verdict(number, tuple(_problems(work, find_board(work, number, lock=True))))


def _problems(work: UnitOfWork, board: Board) -> Iterator[str]:
    game = games().get(board.game)
    if game is None:
        yield f"it holds the game {board.game}, which is not installed"
        return
    version = game.info.version
    if board.rules_version != version:
        yield (
            f"it is played under version {board.rules_version} of the rules, and this program "
            f"has only version {version}"
        )
        return
    plies = work.plies.of(board.id)
    yield from _start_differences(board)
    yield from _event_differences(work, board)
    position = yield from _replay(game, board, plies, work.plies.departures(board.id))
    if position is not None:
        yield from _differences(board, plies, position)
        yield from _result_differences(board, position)
        yield from _derived_differences(work, board, position)
        yield from _rating_differences(work, board)
        if board.state == position.state():  # a differing state may be unreadable
            yield from _job_differences(work, board)


def _replay(
    game: Game, board: Board, plies: Sequence[Ply], departures: Sequence[Departure]
) -> Generator[str, None, Position | None]:
    """Yield the problems of a replay; return the last position, or None if a move fails."""
    at = ""
    try:
        position = game.load(board.start_state)
        for number, ply in enumerate((None, *plies)):
            if ply is not None:
                if ply.ply != number:
                    yield f"ply {number} is missing"
                    return None
                at = f", at ply {number}, {ply.text}"
                played = position.play(position.parse(ply.text, turn(position) or ply.seat))
                yield from _ply_differences(ply, position, played)
                position = played.position
            for item in departures:
                if item.after_ply == number:
                    at = f", at seat {item.seat} leaving after ply {number}"
                    position = position.leave(item.seat)
    except RulesError as error:
        yield f"the game cannot be played again{at}: {sentence(why(game, error))}"
        return None
    for item in departures:
        if item.after_ply > len(plies):
            yield f"seat {item.seat} left after ply {item.after_ply}, which was not played"
            return None
    return position


def _start_differences(board: Board) -> Iterator[str]:
    try:
        start = setup_of(board).position(len(board.seats)).state()
    except (RulesError, Refusal) as error:
        yield f"it cannot have begun so: {error}"
        return
    if board.start_state != start:
        yield f"its beginning is kept as {board.start_state} but should be {start}"


def _ply_differences(ply: Ply, before: Position, played: Played) -> Iterator[str]:
    if ply.seat != turn(before):
        yield f"ply {ply.ply} is written to seat {ply.seat}, but it is seat {turn(before)}'s turn"
    text = str(played.move)
    if ply.text != text:
        yield f"ply {ply.ply} is written as {ply.text}, and should be {text}"
    effect = dict(played.effect)
    if ply.effect != effect:
        yield f"what ply {ply.ply} did is kept as {ply.effect}, and should be {effect}"


def _differences(board: Board, plies: Sequence[Ply], position: Position) -> Iterator[str]:
    count, state, players = len(plies), position.state(), len(position.sides)
    if board.ply != count:
        yield f"it counts {board.ply} plies, and {count} are recorded"
    if board.state != state:
        kept = f"its position after ply {count} is kept as {board.state}"
        yield f"{kept} but the moves make it {state}"
    if len(board.seats) != players:
        yield f"{len(board.seats)} seats are taken in a game of {players}"
    played = {ply.seat: ply.ply for ply in plies}
    for seat in board.seats:
        last = played.get(seat.seat, 0)
        if seat.last_ply != last:
            yield f"seat {seat.seat} is kept as having moved last at {seat.last_ply}, not {last}"


def _result_differences(board: Board, position: Position) -> Iterator[str]:
    kept, outcome = (board.status, board.ended_by, board.winners), position.outcome
    if board.ended_by in _ENDED_BY_WORD.get(board.status, ()):
        seats = set(board.winners or ())
        unknown = seats - set(range(1, len(position.sides) + 1))
        if (board.winners is None) is (board.status == BoardStatus.FINISHED) or unknown:
            yield f"it is {_told(*kept)}, which is no result"
        elif board.ended_by in _ALWAYS_A_DRAW and seats:
            yield f"it is {_told(*kept)}, but what is {board.ended_by} is a draw"
        return
    made: tuple[str, str | None, tuple[int, ...] | None] = (BoardStatus.PLAYING, None, None)
    if outcome:
        made = (BoardStatus.FINISHED, outcome.by, outcome.winners)
    if kept != made:
        yield f"it is {_told(*kept)}, but the moves make it {_told(*made)}"


def _derived_differences(work: UnitOfWork, board: Board, position: Position) -> Iterator[str]:
    to_move_id, playing = work.boards.derived(board.id)
    seat = mover(position) if board.playing else None
    waited_for = board.seats[seat - 1] if seat and seat <= len(board.seats) else None
    if to_move_id != (waited_for.player_id if waited_for else None):
        whose = f"{waited_for.handle}'s" if waited_for else "nobody's"
        yield f"it is kept as the turn of player {to_move_id}, but it is {whose}"
    if playing != {board.playing}:
        yield "its seats are not marked as " + ("playing" if board.playing else "over")


def _rating_differences(work: UnitOfWork, board: Board) -> Iterator[str]:
    counted, stale = work.ratings.counted(board.id), work.facts.find(STALE)
    if counted is None:
        if pool_of(work, board) is not None:
            yield "it counts for ratings, and is not counted"
        return
    if stale is not None and counted.number >= stale.value:
        return  # a recount is due
    found = recount(work, board, counted)
    if found is None:
        yield "it is counted for ratings, and must not be"
    elif sorted(map(_rounded, found)) != sorted(map(_rounded, work.ratings.results(counted))):
        yield "what it did to the ratings of its players is not what its result makes of it"
    elif wrong := work.ratings.unlike_last(counted):
        for player in work.players.some(wrong):
            yield f"in the standings {player.handle} stands otherwise than the last game says"


def _job_differences(work: UnitOfWork, board: Board) -> Iterator[str]:
    mover = board.to_move
    if mover is None or mover.robot is None:
        return
    asked = work.search_jobs.about(SearchKind.MOVE, move_key(board, mover.player_id))
    if asked is None and work.players.get(mover.player_id).is_active:
        yield f"it waits for the robot {mover.handle}, which is not to think about it"


def _event_differences(work: UnitOfWork, board: Board) -> Iterator[str]:
    count, last = work.happened.counted(board.id)
    if count != last:
        yield f"it has {count} events, and the last has the number {last}"
    told = work.readers.furthest(board.id)
    if told > last:
        yield f"a reader was told of event {told}, and the last has the number {last}"


def _rounded(result: RatingResult) -> tuple[Any, ...]:
    """Round a rating result, since its last digits depend on library and machine."""
    values = astuple(result)
    return tuple(each if isinstance(each, tuple) else round(each or 0, 6) for each in values)


def _told(status: str, ended_by: str | None, winners: tuple[int, ...] | None) -> str:
    by = f" by {ended_by}" if ended_by else ""
    seats = f"seat {'+'.join(map(str, winners))}" if winners else "nobody"
    return f"{status}{by}" if winners is None else f"{status}{by}, won by {seats}"
