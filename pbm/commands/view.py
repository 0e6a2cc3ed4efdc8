"""A board as facts for a mail: plain values, frozen when the mail is written."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pbm.commands.offers import open_offers, waiting_for
from pbm.rules.contract import Draws, Position, Suggests, Tells, View
from pbm.rules.sides import mover, partners, teams, turn
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Departure, Offer, Ply

_RECENT_ROUNDS = 4
SKIPPED = "--"


def board_view(
    work: UnitOfWork,
    board: Board,
    *,
    player_id: int | None,
    whole: bool = False,
    picture: bool = True,
) -> dict[str, Any]:
    """Describe a board from one player's side (None: a stranger's).

    `whole` lists all moves instead of those of the last four rounds. The work otherwise
    does not grow with the length of the game. Without `picture` the reader wants none.
    """
    plain = () if picture else (player_id,)
    return board_views(work, board, [player_id], whole=whole, plain=plain)[player_id]


def board_views(
    work: UnitOfWork,
    board: Board,
    player_ids: Iterable[int | None],
    *,
    whole: bool = False,
    plain: Collection[int | None] = (),
) -> dict[int | None, dict[str, Any]]:
    """Describe a board from several players' sides, with one look at its moves.

    Those in `plain` want no picture.
    """
    player_ids = list(player_ids)
    seats = len(board.seats)
    since = 0 if whole else max(0, board.ply - (_RECENT_ROUNDS + 1) * seats)
    plies = work.boards.plies(board.id, since=since)
    departures = work.boards.departures(board.id) if board.position.out else ()
    shared = {
        **_standing(board, departures),
        **_shown(board, board.position),
        "rounds": _rounds(plies, seats, None if whole else _RECENT_ROUNDS),
    }
    wanted = [player_id for player_id in player_ids if player_id not in plain]
    picture = _picture(board, board.position, plies) if wanted else None
    return {
        player_id: {
            **shared,
            **_side(board, plies, departures, player_id),
            "picture": picture if player_id in wanted else None,
        }
        for player_id in player_ids
    }


def past_view(
    work: UnitOfWork, board: Board, position: Position, ply: int, *, picture: bool = True
) -> dict[str, Any]:
    """Describe a board as it was after `ply` plies. Without `picture` the reader wants none."""
    last = work.boards.plies(board.id, since=ply - 1)[:1] if picture and ply else ()
    return {
        "number": board.id,
        "subject": board.subject,
        "ply": board.ply,
        "past_ply": ply,
        "game": board.game,
        **_shown(board, position),
        "picture": _picture(board, position, last) if picture else None,
    }


def _picture(board: Board, position: Position, plies: Sequence[Ply]) -> dict[str, Any] | None:
    """A position as a drawing, if its game has them; the last of the plies led to it, if any."""
    game = board.rules
    if not isinstance(game, Draws):
        return None
    view = View(move=plies[-1].text, effect=plies[-1].effect) if plies else View()
    return {"game": board.game, **game.drawing(position, view)}


def _shown(board: Board, position: Position) -> dict[str, Any]:
    """What stands on a board."""
    return {
        "diagram": "\n".join(position.diagram(View())),
        "state": position.state(),
        "players": [
            {"seat": seat.seat, "handle": seat.handle, **told}
            for seat, told in zip(board.seats, seats_told(board, position), strict=True)
        ],
        "sides": teams(position),
    }


def seats_told(board: Board, position: Position) -> tuple[dict[str, Any], ...]:
    """What the templates of the game say of each seat."""
    game = board.rules
    if isinstance(game, Tells):
        return game.told(board.start, position)
    return tuple({"symbol": str(seat.seat)} for seat in board.seats)


def _standing(board: Board, departures: tuple[Departure, ...]) -> dict[str, Any]:
    waited_for = board.to_move
    return {
        "number": board.id,
        "subject": board.subject,
        "game": board.game,
        "options": dict(board.options),
        "round": _round(board),
        "rematch_of": board.rematch_of,
        "from_record": board.from_record,
        "ply": board.ply,
        "status": board.status,
        "ended_by": board.ended_by,
        "turn": waited_for.handle if waited_for else None,
        "moves_for": _moves_for(board) if waited_for else None,
        "turn_unreachable": bool(waited_for and waited_for.unreachable),
        "gone": {board.seats[item.seat - 1].handle: item.how for item in departures},
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
    }


def _round(board: Board) -> dict[str, int] | None:
    place = board.round
    return {"number": place.number, "rounds": place.rounds} if place else None


def _side(
    board: Board,
    plies: tuple[Ply, ...],
    departures: tuple[Departure, ...],
    player_id: int | None,
) -> dict[str, Any]:
    """What one reader is told: who that is, what happened meanwhile, how to answer."""
    own = [seat.seat for seat in board.seats if seat.player_id == player_id]
    waited_for = board.to_move
    yours = bool(waited_for and waited_for.seat in own)
    told = seats_told(board, board.position)
    others = [seat for mine in own for seat in partners(board.position, mine) if seat not in own]
    return {
        "yours": yours,
        "you": [told[seat - 1] for seat in own if not board.from_record],
        "partners": [{"handle": board.seats[seat - 1].handle, **told[seat - 1]} for seat in others],
        "offers": [_offered(board, offer, plies, player_id) for offer in open_offers(board)],
        "happened": _happened(board, plies, departures, own),
        "example": _example(board) if yours else None,
        "may_decline": _may_decline(board, player_id),
    }


def _moves_for(board: Board) -> str | None:
    """The partner who has left the game and for whom the next move is made, if it is."""
    seat = turn(board.position)
    return board.seats[seat - 1].handle if seat and seat != mover(board.position) else None


def _offered(
    board: Board, offer: Offer, plies: tuple[Ply, ...], player_id: int | None
) -> dict[str, Any]:
    waiting = waiting_for(board, offer)
    return {
        "what": offer.kind,
        "by": board.handle_of(offer.by),
        "ply": offer.moved,
        # Left out where it was long ago, by one who has had no move since.
        "move": next((ply.text for ply in plies if ply.ply == offer.moved), None),
        "later": board.ply - offer.moved,
        "to_you": player_id in waiting,
        "waiting": [board.handle_of(waits) for waits in waiting],
    }


def _happened(
    board: Board, plies: tuple[Ply, ...], departures: tuple[Departure, ...], own: list[int]
) -> list[dict[str, Any]]:
    """List what happened since the reader's last move, or of it if nothing has; oldest first.

    Never more than one move of each seat: whoever has left reads of the last one only.
    """
    position = board.position
    still_in = any(seat not in position.out for seat in own)
    # Who plays on for a partner has moved for both seats.
    gone = [partner for seat in own for partner in board.gone_partners(seat)]
    moved = max((board.seats[seat - 1].last_ply for seat in [*own, *gone]), default=0)
    since = moved if still_in and moved < board.ply else board.ply - 1
    since = max(since, board.ply - len(board.seats))
    told: list[tuple[int, dict[str, Any]]] = [
        (ply.ply, _told_move(board, ply, departures)) for ply in plies if ply.ply > since
    ]
    told += [
        (item.after_ply, {"handle": board.seats[item.seat - 1].handle, "how": item.how})
        for item in departures
        if item.after_ply > since or item.after_ply == board.ply
    ]
    return [item for _, item in sorted(told, key=lambda pair: pair[0])]


def _told_move(board: Board, ply: Ply, departures: tuple[Departure, ...]) -> dict[str, Any]:
    """Tell a move by whoever made it: a partner does for one who had left by then."""
    had_left = any(item.seat == ply.seat and item.after_ply < ply.ply for item in departures)
    by = next(iter(partners(board.position, ply.seat)), ply.seat) if had_left else ply.seat
    return {
        "handle": board.seats[by - 1].handle,
        "seat_of": board.seats[ply.seat - 1].handle if had_left else None,
        "ply": ply.ply,
        "move": ply.text,
        "effect": ply.effect,
    }


def _rounds(plies: tuple[Ply, ...], seats: int, most: int | None) -> list[dict[str, Any]]:
    """Group moves into rounds, one move a seat; a seat that was passed over shows as `--`."""
    rounds: list[dict[str, Any]] = []
    previous = seats
    for ply in plies:
        if ply.seat <= previous:
            rounds.append({"ply": ply.ply, "moves": []})
        moves = rounds[-1]["moves"]
        moves += [SKIPPED] * (ply.seat - 1 - len(moves))
        moves.append(ply.text)
        previous = ply.seat
    return rounds[-most:] if most else rounds


def _may_decline(board: Board, player_id: int | None) -> bool:
    """Whether the reader has not moved yet, and is still in a game in progress."""
    if player_id is None or not board.playing or player_id not in board.still_in:
        return False
    return not board.has_moved(player_id)


def _example(board: Board) -> str | None:
    game = board.rules
    return game.example_move(board.position) if isinstance(game, Suggests) else None
