"""A board as its readers see it, each from their side."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from pbm.play.offers import open_offers, waiting_for
from pbm.play.shown import (
    BoardView,
    DepartureShown,
    MoveShown,
    OfferShown,
    PastView,
    RoundPlace,
    RoundShown,
    Told,
)
from pbm.rules import abalone as rules
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
) -> BoardView:
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
) -> dict[int | None, BoardView]:
    """Describe a board from several players' sides, with one look at its moves.

    Those in `plain` want no picture.
    """
    player_ids = list(player_ids)
    seats = len(board.seats)
    since = 0 if whole else max(0, board.ply - (_RECENT_ROUNDS + 1) * seats)
    plies = work.boards.plies(board.id, since=since)
    departures = work.boards.departures(board.id) if board.position.out else ()
    rounds = _rounds(plies, seats, None if whole else _RECENT_ROUNDS)
    shared = _seen_by_all(board, departures, rounds)
    wanted = [player_id for player_id in player_ids if player_id not in plain]
    picture = _picture(board.position, plies) if wanted else None
    return {
        player_id: replace(
            _seen_by(shared, board, plies, departures, player_id),
            picture=picture if player_id in wanted else None,
        )
        for player_id in player_ids
    }


def past_view(
    work: UnitOfWork, board: Board, position: rules.Position, ply: int, *, picture: bool = True
) -> PastView:
    """Describe a board as it was after `ply` plies. Without `picture` the reader wants none."""
    last = work.boards.plies(board.id, since=ply - 1)[:1] if picture and ply else ()
    return PastView(
        number=board.id,
        subject=board.subject,
        ply=board.ply,
        past_ply=ply,
        diagram=rules.diagram(position),
        state=rules.format_state(position),
        players=_players(board, position),
        sides=_sides(position),
        picture=_picture(position, last) if picture else None,
    )


def _picture(position: rules.Position, plies: Sequence[Ply]) -> Told:
    """A position as a drawing; the last of the plies led to it, if there are any."""
    moved = (plies[-1].text, plies[-1].effect) if plies else ()
    return rules.drawing(position, *moved)


def _players(board: Board, position: rules.Position) -> tuple[Told, ...]:
    """Who plays, and how each of them stands."""
    return tuple(
        {
            "seat": seat.seat,
            "symbol": rules.symbol(len(board.seats), seat.seat),
            "handle": seat.handle,
            "score": position.scores[seat.seat - 1],
            "bare": not position.count(seat.seat),
        }
        for seat in board.seats
    )


def _sides(position: rules.Position) -> tuple[tuple[int, ...], ...] | None:
    return position.sides if position.teams else None


def _seen_by_all(
    board: Board, departures: tuple[Departure, ...], rounds: tuple[RoundShown, ...]
) -> BoardView:
    """What a board shows to everybody alike."""
    mover = board.to_move
    return BoardView(
        number=board.id,
        subject=board.subject,
        layout=board.layout,
        pillar=board.position.pillar,
        round=RoundPlace(board.round.number, board.round.rounds) if board.round else None,
        rematch_of=board.rematch_of,
        from_record=board.from_record,
        ply=board.ply,
        status=board.status,
        ended_by=board.ended_by,
        turn=mover.handle if mover else None,
        moves_for=_moves_for(board) if mover else None,
        turn_unreachable=bool(mover and mover.unreachable),
        gone={board.seats[item.seat - 1].handle: item.how for item in departures},
        winners=tuple(board.seats[seat - 1].handle for seat in board.winners or ()),
        diagram=rules.diagram(board.position),
        state=rules.format_state(board.position),
        players=_players(board, board.position),
        sides=_sides(board.position),
        rounds=rounds,
        picture=None,
    )


def _seen_by(
    shared: BoardView,
    board: Board,
    plies: tuple[Ply, ...],
    departures: tuple[Departure, ...],
    player_id: int | None,
) -> BoardView:
    """What one reader is told: who that is, what happened meanwhile, how to answer."""
    own = [seat.seat for seat in board.seats if seat.player_id == player_id]
    mover = board.to_move
    yours = bool(mover and mover.seat in own)
    position = board.position
    partners = [position.partner(seat) for seat in own]
    return replace(
        shared,
        yours=yours,
        you=tuple(
            {
                "symbol": rules.symbol(len(board.seats), seat),
                "home": rules.home(board.layout, len(board.seats), seat, teams=position.teams),
            }
            for seat in own
            if not board.from_record
        ),
        partners=tuple(
            {
                "handle": board.seats[seat - 1].handle,
                "symbol": rules.symbol(len(board.seats), seat),
                "home": rules.home(board.layout, len(board.seats), seat, teams=True),
            }
            for seat in partners
            if seat and seat not in own
        ),
        offers=tuple(_offered(board, offer, plies, player_id) for offer in open_offers(board)),
        happened=_happened(board, plies, departures, own),
        example=_example(board) if yours else None,
        may_decline=_may_decline(board, player_id),
    )


def _moves_for(board: Board) -> str | None:
    """The partner who has left the game and for whom the next move is made, if it is."""
    turn, mover = board.position.turn, board.position.mover
    return board.seats[turn - 1].handle if turn and turn != mover else None


def _offered(
    board: Board, offer: Offer, plies: tuple[Ply, ...], player_id: int | None
) -> OfferShown:
    waiting = waiting_for(board, offer)
    return OfferShown(
        what=offer.kind,
        by=board.handle_of(offer.by),
        ply=offer.moved,
        move=next((ply.text for ply in plies if ply.ply == offer.moved), None),
        later=board.ply - offer.moved,
        to_you=player_id in waiting,
        waiting=tuple(board.handle_of(waits) for waits in waiting),
    )


def _happened(
    board: Board, plies: tuple[Ply, ...], departures: tuple[Departure, ...], own: list[int]
) -> tuple[MoveShown | DepartureShown, ...]:
    """List what happened since the reader's last move, or of it if nothing has; oldest first.

    Never more than one move of each seat: whoever has left reads of the last one only.
    """
    position = board.position
    still_in = any(seat not in position.out for seat in own)
    # Who plays on for a partner has moved for both seats.
    gone = [position.partner(seat) for seat in own if position.partner(seat) in position.out]
    moved = max((board.seats[seat - 1].last_ply for seat in [*own, *gone] if seat), default=0)
    since = moved if still_in and moved < board.ply else board.ply - 1
    since = max(since, board.ply - len(board.seats))
    told: list[tuple[int, MoveShown | DepartureShown]] = [
        (ply.ply, _told_move(board, ply, departures)) for ply in plies if ply.ply > since
    ]
    told += [
        (item.after_ply, DepartureShown(board.seats[item.seat - 1].handle, item.how))
        for item in departures
        if item.after_ply > since or item.after_ply == board.ply
    ]
    return tuple(item for _, item in sorted(told, key=lambda pair: pair[0]))


def _told_move(board: Board, ply: Ply, departures: tuple[Departure, ...]) -> MoveShown:
    """Tell a move by whoever made it: a partner does for one who had left by then."""
    had_left = any(item.seat == ply.seat and item.after_ply < ply.ply for item in departures)
    by = board.position.partner(ply.seat) if had_left else ply.seat
    return MoveShown(
        handle=board.seats[(by or ply.seat) - 1].handle,
        seat_of=board.seats[ply.seat - 1].handle if had_left else None,
        ply=ply.ply,
        move=ply.text,
        effect=ply.effect,
    )


def _rounds(plies: tuple[Ply, ...], seats: int, most: int | None) -> tuple[RoundShown, ...]:
    """Group moves into rounds, one move a seat; a seat that was passed over shows as `--`."""
    rounds: list[tuple[int, list[str]]] = []
    previous = seats
    for ply in plies:
        if ply.seat <= previous:
            rounds.append((ply.ply, []))
        _, moves = rounds[-1]
        moves += [SKIPPED] * (ply.seat - 1 - len(moves))
        moves.append(ply.text)
        previous = ply.seat
    shown = rounds[-most:] if most else rounds
    return tuple(RoundShown(first, tuple(moves)) for first, moves in shown)


def _may_decline(board: Board, player_id: int | None) -> bool:
    """Whether the reader has not moved yet, and is still in a game in progress."""
    if player_id is None or not board.playing or player_id not in board.still_in:
        return False
    return not board.has_moved(player_id)


def _example(board: Board) -> str | None:
    move = rules.example_move(board.position)
    return rules.as_people_write(move) if move else None
