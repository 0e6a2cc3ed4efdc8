"""A board as the board page gets it: plain data with short keys, which a link carries.

The keys are those of `Linked` in `pbm/page/mail.js`. A link must be short, and no old plies are
read for it. So the position before the latest moves is found by taking these back.
"""

from collections.abc import Iterator
from typing import Any

from pbm.play.boards import mark
from pbm.play.views import listed_after, moved_in, recent_since
from pbm.rules.contract import Ground, PageRules, PageTaps, Position, Scores, has
from pbm.rules.sides import turn
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_LONGEST_WHOLE = 300  # plies of a game that is linked from its first move; few such links fit
_SHAPE = ("names", "cells", "labels", "corners", "width", "height", "middle", "scale")


def pages(
    work: UnitOfWork, board: Board, reader: Player, *, whole: bool
) -> Iterator[dict[str, Any]]:
    """Yield what the page can show a reader of a board, the best first: `whole` the game if asked.

    Nothing is yielded if the page cannot show the board's game.
    """
    is_short = board.ply <= _LONGEST_WHOLE and not (board.playing and board.position.out)
    found = whole_game(work, board, reader) if whole and is_short else None
    if found and found["p"] == board.ply:
        yield found
    if latest := _latest(work, board, reader):
        yield latest


def _latest(work: UnitOfWork, board: Board, reader: Player) -> dict[str, Any] | None:
    game = board.rules
    if has(game, PageRules):
        before, moves = _taken_back(work, board, game, reader)
        shown: dict[str, Any] = {"s": before.state(), "m": moves}
    elif has(game, PageTaps):
        shown = {"s": board.position.state(), "m": [], "d": listed_position(game, board.position)}
    else:
        return None
    return {**_about(board, reader), "p": board.ply, **shown, "l": int(board.playing)}


def whole_game(
    work: UnitOfWork, board: Board, reader: Player | None = None
) -> dict[str, Any] | None:
    """Return a game from its start; None if the page cannot show it.

    The page knows no departures, so it has the moves up to the first one.
    """
    if not has(board.rules, PageRules):
        return None
    departures = work.plies.departures(board.id) if board.position.out else ()
    until = min((item.after_ply for item in departures), default=board.ply)
    moves = [ply.text for ply in work.plies.of(board.id)[:until]]
    is_all = not board.playing and until == board.ply
    return {
        **_about(board, reader),
        "p": len(moves),
        "s": board.start_state,
        "m": moves,
        "l": int(board.playing and not departures),
        "x": dict(board.options),
        **({"r": board.winners} if is_all and board.winners is not None else {}),
    }


def _about(board: Board, reader: Player | None) -> dict[str, Any]:
    """Return what a link says of a board and its reader. Who only looks on has no address."""
    own = board.seats_of(reader.id) if reader and not board.from_record else ()
    return {
        "g": board.game,
        "t": board.rules.info.title,
        "b": board.id,
        "n": [seat.handle for seat in board.seats],
        "o": [seat.seat for seat in own],
        "y": list(board.played_by(own[0].player_id)) if own else [],
        **({"k": board.taken_back} if own else {"a": ""}),
    }


def page_shape(ground: Ground) -> dict[str, Any]:
    return {name: getattr(ground, name) for name in _SHAPE}


def _taken_back(
    work: UnitOfWork, board: Board, game: PageRules, reader: Player
) -> tuple[Position, list[str]]:
    """Return a position before the latest moves, and these moves: those that a mail lists.

    Who looks on gets one round. There are fewer moves where somebody has left, or a row is so old
    that it lacks the position's key.
    """
    plays = board.seats_of(reader.id) and not board.from_record
    since = listed_after(board, reader) if plays else board.ply - len(board.seats)
    position, moves = board.position, list[str]()
    plies = work.plies.of(board.id, since=recent_since(board))
    stood = {ply.ply: ply.stood for ply in plies} | {0: mark(board.rules, board.start)}
    for ply in reversed(plies):
        key = stood.get(ply.ply - 1)
        if ply.ply <= since or key is None:
            break
        candidates = game.before(position, moved_in(ply))
        found = next((it for it in candidates if mark(board.rules, it) == key), None)
        if found is None:
            break
        position, moves = found, [ply.text, *moves]
    return position, moves


def listed_position(game: PageTaps, position: Position) -> dict[str, Any]:
    """Return a position, and what each legal move changes on it."""

    def signs(shown: Any) -> str:
        drawn: str = game.drawing(shown, ())["signs"]
        return drawn

    now, moves = signs(position), []
    for move in game.legal_moves(position):
        after = enumerate(signs(game.play_legal(position, move).position))
        changes = [(place, sign) for place, sign in after if sign != now[place]]
        moves.append((str(move), *game.taps(position, move), changes))
    scores = game.scores(position) if has(game, Scores) else ()
    shape = page_shape(game.ground)
    now_to_move = turn(position) if position.to_move else 0
    return {
        "names": shape["names"],
        "shape": shape,
        "signs": now,
        "turn": now_to_move,
        "scores": scores,
        "moves": moves,
    }
