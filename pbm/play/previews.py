"""Boards as they would be after some moves, and as they were in the course of a game."""

from datetime import datetime
from itertools import islice

from pbm.errors import Refusal
from pbm.play.boards import Setup, check_rules, refusing, steps_of
from pbm.play.game_words import why
from pbm.play.limits import MOST_PREVIEWED, MOST_SHOWN
from pbm.play.turn import GameTurn
from pbm.play.views import ViewData, moved_in, rounds_of, small, view_at
from pbm.rules.contract import Moved, RulesError
from pbm.rules.record import positions
from pbm.rules.registry import game_named
from pbm.rules.sides import mover, turn
from pbm.store.values.boards import Board, BoardStatus, Seat
from pbm.store.values.players import Player


def view_after(board: Board, reader: Player | None, *texts: str) -> tuple[ViewData, list[str]]:
    """Return the view after moves of the seats in turn, and the moves. Raises Refusal.

    If one of several moves is illegal, the refusal tells its place among them.
    """
    if len(texts) > MOST_PREVIEWED:
        raise Refusal("preview-moves", most=MOST_PREVIEWED, number=board.id)
    position, moved = board.position, list[Moved]()
    with refusing(board):
        for text in texts:
            seat = turn(position)
            told = {"move": text, "at": len(moved) + 1, "number": board.id}
            if seat is None:
                raise Refusal("preview-over", **told)
            try:
                played = position.play(position.parse(text, seat))
            except RulesError as error:
                if len(texts) == 1:
                    raise
                told["handle"] = board.seats[(mover(position) or seat) - 1].handle
                raise Refusal("preview-illegal", **told, **why(board.rules, error)) from error
            position = played.position
            moved.append(Moved(seat, str(played.move), played.effect))
    last = tuple(moved[-len(board.seats) :])
    view = view_at(board, position, board.ply + len(moved), last, reader)
    return view, [item.move for item in moved]


def imagined_board(setup: Setup, players: int, now: datetime) -> Board:
    """Return a board that nobody plays on; its number is 0. Raises Refusal."""
    start, info = setup.position(players).state(), game_named(setup.game).info
    seats = tuple(Seat(seat, -seat, f"seat {seat}", 0) for seat in range(1, players + 1))
    named = (0, setup.game, info.version, setup.options, f"{info.title} for {players}")
    return Board(*named, start, start, 0, BoardStatus.PLAYING, None, None, now, now, seats)


def replayed(
    turn: GameTurn, board: Board, first: int, last: int, reader: Player | None
) -> list[ViewData]:
    """Return a board before ply `first`, every few plies, and after ply `last`.

    Each view has the moves since the one before as `rounds`. Raises Refusal and WorkNeeded.
    """
    check_rules(board)
    steps, plies = steps_of(turn.work, board), turn.work.plies.of(board.id, since=first - 1)
    left = {item.seat: item.how for item in turn.work.plies.departures(board.id)}
    seats = len(board.seats)
    every = seats * -(-(last - first + 1) // (seats * (MOST_SHOWN - 1)))
    shown = [first - 1, *range(first - 1 + every, last, every), last]

    def play() -> list[ViewData]:
        found, after = list[ViewData](), first - 1
        for ply, position in enumerate(islice(positions(board.start, steps), last + 1)):
            if ply in shown:
                since = plies[after - first + 1 : ply - first + 1]
                moves = tuple(map(moved_in, since[-seats:]))
                view = view_at(board, position, ply, moves, reader)
                gone = {board.seats[seat - 1].handle: left[seat] for seat in position.out}
                more = {"rounds": rounds_of(since, seats, None), "gone": gone}
                found.append({**view, **more, "picture": small(view["picture"])})
                after = ply
        return found

    of_reader = reader and (reader.id, reader.settings.picture)
    of = ("replay", board.id, board.ply, board.taken_back, first, last, of_reader)
    return turn.slow.outcome(of, play)
