"""A board as its readers see it: plain data, which is stored as the parameters of a mail."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from pbm.play.advice import people_against
from pbm.play.clocks.view import clock_for
from pbm.play.clocks.waits import calendar_read, terms_of
from pbm.play.handovers import WhoMoved, handed_over, who_moved
from pbm.play.offers import claimable
from pbm.play.plans import sent_before, shown_plan
from pbm.play.ratings import is_too_short, rating_changes, ratings_now
from pbm.play.results import places, seconds_taken
from pbm.play.watching import watchers_of
from pbm.rules.contract import Draws, Game, Moved, Position, Suggests, Tells, TellsMoves, has
from pbm.rules.sides import mover, partners, teams, turn
from pbm.store.db import UnitOfWork
from pbm.store.repositories.players import readers_read
from pbm.store.repositories.plies import plies_read
from pbm.store.sql.statement import Read
from pbm.store.values.boards import Board, Departure, Offer, Ply
from pbm.store.values.players import Player

ViewData = dict[str, Any]
SKIPPED = "--"


def board_view(
    work: UnitOfWork,
    board: Board,
    reader: Player | None,
    *,
    whole: bool = False,
    after: int | None = None,
) -> ViewData:
    """Return a board's view for one player; for somebody outside the game if `reader` is None.

    If `whole` is set, the view lists all moves. Its key `happened` has the moves and departures
    after the ply `after`. If `after` is None, it has those after the reader's last move.
    """
    number = reader.id if reader else None
    knows = {} if after is None else {number: after}
    return board_views(work, board, [reader], whole=whole, knows=knows)[number]


def board_views(
    work: UnitOfWork,
    board: Board,
    readers: Sequence[Player | None],
    *,
    whole: bool = False,
    recent: tuple[Ply, ...] | None = None,
    knows: Mapping[int | None, int] = MappingProxyType({}),
) -> dict[int | None, ViewData]:
    """Return the views of several readers, by player id. What they share is computed once.

    A reader outside the game is None, and so is that reader's id. `knows` has the last plies that
    readers know. A reader who is not in it knows all plies up to `listed_after`.
    """
    since = 0 if whole else recent_since(board)
    plies = work.plies.of(board.id, since=since) if recent is None else recent
    departures = work.plies.departures(board.id) if board.position.out else ()
    game, seats = board.rules, seats_data(board, board.position)
    rounds = rounds_of(plies, len(board.seats), None if whole else game.info.rounds_shown)
    shared = _shared(work, board, departures, seats, rounds, plies)
    claim = claimable(work, board, plies, departures)
    sits = [(reader, _place_of(board, reader)) for reader in readers]
    moves = {
        since: tuple(moved_in(ply) for ply in plies if ply.ply > since)
        for since in {_listed_after(board, place, plies) for _, place in sits}
    }
    marked = {since: _marked(board, board.position, new) for since, new in moves.items()}
    who = who_moved(work, board)
    views: dict[int | None, ViewData] = {}
    plans = {plan.player_id: plan for plan in work.plans.on_board(board)}
    notes = work.notes.on_board(board)
    for reader, place in sits:
        player_id = reader.id if reader else None
        since = _listed_after(board, place, plies)
        yours = board.to_move is not None and board.to_move.seat in place.own
        views[player_id] = {
            **shared,
            "picture": _picture(board, board.position, moves[since], reader, place),
            "marked": marked[since],  # moves, as data of the game
            "yours": yours,
            "you": [{"seat": it, **seats[it - 1]} for it in place.own],
            "partners": [
                {"handle": board.seats[seat - 1].handle, **seats[seat - 1]}
                for seat in place.partners
            ],
            "offers": [
                _offered(work, board, offer, plies, player_id) for offer in board.open_offers
            ],
            "happened": _happened(board, plies, departures, who, since, knows.get(player_id)),
            **_examples(board, yours=yours),
            "may_decline": board.playing and player_id in board.still_in and not place.has_moved,
            "claim": claim if player_id in board.still_in else None,
            "plan": shown_plan(board, plans.get(player_id or 0)),
            "note": notes.get(player_id or 0),
            "against_robots": bool(place.own and shared["robots"])
            and not people_against(board, player_id),
        }
    return views


def wants_picture(reader: Player | None) -> bool:
    return reader is None or reader.settings.picture


def _examples(board: Board, *, yours: bool) -> ViewData:
    game = board.rules
    moves = game.example_moves(board.position) if yours and has(game, Suggests) else ()
    return {"example": next(iter(moves), None), "examples": moves[1:]}


def view_reads(board: Board, now: datetime) -> tuple[Read, ...]:
    """Return the queries that the views of a board need, so that they can be prefetched."""
    plies = plies_read(board.id, recent_since(board))
    return (readers_read(board.id), plies, *calendar_read(board, now))


def recent_since(board: Board) -> int:
    """Return the last ply that a view of recent moves does not need, or 0 if all are needed.

    Such a view needs the rounds that it lists, and the round before them.
    """
    return max(0, board.ply - (board.rules.info.rounds_shown + 1) * len(board.seats))


@dataclass(frozen=True)
class _Place:
    """The seats of a reader, of the reader's partners, and all for which the reader moves."""

    own: tuple[int, ...] = ()
    partners: tuple[int, ...] = ()
    moves_for: tuple[int, ...] = ()
    has_moved: bool = False  # any of the latter


def _place_of(board: Board, reader: Player | None) -> _Place:
    own = tuple(seat.seat for seat in board.seats_of(reader.id)) if reader else ()
    if not reader or not own or board.from_record:  # whose seats are its importer's
        return _Place()
    beside = {other for seat in own for other in partners(board.position, seat)}
    moves_for, has_moved = board.played_by(reader.id), board.has_moved(reader.id)
    return _Place(own, tuple(sorted(beside.difference(own))), moves_for, has_moved)


def listed_after(board: Board, reader: Player | None) -> int:
    """Return the ply after which a mail lists moves for a reader: at most one round of them."""
    return _listed_after(board, _place_of(board, reader))


def _listed_after(board: Board, place: _Place, plies: Sequence[Ply] = ()) -> int:
    still_in = any(seat not in board.position.out for seat in place.own)
    moved = max((board.seats[seat - 1].last_ply for seat in place.moves_for), default=0)
    sent = sent_before(moved, plies)
    if sent < moved:
        return sent - 1
    since = moved if still_in and moved < board.ply else board.ply - 1
    return max(0, since, board.ply - len(board.seats))


def past_view(
    work: UnitOfWork,
    board: Board,
    position: Position,
    ply: int,
    reader: Player | None,
    *,
    since: int | None = None,
) -> ViewData:
    """Return a board's view as it was after `ply` plies.

    The moves after ply `since` are marked; if it is None, only the last move is marked.
    """
    before = max(0, ply - 1) if since is None else since
    plies = work.plies.of(board.id, since=before)[: ply - before]
    moves = tuple(map(moved_in, plies))
    return view_at(board, position, ply, moves, reader)


def planned_view(
    board: Board, position: Position, moves: tuple[Moved, ...], reader: Player
) -> ViewData:
    """Return the board at the end of a line of a plan, which leads there by `moves`."""
    last = moves[-len(board.seats) :]
    drawn = small(_picture(board, position, last, reader, _place_of(board, reader)))
    marked, shown = _marked(board, position, moves), "\n".join(position.diagram())
    return {"diagram": shown, "marked": marked, "game": board.game, "picture": drawn}


def small(picture: ViewData | None) -> ViewData | None:
    """Return a picture of fewer bytes, for a mail with several."""
    return {**picture, "small": True} if picture else None


def view_at(
    board: Board, position: Position, ply: int, moves: tuple[Moved, ...], reader: Player | None
) -> ViewData:
    """Return the view of any position of a board, the one after `ply` plies; mark `moves`."""
    shown = _shown(board, position, seats_data(board, position))
    drawn = _picture(board, position, moves, reader, _place_of(board, reader))
    marked = _marked(board, position, moves)
    return {**shown, "past_ply": ply, "marked": marked, "picture": drawn}


def _shown(board: Board, position: Position, seats: Sequence[ViewData]) -> ViewData:
    """Return the items that the views of present and past positions have in common."""
    return {
        "number": board.id,
        "subject": board.subject,
        "game": board.game,
        "ply": board.ply,
        "latest": board.latest,
        "diagram": "\n".join(position.diagram()),
        "state": position.state(),
        "sides": teams(position),
        "players": [
            {"seat": seat.seat, "handle": seat.handle, **data}
            for seat, data in zip(board.seats, seats, strict=True)
        ],
        "taken_back": board.taken_back,  # number of plies
        **({"private": True} if board.private else {}),
    }


def _shared(
    work: UnitOfWork,
    board: Board,
    departures: Sequence[Departure],
    seats: Sequence[ViewData],
    rounds: list[ViewData],
    plies: Sequence[Ply],
) -> ViewData:
    """Return the items of a board's present view that are the same for all readers."""
    to_move, ratings = board.to_move, rating_changes(work, board)
    place = board.round
    seat, moves = (turn(board.position), mover(board.position)) if to_move else (None, None)
    return {
        **_shown(board, board.position, seats),
        "options": dict(board.options),
        "round": {"number": place.number, "rounds": place.rounds} if place else None,
        "rematch_of": board.rematch_of,
        "away": [seat.handle for seat in board.seats if seat.removed],  # have left the server
        "from_record": board.from_record,
        "status": board.status,
        "ended_by": board.ended_by,
        "turn": to_move.handle if to_move else None,
        # The partner who has left, if the mover moves for a partner.
        "moves_for": board.seats[seat - 1].handle if seat and seat != moves else None,
        "turn_unreachable": bool(to_move and to_move.unreachable),
        "gone": {board.seats[item.seat - 1].handle: item.how for item in departures},
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
        "rated": board.rated,
        "ratings": ratings,
        "rounds": rounds,
        # Until the game is over, nobody is told which moves were planned.
        "planned": [] if board.playing else [ply.ply for ply in plies if ply.planned],
        "handovers": handed_over(work, board),
        "places": places(board),
        "seconds": seconds_taken(board),
        "too_short": is_too_short(work, board, ratings),
        "robots": list(dict.fromkeys(seat.handle for seat in board.seats if seat.robot)),
    }


def opening_view(
    game: Game, position: Position, own: Sequence[int] = (), *, small: bool = False
) -> ViewData:
    """Return a start position as text and picture, which tells who moves, or the reader's `own`.

    A `small` picture has fewer bytes.
    """
    board, name = "\n".join(position.diagram()), game.info.name
    if not has(game, Draws):
        return {"board": board, "picture": None}
    whose = "you" if own else "mover"
    seats = _digits(own or position.to_move[:1])
    about = {"game": name, "named": seats[:1], whose: seats, **({"small": True} if small else {})}
    return {"board": board, "picture": {**game.drawing(position, ()), **about}}


def _picture(
    board: Board, position: Position, moves: tuple[Moved, ...], reader: Player | None, place: _Place
) -> ViewData | None:
    """Return a picture for a reader who wants one; it tells the reader's seats, or who is to move.

    One colour shows the names of its cells: what the reader moves next or, failing that, has.
    """
    game = board.rules
    if not has(game, Draws) or not wants_picture(reader):
        return None
    drawn, to_move = game.drawing(position, moves), position.to_move
    start = game.drawing(board.start, ())["signs"]
    named = [*({*place.moves_for} & {*to_move}), *place.own]
    about: ViewData = {"you": _digits(place.own)}
    if not place.own:
        named = [*to_move, 1]
        about = {"mover": _digits(to_move[:1])}
    elif place.partners:
        about["partners"] = _digits(place.partners)
    lost = {"start": start} if start.count(".") < drawn["signs"].count(".") else {}
    return {**drawn, "game": board.game, "named": str(named[0]), **about, **lost}


def _digits(seats: Iterable[int]) -> str:
    return "".join(map(str, seats))


def _marked(board: Board, position: Position, moves: tuple[Moved, ...]) -> list[ViewData]:
    game = board.rules
    if not has(game, TellsMoves):
        return []
    return [
        {"handle": board.seats[moved.seat - 1].handle, **game.told_move(position, moved)}
        for moved in moves
    ]


def moved_in(ply: Ply) -> Moved:
    return Moved(ply.seat, ply.text, ply.effect)


def seats_data(board: Board, position: Position) -> tuple[ViewData, ...]:
    game = board.rules
    if has(game, Tells):
        return game.told(board.start, position)
    return tuple({"symbol": str(seat.seat)} for seat in board.seats)


def _offered(
    work: UnitOfWork, board: Board, offer: Offer, plies: Sequence[Ply], player_id: int | None
) -> ViewData:
    waiting = board.open_offers[offer]
    guest = {"guest": work.players.get(offer.guest).handle} if offer.guest else {}
    return {
        "what": offer.kind,
        "by": board.handle_of(offer.by),
        "ply": offer.moved,  # the first that a take-back undoes
        "move": next((ply.text for ply in plies if ply.ply == offer.moved), None),
        "later": board.ply - offer.moved,  # further plies that it undoes
        "to_you": player_id in waiting,
        "waiting": [
            guest["guest"] if waits == offer.guest else board.handle_of(waits) for waits in waiting
        ],
        **guest,
    }


def _happened(
    board: Board,
    plies: Sequence[Ply],
    departures: Sequence[Departure],
    who: WhoMoved,
    seen: int,
    after: int | None,
) -> list[ViewData]:
    """Return moves and departures after the ply `after`. If it is None, `seen` is used."""
    since = seen if after is None else after
    new = (ply for ply in plies if ply.ply > since)
    items = [(ply.ply, _move_data(board, ply, departures, who)) for ply in new]
    items += [
        (item.after_ply, {"handle": board.seats[item.seat - 1].handle, "how": item.how})
        for item in departures
        if item.after_ply >= since + (after is None) or item.after_ply == board.ply
    ]
    return [item for _, item in sorted(items, key=lambda pair: pair[0])]


def _move_data(board: Board, ply: Ply, departures: Sequence[Departure], who: WhoMoved) -> ViewData:
    """Return a move as data. `seat_of` is a partner who had left, if it was made for one."""
    had_left = any(item.seat == ply.seat and item.after_ply < ply.ply for item in departures)
    by = next(iter(partners(board.position, ply.seat)), ply.seat) if had_left else ply.seat
    return {
        "handle": who(by, ply.ply),
        "seat_of": board.seats[ply.seat - 1].handle if had_left else None,
        "ply": ply.ply,
        "move": ply.text,
        "effect": ply.effect,
    }


def rounds_of(plies: Sequence[Ply], seats: int, most: int | None) -> list[ViewData]:
    rounds: list[ViewData] = []
    previous = seats
    for ply in plies:
        if ply.seat <= previous:
            rounds.append({"ply": ply.ply, "moves": [], "effects": []})
        moves, effects = rounds[-1]["moves"], rounds[-1]["effects"]
        while len(moves) < ply.seat - 1:
            moves.append(SKIPPED)
            effects.append({})
        moves.append(ply.text)
        effects.append(ply.effect)
        previous = ply.seat
    return rounds[-most:] if most else rounds


def card_of(work: UnitOfWork, board: Board, now: datetime) -> dict[str, Any]:
    """Return what the card tells beyond a board's view."""
    return {"ratings": ratings_now(work, board, now), "each": terms_of(board).each}


def status_view(work: UnitOfWork, board: Board, player: Player, now: datetime) -> dict[str, Any]:
    return {
        **board_view(work, board, player),
        "clock": clock_for(work, board, now, player),
        "card": card_of(work, board, now),
        **watchers_of(work, board, player),
    }
