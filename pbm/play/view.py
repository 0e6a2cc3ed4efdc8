"""A board as its readers see it, each from their side."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from pbm.play.boards import check_move
from pbm.play.claims import claimable
from pbm.play.hints import people_against
from pbm.play.offers import open_offers, waiting_for
from pbm.play.places import places, seconds_taken
from pbm.play.ratings import is_too_short, rating_changes
from pbm.play.shown import (
    BoardView,
    DepartureShown,
    MoveShown,
    OfferShown,
    PastView,
    RatingChange,
    RoundPlace,
    RoundShown,
    Told,
)
from pbm.rules.contract import Draws, Moved, Position, Suggests, Tells, TellsMoves, View, has
from pbm.rules.sides import mover, partners, teams, turn
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer
from pbm.store.values.plies import Departure, Ply

SKIPPED = "--"


def board_view(
    work: UnitOfWork,
    board: Board,
    *,
    player_id: int | None,
    whole: bool = False,
    picture: bool = True,
    after: int | None = None,
) -> BoardView:
    """Describe a board from one player's side (None: a stranger's).

    `whole` lists all moves instead of those of the last `Info.rounds_shown` rounds. The work
    otherwise does not grow with the length of the game. Without `picture` the reader wants none.
    `after` is the last ply that the reader knows, if that is not their own last one; at most one
    round more than that is reported.
    """
    plain = () if picture else (player_id,)
    knows = {} if after is None else {player_id: after}
    return board_views(work, board, [player_id], whole=whole, plain=plain, knows=knows)[player_id]


def board_views(
    work: UnitOfWork,
    board: Board,
    player_ids: Iterable[int | None],
    *,
    whole: bool = False,
    plain: Collection[int | None] = (),
    recent: tuple[Ply, ...] | None = None,
    knows: Mapping[int | None, int] = MappingProxyType({}),
) -> dict[int | None, BoardView]:
    """Describe a board from several players' sides, with one look at its moves.

    Those in `plain` want no picture. `recent` are its moves after `recent_since`, where they have
    been read already. Those in `knows` know of all moves until a ply.
    """
    player_ids = list(player_ids)
    seats = len(board.seats)
    since = 0 if whole else recent_since(board)
    plies = work.plies.of(board.id, since=since) if recent is None else recent
    departures = work.plies.departures(board.id) if board.position.out else ()
    rounds = _rounds(plies, seats, None if whole else board.rules.info.rounds_shown)
    ratings = rating_changes(work, board)
    shared = _seen_by_all(board, departures, rounds, ratings)
    shared = replace(shared, too_short=is_too_short(work, board, ratings))
    moved = {player_id: last_seen(board, player_id) for player_id in player_ids}
    marked = {
        since: tuple(_moved(ply) for ply in plies if ply.ply > since) for since in moved.values()
    }
    told = {since: _marked(board, board.position, moves) for since, moves in marked.items()}
    drawn = {
        since: _picture(board, board.position, marked[since])
        for since in {moved[player_id] for player_id in player_ids if player_id not in plain}
    }
    claim = claimable(work, board, plies, departures)
    return {
        player_id: replace(
            shared,
            **_seen_by(shared, board, plies, departures, player_id, knows.get(player_id)),
            picture=None if player_id in plain else drawn[since],
            marked=told[since],
            claim=claim if player_id in board.still_in else None,
        )
        for player_id, since in moved.items()
    }


def recent_since(board: Board) -> int:
    """The ply after which moves are recent enough to be told of a board as it is."""
    return max(0, board.ply - (board.rules.info.rounds_shown + 1) * len(board.seats))


def last_seen(board: Board, player_id: int | None) -> int:
    """The ply of a reader's last move, or the one before if nothing has happened since.

    After it there is never more than one move of each seat: whoever has left reads of the last one
    only.
    """
    own = _own_seats(board, player_id)
    still_in = any(seat not in board.position.out for seat in own)
    # Who plays on for a partner has moved for both seats.
    gone = [partner for seat in own for partner in board.gone_partners(seat)]
    moved = max((board.seats[seat - 1].last_ply for seat in [*own, *gone]), default=0)
    since = moved if still_in and moved < board.ply else board.ply - 1
    return max(0, since, board.ply - len(board.seats))


def past_view(
    work: UnitOfWork,
    board: Board,
    position: Position,
    ply: int,
    *,
    since: int | None = None,
    picture: bool = True,
) -> PastView:
    """Describe a board as it was after `ply` plies, with the moves after `since` marked.

    Without `since` only the last one is. Without `picture` the reader wants none.
    """
    before = max(0, ply - 1) if since is None else since
    plies = work.plies.of(board.id, since=before)[: ply - before]
    return _at(board, position, ply, tuple(map(_moved, plies)), picture=picture)


def view_after(board: Board, text: str, *, picture: bool = True) -> tuple[PastView, str]:
    """Describe a board as a move would leave it, and give the move as it is written.

    Without `picture` the reader wants none. Raises Refusal for a move that is not legal.
    """
    played = board.position.play(check_move(board, text))
    moved = Moved(board.position.to_move[0], str(played.move), played.effect)
    view = _at(board, played.position, board.ply + 1, (moved,), picture=picture)
    return view, moved.move


def _at(
    board: Board, position: Position, ply: int, moves: tuple[Moved, ...], *, picture: bool
) -> PastView:
    return PastView(
        number=board.id,
        subject=board.subject,
        game=board.game,
        ply=board.ply,
        past_ply=ply,
        diagram=_diagram(position),
        state=position.state(),
        players=_players(board, position),
        sides=teams(position),
        picture=_picture(board, position, moves) if picture else None,
        marked=_marked(board, position, moves),
        taken_back=board.taken_back,
    )


def _picture(board: Board, position: Position, moves: tuple[Moved, ...]) -> Told | None:
    """A position as a drawing, if its game has them, with the moves marked that led to it."""
    game, view = board.rules, View(moves=moves)
    return {"game": board.game, **game.drawing(position, view)} if has(game, Draws) else None


def _marked(board: Board, position: Position, moves: tuple[Moved, ...]) -> tuple[Told, ...]:
    """What the templates of the game say of the same moves below the text board."""
    game = board.rules
    if not has(game, TellsMoves):
        return ()
    return tuple(
        {"handle": board.seats[moved.seat - 1].handle, **game.told_move(position, moved)}
        for moved in moves
    )


def _moved(ply: Ply) -> Moved:
    return Moved(ply.seat, ply.text, ply.effect)


def _diagram(position: Position) -> str:
    return "\n".join(position.diagram(View()))


def _players(board: Board, position: Position) -> tuple[Told, ...]:
    """Who plays, and how each of them stands."""
    return tuple(
        {"seat": seat.seat, "handle": seat.handle, **told}
        for seat, told in zip(board.seats, seats_told(board, position), strict=True)
    )


def seats_told(board: Board, position: Position) -> tuple[Told, ...]:
    """What the templates of the game say of each seat."""
    game = board.rules
    if has(game, Tells):
        return game.told(board.start, position)
    return tuple({"symbol": str(seat.seat)} for seat in board.seats)


def _seen_by_all(
    board: Board,
    departures: tuple[Departure, ...],
    rounds: tuple[RoundShown, ...],
    ratings: tuple[RatingChange, ...],
) -> BoardView:
    """What a board shows to everybody alike."""
    waited_for = board.to_move
    return BoardView(
        number=board.id,
        subject=board.subject,
        game=board.game,
        options=dict(board.options),
        round=RoundPlace(board.round.number, board.round.rounds) if board.round else None,
        rematch_of=board.rematch_of,
        away=tuple(seat.handle for seat in board.seats if seat.removed),
        from_record=board.from_record,
        ply=board.ply,
        status=board.status,
        ended_by=board.ended_by,
        turn=waited_for.handle if waited_for else None,
        moves_for=_moves_for(board) if waited_for else None,
        turn_unreachable=bool(waited_for and waited_for.unreachable),
        gone={board.seats[item.seat - 1].handle: item.how for item in departures},
        winners=tuple(board.seats[seat - 1].handle for seat in board.winners or ()),
        rated=board.rated,
        ratings=ratings,
        diagram=_diagram(board.position),
        state=board.position.state(),
        players=_players(board, board.position),
        sides=teams(board.position),
        rounds=rounds,
        places=places(board),
        seconds=seconds_taken(board),
        picture=None,
        taken_back=board.taken_back,
        robots=tuple(dict.fromkeys(seat.handle for seat in board.seats if seat.robot)),
    )


def _seen_by(
    shared: BoardView,
    board: Board,
    plies: tuple[Ply, ...],
    departures: tuple[Departure, ...],
    player_id: int | None,
    after: int | None,
) -> Told:
    """What one reader is told besides, as fields of the view: who that is, what happened meanwhile,
    how to answer."""
    own = _own_seats(board, player_id)
    waited_for = board.to_move
    yours = bool(waited_for and waited_for.seat in own)
    told = seats_told(board, board.position)
    others = [seat for mine in own for seat in partners(board.position, mine) if seat not in own]
    return {
        "yours": yours,
        "you": tuple({"seat": seat, **told[seat - 1]} for seat in own if not board.from_record),
        "partners": tuple(
            {"handle": board.seats[seat - 1].handle, **told[seat - 1]} for seat in others
        ),
        "offers": tuple(_offered(board, offer, plies, player_id) for offer in open_offers(board)),
        "happened": _happened(board, plies, departures, player_id, after),
        "example": _example(board) if yours else None,
        "may_decline": _may_decline(board, player_id),
        "against_robots": bool(own and shared.robots) and not people_against(board, player_id),
    }


def _moves_for(board: Board) -> str | None:
    """The partner who has left the game and for whom the next move is made, if it is."""
    seat = turn(board.position)
    return board.seats[seat - 1].handle if seat and seat != mover(board.position) else None


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
    board: Board,
    plies: tuple[Ply, ...],
    departures: tuple[Departure, ...],
    player_id: int | None,
    after: int | None,
) -> tuple[MoveShown | DepartureShown, ...]:
    """List what happened after a ply, by itself since the reader's last move, or of that if nothing
    has; oldest first."""
    since = last_seen(board, player_id) if after is None else after
    told: list[tuple[int, MoveShown | DepartureShown]] = [
        (ply.ply, _told_move(board, ply, departures)) for ply in plies if ply.ply > since
    ]
    told += [
        (item.after_ply, DepartureShown(board.seats[item.seat - 1].handle, item.how))
        for item in departures
        if item.after_ply >= since + (after is None) or item.after_ply == board.ply
    ]
    return tuple(item for _, item in sorted(told, key=lambda pair: pair[0]))


def _own_seats(board: Board, player_id: int | None) -> list[int]:
    return [seat.seat for seat in board.seats if seat.player_id == player_id]


def _told_move(board: Board, ply: Ply, departures: tuple[Departure, ...]) -> MoveShown:
    """Tell a move by whoever made it: a partner does for one who had left by then."""
    had_left = any(item.seat == ply.seat and item.after_ply < ply.ply for item in departures)
    by = next(iter(partners(board.position, ply.seat)), ply.seat) if had_left else ply.seat
    return MoveShown(
        handle=board.seats[by - 1].handle,
        seat_of=board.seats[ply.seat - 1].handle if had_left else None,
        ply=ply.ply,
        move=ply.text,
        effect=ply.effect,
    )


def _rounds(plies: tuple[Ply, ...], seats: int, most: int | None) -> tuple[RoundShown, ...]:
    """Group moves into rounds, one move a seat; a seat that was passed over shows as `--`."""
    rounds: list[tuple[int, list[tuple[str, Told]]]] = []
    previous = seats
    for ply in plies:
        if ply.seat <= previous:
            rounds.append((ply.ply, []))
        _, moves = rounds[-1]
        moves += [(SKIPPED, {})] * (ply.seat - 1 - len(moves))
        moves.append((ply.text, ply.effect))
        previous = ply.seat
    shown = rounds[-most:] if most else rounds
    return tuple(
        RoundShown(first, tuple(text for text, _ in moves), tuple(effect for _, effect in moves))
        for first, moves in shown
    )


def _may_decline(board: Board, player_id: int | None) -> bool:
    """Whether the reader has not moved yet, and is still in a game in progress."""
    if player_id is None or not board.playing or player_id not in board.still_in:
        return False
    return not board.has_moved(player_id)


def _example(board: Board) -> str | None:
    game = board.rules
    return game.example_move(board.position) if has(game, Suggests) else None
