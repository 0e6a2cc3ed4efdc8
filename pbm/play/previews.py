"""Boards as they would be after some moves, which are played through and kept nowhere."""

from datetime import datetime

from pbm.errors import Refusal
from pbm.play.boards import Setup, refusing
from pbm.play.game_words import why
from pbm.play.limits import MOST_PREVIEWED
from pbm.play.views import ViewData, view_at
from pbm.rules.contract import Moved, RulesError
from pbm.rules.registry import game_named
from pbm.rules.sides import mover, turn
from pbm.store.values.boards import Board, BoardStatus, Seat


def view_after(
    board: Board, *texts: str, player_id: int | None = None, picture: bool = True
) -> tuple[ViewData, list[str]]:
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
    ply = board.ply + len(moved)
    view = view_at(board, position, ply, last, player_id=player_id, picture=picture)
    return view, [item.move for item in moved]


def imagined_board(setup: Setup, players: int, now: datetime) -> Board:
    """Return a board that nobody plays on; its number is 0. Raises Refusal."""
    start = setup.position(players).state()
    info = game_named(setup.game).info
    return Board(
        0,
        setup.game,
        info.version,
        setup.options,
        f"{info.title} for {players}",
        start,
        start,
        0,
        BoardStatus.PLAYING,
        None,
        None,
        now,
        now,
        tuple(Seat(seat, -seat, f"seat {seat}", 0) for seat in range(1, players + 1)),
    )
